//! Texts of sensitive jobs: sealed under a key of the job's own, which is kept in the vault.
//!
//! A sealed text is `sealed:v1:` and then, in base64, a random nonce of twenty-four bytes and the text under
//! XChaCha20-Poly1305. The job's name is authenticated with it: a text that is moved to another job does not open there.

use base64::{Engine as _, prelude::BASE64_STANDARD};
use chacha20poly1305::{
    KeyInit, XChaCha20Poly1305, XNonce,
    aead::{Aead, Payload},
};
use zeroize::Zeroizing;

const MARK: &str = "sealed:v1:";
const NONCE: usize = 24;

/// Seals and opens the texts of one job.
#[derive(Clone)]
pub struct TextKey {
    key: Zeroizing<[u8; 32]>,
    job: String,
}

impl TextKey {
    /// From thirty-two bytes in hexadecimal. `None` if it is none.
    #[must_use]
    pub fn read(text: &str, job: &str) -> Option<Self> {
        let mut key = Zeroizing::new([0; 32]);
        hex::decode_to_slice(text, &mut *key).ok()?;
        Some(Self { key, job: job.to_owned() })
    }

    #[must_use]
    pub fn seal(&self, text: &str) -> String {
        let mut nonce = [0; NONCE];
        getrandom::fill(&mut nonce).expect("the kernel always has randomness once it is up");
        let payload = Payload { msg: text.as_bytes(), aad: self.job.as_bytes() };
        let sealed = self.cipher().encrypt(&XNonce::from(nonce), payload);
        let sealed = sealed.expect("only a text of many gigabytes is too long");
        format!("{MARK}{}", BASE64_STANDARD.encode([&nonce[..], &sealed].concat()))
    }

    /// Opens a text. One that is not sealed is as it is; `None` if this key did not seal it for this job.
    #[must_use]
    pub fn open(&self, text: &str) -> Option<String> {
        let Some(sealed) = text.strip_prefix(MARK) else { return Some(text.to_owned()) };
        let sealed = BASE64_STANDARD.decode(sealed).ok()?;
        let (nonce, sealed) = sealed.split_at_checked(NONCE)?;
        let nonce: [u8; NONCE] = nonce.try_into().ok()?;
        let payload = Payload { msg: sealed, aad: self.job.as_bytes() };
        let text = self.cipher().decrypt(&XNonce::from(nonce), payload).ok()?;
        String::from_utf8(text).ok()
    }

    fn cipher(&self) -> XChaCha20Poly1305 {
        XChaCha20Poly1305::new_from_slice(&*self.key).expect("it has thirty-two bytes")
    }
}

/// Whether a text is sealed.
#[must_use]
pub fn is_sealed(text: &str) -> bool {
    text.starts_with(MARK)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sealed_text_opens_for_its_job_alone() {
        let key = |job: &str, byte: &str| TextKey::read(&byte.repeat(32), job).unwrap();
        let sealed = key("a", "01").seal("the plan");
        assert!(is_sealed(&sealed) && !sealed.contains("plan"));
        assert_eq!(key("a", "01").open(&sealed).as_deref(), Some("the plan"));
        assert_eq!(key("b", "01").open(&sealed), None);
        assert_eq!(key("a", "02").open(&sealed), None);
        assert_eq!(key("a", "01").open("plain").as_deref(), Some("plain"));
        assert_ne!(key("a", "01").seal("the plan"), sealed);
        assert!(TextKey::read("xyz", "a").is_none());
    }
}

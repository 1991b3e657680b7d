//! Sealing and opening: XChaCha20-Poly1305, bound to whose secret it is and what it is for.
//!
//! Sealed bytes are `ckey`, a byte for the form (1), eight bytes that name the sealing key, a random
//! nonce of twenty-four, and then the text under encryption with its tag. Owner, name, form and
//! sealing key are authenticated with it: a row that is moved to another place does not open there.

use std::fmt;

use chacha20poly1305::{
    KeyInit, XChaCha20Poly1305, XNonce,
    aead::{Aead, AeadInOut, Payload},
};
use consign_engine::Owner;
use sha2::{Digest, Sha256};
use zeroize::Zeroizing;

use crate::transport::Secret;

/// Thirty-two bytes in a box, so that moving them leaves no copy behind.
pub(super) type Bytes = Box<Zeroizing<[u8; 32]>>;

/// A key that seals other keys.
#[derive(Clone)]
pub(super) struct SealingKey(Bytes);

/// Tells sealing keys apart, and reveals nothing else about them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Fingerprint([u8; 8]);

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex::encode(self.0))
    }
}

const FORM: &[u8; 5] = b"ckey\x01";
const NONCE: usize = 24;
const TAG: usize = 16;
const HEAD: usize = FORM.len() + 8 + NONCE;

impl SealingKey {
    pub(super) fn new(bytes: Bytes) -> Self {
        Self(bytes)
    }

    pub(super) fn random() -> Self {
        let mut bytes = Bytes::default();
        fill(&mut **bytes);
        Self(bytes)
    }

    pub(super) fn bytes(&self) -> &[u8; 32] {
        &self.0
    }

    pub(super) fn fingerprint(&self) -> Fingerprint {
        let digest = Sha256::new()
            .chain_update("consign sealing key\n")
            .chain_update(self.bytes().as_slice());
        let digest = digest.finalize();
        let mut short = [0; 8];
        short.copy_from_slice(&digest[..8]);
        Fingerprint(short)
    }

    pub(super) fn seal(&self, owner: &Owner, name: &str, secret: &Secret) -> Vec<u8> {
        let mut nonce = [0; NONCE];
        fill(&mut nonce);
        let with = self.fingerprint();
        let payload = Payload { msg: secret.reveal().as_bytes(), aad: &bound(owner, name, with) };
        let text = self.cipher().encrypt(&XNonce::from(nonce), payload);
        let text = text.expect("only a text of many gigabytes is too long");
        [&FORM[..], &with.0, &nonce, &text].concat()
    }

    /// Opens sealed bytes. `None` if this key did not seal them for this owner and name.
    pub(super) fn open(&self, owner: &Owner, name: &str, sealed: &[u8]) -> Option<Secret> {
        let (head, text) = sealed.split_at_checked(HEAD)?;
        let nonce: [u8; NONCE] = head[HEAD - NONCE..].try_into().ok()?;
        let mut text = Zeroizing::new(text.to_vec());
        let bound = bound(owner, name, self.fingerprint());
        self.cipher().decrypt_in_place(&XNonce::from(nonce), &bound, &mut *text).ok()?;
        // Moved, not copied.
        String::from_utf8(std::mem::take(&mut *text)).ok().map(Secret::new)
    }

    fn cipher(&self) -> XChaCha20Poly1305 {
        XChaCha20Poly1305::new_from_slice(&**self.0).expect("it has thirty-two bytes")
    }
}

/// The sealing key that sealed bytes name; `None` if they are not sealed bytes.
pub(super) fn sealed_with(sealed: &[u8]) -> Option<Fingerprint> {
    let rest = sealed.strip_prefix(FORM).filter(|_| sealed.len() >= HEAD + TAG)?;
    Some(Fingerprint(rest[..8].try_into().ok()?))
}

/// The data that is authenticated as well: each part with its length, so that none can run into the
/// next.
fn bound(owner: &Owner, name: &str, with: Fingerprint) -> Vec<u8> {
    let mut bound = FORM.to_vec();
    for part in [&with.0[..], owner.as_str().as_bytes(), name.as_bytes()] {
        bound.extend((part.len() as u64).to_be_bytes());
        bound.extend(part);
    }
    bound
}

fn fill(bytes: &mut [u8]) {
    getrandom::fill(bytes).expect("the kernel always has randomness once it is up");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(byte: u8) -> SealingKey {
        SealingKey::new(Box::new(Zeroizing::new([byte; 32])))
    }

    fn sealed() -> Vec<u8> {
        key(1).seal(&"ada".into(), "openai", &Secret::new("sk-1234".to_owned()))
    }

    #[test]
    fn what_was_sealed_opens_and_no_two_seals_are_alike() {
        let (one, other) = (sealed(), sealed());
        assert_ne!(one, other);
        assert_eq!(sealed_with(&one), Some(key(1).fingerprint()));
        for sealed in [one, other] {
            let opened = key(1).open(&"ada".into(), "openai", &sealed);
            assert_eq!(opened.expect("it opens").reveal(), "sk-1234");
            assert!(!sealed.windows(4).any(|window| window == b"1234"));
        }
    }

    #[test]
    fn it_opens_for_nobody_else_and_under_no_other_name_or_key() {
        let sealed = sealed();
        let check = |key: SealingKey, owner: &str, name: &str| {
            assert!(key.open(&owner.into(), name, &sealed).is_none(), "{owner} {name}");
        };
        check(key(2), "ada", "openai");
        check(key(1), "bob", "openai");
        check(key(1), "ada", "xai");
        check(key(1), "adao", "penai");
        check(key(1), "", "adaopenai");
    }

    #[test]
    fn no_byte_can_be_changed_added_or_taken_away() {
        let sealed = sealed();
        let opens = |bytes: &[u8]| {
            let with = sealed_with(bytes) == Some(key(1).fingerprint());
            with && key(1).open(&"ada".into(), "openai", bytes).is_some()
        };
        assert!(opens(&sealed));
        for place in 0..sealed.len() {
            let mut changed = sealed.clone();
            changed[place] ^= 1;
            assert!(!opens(&changed), "byte {place}");
            assert!(!opens(&sealed[..place]), "cut at {place}");
            assert!(!opens(&sealed[place + 1..]), "without the first {}", place + 1);
        }
        assert!(!opens(&[&sealed[..], b"\0"].concat()));
    }

    /// Worked out by another program, from the description above: old rows must always open.
    #[test]
    fn the_form_stays_what_it_is() {
        assert_eq!(key(1).fingerprint().to_string(), "ad2b4bf8bcb23977");
        let old = "636b657901ad2b4bf8bcb23977000102030405060708090a0b0c0d0e0f10\
                   111213141516170bbbf6b4afa2e3ac2aa135f7ec5bd65da7117b4e00483b";
        let old = hex::decode(old).expect("hexadecimal");
        let opened = key(1).open(&"ada".into(), "openai", &old).expect("it opens");
        assert_eq!(opened.reveal(), "sk-1234");
    }
}

//! Secrets that we give out, and the digests that we keep of them.

use std::fmt;

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use consign_engine::Entropy;
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq;
use zeroize::Zeroizing;

use crate::{UserId, mailer::Purpose};

/// A secret that is given out once: a session, a token, the token of the set-up. It is wiped from
/// memory when it is dropped.
#[derive(Clone)]
pub struct Secret(Zeroizing<String>);

/// What a secret begins with, so that one that was found somewhere can be recognised.
pub(crate) const SESSION: &str = "cs_";
pub(crate) const TOKEN: &str = "ct_";
pub(crate) const SETUP: &str = "cu_";
/// For what other programs only carry: the state and the verifier of OAuth.
pub(crate) const PLAIN: &str = "";

impl Secret {
    /// 256 random bits behind a prefix.
    pub(crate) fn random(prefix: &str, entropy: &dyn Entropy) -> Self {
        let mut bytes = Zeroizing::new([0; 32]);
        entropy.fill(bytes.as_mut());
        Self(Zeroizing::new(format!("{prefix}{}", URL_SAFE_NO_PAD.encode(bytes.as_ref()))))
    }

    /// A secret that was kept elsewhere.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Self(Zeroizing::new(text.into()))
    }

    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("***")
    }
}

/// The SHA-256 of a secret: what is kept of it.
#[derive(Clone, Copy)]
pub struct Digest([u8; 32]);

impl Digest {
    #[must_use]
    pub fn of(secret: &str) -> Self {
        Self(Sha256::digest(secret.as_bytes()).into())
    }

    /// That of a code, which is too short to stand alone: it is bound to its user and purpose.
    #[must_use]
    pub fn of_code(user: &UserId, purpose: Purpose, code: &str) -> Self {
        Self::of(&format!("{user} {} {code}", purpose.as_str()))
    }

    #[must_use]
    pub fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    #[must_use]
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

/// In constant time.
impl PartialEq for Digest {
    fn eq(&self, other: &Self) -> bool {
        self.0.ct_eq(&other.0).into()
    }
}

impl Eq for Digest {}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Digest(***)")
    }
}

/// The token against forged requests that goes with a session. It is made of the session's secret, so
/// that nothing more is kept, and the secret cannot be found from it.
pub(crate) fn csrf_of(session: &str) -> String {
    URL_SAFE_NO_PAD.encode(Digest::of(&format!("csrf {session}")).0)
}

/// Six random digits, each code as likely as any other.
pub(crate) fn random_code(entropy: &dyn Entropy) -> Secret {
    const CODES: u32 = 1_000_000;
    // The last, incomplete round would make the low codes more likely.
    const WHOLE: u32 = u32::MAX - u32::MAX % CODES;
    loop {
        let mut bytes = [0; 4];
        entropy.fill(&mut bytes);
        let number = u32::from_le_bytes(bytes);
        if number < WHOLE {
            return Secret::new(format!("{:06}", number % CODES));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU8, Ordering};

    use super::*;

    /// Bytes of ones, then of twos, and so on.
    struct Steps(AtomicU8);

    impl Entropy for Steps {
        fn fill(&self, bytes: &mut [u8]) {
            bytes.fill(self.0.fetch_add(1, Ordering::Relaxed));
        }
    }

    #[test]
    fn a_secret_has_a_prefix_and_256_bits_and_is_never_printed() {
        let secret = Secret::random(SESSION, &Steps(AtomicU8::new(1)));
        assert_eq!(secret.reveal(), "cs_AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE");
        assert_eq!(format!("{secret:?}"), "***");
        assert!(!format!("{:?}", Digest::of("x")).contains(|letter: char| letter.is_ascii_digit()));
    }

    #[test]
    fn a_code_is_six_digits_and_the_incomplete_round_is_left_out() {
        let entropy = Steps(AtomicU8::new(255));
        let code = random_code(&entropy);
        assert_eq!(code.reveal(), "000000", "all ones were thrown again");
        assert_eq!(random_code(&entropy).reveal(), format!("{:06}", 0x0101_0101 % 1_000_000));
    }

    #[test]
    fn digests_of_a_code_differ_by_user_and_purpose() {
        let user = |digit: &str| {
            let id = format!("7777777{digit}-7777-4777-b777-777777777777");
            UserId::from_word(&id).unwrap()
        };
        let one = Digest::of_code(&user("1"), Purpose::Verify, "123456");
        assert_eq!(one, Digest::of_code(&user("1"), Purpose::Verify, "123456"));
        assert_ne!(one, Digest::of_code(&user("2"), Purpose::Verify, "123456"));
        assert_ne!(one, Digest::of_code(&user("1"), Purpose::Reset, "123456"));
    }
}

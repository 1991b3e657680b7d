//! The secret that a client must have.
//!
//! It must never be printed or logged: [`Token::reveal`] is the one way to see it.

use std::fmt;

use subtle::ConstantTimeEq;
use zeroize::Zeroizing;

/// Kept in memory only, printed as `***`, compared without telling by the time how much was right.
#[derive(Clone)]
pub struct Token(Zeroizing<String>);

/// A token must be hard to guess, and fit into a header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WeakToken;

/// The fewest letters of a chosen token.
const FEWEST: usize = 16;
const MOST: usize = 512;

impl Token {
    /// A new one: 32 random bytes in hexadecimal.
    #[must_use]
    pub fn random() -> Self {
        let mut random = Zeroizing::new([0; 32]);
        getrandom::fill(random.as_mut()).expect("the kernel always has randomness once it is up");
        let digit = |nibble: u8| char::from_digit(nibble.into(), 16).unwrap_or_default();
        let digits = random.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]);
        Self(Zeroizing::new(digits.collect()))
    }

    /// A token that a person chose.
    pub fn chosen(text: impl Into<String>) -> Result<Self, WeakToken> {
        let text = Zeroizing::new(text.into());
        let fits = (FEWEST..=MOST).contains(&text.len());
        if fits && text.bytes().all(|letter| letter.is_ascii_graphic()) {
            Ok(Self(text))
        } else {
            Err(WeakToken)
        }
    }

    /// The secret itself, to be handed to a client.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }

    pub(crate) fn is(&self, given: &[u8]) -> bool {
        self.0.as_bytes().ct_eq(given).into()
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("***")
    }
}

impl fmt::Display for WeakToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a token has {FEWEST} to {MOST} letters of ASCII without spaces")
    }
}

impl std::error::Error for WeakToken {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_itself_and_nothing_else() {
        let token = Token::random();
        assert_eq!(token.reveal().len(), 64);
        assert!(token.is(token.reveal().as_bytes()));
        assert!(!token.is(b"") && !token.is(&token.reveal().as_bytes()[1..]));
        assert!(!token.is(Token::random().reveal().as_bytes()));
    }

    #[test]
    fn a_token_is_not_printed() {
        assert_eq!(format!("{:?}", Token::random()), "***");
    }

    #[test]
    fn a_token_that_is_easily_guessed_is_refused() {
        assert!(Token::chosen("correct-horse-battery").is_ok());
        for weak in ["", "short", "with spaces in it, and long", "größer-als-sechzehn"] {
            assert_eq!(Token::chosen(weak).err(), Some(WeakToken), "{weak}");
        }
    }
}

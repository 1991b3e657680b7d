//! Words as the index has them: eight characters that only the owner's secret leads to.
//!
//! The same word is another token for another owner. So one table holds the words of all owners, and a list of it, its
//! length too, belongs to one; and what a page still has of a removed document is no word.

use std::collections::HashMap;

use consign_engine::Owner;
use consign_knowledge::Stems;

/// Forty bits: two of a hundred thousand words share one with a chance of one in two hundred, and then find each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Token([u8; 5]);

impl Token {
    /// As FTS5 is told it: small letters and digits, which its tokenizer keeps together.
    pub(crate) fn to_text(self) -> String {
        let number = self.0.iter().fold(0, |number, byte| number << 8 | u64::from(*byte));
        digits(number, 8)
    }
}

/// Turns the words of one owner into tokens.
pub(crate) struct Tokens {
    owner: Owner,
    secret: [u8; 32],
}

impl Tokens {
    pub(crate) fn of(owner: Owner, secret: [u8; 32]) -> Self {
        Self { owner, secret }
    }

    pub(crate) fn owner(&self) -> &Owner {
        &self.owner
    }

    pub(crate) fn token(&self, word: &str) -> Token {
        let hash = blake3::keyed_hash(&self.secret, word.as_bytes());
        let [a, b, c, d, e, ..] = *hash.as_bytes();
        Token([a, b, c, d, e])
    }

    /// The words of each chunk of a document. Most of them are in many chunks.
    pub(crate) fn index(&self, chunks: &[Stems]) -> Vec<IndexedWords> {
        let mut known: HashMap<String, Token> = HashMap::new();
        let mut index = |stems: &Stems| {
            let words = stems.iter().map(|(stem, count)| {
                let token = match known.get(stem) {
                    Some(token) => *token,
                    None => *known.entry(stem.to_owned()).or_insert(self.token(stem)),
                };
                (token, u16::try_from(count).unwrap_or(u16::MAX))
            });
            IndexedWords::of(words.collect())
        };
        chunks.iter().map(&mut index).collect()
    }
}

/// The tokens of a chunk, each with how often it is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct IndexedWords(Vec<(Token, u16)>);

const ENTRY: usize = 7;

impl IndexedWords {
    fn of(mut words: Vec<(Token, u16)>) -> Self {
        words.sort_unstable();
        Self(words)
    }

    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let entry = |(token, count): &(Token, u16)| {
            let ([a, b, c, d, e], [low, high]) = (token.0, count.to_le_bytes());
            [a, b, c, d, e, low, high]
        };
        self.0.iter().flat_map(entry).collect()
    }

    pub(crate) fn from_bytes(bytes: &[u8]) -> Self {
        let entry = |[a, b, c, d, e, low, high]: &[u8; ENTRY]| {
            (Token([*a, *b, *c, *d, *e]), u16::from_le_bytes([*low, *high]))
        };
        Self(bytes.as_chunks().0.iter().map(entry).collect())
    }

    /// The document that FTS5 is given: the same each time, because what is removed must be what was added. Each token
    /// stands in it once, with its [count](count_of) behind it, so that a list has one entry for a chunk.
    pub(crate) fn to_text(&self) -> String {
        let mut text = String::with_capacity(self.0.len() * 12);
        for (token, count) in &self.0 {
            text += &token.to_text();
            text += &digits(u64::from((*count).min(MOST)), COUNT);
            text.push(' ');
        }
        text
    }
}

/// How many digits a count has, and the highest one.
const COUNT: usize = 3;
const MOST: u16 = 32_767;

const DIGITS: &[u8; 32] = b"234567abcdefghijklmnopqrstuvwxyz";

/// A number in base 32. The digits stand in the order of their bytes, so that numbers of one length do too.
fn digits(number: u64, length: usize) -> String {
    let digit = |place: usize| char::from(DIGITS[(number >> (place * 5)) as usize & 31]);
    (0..length).rev().map(digit).collect()
}

/// How often a word is in a chunk, as the end of its entry in the index says.
pub(super) fn count_of(entry: &[u8]) -> Option<u32> {
    let digits = entry.last_chunk::<COUNT>()?;
    digits.iter().try_fold(0, |count, digit| {
        let value = DIGITS.iter().position(|known| known == digit)?;
        Some(count * 32 + u32::try_from(value).ok()?)
    })
}

#[cfg(test)]
mod tests {
    use consign_knowledge::Language;

    use super::*;

    #[test]
    fn a_word_is_another_token_for_another_owner() {
        let (ann, bob) = (Tokens::of("ann".into(), [1; 32]), Tokens::of("bob".into(), [2; 32]));
        assert_eq!(ann.token("refund"), ann.token("refund"));
        assert_ne!(ann.token("refund"), ann.token("refunds"));
        assert_ne!(ann.token("refund"), bob.token("refund"));
        let text = ann.token("refund").to_text();
        assert!(text.len() == 8 && text.bytes().all(|byte| byte.is_ascii_alphanumeric()), "{text}");
    }

    #[test]
    fn a_count_stands_at_the_end_of_an_entry() {
        for count in [1, 31, 32, 1_000, 32_767] {
            assert_eq!(count_of(digits(count, COUNT).as_bytes()), u32::try_from(count).ok());
        }
        assert!(digits(31, COUNT) < digits(32, COUNT) && digits(999, COUNT) < digits(1_000, COUNT));
        assert_eq!((count_of(b"1!"), count_of(b"aaaaaaaa!22")), (None, None));
    }

    #[test]
    fn what_was_indexed_comes_back() {
        let tokens = Tokens::of("ann".into(), [1; 32]);
        let stems = Stems::of(["one two two three three three"], Language::Other);
        let words = tokens.index(&[stems]).remove(0);
        let text = words.to_text();
        let mut counts: Vec<_> =
            text.split_whitespace().map(|entry| count_of(entry.as_bytes()).unwrap()).collect();
        counts.sort_unstable();
        assert_eq!(counts, [1, 2, 3]);
        assert_eq!(IndexedWords::from_bytes(&words.to_bytes()), words);
    }
}

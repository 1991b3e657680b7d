//! Texts as the numbers that the model reads.

use tokenizers::{Tokenizer, TruncationParams};

/// The longest text that the model reads, in tokens.
const LONGEST: usize = 512;

pub(crate) struct Tokens(Tokenizer);

impl Tokens {
    pub(crate) fn read(bytes: &[u8]) -> Result<Self, String> {
        let mut tokenizer = Tokenizer::from_bytes(bytes).map_err(|error| error.to_string())?;
        // Each batch is padded to its own longest text.
        tokenizer.with_padding(None);
        let truncation = TruncationParams { max_length: LONGEST, ..TruncationParams::default() };
        tokenizer.with_truncation(Some(truncation)).map_err(|error| error.to_string())?;
        // A `[SEP]` that a document says is three words, and no end of it.
        tokenizer.set_encode_special_tokens(true);
        Ok(Self(tokenizer))
    }

    pub(crate) fn of(&self, text: &str) -> Result<Vec<i32>, String> {
        let encoding = self.0.encode_fast(text, true).map_err(|error| error.to_string())?;
        encoding
            .get_ids()
            .iter()
            .map(|id| i32::try_from(*id).map_err(|error| error.to_string()))
            .collect()
    }
}

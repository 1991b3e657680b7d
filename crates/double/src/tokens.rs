//! Counting and cutting text by o200k's tokens.

use tiktoken::CoreBpe;

/// How many tokens a text has.
pub(super) fn count(text: &str) -> u64 {
    // Not `count`, which takes more than a megabyte of the stack in an unoptimised build.
    o200k().encode(text).len() as u64
}

/// The first tokens of a text, and how many they are. Where the limit falls inside a letter, the
/// letter is left out.
pub(super) fn cut(text: &str, limit: u64) -> (String, u64) {
    let tokenizer = o200k();
    let mut tokens = tokenizer.encode(text);
    tokens.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
    loop {
        if let Ok(text) = tokenizer.decode_to_string(&tokens) {
            return (text, tokens.len() as u64);
        }
        tokens.pop();
    }
}

fn o200k() -> &'static CoreBpe {
    tiktoken::get_encoding("o200k_base").expect("the manifest asks for this vocabulary")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_text_is_the_beginning_of_it() {
        let check = |text: &str, limit: u64, kept: &str, tokens: u64| {
            assert_eq!(cut(text, limit), (kept.to_owned(), tokens), "{text}");
        };
        check("one two three", 2, "one two", 2);
        check("one two three", 9, "one two three", 3);
        check("one", 0, "", 0);
        // Four bytes that take more than one token: half a letter is none.
        check("𓀀", 1, "", 0);
    }
}

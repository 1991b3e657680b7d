//! Checks whether a text is valid in its language.

use crate::{Cancel, Language, Limits, syntax};

/// Whether the grammar of a file's language parses the whole text without an error. `None` if the
/// language is not supported, or time was up. A grammar can be wrong about code that compiles, so
/// an error means something only where the same text had none before.
#[must_use]
pub fn is_well_formed(path: &str, source: &[u8], cancel: &Cancel) -> Option<bool> {
    let language = Language::of(path)?;
    let parsed = syntax::parse(language, source, &Limits::default(), cancel)?;
    Some(!parsed.has_mistake())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mistake_is_seen() {
        for (path, source, expected) in [
            ("a.rs", "fn main() {}", Some(true)),
            ("a.rs", "fn my-name() {}", Some(false)),
            ("a.py", "def f():\n    pass\n", Some(true)),
            ("a.py", "def f(:\n", Some(false)),
            ("a.md", "# text", None),
        ] {
            assert_eq!(
                is_well_formed(path, source.as_bytes(), &Cancel::new()),
                expected,
                "{source}"
            );
        }
    }
}

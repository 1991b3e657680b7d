//! The part of `outline` that lists tests instead of definitions, by the names or words in them.

use consign_code::{Language, Test};

use super::{Broken, Evidence, Role, View, Yield};
use crate::{
    json::object,
    words::{has_stem, last_name, parts, stem},
};

/// How many tests a result lists, and how many of them are evidence.
const LISTED: usize = 60;
const SHOWN: usize = 200;

pub(super) fn run(
    view: &View,
    path: &str,
    language: Option<Language>,
    words: &[&str],
    mentions: &[&str],
) -> Result<Yield, Broken> {
    let stems: Vec<String> = words.iter().map(|word| stem(word)).collect();
    let fits = |name: &str, text: &str| {
        mentions.iter().all(|wanted| has_name(name, text, last_name(wanted)))
            && stems.iter().all(|stem| has_word(name, stem) || has_word(text, stem))
    };
    let mut found = view.tests(if path == "." { "" } else { path }, &fits)?;
    if let Some(language) = language {
        found.items.retain(|test| test.language == language);
        found.total = found.items.len();
    }
    let mut marks: Vec<&str> =
        found.items.iter().filter_map(|test| Test::mark(test.language)).collect();
    marks.sort_unstable();
    marks.dedup();
    let listed: Vec<_> = found
        .items
        .iter()
        .take(LISTED)
        .map(|test| object! { "name": &test.name, "path": &test.path, "line": test.line })
        .collect();
    let evidence = found
        .items
        .iter()
        .take(SHOWN)
        .enumerate()
        .map(|(at, test)| {
            let why = format!("`{}` has test `{}`", test.path, test.name);
            let mut one = Evidence::at(&test.path, test.line, Role::Definition, why);
            one.end_line = test.end_line.max(test.line);
            one.symbol = Some(test.name.clone());
            one.kind = Some("test".to_owned());
            one.score = 1.0 / (1.0 + at as f64 * 0.01);
            one
        })
        .collect();
    let result = object! {
        "path": path,
        "tests": listed,
        "total": found.total,
        "more": found.note.is_some(),
        "note": found.note,
        "marks": marks,
        "mentions": mentions.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>(),
        "words": words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>(),
    };
    Ok(Yield { result, evidence })
}

/// Whether a test has a name: as a word in its text, or in its own name as `test_parse_config` has
/// `ParseConfig`.
fn has_name(name: &str, text: &str, wanted: &str) -> bool {
    let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
    let whole = text.match_indices(wanted).any(|(at, _)| {
        !text[..at].ends_with(is_word) && !text[at + wanted.len()..].starts_with(is_word)
    });
    let (own, wanted) = (parts(name), parts(wanted));
    whole || !wanted.is_empty() && own.windows(wanted.len()).any(|some| some == wanted)
}

/// Whether a word is in a text in whatever form.
fn has_word(text: &str, stem: &str) -> bool {
    parts(text).iter().any(|part| has_stem(part, stem))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_has_a_name_in_its_text_or_in_its_own() {
        for (name, text, wanted, expected) in [
            ("works", "let a = parse_config();", "parse_config", true),
            ("works", "let a = parse_config_file();", "parse_config", false),
            ("test_parse_config", "", "parse_config", true),
            ("TestParseConfigTwice", "", "ParseConfig", true),
            ("parses a config", "", "parse_config", false),
            ("works", "", "parse_config", false),
        ] {
            assert_eq!(has_name(name, text, wanted), expected, "{name} {text} {wanted}");
        }
        assert!(has_word("it retries twice", &stem("retry")));
        assert!(!has_word("it determines", &stem("mining")));
    }
}

//! Finds the files that may define a name: those that have it as a word, where it could be a
//! definition.

use memchr::memmem::Finder;

use crate::{
    Error, Language, Repository,
    parallel::{self, Reader},
    walk::{Entry, Listing},
    words,
};

/// A file that has the word.
pub(crate) struct Mention<'a> {
    pub(crate) entry: &'a Entry,
    /// One of them looks like a definition.
    pub(crate) likely: bool,
}

/// How far a search for the word went.
#[derive(Default)]
pub(crate) struct Effort {
    pub(crate) read: usize,
    pub(crate) skipped: usize,
}

/// Files in a language with a grammar that may define a name, the likely ones first and source before
/// tests. With `any_case` those that may define one that differs in case.
pub(crate) fn mentions<'a>(
    repository: &Repository,
    listing: &'a Listing,
    name: &str,
    any_case: bool,
) -> Result<(Vec<Mention<'a>>, Effort), Error> {
    let lower = name.to_ascii_lowercase();
    let finder = Finder::new(name);
    let any = aho_corasick::AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .build([&lower])
        .map_err(|error| Error::Pattern { pattern: name.to_owned(), reason: error.to_string() })?;
    let start = || (Reader::default(), Vec::new());
    let entries: Vec<&Entry> = listing
        .files
        .iter()
        .filter(|entry| entry.language.is_some_and(Language::has_grammar))
        .collect();
    let parts = parallel::over(&entries, &repository.cancel, start, |(reader, all), entry| {
        let Some(bytes) = reader.load(repository, entry) else { return };
        let size = name.len();
        let seen = if any_case {
            // What is written like it was looked at before.
            let other = any.find_iter(bytes).map(|found| found.start());
            let other = other.filter(|at| bytes.get(*at..*at + size) != Some(name.as_bytes()));
            look(bytes, other, size, entry)
        } else {
            look(bytes, finder.find_iter(bytes), size, entry)
        };
        all.extend(seen.map(|likely| Mention { entry, likely }));
    });
    repository.cancel.check()?;
    let (mut all, mut effort) = (Vec::new(), Effort::default());
    for (reader, part) in parts {
        effort.read += reader.read;
        effort.skipped += reader.skipped;
        all.extend(part);
    }
    all.sort_by(|a, b| {
        let rank = |mention: &Mention<'_>| (!mention.likely, mention.entry.class);
        rank(a).cmp(&rank(b)).then_with(|| a.entry.path.cmp(&b.entry.path))
    });
    Ok((all, effort))
}

/// Whether the word is there and may be a definition, and if so whether it looks like one.
fn look(
    bytes: &[u8],
    places: impl Iterator<Item = usize>,
    size: usize,
    entry: &Entry,
) -> Option<bool> {
    // Methods are defined as `Session::login` in C++ and nowhere else.
    let qualified = matches!(entry.language, Some(Language::C | Language::Cpp));
    let mut seen = false;
    for start in places {
        if !words::is_whole(bytes, start, start + size) {
            continue;
        }
        let before = &bytes[..start];
        let mentioned = before.ends_with(b".")
            || before.ends_with(b"->")
            || (!qualified && before.ends_with(b"::"));
        // JavaScript defines by assignment: `exports.login = …`.
        let assigned = || {
            let after = bytes.get(start + size..).unwrap_or_default().trim_ascii_start();
            after.starts_with(b"=") && !after.starts_with(b"==")
        };
        if mentioned && !assigned() {
            continue;
        }
        // Far into a line nothing is defined, and its beginning need not be found.
        let far = start.saturating_sub(300);
        let line = memchr::memrchr(b'\n', &bytes[far..start]).map_or(far, |end| far + end + 1);
        let until = bytes.len().min(start + size + 200);
        if words::defines(&bytes[line..until], start - line, start + size - line) {
            return Some(true);
        }
        if entry.language.is_some_and(|language| {
            uses(language, &bytes[line..start], &bytes[start + size..until])
        }) {
            continue;
        }
        // `new Session` defines nothing; types come after names in Go, and anything in C.
        let rest = &bytes[start + size..until];
        let blank = rest.first().is_some_and(|byte| matches!(byte, b' ' | b'\t'));
        let followed =
            blank && rest.trim_ascii_start().first().copied().is_some_and(words::is_word);
        let types_follow = qualified || entry.language == Some(Language::Go);
        seen |= !followed || types_follow;
    }
    seen.then_some(false)
}

/// Words after which a name is used, in languages with classes.
const USING: &[&str] =
    &["extends", "implements", "new", "instanceof", "throws", "throw", "return", "import"];

/// Whether the text around a name shows that it is not defined there: what is before it on its line,
/// and what follows it.
fn uses(language: Language, before: &[u8], after: &[u8]) -> bool {
    let next = after.trim_ascii_start();
    if language == Language::Python {
        // What does not follow `class` or `def` is defined by a value or a type.
        return !(next.starts_with(b"=") && !next.starts_with(b"==") || next.starts_with(b":"));
    }
    let classes = [
        Language::Java,
        Language::CSharp,
        Language::JavaScript,
        Language::TypeScript,
        Language::Tsx,
    ];
    if !classes.contains(&language) {
        return false;
    }
    let head = before.trim_ascii_end();
    let begin = head.iter().rposition(|byte| !words::is_word(*byte)).map_or(0, |at| at + 1);
    let follows = |word: &&str| head[begin..] == *word.as_bytes() && head.len() < before.len();
    USING.iter().any(follows)
        || before.ends_with(b"<")
        || before.ends_with(b"(") && after.starts_with(b")")
        || after.starts_with(b">")
        || after.starts_with(b".")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_use_is_told_by_what_is_around_it() {
        for (language, before, after, expected) in [
            (Language::Python, "class A(", "): pass", true),
            (Language::Python, "from a import ", "\n", true),
            (Language::Python, "    ", " = 1", false),
            (Language::Python, "", ": Final = 1", false),
            (Language::Python, "if ", " == 1", true),
            (Language::Java, "class A extends ", " {", true),
            (Language::Java, "    public ", "(int a) {", false),
            (Language::Java, "    List<", "> all;", true),
            (Language::TypeScript, "  return ", "(1)", true),
            (Language::TypeScript, "  ", "(): number {", false),
            (Language::JavaScript, "  static renew ", " = 1", false),
            (Language::Rust, "return ", "", false),
        ] {
            assert_eq!(
                uses(language, before.as_bytes(), after.as_bytes()),
                expected,
                "{before}X{after}"
            );
        }
    }
}

//! Finds tests, by how their languages mark them.

use crate::{
    Class, Error, Found, Language, Repository,
    syntax::{self, Want},
    walk::Entry,
};

/// A test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Test {
    /// The name of its function, or its description.
    pub name: String,
    pub path: String,
    /// The line of its name, from 1.
    pub line: usize,
    pub end_line: usize,
    pub language: Language,
}

/// The languages whose tests can be recognised, and how.
const MARKS: &[(Language, &str)] = &[
    (Language::Rust, "functions with `#[test]` or an attribute like it"),
    (Language::Python, "functions `test_…` and `test…` of classes in test files"),
    (Language::JavaScript, "calls of `it(…)` and `test(…)` in test files"),
    (Language::TypeScript, "calls of `it(…)` and `test(…)` in test files"),
    (Language::Tsx, "calls of `it(…)` and `test(…)` in test files"),
    (Language::Go, "functions `Test…` in `_test.go` files"),
    (Language::Java, "methods with `@Test` or an annotation like it"),
    (Language::CSharp, "methods with `[Test]`, `[Fact]`, `[Theory]` or `[TestMethod]`"),
    (Language::C, "`TEST(…)` in test files"),
    (Language::Cpp, "`TEST(…)` in test files"),
];

impl Test {
    /// How tests of a language are recognised, in words.
    #[must_use]
    pub fn mark(language: Language) -> Option<&'static str> {
        MARKS.iter().find(|(known, _)| *known == language).map(|(_, mark)| *mark)
    }
}

impl Repository {
    /// The tests of a file or of everything below a folder (the empty path is the root) that `fits` takes,
    /// by their name and their text, in the order of path and line. `total` counts all of them; `note` says
    /// if there may be others that cannot be told.
    ///
    /// # Errors
    /// [`Error::Outside`], [`Error::Missing`].
    pub fn tests(
        &self,
        path: &str,
        fits: &(dyn Fn(&str, &str) -> bool + Sync),
    ) -> Result<Found<Test>, Error> {
        self.cancel.check()?;
        let listing = self.listing()?;
        let below = listing.below(&self.root, path)?;
        let mut files: Vec<&Entry> =
            below.files().iter().filter(|entry| may_have_tests(entry)).collect();
        let all = files.len();
        files.truncate(self.limits.parses);
        let found = self.sweep(&files, |entry, language, bytes| {
            // Where the word is not, there is no mark; C++ and xUnit have others.
            let is_rust = language == Language::Rust;
            if is_rust && memchr::memmem::find(bytes, b"test").is_none() {
                return Some(Vec::new());
            }
            let parsed = self.parse(language, bytes)?;
            let tests = syntax::scan(&parsed, bytes, Want { tests: true, ..Want::default() }).tests;
            let rows = syntax::rows(bytes);
            let text = |from: usize, to: usize| {
                let end = rows.get(to + 1).copied().unwrap_or(bytes.len());
                let start = rows.get(from).copied().unwrap_or(end).min(end);
                String::from_utf8_lossy(&bytes[start..end])
            };
            let tests = tests.into_iter().filter(|at| fits(&at.name, &text(at.begin, at.end)));
            let test = |at: syntax::TestAt| Test {
                name: at.name,
                path: entry.path.to_string(),
                line: at.row + 1,
                end_line: at.end + 1,
                language: parsed.language,
            };
            Some(tests.map(test).collect::<Vec<_>>())
        })?;
        let unread = below.files().iter().filter(|entry| is_untold(entry)).count();
        let mut tests = Found {
            items: found.items,
            truncated: listing.truncated || listing.late || all > files.len() || found.late,
            files_read: found.read,
            skipped: found.skipped,
            ..Found::default()
        };
        if unread > 0 {
            tests.note =
                Some(format!("{unread} test files are in languages that are not supported"));
        } else if tests.truncated || tests.skipped > 0 {
            tests.note = Some("not all files could be read".to_owned());
        }
        tests.cut(self.limits.results);
        Ok(tests)
    }
}

/// Whether tests are looked for in a file. Rust, Java and C# mark each; elsewhere the file must be one of
/// tests.
fn may_have_tests(entry: &Entry) -> bool {
    let Some(language) = entry.language.filter(|language| language.has_grammar()) else {
        return false;
    };
    if language == Language::Go {
        return entry.path.ends_with("_test.go");
    }
    if language == Language::Python {
        let name = entry.path.rsplit('/').next().unwrap_or_default();
        let stem = name.split('.').next().unwrap_or_default();
        return stem.starts_with("test") || stem.ends_with("_test") || stem.ends_with("_tests");
    }
    let marked = [Language::Rust, Language::Java, Language::CSharp].contains(&language);
    marked || entry.class == Class::Test
}

/// A test file of a programming language whose tests cannot be told.
fn is_untold(entry: &Entry) -> bool {
    entry.class == Class::Test && entry.language.is_some_and(Language::lacks_grammar)
}

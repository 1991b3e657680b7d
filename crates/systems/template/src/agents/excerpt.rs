//! Chooses the part of a file that shows best how it is done: its first definition, not its
//! imports.

use std::ops::Range;

use crate::plain;

const MOST_LINES: usize = 40;
const FEWEST_LINES: usize = 4;
const LONGEST: usize = 4000;

/// Words that begin a definition, after what may stand before them.
const BEGINS: [&str; 14] = [
    "class ",
    "interface ",
    "struct ",
    "enum ",
    "trait ",
    "impl ",
    "record ",
    "func ",
    "fn ",
    "def ",
    "function ",
    "object ",
    "module ",
    "type ",
];
const BEFORE: [&str; 16] = [
    "export ",
    "default ",
    "public ",
    "private ",
    "protected ",
    "internal ",
    "static ",
    "abstract ",
    "sealed ",
    "partial ",
    "final ",
    "async ",
    "data ",
    "open ",
    "pub ",
    "pub(crate) ",
];

/// An excerpt, and the lines that it comes from, counted from 1.
pub(super) fn excerpt(content: &str) -> Option<(String, Range<usize>)> {
    let lines: Vec<&str> = content.lines().collect();
    let found = lines.iter().position(|line| begins(line));
    let mut start = found.unwrap_or(0);
    // What is written above a definition belongs to it.
    while start > 0 && is_above(lines[start - 1]) {
        start -= 1;
    }
    let most = lines.len().min(start + MOST_LINES);
    // A whole definition if it ends in time, else as much as there is room for.
    let end = (start + FEWEST_LINES..most).find(|at| closes(lines[*at])).map_or(most, |at| at + 1);
    let shown = lines.get(start..end)?;
    let text = plain::block(&shown.join("\n"), LONGEST);
    let worth = shown.iter().filter(|line| !line.trim().is_empty()).count() >= FEWEST_LINES;
    worth.then(|| (text.trim_end().to_owned(), start + 1..end + 1))
}

/// Words that begin a test.
const TESTS: [&str; 15] = [
    "#[test]",
    "#[tokio::test",
    "#[rstest",
    "[Fact]",
    "[Theory]",
    "[Test]",
    "[TestMethod]",
    "@Test",
    "def test_",
    "async def test_",
    "func Test",
    "describe(",
    "it(",
    "test(",
    "public function test",
];

/// The first test of a file, else what [`excerpt`] shows of it.
pub(super) fn test_excerpt(content: &str) -> Option<(String, Range<usize>)> {
    let lines: Vec<&str> = content.lines().collect();
    let begins = |line: &&str| TESTS.iter().any(|word| line.trim_start().starts_with(word));
    let Some(start) = lines.iter().position(begins) else { return excerpt(content) };
    let depth = |line: &str| line.len() - line.trim_start().len();
    let most = lines.len().min(start + MOST_LINES);
    // A test ends with its closing mark, or where something as far left as it begins.
    let left = |line: &str| !line.trim().is_empty() && depth(line) <= depth(lines[start]);
    let next =
        (start + 2..most).find(|at| left(lines[*at]) && !lines[*at].trim_end().ends_with('{'));
    let end = next.map_or(most, |at| if closes(lines[at].trim()) { at + 1 } else { at });
    let shown = lines.get(start..end)?;
    let text = plain::block(&shown.join("\n"), LONGEST);
    Some((text.trim_end().to_owned(), start + 1..start + 1 + text.trim_end().lines().count()))
}

fn begins(line: &str) -> bool {
    let mut rest = line;
    while let Some(after) = BEFORE.iter().find_map(|word| rest.strip_prefix(word)) {
        rest = after;
    }
    BEGINS.iter().any(|word| rest.starts_with(word))
}

/// A comment, an attribute or an annotation.
fn is_above(line: &str) -> bool {
    ["///", "//", "#[", "@", "[", "*", "/*", " *", "# "].iter().any(|mark| line.starts_with(mark))
}

/// The end of something that began in the first column.
fn closes(line: &str) -> bool {
    ["}", "};", "})", "});", "end"].contains(&line.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_definition_is_shown_with_what_is_written_above_it() {
        let check = |content: &str, first: &str, last: &str, lines: Range<usize>| {
            let (text, found) = excerpt(content).unwrap();
            assert_eq!(text.lines().next(), Some(first), "{text}");
            assert_eq!(text.lines().last(), Some(last), "{text}");
            assert_eq!(found, lines);
        };
        let rust = "use a;\nuse b;\n\n/// Orders.\n#[derive(Debug)]\npub struct Order {\n    id: u64,\n    at: u64,\n}\n\nfn other() {\n    1\n}\n";
        check(rust, "/// Orders.", "}", 4..10);
        let python = "import a\n\n@route('/')\ndef home():\n    x = 1\n    y = 2\n    return x\n";
        check(python, "@route('/')", "    return x", 3..8);
        let csharp =
            "using A;\nnamespace B;\n\npublic sealed class C\n{\n    int a;\n    int b;\n}\n";
        check(csharp, "public sealed class C", "}", 4..9);
        let long = format!("fn a() {{\n{}}}\n", "    b();\n".repeat(100));
        check(&long, "fn a() {", "    b();", 1..41);
        let plain = "a = 1\nb = 2\nc = 3\nd = 4\n";
        check(plain, "a = 1", "d = 4", 1..5);
    }

    #[test]
    fn of_a_test_file_its_first_test_is_shown() {
        let check = |content: &str, first: &str, last: &str, lines: Range<usize>| {
            let (text, found) = test_excerpt(content).unwrap();
            assert_eq!(text.lines().next(), Some(first), "{text}");
            assert_eq!(text.lines().last(), Some(last), "{text}");
            assert_eq!(found, lines);
        };
        let python = "def setup():\n    pass\n\nclass T(TestCase):\n    def test_a(self):\n        x = 1\n\n        y = 2\n\n    def test_b(self):\n        pass\n";
        check(python, "    def test_a(self):", "        y = 2", 5..9);
        let rust = "use a;\n\nfn b() {}\n\n#[test]\nfn c() {\n    d();\n}\n\n#[test]\nfn e() {}\n";
        check(rust, "#[test]", "}", 5..9);
        let script = "import { it } from 'vitest'\n\ndescribe('a', () => {\n  it('b', () => {\n    c()\n  })\n})\n";
        check(script, "describe('a', () => {", "})", 3..8);
        let none = "a = 1\nb = 2\nc = 3\nd = 4\n";
        assert_eq!(test_excerpt(none), excerpt(none));
    }

    #[test]
    fn a_file_with_nothing_to_show_is_not_shown() {
        for content in ["", "\n\n\n\n\n", "mod a;\n", "a\n\nb\n"] {
            assert_eq!(excerpt(content), None, "{content:?}");
        }
        let (text, _) = excerpt("a\u{1b}[2J\nb\0\nc\nd\n").unwrap();
        assert_eq!(text, "a[2J\nb\nc\nd");
    }
}

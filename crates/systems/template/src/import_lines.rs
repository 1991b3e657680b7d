//! Finds the lines of a source file that import something, in any language.

/// Longer lines are not imports.
const LONGEST: usize = 400;

const BEGINS: [&str; 9] = [
    "import ",
    "from ",
    "using ",
    "global using ",
    "use ",
    "require",
    "#include",
    "extern crate ",
    "include ",
];
const HAS: [&str; 4] = [" from '", " from \"", "require(", "import("];

/// The lines of a text that name what is used from elsewhere.
pub(super) fn import_lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().map(str::trim).filter(|line| line.len() < LONGEST && imports(line))
}

fn imports(line: &str) -> bool {
    BEGINS.iter().any(|word| line.starts_with(word))
        || HAS.iter().any(|word| line.contains(word))
        // Inside a list of imports in Go.
        || line.len() > 1 && line.starts_with('"') && line.ends_with('"')
}

/// The words of a text in lower case.
pub(super) fn words(text: &str) -> impl Iterator<Item = String> {
    let parts = text.split(|letter: char| !letter.is_alphanumeric());
    parts.filter(|word| (1..=64).contains(&word.len())).map(str::to_lowercase)
}

#[cfg(test)]
mod tests {
    use super::import_lines;

    #[test]
    fn imports_are_known_in_many_languages() {
        for line in [
            "import os",
            "from a import b",
            "} from 'vitest'",
            "const x = require('x')",
            "using Xunit;",
            "use axum::Router;",
            "\t\"github.com/a/b\"",
            "#include <a.h>",
        ] {
            assert_eq!(import_lines(line).count(), 1, "{line}");
        }
        for line in ["x = 1", "", "\"", "print(\"from here\")"] {
            assert_eq!(import_lines(line).count(), 0, "{line}");
        }
    }
}

//! What belongs to others: commands, options, variables and names that no repository has to define.
//!
//! The lists are in `known/*.txt`, words with blanks between them; a line with `#` in front is a comment. A word in a list is never
//! an issue, so each has only what documents use often. `docs/scribe.md` names them.

use std::{
    collections::{HashMap, HashSet},
    sync::LazyLock,
};

type Words = LazyLock<HashSet<&'static str>>;

/// Commands of the system and of well-known tools.
pub(super) static COMMANDS: Words = LazyLock::new(|| words(include_str!("known/commands.txt")));
/// Modules for `python -m`.
pub(super) static MODULES: Words = LazyLock::new(|| words(include_str!("known/modules.txt")));
/// Options of tools that documents speak of beside the repository's own.
pub(super) static OPTIONS: Words = LazyLock::new(|| words(include_str!("known/options.txt")));
/// Environment variables of the system and of well-known tools.
pub(super) static VARIABLES: Words = LazyLock::new(|| words(include_str!("known/variables.txt")));
/// Names of languages and their standard libraries.
pub(super) static NAMES: Words = LazyLock::new(|| words(include_str!("known/names.txt")));
/// Modules and variables whose members are theirs.
pub(super) static ROOTS: Words = LazyLock::new(|| words(include_str!("known/roots.txt")));

static SUBCOMMANDS: LazyLock<HashMap<&str, Vec<&str>>> = LazyLock::new(|| {
    let lines = include_str!("known/subcommands.txt").lines();
    let pair = |line: &'static str| line.split_once(": ");
    lines
        .filter_map(pair)
        .map(|(command, all)| (command, all.split_whitespace().collect()))
        .collect()
});

/// Subcommands that a command brings along; `None` for one whose subcommands are not listed.
pub(super) fn subcommands(command: &str) -> Option<&'static [&'static str]> {
    SUBCOMMANDS.get(command).map(Vec::as_slice)
}

fn words(text: &'static str) -> HashSet<&'static str> {
    text.lines().filter(|line| !line.starts_with("# ")).flat_map(str::split_whitespace).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lists_have_their_words() {
        for (list, word) in [
            (&COMMANDS, "git"),
            (&MODULES, "venv"),
            (&OPTIONS, "--help"),
            (&VARIABLES, "PATH"),
            (&NAMES, "HashMap"),
            (&ROOTS, "std"),
        ] {
            assert!(list.contains(word), "{word}");
        }
        assert!(subcommands("git").is_some_and(|all| all.contains(&"clone")));
    }
}

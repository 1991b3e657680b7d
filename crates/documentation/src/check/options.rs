//! Options of the command line.

use std::{collections::BTreeSet, sync::LazyLock};

use regex::Regex;

use super::{Checker, IssueKind, known, pattern};
use crate::markdown::Document;

static OPTION: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"^(?:-\w,?\s*[/|]?\s*)?(--[A-Za-z][A-Za-z0-9_-]*)"));

pub(super) fn look_up(checker: &mut Checker<'_>, document: &Document) {
    for span in &document.spans {
        let Some(option) = OPTION.captures(span.text.trim()) else { continue };
        // `--features foo` and `--foo` of a tool that the sentence names are the tool's.
        let around = format!("{} {}", span.before, span.after).to_lowercase();
        let tools = [
            "npm ", "yarn", "pnpm", "cargo", "rustc", "node ", "node.js", "docker", "git ", "`git",
            "pip ", "pytest", "curl", "webpack", "make ", "gcc", "clang", "tsc", "mypy", "`go ",
            "grep", "apt",
        ];
        if !checker.facts.has_programs() && tools.iter().any(|tool| around.contains(tool))
            || span.linked.as_ref().is_some_and(|target| target.contains("://"))
        {
            continue;
        }
        let of_another = if checker.facts.has_programs() {
            names_another(checker, &span.before) || names_another(checker, &span.after)
        } else {
            is_of_example(checker, document, &option[1])
        };
        if !of_another {
            one(checker, span.line, &option[1]);
        }
    }
}

static NAMED: LazyLock<Regex> = LazyLock::new(|| pattern(r"`([a-z][a-z0-9_-]*)(?: [^`]*)?`"));

/// Whether a sentence names a tool of others, and no program of the repository.
fn names_another(checker: &Checker<'_>, words: &str) -> bool {
    let mut named = NAMED.captures_iter(words).map(|name| name[1].to_owned());
    named.any(|name| {
        known::COMMANDS.contains(name.as_str())
            && name.len() > 1
            && !checker.facts.programs.iter().any(|program| program.name == name)
    })
}

/// In a library: whether an example declares the option, or types it behind another program.
fn is_of_example(checker: &Checker<'_>, document: &Document, option: &str) -> bool {
    let typed = |text: &str| text.split_whitespace().skip(1).any(|word| word.starts_with(option));
    forms(option).iter().any(|name| checker.shown.contains(name))
        || document.blocks.iter().any(|block| block.text.contains(option))
        || document.spans.iter().any(|span| typed(&span.text))
}

/// The names from which an option may be made.
fn forms(option: &str) -> BTreeSet<String> {
    let name = option.trim_start_matches('-');
    [name.to_owned(), name.replace('-', "_"), camel(name)].into_iter().collect()
}

/// In a library: looks up an option that is typed behind a program of an example. What the document names nowhere else is no
/// part of the example.
pub(super) fn of_example(checker: &mut Checker<'_>, line: usize, option: &str) {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let count = |name: &String| {
        let places = checker.text.match_indices(name.as_str());
        let whole = places.filter(|(at, _)| {
            !checker.text[..*at].ends_with(is_part)
                && !checker.text[at + name.len()..].starts_with(|c| is_part(c) || c == '-')
        });
        whole.count()
    };
    if forms(option).iter().map(count).sum::<usize>() == 1 {
        one(checker, line, option);
    }
}

/// Looks up one option of the repository's own programs.
pub(super) fn one(checker: &mut Checker<'_>, line: usize, option: &str) {
    let name = option.trim_start_matches('-');
    if name.len() < 2
        || known::OPTIONS.contains(&option)
        || super::is_placeholder(name)
        || name.chars().any(char::is_uppercase) && checker.facts.index.has_folded(name)
    {
        return;
    }
    let index = &checker.facts.index;
    let has = |name: &str| {
        index.has_word(name)
            || index.has_word(&name.replace('-', "_"))
            || name.contains('-') && index.has_folded(name)
            || index.has_word(&camel(name))
    };
    let found = has(name) || name.strip_prefix("no-").is_some_and(has) || checker.code_has(option);
    let fix = checker
        .facts
        .index
        .nearest(option, checker.facts.options.iter().map(|option| option.name.as_str()))
        .map(str::to_owned);
    checker.note(found, IssueKind::Option, line, option, fix);
}

fn camel(name: &str) -> String {
    let mut parts = name.split('-');
    let mut out = parts.next().unwrap_or("").to_owned();
    for part in parts {
        let mut chars = part.chars();
        out.extend(chars.next().map(|c| c.to_ascii_uppercase()));
        out.extend(chars);
    }
    out
}

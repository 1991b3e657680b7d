//! Options of the command line.

use std::sync::LazyLock;

use regex::Regex;

use super::{Checker, IssueKind, known, pattern};
use crate::scribe::markdown::Document;

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
        one(checker, span.line, &option[1]);
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

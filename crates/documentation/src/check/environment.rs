//! Environment variables, and constants that look like them.

use std::sync::LazyLock;

use regex::Regex;

use super::{Checker, IssueKind, known, names, pattern, shell};
use crate::markdown::Document;

static VARIABLE: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"^\$?\{?([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)\}?(?:=\S*)?$"));
static IN_CODE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r#"(?:process\.env\.|environ(?:\.get)?[\[(]["']|getenv\(["']|Getenv\("|env::var(?:_os)?\(")([A-Z][A-Z0-9_]+)"#,
    )
});

pub(super) fn look_up(checker: &mut Checker<'_>, document: &Document) {
    for span in &document.spans {
        if let Some(name) = VARIABLE.captures(span.text.trim())
            && !names::is_of_another(checker, &span.before)
        {
            one(checker, span.line, &name[1]);
        }
    }
    for block in document.blocks.iter().filter(|block| block.fenced) {
        for (number, line) in block.text.lines().enumerate() {
            let named: Vec<_> = IN_CODE
                .captures_iter(line)
                .filter(|name| name[1].contains('_') && is_nearly_own(checker, &name[1]))
                .collect();
            for name in named {
                one(checker, block.line + number, &name[1]);
            }
        }
        if !shell::is_shell(&block.language)
            && !["dotenv", "env", "dockerfile"].contains(&block.language.as_str())
        {
            continue;
        }
        for command in shell::commands(&block.text, block.line) {
            for name in command
                .assigned
                .iter()
                .filter(|name| name.contains('_') && name.chars().all(|c| !c.is_lowercase()))
            {
                let used = block.text.matches(&format!("${name}")).count()
                    + block.text.matches(&format!("${{{name}}}")).count();
                // A variable that the block itself uses is the reader's own.
                if used == 0 {
                    one(checker, command.line, name);
                }
            }
        }
    }
}

/// Whether code that reads a variable may mean one of ours: most examples read variables of their reader.
fn is_nearly_own(checker: &Checker<'_>, name: &str) -> bool {
    let first = |name: &str| name.split('_').next().unwrap_or_default().to_owned();
    checker.facts.environment.iter().any(|own| {
        first(&own.name) == first(name)
            || strsim::normalized_damerau_levenshtein(&own.name, name) >= 0.75
    })
}

fn one(checker: &mut Checker<'_>, line: usize, name: &str) {
    if known::VARIABLES.contains(&name)
        || super::is_placeholder(name)
        || checker.local.contains(name)
    {
        return;
    }
    // A file such as `CODE_OF_CONDUCT` is a path.
    let found = checker.facts.index.has_word(name)
        || checker.facts.index.has_name(name)
        || checker.facts.index.has_name(&format!("{name}.md"))
        || has_parts(checker, name);
    let fix = checker
        .facts
        .index
        .nearest(name, checker.facts.environment.iter().map(|variable| variable.name.as_str()))
        .map(str::to_owned);
    checker.note(found, IssueKind::Environment, line, name, fix);
}

/// A prefix that the code puts in front of names: `APP_` and `PORT` are `APP_PORT`.
fn has_parts(checker: &Checker<'_>, name: &str) -> bool {
    name.match_indices('_').any(|(at, _)| {
        let (prefix, rest) = (&name[..=at], &name[at + 1..]);
        let quoted = |text: &str| {
            checker.code_has(&format!("\"{text}\"")) || checker.code_has(&format!("'{text}'"))
        };
        (quoted(prefix) || quoted(&name[..at]))
            && (checker.facts.index.has_word(rest) || checker.facts.index.has_folded(rest))
    })
}

//! Functions, types and other names in code spans.

use std::sync::LazyLock;

use regex::Regex;

use super::{Checker, IssueKind, known, pattern};
use crate::{facts::Ecosystem, markdown::Document};

static NAME: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^[.&*@#!]?(?:new\s+|async\s+|fn\s+|def\s+|func\s+|function\s+|class\s+|struct\s+|impl\s+|trait\s+|pub\s+)*([A-Za-z_$][\w$]*(?:(?:::|\.|#|->)[A-Za-z_$][\w$]*)*)(?:(?:::)?<[\w\s,:<>&'\[\]]*>)?(!)?(\(.*\)!?)?;?$",
    )
});

pub(super) fn look_up(checker: &mut Checker<'_>, document: &Document) {
    for span in &document.spans {
        let text = span.text.trim();
        let Some(name) = NAME.captures(text) else { continue };
        if span.linked.as_ref().is_some_and(|target| target.contains("://"))
            || is_of_another(checker, &span.before)
        {
            continue;
        }
        let is_call = name.get(3).is_some() || name.get(2).is_some();
        // `.name` is a file, `.name()` a method.
        if text.starts_with('.') && !is_call {
            continue;
        }
        if text.starts_with('@') && !is_call && is_person(checker, &span.before) {
            continue;
        }
        one(checker, span.line, &name[1], is_call);
    }
}

/// `@name` of somebody who is thanked, or where no language has decorators.
fn is_person(checker: &Checker<'_>, before: &str) -> bool {
    let decorates = |ecosystem: Ecosystem| match ecosystem {
        Ecosystem::Npm | Ecosystem::Python | Ecosystem::Maven => true,
        Ecosystem::Cargo | Ecosystem::Go | Ecosystem::DotNet | Ecosystem::CMake => false,
    };
    let before = before.to_lowercase();
    before.contains("thanks ")
        || !checker.facts.packages.iter().any(|package| decorates(package.ecosystem))
}

static OWNER: LazyLock<Regex> = LazyLock::new(|| pattern(r"\b([A-Z][\w.+-]*)['’]s [*_`\[(]*$"));

/// A sentence that says it is about something else: "removed", "instead of", "unlike", "Doctest's".
pub(super) fn is_of_another(checker: &Checker<'_>, before: &str) -> bool {
    let owner = OWNER.captures(before).map(|owner| owner[1].to_owned());
    if owner.is_some_and(|owner| {
        !checker.is_own(&owner)
            && !owner.eq_ignore_ascii_case(&checker.snapshot.name)
            && !checker.facts.index.has_word(&owner)
    }) {
        return true;
    }
    let before = before.to_lowercase();
    // What there was before is gone.
    let sentence = before.rsplit(". ").next().unwrap_or(&before);
    let past = ["older version", "earlier version", "previous version", "older release"];
    if past.iter().any(|past| sentence.contains(past)) {
        return true;
    }
    let words = [
        "formerly ",
        "renamed from ",
        "instead of ",
        "unlike ",
        "no longer ",
        "previously ",
        "was called ",
        "deprecated ",
        "removed ",
        "replaces ",
        "analogous to ",
        "similar to ",
        "equivalent to ",
        "equivalent of ",
        "inspired by ",
        "imagine ",
        "for example ",
        "for example, ",
        "such as ",
        "e.g. ",
        "e.g., ",
    ];
    words.iter().any(|word| {
        before.ends_with(word) || before.trim_end_matches(['`', '[', '(', '*']).ends_with(word)
    })
}

/// Looks up a name with all its parts.
pub(super) fn one(checker: &mut Checker<'_>, line: usize, name: &str, is_call: bool) {
    let parts: Vec<&str> = name
        .split([':', '.', '#', '>'])
        .map(|part| part.trim_end_matches('-'))
        .filter(|part| !part.is_empty())
        .collect();
    let (Some(first), Some(last)) = (parts.first(), parts.last()) else { return };
    let shaped = is_call || parts.len() > 1 || is_shaped(last);
    if !shaped
        || last.len() < 3
        || super::is_placeholder(name)
        || is_file(checker, name)
        || is_host(&parts)
        || is_variable(last)
    {
        return;
    }
    let foreign = |part: &str| {
        known::ROOTS.contains(&part)
            || checker.facts.dependencies.contains(part)
            || checker.facts.dependencies.contains(&part.replace('_', "-"))
            || checker.local.contains(part)
    };
    let is_local = parts.len() > 1
        && checker.local.contains(*first)
        && super::calls::resembles(checker, last).is_some();
    if parts.len() > 1 && foreign(first) && !checker.is_own(first) && !is_local
        || checker.local.contains(*last)
        || checker.shown.contains(*last)
        || name.starts_with('$')
    {
        return;
    }
    let index = &checker.facts.index;
    let has = |part: &str| {
        index.has_word(part)
            || known::NAMES.contains(&part)
            || checker.is_own(part)
            || part.chars().all(|c| c.is_ascii_digit())
    };
    let found = parts.iter().all(|part| has(part) || is_local && part == first)
        || checker.code_has(name)
        || parts.len() == 1 && index.has_name(last);
    // `a::b::c` with a part in the middle that is not ours is a path of others.
    let middle = parts.get(1..parts.len() - 1).unwrap_or_default();
    if !found && !checker.is_own(first) && middle.iter().any(|part| !has(part)) {
        return;
    }
    if !found && parts.len() > 1 && !has(first) && !is_call {
        // `a.b` whose root is unknown is a file, a host or a member of something else.
        return;
    }
    let fix = index
        .nearest(last, checker.facts.api.iter().map(|item| item.name.as_str()))
        .map(str::to_owned);
    checker.note(found, IssueKind::Name, line, name, fix);
}

/// Whether a single word is written as only code is: with an underscore or a capital inside.
fn is_shaped(word: &str) -> bool {
    let inner = word.get(1..).unwrap_or("");
    let mixed = inner.chars().any(char::is_uppercase) && word.chars().any(char::is_lowercase);
    inner.trim_end_matches('_').contains('_') || mixed
}

fn is_variable(word: &str) -> bool {
    word.contains('_') && word.chars().all(|c| c.is_uppercase() || c == '_' || c.is_ascii_digit())
}

fn is_file(checker: &Checker<'_>, name: &str) -> bool {
    let ends = [
        "rs", "py", "js", "ts", "tsx", "jsx", "mjs", "cjs", "go", "java", "json", "toml", "yaml",
        "yml", "md", "txt", "sh", "html", "css", "xml", "lock", "cfg", "ini", "rst", "exe", "zip",
        "gz", "png", "svg", "jpg", "log", "csv", "sql", "db", "conf", "env", "bat", "cmd", "dll",
        "so", "tar", "pdf", "ps1", "h", "c", "cpp", "hpp", "rb", "php", "1", "deb", "rpm", "wasm",
    ];
    // Files of the repository may have endings of their own; a name has `_` where an ending has `-`.
    let has_end = |end: &str| {
        let end = format!(".{}", end.replace('_', "-"));
        end.len() > 3 && checker.snapshot.paths().any(|path| path.replace('_', "-").ends_with(&end))
    };
    !name.contains("::")
        && name.rsplit_once('.').is_some_and(|(_, end)| ends.contains(&end) || has_end(end))
}

fn is_host(parts: &[&str]) -> bool {
    parts.len() > 1
        && parts.last().is_some_and(|last| {
            ["com", "org", "io", "net", "dev", "rs", "local", "app", "sh", "md", "gov", "edu"]
                .contains(last)
        })
}

//! Paths of files and folders.

use std::sync::LazyLock;

use regex::Regex;

use super::{Checker, IssueKind, names, pattern};
use crate::{facts::name_of, markdown::Document};

const EXTENSIONS: &[&str] = &[
    "rs", "py", "js", "ts", "tsx", "jsx", "mjs", "cjs", "go", "java", "cs", "c", "h", "cpp", "rb",
    "toml", "yaml", "yml", "json", "md", "rst", "txt", "sh", "ini", "cfg", "html", "css", "sql",
    "proto", "lock", "mk", "xml", "ps1", "bash", "zsh", "fish",
];
/// Folders that builds and tools make.
const MADE: &[&str] = &[
    "target",
    "dist",
    "build",
    "out",
    "node_modules",
    "coverage",
    "site",
    "venv",
    ".venv",
    "env",
    "bin",
    "obj",
    "tmp",
    "__pycache__",
    ".git",
    "logs",
    "public",
];

static TREE: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"^[│|\s]*[├└`|+]\s*─*-*\s+([A-Za-z0-9_.@-]+/?)(?:\s|$)"));

pub(super) fn look_up(checker: &mut Checker<'_>, document: &Document) {
    for span in &document.spans {
        let text = span.text.trim();
        let hosted = format!("/{}/{}/", checker.snapshot.owner, checker.snapshot.name);
        let is_ours = |target: &String| !target.contains("://") || target.contains(&hosted);
        // What a generator makes is in the reader's project.
        let is_made = span.before.trim_end().to_lowercase().ends_with("generated");
        let is_another = is_made || names::is_of_another(checker, &span.before);
        if span.linked.as_ref().is_none_or(is_ours) && !is_another {
            one(checker, span.line, text);
        }
    }
    for block in &document.blocks {
        tree(checker, block.line, &block.text);
    }
}

/// A drawing of the repository's own folders. Most of its names must be there, or it is of something else.
fn tree(checker: &mut Checker<'_>, first: usize, text: &str) {
    let names: Vec<(usize, String)> = text
        .lines()
        .enumerate()
        .filter_map(|(number, line)| {
            Some((first + number, TREE.captures(line)?[1].trim_end_matches('/').to_owned()))
        })
        .collect();
    let known = names.iter().filter(|(_, name)| checker.facts.index.has_name(name)).count();
    if names.len() < 3 || known * 3 < names.len() * 2 {
        return;
    }
    for (line, name) in names.iter().filter(|(_, name)| !MADE.contains(&name.as_str())) {
        checker.note(
            checker.facts.index.has_name(name),
            IssueKind::Path,
            *line,
            name,
            nearest(checker, name),
        );
    }
}

/// Whether a word is written like a path that could be looked up.
pub(super) fn looks_like_path(text: &str) -> bool {
    let bad = |c: char| c.is_whitespace() || "<>{}*$|()[]\"'`,;?!&=:@#%\\^+~".contains(c);
    !text.is_empty()
        && text.len() < 200
        && !text.contains(bad)
        && !text.starts_with(['/', '-'])
        && !text.contains("//")
        && text.chars().any(char::is_alphabetic)
}

fn one(checker: &mut Checker<'_>, line: usize, text: &str) {
    if !looks_like_path(text) || super::is_placeholder(text) {
        return;
    }
    let path = text.trim_start_matches("./").trim_end_matches('/');
    let is_folder = text.ends_with('/');
    let first = path.split('/').next().unwrap_or(path);
    let name = name_of(path);
    let has_extension = name
        .rsplit_once('.')
        .is_some_and(|(stem, end)| !stem.is_empty() && EXTENSIONS.contains(&end));
    // A build makes what ends in `.exe`.
    if path.is_empty() || path.starts_with("..") || MADE.contains(&first) || path.ends_with(".exe")
    {
        return;
    }
    let index = &checker.facts.index;
    let known_place = path.contains('/')
        && (index.has_path(first) || index.has_path(&format!("{}{first}", checker.folder())));
    if !(has_extension || is_folder || known_place && !path.contains("..")) {
        return;
    }
    let at_all = index.has_path(path)
        || index.has_end(path)
        || index.has_path(&format!("{}{path}", checker.folder()))
        || checker.path.ends_with(path);
    if at_all {
        return checker.note(true, IssueKind::Path, line, text, None);
    }
    let in_code = checker.code_has(path) || document_has(checker, path);
    if !path.contains('/') {
        // A name alone may be a file of the reader's. It is wrong if it is nearly one of ours.
        let near = nearest(checker, name).filter(|near| {
            strsim::normalized_damerau_levenshtein(near, name) >= 0.75 && !in_code && is_rare(near)
        });
        let shouts = name.ends_with(".md")
            && name
                .trim_end_matches(".md")
                .chars()
                .all(|c| c.is_uppercase() || matches!(c, '_' | '-'))
            && !is_folder;
        if in_code {
            checker.note(true, IssueKind::Path, line, text, None);
        } else if near.is_some() || shouts {
            checker.note(false, IssueKind::Path, line, text, near);
        }
        return;
    }
    let without_extension = checker.snapshot.paths().any(|other| {
        other.strip_prefix(path).is_some_and(|rest| rest.starts_with('.'))
            || other.contains(&format!("/{path}."))
    });
    let found = in_code || without_extension;
    let near = checker.facts.index.nearest(path, checker.snapshot.paths()).map(str::to_owned);
    let claimed = known_place
        || near
            .as_ref()
            .is_some_and(|near| strsim::normalized_damerau_levenshtein(near, path) >= 0.7);
    if found || claimed {
        checker.note(found, IssueKind::Path, line, text, near);
    }
}

/// Whether a block of the document makes this file or names it in code.
fn document_has(checker: &Checker<'_>, path: &str) -> bool {
    checker.text.contains(&format!("> {path}"))
        || checker.text.contains(&format!("touch {path}"))
        || checker.text.matches(path).count() > 2
}

fn nearest(checker: &Checker<'_>, name: &str) -> Option<String> {
    checker
        .facts
        .index
        .nearest(name, checker.snapshot.paths().map(name_of))
        .filter(|near| *near != name)
        .map(str::to_owned)
}

/// Names such as `index.js` are in every project: being near to one says nothing.
fn is_rare(name: &str) -> bool {
    let common = [
        "index", "main", "app", "test", "config", "lib", "mod", "setup", "server", "client",
        "utils", "types", "package", "data",
    ];
    let stem = name.split('.').next().unwrap_or(name);
    stem.len() > 4 && !common.contains(&stem)
}

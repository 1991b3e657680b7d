//! The public API: functions and types that other code may use.

use std::{collections::BTreeSet, sync::LazyLock};

use consign_code::Language;
use regex::Regex;

use super::{Source, layout, pattern};
use crate::Snapshot;

/// Something public.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Item {
    pub name: String,
    /// `function`, `type`, `constant`, `macro` or `module`.
    pub kind: String,
    /// Its first line, up to the body.
    pub signature: String,
    /// The first sentence of its comment.
    pub doc: Option<String>,
    pub source: Source,
}

/// The most items that are kept.
const MOST: usize = 5_000;

static RUST: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r#"^\s*pub\s+(?:(?:async|const|unsafe|extern(?:\s+"[^"]*")?|auto)\s+)*(fn|struct|enum|union|trait|type|const|static|mod)\s+(?:mut\s+)?([A-Za-z_]\w*)"#,
    )
});
static RUST_MACRO: LazyLock<Regex> = LazyLock::new(|| pattern(r"^\s*(macro)_rules!\s*([a-z_]\w*)"));
static PYTHON: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"^(?:async\s+)?(def|class)\s+([A-Za-z]\w*)"));
static SCRIPT: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^export\s+(?:default\s+)?(?:declare\s+)?(?:async\s+)?(?:abstract\s+)?(function|class|const|let|var|interface|type|enum|namespace)\*?\s+([A-Za-z_$][\w$]*)",
    )
});
static EXPORTS: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"^(?:module\.)?(exports)\.([A-Za-z_$][\w$]*)\s*="));
static GO: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"^(func|type)\s+(?:\([^)]*\)\s*)?([A-Z]\w*)"));
static JAVA: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^\s*public\s+(?:(?:static|final|abstract|sealed|partial|readonly)\s+)*(class|interface|enum|record|struct)\s+([A-Z]\w*)",
    )
});

pub(super) fn find(snapshot: &Snapshot) -> Vec<Item> {
    let mut found = Vec::new();
    for (path, file) in snapshot
        .files
        .iter()
        .filter(|(path, _)| layout::is_program(path) && !layout::is_test(path) && !is_inner(path))
    {
        let patterns: &[&LazyLock<Regex>] = match Language::of(path) {
            Some(Language::Rust) => &[&RUST, &RUST_MACRO],
            Some(Language::Python) => &[&PYTHON],
            Some(Language::JavaScript | Language::TypeScript | Language::Tsx) => {
                &[&SCRIPT, &EXPORTS]
            }
            Some(Language::Go) => &[&GO],
            Some(Language::Java | Language::CSharp) => &[&JAVA],
            _ => continue,
        };
        let lines: Vec<&str> = file.text.lines().collect();
        let mut seen = BTreeSet::new();
        for (number, line) in lines.iter().enumerate().filter(|(_, line)| line.len() < 1_000) {
            if path.ends_with(".rs")
                && line.trim() == "#[cfg(test)]"
                && lines.get(number + 1).is_some_and(|next| next.trim_start().starts_with("mod "))
            {
                break;
            }
            let Some(item) = patterns.iter().find_map(|pattern| pattern.captures(line)) else {
                continue;
            };
            let exported = &item[1] != "macro"
                || number > 0
                    && lines[..number]
                        .iter()
                        .rev()
                        .take(4)
                        .any(|line| line.contains("macro_export"));
            if !exported || !seen.insert(item[2].to_owned()) {
                continue;
            }
            found.push(Item {
                name: item[2].to_owned(),
                kind: kind(&item[1]).to_owned(),
                signature: signature(line),
                doc: doc(&lines, number),
                source: Source::new(path, number + 1),
            });
            if found.len() >= MOST {
                return found;
            }
        }
    }
    found
}

/// Code that is not for others: built output, internals by the custom of its language.
pub(crate) fn is_inner(path: &str) -> bool {
    let folders = [
        "internal",
        "node_modules",
        "vendor",
        "dist",
        "build",
        "target",
        "_internal",
        "scripts",
        "docs",
        "doc",
        "tools",
    ];
    path.split('/').rev().skip(1).any(|folder| folders.contains(&folder) || folder.starts_with('.'))
        || (layout::name_of(path).starts_with('_')
            && path.ends_with(".py")
            && !path.ends_with("__init__.py"))
        || ["build.rs", "setup.py", "conftest.py"].contains(&layout::name_of(path))
        || path.contains(".config.")
        || path.ends_with(".d.ts")
}

fn kind(word: &str) -> &'static str {
    match word {
        "fn" | "def" | "function" | "func" | "exports" => "function",
        "const" | "static" | "let" | "var" => "constant",
        "macro" => "macro",
        "mod" | "namespace" => "module",
        _ => "type",
    }
}

fn signature(line: &str) -> String {
    let line = line.trim().trim_end_matches('{').trim_end();
    let line = line.trim_end_matches([':', ';', '(', '=']).trim_end();
    line.chars().take(160).collect()
}

/// The first sentence of the comment above, or of the docstring below.
fn doc(lines: &[&str], at: usize) -> Option<String> {
    let mut text = Vec::new();
    let below = lines.get(at + 1).map(|line| line.trim());
    if let Some(doc) = below.and_then(|line| line.strip_prefix("\"\"\"")) {
        text.push(doc.trim_end_matches("\"\"\"").trim());
    } else {
        let is_mark =
            |line: &str| line.starts_with("#[") || line.starts_with('@') || line.starts_with("*/");
        let mut above =
            lines[..at].iter().rev().map(|line| line.trim()).skip_while(|line| is_mark(line));
        let mut found = Vec::new();
        for line in above.by_ref().take(60) {
            let body = ["///", "//", "/**", "*"].iter().find_map(|mark| line.strip_prefix(mark));
            let Some(body) = body.filter(|_| !line.starts_with("//!")) else { break };
            found.push(body.trim().trim_end_matches("*/").trim());
            if line.starts_with("/**") {
                break;
            }
        }
        text.extend(found.into_iter().rev());
    }
    let all = text
        .into_iter()
        .skip_while(|line| line.is_empty())
        .take_while(|line| !line.is_empty())
        .collect::<Vec<_>>()
        .join(" ");
    let first = all.find(". ").map_or(all.as_str(), |end| &all[..=end]);
    let plain = first.len() > 3
        && first.len() < 300
        && !first.contains(['`', '[', '<', '{', '@', '|', '*', '$', '#', '_']);
    plain.then(|| first.trim().to_owned())
}

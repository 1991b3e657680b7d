//! Names in blocks of code: what they import from the repository's packages, and what they call.

use std::{collections::BTreeSet, sync::LazyLock};

use regex::Regex;

use super::{Checker, IssueKind, known, pattern};
use crate::{
    facts::Ecosystem,
    markdown::{Block, Document},
};

/// The languages whose calls are looked up, with the ecosystem that they belong to.
fn ecosystem(language: &str) -> Option<Ecosystem> {
    Some(match language {
        "rust" | "rs" => Ecosystem::Cargo,
        "js" | "javascript" | "ts" | "typescript" | "jsx" | "tsx" | "mjs" | "cjs" => Ecosystem::Npm,
        "python" | "py" | "pycon" | "python3" => Ecosystem::Python,
        "go" | "golang" => Ecosystem::Go,
        "java" => Ecosystem::Maven,
        "c" | "cpp" | "c++" | "cxx" => Ecosystem::CMake,
        _ => return None,
    })
}

static DEFINED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:let\s+mut|let|const|var|fn|def|function|class|struct|enum|trait|interface|type|func|for|mut|as|mod|static|union|record|implements|extends|impl|catch|val|macro_rules!)\s*\*?\s+(?:\([^)]*\)\s*)?([A-Za-z_$][\w$]*)",
    )
});
static ASSIGNED: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"([A-Za-z_$][\w$]*)\s*(?::[^=\n:(]{0,60})?:?=[^=]"));
static DESTRUCTURED: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?:let|const|var)\s*[\[{(]([^\]})=]*)[\]})]\s*="));
static PARAMETER: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"(?:fn|def|function|func)?\s*[A-Za-z_$]*\s*\(([^()]*)\)\s*(?:->|=>|\{|:)")
});
static ARROW: LazyLock<Regex> = LazyLock::new(|| pattern(r"\b([A-Za-z_$][\w$]*)\s*=>"));
static METHOD: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?m)^\s*(?:(?:public|private|protected|static|async|get|set|override|final)\s+)*(?:[\w<>\[\],.]+\s+)?([A-Za-z_$][\w$]*)\s*\([^()]*\)\s*(?::\s*[\w<>\[\]|. ]+)?\s*(?:throws\s+[\w, ]+)?\{",
    )
});
static KEY: LazyLock<Regex> = LazyLock::new(|| pattern(r"([A-Za-z_$][\w$]*)\s*:\s"));
static FOREIGN_SCRIPT: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r#"(?s)(?:import|export)\s+(?:type\s+)?([\w$*{}\s,]+?)\s+from\s+['"]([^'"]+)['"]|(?:const|let|var)\s+([\w${}\s,:]+?)\s*=\s*(?:await\s+)?(?:require|import)\(\s*['"]([^'"]+)['"]"#,
    )
});
static FOREIGN_PYTHON: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?m)^\s*(?:>>>\s*)?(?:from\s+([\w.]+)\s+import\s+(\([^)]*\)|[^\n#]+)|import\s+([\w., ]+(?:\s+as\s+\w+)?))",
    )
});
static USED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?m)^\s*(?:#\s)?(?:pub\s+)?use\s+((?:::)?[\w:]+)(::\{[^;]*\}|::\*)?(?:\s+as\s+(\w+))?\s*;",
    )
});
static FOREIGN_GO: LazyLock<Regex> =
    LazyLock::new(|| pattern(r#"(?m)^\s*(?:import\s+)?(?:(\w+|\.|_)\s+)?"([a-z0-9./_-]+)"\s*$"#));
static WORD: LazyLock<Regex> = LazyLock::new(|| pattern(r"[A-Za-z_$][\w$]*"));
static MEMBER: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"\b([A-Za-z_][\w$]*)(\.|::(?:[a-z_]\w*::)*)([A-Za-z_$][\w$]*)"));
static CALL: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"((?:[A-Za-z_$][\w$]*(?:\?\.|\.|::))*)([A-Za-z_$][\w$]*)(?:::<[^>()]*>)?(!?)\s*\(")
});

/// Names that the document's own blocks define, and those that they import from others.
pub(super) fn defined(document: &Document) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for block in document.blocks.iter().filter(|block| {
        ecosystem(&block.language).is_some() || block.language.is_empty() && block.fenced
    }) {
        let text = block.text.as_str();
        for pattern in [&DEFINED, &ASSIGNED, &ARROW, &METHOD, &KEY] {
            names.extend(pattern.captures_iter(text).map(|found| found[1].to_owned()));
        }
        for pattern in [&DESTRUCTURED, &PARAMETER] {
            for found in pattern.captures_iter(text) {
                names.extend(WORD.find_iter(&found[1]).map(|word| word.as_str().to_owned()));
            }
        }
    }
    names
}

/// All words of the blocks: what a sentence says of an example is in the example.
pub(super) fn shown(document: &Document) -> BTreeSet<String> {
    let blocks = document.blocks.iter();
    blocks
        .flat_map(|block| WORD.find_iter(&block.text))
        .map(|word| word.as_str().to_owned())
        .collect()
}

/// Names that a block takes from a package: the package, the name, its offset.
fn imports(block: &Block) -> Vec<(String, String, usize)> {
    let text = block.text.as_str();
    let mut found = Vec::new();
    let words = |list: &str, at: usize, from: &str, found: &mut Vec<(String, String, usize)>| {
        for word in WORD
            .find_iter(list)
            .filter(|word| !["as", "type", "default", "self"].contains(&word.as_str()))
        {
            found.push((from.to_owned(), word.as_str().to_owned(), at + word.start()));
        }
    };
    match ecosystem(&block.language) {
        Some(Ecosystem::Npm) => {
            for import in FOREIGN_SCRIPT.captures_iter(text) {
                let (Some(list), Some(from)) =
                    (import.get(1).or(import.get(3)), import.get(2).or(import.get(4)))
                else {
                    continue;
                };
                words(list.as_str(), list.start(), from.as_str(), &mut found);
            }
        }
        Some(Ecosystem::Python) => {
            for import in FOREIGN_PYTHON.captures_iter(text) {
                if let (Some(from), Some(list)) = (import.get(1), import.get(2)) {
                    words(list.as_str(), list.start(), from.as_str(), &mut found);
                } else if let Some(list) = import.get(3) {
                    for part in list.as_str().split(',') {
                        let name = part.trim().split(' ').next().unwrap_or("");
                        let alias = part.trim().rsplit(' ').next().unwrap_or(name);
                        let root = name.split('.').next().unwrap_or(name);
                        found.push((name.to_owned(), root.to_owned(), list.start()));
                        found.push((name.to_owned(), alias.to_owned(), list.start()));
                    }
                }
            }
        }
        Some(Ecosystem::Cargo) => {
            for used in USED.captures_iter(text) {
                let Some(path) = used.get(1) else { continue };
                words(path.as_str(), path.start(), path.as_str(), &mut found);
                if let Some(list) = used.get(2) {
                    words(list.as_str(), list.start(), path.as_str(), &mut found);
                }
                if let Some(alias) = used.get(3) {
                    found.push((
                        path.as_str().to_owned(),
                        alias.as_str().to_owned(),
                        alias.start(),
                    ));
                }
            }
        }
        Some(Ecosystem::Go) => {
            for import in FOREIGN_GO.captures_iter(text) {
                let Some(path) = import.get(2) else { continue };
                let last = path
                    .as_str()
                    .split('/')
                    .rfind(|part| !crate::facts::is_major(part))
                    .unwrap_or("");
                let alias = import.get(1).map_or(last, |alias| alias.as_str());
                found.push((path.as_str().to_owned(), alias.to_owned(), path.start()));
            }
        }
        _ => {}
    }
    found
}

pub(super) fn look_up(checker: &mut Checker<'_>, document: &Document) {
    let ecosystems: Vec<Ecosystem> =
        checker.facts.packages.iter().map(|package| package.ecosystem).collect();
    // What any block imports from a package of others is theirs in all blocks.
    let mut foreign: BTreeSet<String> = BTreeSet::new();
    for block in &document.blocks {
        for (from, name, _) in imports(block) {
            if !is_own_import(checker, &from) {
                foreign.insert(name);
            }
        }
    }
    for block in document
        .blocks
        .iter()
        .filter(|block| ecosystem(&block.language).is_some_and(|it| ecosystems.contains(&it)))
    {
        if block.text.len() > 64 << 10 {
            continue;
        }
        let line_at = |offset: usize| block.line + block.text[..offset].matches('\n').count();
        let has = |checker: &Checker<'_>, name: &str| {
            checker.facts.index.has_word(name)
                || checker.is_own(name)
                || known::NAMES.contains(&name)
        };
        for (from, name, at) in imports(block) {
            let exact = matches!(ecosystem(&block.language), Some(Ecosystem::Npm))
                && !from.starts_with('.')
                && name_is_default(&block.text, &name);
            let passed_on =
                from.split("::").skip(1).any(|part| checker.facts.dependencies.contains(part));
            // What a module of a dependency holds that we pass on is the dependency's.
            if is_own_import(checker, &from)
                && !passed_on
                && !exact
                && name.len() > 1
                && !super::is_placeholder(&name)
            {
                checker.note(
                    has(checker, &name) || is_alias(&block.text, &name),
                    IssueKind::Name,
                    line_at(at),
                    &name,
                    nearest(checker, &name),
                );
            }
        }
        let text = quiet(&block.text, &block.language);
        let imported = imports(block).into_iter().map(|(_, _, at)| at).collect();
        members(checker, block, &text, &foreign, &imported);
        for call in CALL.captures_iter(&text) {
            let Some(at) = call.get(2) else { continue };
            let (before, name) = (&call[1], at.as_str());
            let root = before.split(['.', ':', '?']).next().unwrap_or("");
            let skip = name.len() < 3
                || super::is_placeholder(name)
                || checker.local.contains(name)
                || foreign.contains(name)
                || foreign.contains(root)
                || (!root.is_empty()
                    && !checker.is_own(root)
                    && (known::ROOTS.contains(&root)
                        || checker.facts.dependencies.contains(root)
                        || checker.facts.dependencies.contains(&root.replace('_', "-"))));
            // A method of something that the document made itself may be anybody's.
            let unsure = text[..at.start()].ends_with('.')
                && !checker.is_own(root)
                && (root.is_empty()
                    || !checker.local.contains(root) && !checker.facts.index.has_word(root))
                || is_generic(name);
            if skip || unsure {
                continue;
            }
            let found = has(checker, name);
            // An unknown call in an example is the reader's own, unless it is of our package or nearly one of ours.
            let ours = checker.is_own(root)
                || resembles(checker, name).is_some_and(|item| {
                    // What the reader's own module has may end like one of ours.
                    let is_readers = !root.is_empty()
                        && !checker.local.contains(root)
                        && !is_item(checker, root);
                    !is_readers || !name.ends_with(item.as_str())
                });
            if found || ours {
                checker.note(
                    found,
                    IssueKind::Name,
                    line_at(at.start()),
                    &format!("{before}{name}"),
                    nearest(checker, name),
                );
            }
        }
    }
}

/// `package.Name` and `package::Name` without a call, of our own packages.
fn members(
    checker: &mut Checker<'_>,
    block: &Block,
    text: &str,
    foreign: &BTreeSet<String>,
    imported: &BTreeSet<usize>,
) {
    for member in MEMBER.captures_iter(text) {
        let (Some(root), Some(middle), Some(name)) = (member.get(1), member.get(2), member.get(3))
        else {
            continue;
        };
        let behind = text[name.end()..].trim_start();
        let skip = name.len() < 3
            || imported.contains(&name.start())
            || !checker.is_own(root.as_str())
            || text[..root.start()].ends_with(['.', ':', '/', '-', '@', '$'])
            || behind.starts_with(['(', '!', '-', '/'])
            || foreign.contains(root.as_str())
                && checker.facts.dependencies.contains(root.as_str())
            || is_generic(name.as_str());
        if skip {
            continue;
        }
        let known = checker.facts.index.has_word(name.as_str()) || checker.is_own(name.as_str());
        let line = block.line + text[..name.start()].matches('\n').count();
        let shown = format!("{}{}{}", root.as_str(), middle.as_str(), name.as_str());
        let near = nearest(checker, name.as_str());
        checker.note(known, IssueKind::Name, line, &shown, near);
    }
}

/// A public item that a name is nearly, or begins or ends with.
pub(super) fn resembles(checker: &Checker<'_>, name: &str) -> Option<String> {
    let near = |item: &&str| {
        strsim::normalized_damerau_levenshtein(item, name) >= 0.75
            || item.len() > 5 && (name.starts_with(*item) || name.ends_with(*item))
    };
    checker
        .facts
        .api
        .iter()
        .map(|item| item.name.as_str())
        .filter(|item| item.len() > 3)
        .find(near)
        .map(str::to_owned)
}

fn is_item(checker: &Checker<'_>, name: &str) -> bool {
    checker.facts.api.iter().any(|item| item.name == name)
}

fn nearest(checker: &Checker<'_>, name: &str) -> Option<String> {
    checker
        .facts
        .index
        .nearest(name, checker.facts.api.iter().map(|item| item.name.as_str()))
        .map(str::to_owned)
}

/// `import anything from 'package'`: a default import has any name.
fn name_is_default(text: &str, name: &str) -> bool {
    let default = [
        format!("import {name} "),
        format!("import {name},"),
        format!("* as {name}"),
        format!("const {name} = "),
        format!("let {name} = "),
        format!("var {name} = "),
        format!(": {name}"),
        format!("as {name}"),
    ];
    default.iter().any(|form| text.contains(form.as_str()))
}

fn is_alias(text: &str, name: &str) -> bool {
    text.contains(&format!("as {name}"))
}

fn is_generic(name: &str) -> bool {
    let words = [
        "do_", "do", "handle", "some", "get", "your", "on", "use", "test", "create", "fetch",
        "run", "process", "app", "callback", "cb", "handler",
    ];
    words.contains(&name)
}

fn is_own_import(checker: &Checker<'_>, from: &str) -> bool {
    let root = from.trim_start_matches(':').split([':', '.']).next().unwrap_or(from);
    let scoped = if from.starts_with('@') {
        from.split('/').take(2).collect::<Vec<_>>().join("/")
    } else {
        root.split('/').next().unwrap_or(root).to_owned()
    };
    checker.facts.packages.iter().any(|package| {
        package.name == scoped
            || package.name == from
            || from.starts_with(&format!("{}/", package.name))
    }) || checker.is_own(root)
}

/// The text with comments and strings blanked out.
fn quiet(text: &str, language: &str) -> String {
    let hash = matches!(language, "python" | "py" | "pycon" | "python3");
    let mut out: Vec<u8> = Vec::with_capacity(text.len());
    let bytes = text.as_bytes();
    let mut quote: Option<u8> = None;
    let mut comment: Option<&[u8]> = None;
    let mut at = 0;
    while at < bytes.len() {
        let byte = bytes[at];
        let blank = if byte == b'\n' { b'\n' } else { b' ' };
        if let Some(end) = comment {
            if bytes[at..].starts_with(end) {
                comment = None;
                out.extend(std::iter::repeat_n(blank, end.len()));
                at += end.len();
                continue;
            }
            out.push(blank);
        } else if let Some(open) = quote {
            if byte == b'\\' && at + 1 < bytes.len() {
                out.push(b' ');
                at += 1;
            } else if byte == open || byte == b'\n' && open != b'`' {
                quote = None;
            }
            out.push(if bytes[at] == b'\n' { b'\n' } else { b' ' });
        } else if bytes[at..].starts_with(b"//") && !hash || byte == b'#' && hash {
            comment = Some(b"\n");
            out.push(blank);
        } else if bytes[at..].starts_with(b"/*") && !hash {
            comment = Some(b"*/");
            out.push(blank);
        } else if byte == b'"'
            || byte == b'`'
            || byte == b'\'' && !matches!(language, "rust" | "rs")
        {
            quote = Some(byte);
            out.push(b' ');
        } else {
            out.push(byte);
        }
        at += 1;
    }
    String::from_utf8_lossy(&out).into_owned()
}

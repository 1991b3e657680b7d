//! The known ways to break a document.

use std::sync::LazyLock;

use regex::{Captures, Regex};

use crate::scribe::{Contract, Facts, Snapshot, markdown::Document};

/// How a document is broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Breakage {
    WrongScript,
    MistypedCommand,
    WrongPath,
    DeadLink,
    DeadAnchor,
    MissingSection,
    StaleVersion,
    InventedOption,
    RenamedFunction,
    RenamedImport,
    WrongVariable,
    WrongEndpoint,
    BrokenJson,
    BrokenCode,
    WrongLicence,
    WrongPackage,
}

/// A broken document.
#[derive(Clone, Debug)]
pub struct Broken {
    pub kind: Breakage,
    /// The line that was changed.
    pub line: usize,
    /// How many lines away an issue may be: a block is flagged at its beginning.
    pub reach: usize,
    pub from: String,
    pub to: String,
    pub text: String,
}

fn pattern(pattern: &str) -> Regex {
    Regex::new(pattern).expect("the pattern is a constant that a test compiles")
}

static SCRIPT: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(npm run|yarn run|pnpm run|make|cargo run --example|cargo run --bin|cargo test --test)\s+([a-z][a-z0-9:_-]+)",
    )
});
static TYPED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?m)(?:^\s*(?:\$ )?|`)(npm|cargo|pip|git|go|docker|brew|yarn|apt-get) (install|add|build|clone|test|get|run|update|publish|commit|checkout)\b",
    )
});
static SPAN: LazyLock<Regex> = LazyLock::new(|| pattern(r"`([^`\n]+)`"));
static LINK: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"\]\(((?:\./)?[A-Za-z0-9_][A-Za-z0-9_./-]*\.[a-z]+)((?:#[\w-]+)?)\)")
});
static ANCHOR: LazyLock<Regex> = LazyLock::new(|| pattern(r"\]\(#([a-z][\w-]+)\)"));
static OPTION: LazyLock<Regex> = LazyLock::new(|| pattern(r"(--[a-z][a-z-]{2,})"));
static VARIABLE: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"`\$?([A-Z][A-Z0-9]+(?:_[A-Z0-9]+)+)`"));
static CALLED: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"`(?:[A-Za-z_]\w*(?:\.|::))?([A-Za-z_]\w{3,})\([^`\n]*\)`"));
static IMPORT: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r#"(?m)^\s*(?:from ([\w.]+) import (\w{4,})|use (\w+)::(?:\w+::)*(\w{4,});|import \{ ?(\w{4,}) ?\} from ['"]([^'"]+)['"]|(?:const|let|var) \{ ?(\w{4,}) ?\} = require\(['"]([^'"]+)['"]\))"#,
    )
});
static ENDPOINT: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"`(GET|POST|PUT|DELETE|PATCH) (/[\w/:{}-]+)`"));
static LICENCE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)(?:licensed|released|distributed|available) under (?:the )?\[?(?:terms of )?(?:the )?\[?(MIT|BSD|Apache|ISC|Unlicense)|badge/license-(MIT|BSD|Apache|ISC)",
    )
});

/// All ways to break this document that its own text and the repository allow.
#[must_use]
pub fn breakages(path: &str, text: &str, facts: &Facts, snapshot: &Snapshot) -> Vec<Broken> {
    let mut found = Vec::new();
    let document = Document::read(text);
    let is_changelog = Contract::of(path) == Contract::Changelog;
    let index = &facts.index;
    if !is_changelog {
        let script = |name: &str| {
            facts.commands.iter().any(|command| command.run.split(' ').any(|word| word == name))
                || index.has_end(&format!("examples/{name}.rs"))
        };
        replace(text, &document, &SCRIPT, 2, Breakage::WrongScript, &mut found, |words| {
            script(&words[2]).then(|| format!("{}-everything", &words[2]))
        });
        replace(text, &document, &TYPED, 2, Breakage::MistypedCommand, &mut found, |words| {
            Some(mistyped(&words[2]))
        });
        replace(text, &document, &SPAN, 1, Breakage::WrongPath, &mut found, |words| {
            let word = &words[1];
            (word.contains('/') && index.has_path(word) && word.contains('.'))
                .then(|| renamed_file(word))
        });
        let has_option = |option: &str| {
            let name = option.trim_start_matches('-');
            facts.has_programs()
                && (index.has_word(name) || index.has_word(&name.replace('-', "_")))
        };
        let options = ["--turbo-mode", "--skip-all-retries", "--legacy-output-dir", "--auto-heal"];
        let mut turn = 0;
        replace_in_code(
            text,
            &document,
            &OPTION,
            1,
            Breakage::InventedOption,
            &mut found,
            |words| {
                turn += 1;
                let own = text[..words.get(0).map_or(0, |it| it.start())]
                    .rsplit('\n')
                    .next()
                    .unwrap_or("");
                let others = [
                    "npm ", "cargo ", "pip ", "git ", "docker ", "go ", "node ", "python", "curl",
                    "brew", "apt", "yarn", "choco", "winget", "snap",
                ];
                let program = own.trim_start_matches(['$', ' ']).split(' ').next().unwrap_or("");
                let typed =
                    own.contains('`') || facts.programs.iter().any(|known| known.name == program);
                (has_option(&words[1]) && typed && !others.iter().any(|other| own.contains(other)))
                    .then(|| options[turn % options.len()].to_owned())
            },
        );
        replace(text, &document, &VARIABLE, 1, Breakage::WrongVariable, &mut found, |words| {
            index.has_word(&words[1]).then(|| format!("{}_OVERRIDE_URL", &words[1]))
        });
        let is_defined = |name: &str| facts.api.iter().any(|item| item.name == name);
        replace(text, &document, &CALLED, 1, Breakage::RenamedFunction, &mut found, |words| {
            is_defined(&words[1]).then(|| renamed(&words[1]))
        });
        replace(text, &document, &SPAN, 1, Breakage::RenamedFunction, &mut found, |words| {
            let word = &words[1];
            (is_defined(word)
                && word
                    .get(1..)
                    .is_some_and(|rest| rest.contains('_') || rest.contains(char::is_uppercase)))
            .then(|| renamed(word))
        });
        replace_import(text, facts, &mut found);
        replace(text, &document, &ENDPOINT, 2, Breakage::WrongEndpoint, &mut found, |words| {
            facts
                .endpoints
                .iter()
                .any(|endpoint| endpoint.path == words[2])
                .then(|| format!("{}/archived-items", &words[2]))
        });
        licence(text, facts, &mut found);
        packages(text, &document, facts, &mut found);
        versions(text, &document, facts, &mut found);
    }
    let folder = path.rsplit_once('/').map_or(String::new(), |(folder, _)| format!("{folder}/"));
    replace(text, &document, &LINK, 1, Breakage::DeadLink, &mut found, |words| {
        let target = words[1].trim_start_matches("./");
        snapshot
            .paths()
            .any(|other| other == format!("{folder}{target}"))
            .then(|| renamed_file(&words[1]))
    });
    replace(text, &document, &ANCHOR, 1, Breakage::DeadAnchor, &mut found, |words| {
        document
            .anchors
            .iter()
            .any(|anchor| anchor == &words[1])
            .then(|| format!("{}-as-it-was", &words[1]))
    });
    sections(path, text, &document, &mut found);
    blocks(text, &document, &mut found);
    found
}

fn replace(
    text: &str,
    document: &Document,
    pattern: &Regex,
    group: usize,
    kind: Breakage,
    found: &mut Vec<Broken>,
    mut to: impl FnMut(&Captures<'_>) -> Option<String>,
) {
    for words in pattern.captures_iter(text) {
        let Some(at) = words.get(group) else { continue };
        // A span in a block is no span.
        let line = text[..at.start()].matches('\n').count() + 1;
        let in_block = document
            .blocks
            .iter()
            .any(|block| block.line <= line && line < block.line + block.text.lines().count());
        if in_block && pattern.as_str().contains('`') && !pattern.as_str().contains("|`") {
            continue;
        }
        let Some(to) = to(&words) else { continue };
        found.push(changed(text, at.start()..at.end(), &to, kind, 1));
    }
}

/// Only inside of code spans and blocks.
fn replace_in_code(
    text: &str,
    document: &Document,
    pattern: &Regex,
    group: usize,
    kind: Breakage,
    found: &mut Vec<Broken>,
    mut to: impl FnMut(&Captures<'_>) -> Option<String>,
) {
    for words in pattern.captures_iter(text) {
        let Some(at) = words.get(group) else { continue };
        let line = text[..at.start()].matches('\n').count() + 1;
        let shells = ["sh", "bash", "console", "shell"];
        let in_block = document.blocks.iter().any(|block| {
            shells.contains(&block.language.as_str())
                && block.line <= line
                && line < block.line + block.text.lines().count()
        });
        let in_span = document
            .spans
            .iter()
            .any(|span| span.line == line && span.text.starts_with(&words[group]));
        if !in_block && !in_span {
            continue;
        }
        if let Some(to) = to(&words) {
            found.push(changed(text, at.start()..at.end(), &to, kind, 1));
        }
    }
}

fn changed(
    text: &str,
    at: std::ops::Range<usize>,
    to: &str,
    kind: Breakage,
    reach: usize,
) -> Broken {
    let line = text[..at.start].matches('\n').count() + 1;
    let from = text[at.clone()].to_owned();
    let text = format!("{}{to}{}", &text[..at.start], &text[at.end..]);
    Broken {
        kind,
        line,
        reach,
        from: from.chars().take(120).collect(),
        to: to.chars().take(120).collect(),
        text,
    }
}

/// Two letters in the wrong order.
fn mistyped(word: &str) -> String {
    let mut chars: Vec<char> = word.chars().collect();
    let last = chars.len() - 1;
    if chars[last] == chars[last - 1] {
        chars.pop();
    } else {
        chars.swap(last, last - 1);
    }
    chars.into_iter().collect()
}

fn renamed(name: &str) -> String {
    if name.contains('_') || name.chars().all(|c| !c.is_uppercase()) {
        format!("{name}_or_retry_twice")
    } else {
        format!("{name}WithRetryTwice")
    }
}

fn renamed_file(path: &str) -> String {
    let (stem, end) = path.rsplit_once('.').unwrap_or((path, "md"));
    format!("{stem}-moved.{end}")
}

fn replace_import(text: &str, facts: &Facts, found: &mut Vec<Broken>) {
    for import in IMPORT.captures_iter(text) {
        let pairs = [(1, 2), (3, 4), (6, 5), (8, 7)];
        let Some((from, name)) =
            pairs.iter().find_map(|(from, name)| Some((import.get(*from)?, import.get(*name)?)))
        else {
            continue;
        };
        let root = from.as_str().split(['.', ':']).next().unwrap_or("");
        let own = facts.packages.iter().any(|package| {
            package.name == from.as_str()
                || package.name.replace('-', "_").eq_ignore_ascii_case(root)
        });
        if own && facts.index.has_word(name.as_str()) {
            found.push(changed(
                text,
                name.range(),
                &renamed(name.as_str()),
                Breakage::RenamedImport,
                1,
            ));
        }
    }
}

fn licence(text: &str, facts: &Facts, found: &mut Vec<Broken>) {
    for claim in LICENCE.captures_iter(text) {
        let Some(at) = claim.get(1).or(claim.get(2)) else { continue };
        let known = facts
            .licences
            .iter()
            .any(|licence| licence.to_lowercase().starts_with(&at.as_str().to_lowercase()));
        if known {
            let other = if facts.licences.iter().any(|licence| licence.starts_with("MPL")) {
                "AGPL-3.0"
            } else {
                "MPL-2.0"
            };
            found.push(changed(text, at.range(), other, Breakage::WrongLicence, 2));
        }
    }
}

fn packages(text: &str, document: &Document, facts: &Facts, found: &mut Vec<Broken>) {
    for package in facts
        .packages
        .iter()
        .take(3)
        .filter(|package| package.name.len() > 4 && !package.name.contains('/'))
    {
        let name = regex::escape(&package.name);
        let Ok(form) = Regex::new(&format!(
            r"(?m)(?:npm (?:install|i)|pip install|cargo (?:install|add))(?: -{{1,2}}[\w-]+)* ({name})(?:\s|$|`)"
        )) else {
            continue;
        };
        replace(text, document, &form, 1, Breakage::WrongPackage, found, |words| {
            Some(mistyped(&words[1]))
        });
    }
}

fn versions(text: &str, document: &Document, facts: &Facts, found: &mut Vec<Broken>) {
    let Some(package) = facts.main_package() else { return };
    let Some(version) = &package.version else { return };
    let major: u64 = version.split('.').next().and_then(|major| major.parse().ok()).unwrap_or(0);
    let name = regex::escape(&package.name);
    if let Ok(form) = Regex::new(&format!(
        r#"(?m)\b{name}(?: = "|@|==| = \{{ version = "|": "\^?)(\d+(?:\.\d+)*)"#
    )) {
        replace(text, document, &form, 1, Breakage::StaleVersion, found, |_| {
            Some(format!("{}.0", major + 7))
        });
    }
    // A sentence that was true once.
    let end = text.find("\n\n").map_or(text.len(), |end| end + 1);
    let claim = format!("\nThe latest version is {}.3.1.\n", major + 2);
    let mut broken = changed(text, end..end, &claim, Breakage::StaleVersion, 3);
    broken.line += 1;
    found.push(broken);
}

/// The document without a required section that it has once.
fn sections(path: &str, text: &str, document: &Document, found: &mut Vec<Broken>) {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    for section in Contract::of(path).sections() {
        let fitting: Vec<_> = document
            .headings
            .iter()
            .enumerate()
            .filter(|(_, heading)| section.is(&heading.text))
            .collect();
        let [(at, heading)] = fitting.as_slice() else { continue };
        if heading.level < 2 {
            continue;
        }
        let end = document.headings[at + 1..]
            .iter()
            .find(|next| next.level <= heading.level)
            .map_or(lines.len(), |next| next.line - 1);
        let kept = [lines[..heading.line - 1].concat(), lines[end..].concat()].concat();
        found.push(Broken {
            kind: Breakage::MissingSection,
            line: heading.line,
            reach: 0,
            from: heading.text.clone(),
            to: String::new(),
            text: kept,
        });
    }
}

/// Blocks without their last bracket or quote.
fn blocks(text: &str, document: &Document, found: &mut Vec<Broken>) {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    for block in document.blocks.iter().filter(|block| {
        block.fenced && block.closed && !block.text.contains("...") && !block.text.contains('…')
    }) {
        let (kind, marks): (Breakage, &[char]) = match block.language.as_str() {
            "json" => (Breakage::BrokenJson, &['}', ']']),
            "toml" => (Breakage::BrokenJson, &['"', ']']),
            "rust" | "js" | "javascript" | "ts" | "typescript" | "python" | "py" | "go"
                if !block.info.contains("ignore") =>
            {
                (Breakage::BrokenCode, &[')', '}'])
            }
            _ => continue,
        };
        // What is broken already cannot be broken again.
        let good = match block.language.as_str() {
            "json" => serde_json::from_str::<serde_json::Value>(&block.text).is_ok(),
            "toml" => block.text.parse::<toml::Table>().is_ok(),
            _ => {
                block.text.matches('(').count() == block.text.matches(')').count()
                    && block.text.matches('{').count() == block.text.matches('}').count()
            }
        };
        if !good {
            continue;
        }
        let start: usize = lines[..block.line - 1].iter().map(|line| line.len()).sum();
        let end = start
            + lines[block.line - 1..]
                .iter()
                .take(block.text.lines().count())
                .map(|line| line.len())
                .sum::<usize>();
        let Some(at) = text[start..end].rfind(marks) else { continue };
        let line_start = text[..start + at].rfind('\n').map_or(0, |line| line + 1);
        // A bracket in a comment breaks nothing.
        let line = &text[line_start..start + at];
        if line.contains("//") || line.contains('#') {
            continue;
        }
        let mut broken = changed(text, start + at..start + at + 1, "", kind, 1);
        broken.line = block.line;
        found.push(broken);
    }
}

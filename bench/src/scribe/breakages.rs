//! The known ways to break a document.
//!
//! Each takes something that is true (a file that is there, a word of the code, a heading that is linked to) and makes it
//! false. What is true is decided here, by plain text and patterns of its own: a reference that the checker overlooks
//! is broken like any other.

use std::{ops::Range, sync::LazyLock};

use consign_documentation::Contract;
use regex::{Captures, Regex};

use super::corpus::Repository;

/// A broken document.
pub(super) struct Broken {
    pub kind: &'static str,
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

macro_rules! patterns {
    ($($name:ident = $pattern:expr;)*) => { $(static $name: LazyLock<Regex> = LazyLock::new(|| pattern($pattern));)* };
}

patterns! {
    SCRIPT = r"\b(npm run|yarn run|make|cargo run --example|cargo run --bin|cargo test --test|just|tox -e)\s+([a-z][a-z0-9:_-]+)";
    TYPED = r"(?m)(?:^[ \t]*(?:\$ )?|`)(npm|cargo|pip|git|go|docker|brew|yarn|apt|apt-get) (install|add|build|clone|test|get|run|update|publish|commit|checkout|init)\b";
    SPAN = r"`([^`\n]+)`";
    LINK = r"\]\(((?:\.{1,2}/)*[A-Za-z0-9_][A-Za-z0-9_./-]*\.[A-Za-z]+)(?:#[\w-]+)?\)";
    ANCHOR = r"\]\(#([a-z][\w-]+)\)";
    OPTION = r"(--[a-z][a-z-]{2,})";
    VARIABLE = r"\b([A-Z][A-Z0-9]+(?:_[A-Z0-9]+)+)\b";
    CALLED = r"`(?:([A-Za-z_]\w*)(?:\.|::|->)|\.)?([A-Za-z_]\w{3,})\([^`\n]*\)`";
    RUN = r"(?m)^[ \t]*(?:\$ )?(?:\./|(?:python3?|bash|sh|node) )((?:[\w-]+/)*[\w-]+\.(?:py|sh|js))\b";
    LICENCE = r"(?i)(?:licensed|released|distributed|available) under (?:the )?\[?(?:terms of )?(?:the )?\[?(MIT|BSD|Apache|ISC|Unlicense|MPL)|badge/license-(MIT|BSD|Apache|ISC)";
    FENCE = r"^[ \t>]*(`{3,}|~{3,})[ \t]*\{?\.?([\w+-]*)(.*)$";
    HEADING = r"^(#{1,6})\s+(.*?)\s*#*$";
}

/// A fenced block: its lines from 0, without the fences.
struct Block {
    language: String,
    info: String,
    lines: Range<usize>,
}

struct Page<'a> {
    text: &'a str,
    lines: Vec<&'a str>,
    /// The first byte of each line.
    starts: Vec<usize>,
    blocks: Vec<Block>,
}

impl<'a> Page<'a> {
    fn read(text: &'a str) -> Self {
        let lines: Vec<&str> = text.split('\n').collect();
        let mut starts = vec![0];
        starts.extend(text.match_indices('\n').map(|(at, _)| at + 1));
        let (mut blocks, mut open): (Vec<Block>, Option<(String, Block)>) = (Vec::new(), None);
        for (number, line) in lines.iter().enumerate() {
            let Some(fence) = FENCE.captures(line.trim_end_matches('\r')) else { continue };
            match open.take() {
                Some((mark, mut block)) if fence[1].starts_with(&mark) && fence[2].is_empty() => {
                    block.lines.end = number;
                    blocks.push(block);
                }
                Some(block) => open = Some(block),
                None => {
                    let language = fence[2].to_lowercase();
                    let info = fence[3].to_owned();
                    open = Some((
                        fence[1].to_owned(),
                        Block { language, info, lines: number + 1..number + 1 },
                    ));
                }
            }
        }
        Self { text, lines, starts, blocks }
    }

    fn line_of(&self, at: usize) -> usize {
        self.starts.partition_point(|start| *start <= at) - 1
    }

    fn block_of(&self, line: usize) -> Option<&Block> {
        self.blocks.iter().find(|block| block.lines.contains(&line))
    }

    fn changed(&self, kind: &'static str, at: Range<usize>, to: &str) -> Broken {
        let from = self.text[at.clone()].chars().take(120).collect();
        let text = format!("{}{to}{}", &self.text[..at.start], &self.text[at.end..]);
        let line = self.line_of(at.start) + 1;
        Broken { kind, line, reach: 1, from, to: to.chars().take(120).collect(), text }
    }

    fn headings(&self) -> Vec<(usize, usize, String)> {
        let of = |(number, line): (usize, &&str)| {
            let heading = HEADING.captures(line.trim_end_matches('\r'))?;
            (self.block_of(number).is_none())
                .then(|| (number, heading[1].len(), heading[2].to_owned()))
        };
        self.lines.iter().enumerate().filter_map(of).collect()
    }
}

/// All ways to break this document that its own text and the repository allow.
pub(super) fn of(path: &str, text: &str, repository: &Repository) -> Vec<Broken> {
    let page = Page::read(text);
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut found = Vec::new();
    // A changelog speaks of the past: only its links and blocks are of today. So does a page of an earlier major version.
    let major = repository.entry.version.split('.').next().unwrap_or_default();
    let of_version =
        |part: &str| part.strip_prefix('v').is_some_and(|it| it.parse::<u64>().is_ok());
    let is_past =
        folder.split('/').any(|part| of_version(part) && part[1..] != *major) && major != "0";
    if Contract::of(path) != Contract::Changelog && !is_past {
        commands(&page, repository, &mut found);
        names(&page, repository, &mut found);
        calls(&page, repository, &mut found);
        claims(&page, repository, &mut found);
        paths(&page, folder, repository, &mut found);
    }
    links(&page, folder, repository, &mut found);
    sections(path, &page, &mut found);
    blocks(&page, &mut found);
    found
}

fn each(
    page: &Page<'_>,
    form: &Regex,
    group: usize,
    kind: &'static str,
    found: &mut Vec<Broken>,
    mut to: impl FnMut(&Captures<'_>, Option<&Block>, &str) -> Option<String>,
) {
    for words in form.captures_iter(page.text) {
        let Some(at) = words.get(group) else { continue };
        let line = page.line_of(at.start());
        if let Some(to) = to(&words, page.block_of(line), page.lines[line]) {
            found.push(page.changed(kind, at.range(), &to));
        }
    }
}

fn is_shell(block: Option<&Block>) -> bool {
    block.is_some_and(|block| {
        ["sh", "bash", "console", "shell", "zsh"].contains(&block.language.as_str())
    })
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
    if name.contains('_') || !name.chars().any(char::is_uppercase) {
        format!("{name}_or_retry_twice")
    } else {
        format!("{name}WithRetryTwice")
    }
}

fn moved(path: &str) -> String {
    let (stem, end) = path.rsplit_once('.').unwrap_or((path, "md"));
    format!("{stem}-moved.{end}")
}

fn commands(page: &Page<'_>, repository: &Repository, found: &mut Vec<Broken>) {
    let in_code = |block: Option<&Block>, line: &str| {
        is_shell(block) || block.is_none() && line.contains('`')
    };
    let is_script = |tool: &str, name: &str| match tool {
        "make" => repository.snapshot.files.iter().any(|(path, file)| {
            path.ends_with("Makefile")
                && file.text.lines().any(|line| line.starts_with(&format!("{name}:")))
        }),
        "npm run" | "yarn run" => repository
            .snapshot
            .text("package.json")
            .is_some_and(|text| text.contains(&format!("\"{name}\":"))),
        "tox -e" => repository.snapshot.text("tox.ini").is_some_and(|text| text.contains(name)),
        _ => {
            repository.has_path(&format!("examples/{name}.rs"))
                || repository.has_path(&format!("tests/{name}.rs"))
        }
    };
    each(page, &SCRIPT, 2, "wrong script or target", found, |words, block, line| {
        (in_code(block, line) && is_script(&words[1], &words[2]))
            .then(|| format!("{}-everything", &words[2]))
    });
    each(page, &TYPED, 2, "mistyped command", found, |words, block, line| {
        in_code(block, line).then(|| mistyped(&words[2]))
    });
    each(page, &RUN, 1, "wrong program", found, |words, block, _| {
        (is_shell(block) && repository.has_path(&words[1])).then(|| moved(&words[1]))
    });
    let invented = ["--turbo-mode", "--skip-all-retries", "--legacy-output-dir", "--auto-heal"];
    let mut turn = 0;
    each(page, &OPTION, 1, "invented option", found, |words, block, line| {
        let at = words.get(1).map_or(0, |it| it.start());
        let start = at - page.text[..at].rfind('\n').map_or(at, |line| at - line - 1).min(at);
        let before = page.text[start..at].rsplit('`').next().unwrap_or("");
        let own = before.trim_start_matches(['$', ' ', '\t']).split(' ').next().unwrap_or("");
        let span = block.is_none() && page.text[..at].ends_with('`');
        let typed = repository.entry.programs.iter().any(|program| program == own);
        let real = repository.code.contains(&words[1])
            || repository.has_word(words[1].trim_start_matches('-'));
        turn += 1;
        let is_code = is_shell(block) || block.is_none() && line.contains('`');
        (real && is_code && (typed || span && !repository.entry.programs.is_empty()))
            .then(|| invented[turn % invented.len()].to_owned())
    });
}

fn names(page: &Page<'_>, repository: &Repository, found: &mut Vec<Broken>) {
    each(page, &VARIABLE, 1, "wrong environment variable", found, |words, block, line| {
        let read = |form: String| repository.code.contains(&form);
        let name = &words[1];
        let is_read = [
            "env::var(\"",
            "env::var_os(\"",
            "environ[\"",
            "environ.get(\"",
            "Getenv(\"",
            "process.env.",
            "getenv(\"",
        ]
        .iter()
        .any(|start| read(format!("{start}{name}")));
        let is_code = block.is_none() && line.contains(&format!("`{name}`"))
            || is_shell(block) && line.contains(&format!("{name}="));
        (is_read && is_code).then(|| format!("{name}_OVERRIDE_URL"))
    });
    each(page, &CALLED, 2, "renamed function", found, |words, block, _| {
        // What belongs to the standard library is not the repository's.
        let others = words.get(1).is_some_and(|root| root.as_str() == "std");
        (block.is_none() && !others && is_defined(&words[2], repository))
            .then(|| renamed(&words[2]))
    });
    each(page, &SPAN, 1, "renamed type", found, |words, block, _| {
        let word = words[1].rsplit([':', '.']).next().unwrap_or("");
        let is_type = word.len() > 4
            && word.starts_with(char::is_uppercase)
            && word.chars().skip(1).any(char::is_uppercase)
            && word.chars().any(char::is_lowercase)
            && word.chars().all(char::is_alphanumeric);
        (block.is_none() && is_type && is_defined(word, repository))
            .then(|| format!("{}{}", &words[1][..words[1].len() - word.len()], renamed(word)))
    });
}

/// Whether the code declares it.
fn is_defined(name: &str, repository: &Repository) -> bool {
    let name = regex::escape(name);
    let form = format!(
        r"(?:\b(?:fn|def|function|class|struct|enum|trait|type|interface|const|let|var|func(?: \([^)]*\))?|#define)\s+{name}\b)|(?m:^\s*(?:static |async |inline |virtual |constexpr |simdjson_\w+ )*[\w:<>&*]+\s+{name}\()|(?m:^  (?:async |static )?{name}\()"
    );
    Regex::new(&form).is_ok_and(|form| form.is_match(&repository.code))
}

fn calls(page: &Page<'_>, repository: &Repository, found: &mut Vec<Broken>) {
    for package in &repository.entry.packages {
        let own = regex::escape(package);
        let forms = [
            format!(r"(?m)^\s*from {own}[\w.]* import (\w{{4,}})"),
            format!(r"(?m)^\s*use {own}::(?:\w+::)*(\w{{4,}})"),
            format!(r#"import \{{ ?(\w{{4,}})[^}}]*\}} from ['"]{own}['"]"#),
            format!(r#"\{{ ?(\w{{4,}})[^}}]*\}} = require\(['"]{own}['"]\)"#),
            format!(r"\b{own}(?:\.|::(?:\w+::)*)([A-Za-z]\w{{3,}})\b"),
        ];
        for (at, form) in forms.iter().enumerate() {
            let kind = if at == 4 { "wrong call" } else { "renamed import" };
            let Ok(form) = Regex::new(form) else { continue };
            let languages = [
                "rust",
                "rs",
                "python",
                "py",
                "js",
                "javascript",
                "ts",
                "typescript",
                "go",
                "cpp",
                "c++",
            ];
            each(page, &form, 1, kind, found, |words, block, line| {
                let is_code =
                    block.is_some_and(|block| languages.contains(&block.language.as_str()));
                let comment = line.trim_start().starts_with(['#', '/', '*']) || line.contains("//");
                (is_code && !comment && repository.has_word(&words[1])).then(|| renamed(&words[1]))
            });
        }
        let install = format!(
            r"(?m)(?:npm (?:install|i)|pip install|cargo (?:install|add)|brew install)(?: -{{1,2}}[\w-]+)* ({own})(?:\s|$|`)"
        );
        if let Ok(form) = Regex::new(&install) {
            each(page, &form, 1, "wrong package", found, |words, block, line| {
                let own = !words[0].starts_with("brew");
                (own && (is_shell(block) || line.contains('`'))).then(|| mistyped(&words[1]))
            });
        }
    }
}

fn claims(page: &Page<'_>, repository: &Repository, found: &mut Vec<Broken>) {
    let major: u64 = repository
        .entry
        .version
        .split('.')
        .next()
        .and_then(|major| major.parse().ok())
        .unwrap_or(0);
    for package in &repository.entry.packages {
        let form = format!(
            r#"(?m)\b{}(?: = "|@|==| = \{{ version = "|": "\^?)(\d+(?:\.\d+)*)"#,
            regex::escape(package)
        );
        if let Ok(form) = Regex::new(&form) {
            each(page, &form, 1, "stale version", found, |_, _, _| {
                Some(format!("{}.0", major + 7))
            });
        }
    }
    // A sentence that was never true, below the first paragraph; if a manifest says what is true.
    let manifests =
        ["Cargo.toml", "package.json", "pyproject.toml", "setup.cfg", "CMakeLists.txt", "PKG-INFO"];
    let mut manifests = manifests.iter().filter_map(|path| repository.snapshot.text(path));
    if page.headings().first().is_some_and(|(_, level, _)| *level == 1)
        && manifests.any(|text| text.contains(&repository.entry.version))
    {
        let end = page.text.find("\n\n").map_or(page.text.len(), |end| end + 1);
        let claim = format!("\nThe latest version is {}.3.1.\n", major + 2);
        let mut broken = page.changed("stale version", end..end, &claim);
        (broken.line, broken.reach) = (broken.line + 1, 2);
        found.push(broken);
    }
    // An endpoint that no code has, in a sentence of its own.
    if page.headings().first().is_some_and(|(_, level, _)| *level == 1) {
        let end = page.text.find("\n\n").map_or(page.text.len(), |end| end + 1);
        let claim = "\nIt answers `GET /melted-coins/42`.\n";
        let mut broken = page.changed("invented endpoint", end..end, claim);
        (broken.line, broken.reach) = (broken.line + 1, 2);
        found.push(broken);
    }
    let licences: String = repository
        .snapshot
        .files
        .iter()
        .filter(|(path, _)| path.to_lowercase().starts_with("licen"))
        .map(|(_, file)| file.text.as_str())
        .collect();
    each(page, &LICENCE, 1, "wrong licence", found, |words, _, _| {
        let other = if licences.contains("Mozilla") { "AGPL-3.0" } else { "MPL-2.0" };
        (!words[1].is_empty()).then(|| other.to_owned())
    });
}

fn paths(page: &Page<'_>, folder: &str, repository: &Repository, found: &mut Vec<Broken>) {
    each(page, &SPAN, 1, "wrong path", found, |words, block, _| {
        let path = &words[1];
        let here = format!("{folder}/{path}");
        let is_there =
            repository.has_path(path.trim_start_matches("./")) || repository.has_path(&here);
        (block.is_none() && path.contains('/') && path.contains('.') && is_there)
            .then(|| moved(path))
    });
}

fn links(page: &Page<'_>, folder: &str, repository: &Repository, found: &mut Vec<Broken>) {
    let joined = |target: &str| {
        let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
        for part in target.split('/') {
            match part {
                "." | "" => {}
                ".." => drop(parts.pop()),
                part => parts.push(part),
            }
        }
        parts.join("/")
    };
    each(page, &LINK, 1, "dead link", found, |words, block, _| {
        (block.is_none() && repository.has_path(&joined(&words[1]))).then(|| moved(&words[1]))
    });
    let (owner, name) =
        (regex::escape(&repository.snapshot.owner), regex::escape(&repository.snapshot.name));
    let hosted =
        format!(r"github\.com/{owner}/{name}/(?:blob|tree)/(?:master|main|HEAD)/([\w./-]+\.\w+)");
    if let Ok(form) = Regex::new(&hosted) {
        each(page, &form, 1, "dead link", found, |words, block, _| {
            (block.is_none() && repository.has_path(&words[1])).then(|| moved(&words[1]))
        });
    }
    let anchors: Vec<String> = page
        .headings()
        .iter()
        .map(|(_, _, text)| {
            let kept = |c: &char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_');
            text.to_lowercase().chars().filter(kept).collect::<String>().replace(' ', "-")
        })
        .collect();
    each(page, &ANCHOR, 1, "dead anchor", found, |words, block, _| {
        let is_there = anchors.iter().any(|anchor| anchor == &words[1]);
        (block.is_none() && is_there).then(|| format!("{}-as-it-was", &words[1]))
    });
}

/// The document without a required section, where no other heading can stand for it.
fn sections(path: &str, page: &Page<'_>, found: &mut Vec<Broken>) {
    let headings = page.headings();
    for section in Contract::of(path).sections() {
        let words: Vec<String> = std::iter::once(section.name)
            .chain(section.synonyms.iter().copied())
            .map(str::to_lowercase)
            .collect();
        let fitting: Vec<usize> = (0..headings.len())
            .filter(|at| {
                words.iter().any(|word| headings[*at].2.to_lowercase().contains(word.as_str()))
            })
            .collect();
        let [at] = fitting.as_slice() else { continue };
        let (number, level, text) = &headings[*at];
        let exact = words.contains(&text.to_lowercase());
        if *level < 2 || !exact || page.text.contains("<h2") {
            continue;
        }
        let end = headings[at + 1..]
            .iter()
            .find(|next| next.1 <= *level)
            .map_or(page.text.len(), |next| page.starts[next.0]);
        let mut broken = page.changed("missing section", page.starts[*number]..end, "");
        broken.from.clone_from(text);
        found.push(broken);
    }
}

/// Blocks without their last bracket or quote.
fn blocks(page: &Page<'_>, found: &mut Vec<Broken>) {
    for block in &page.blocks {
        let end = page.starts[block.lines.end];
        let start = page.starts[block.lines.start];
        let text = &page.text[start..end];
        let even =
            |one: char, other: char| text.matches(one).count() == text.matches(other).count();
        let whole = even('(', ')')
            && even('{', '}')
            && even('[', ']')
            && text.matches('"').count().is_multiple_of(2);
        if !whole || text.contains("...") || text.contains('…') || block.info.contains("ignore") {
            continue;
        }
        let marks: &[char] = match block.language.as_str() {
            "json" => &['}', ']'],
            "toml" => &['"', ']'],
            "rust" | "js" | "javascript" | "ts" | "typescript" | "python" | "py" | "go" => {
                &[')', '}']
            }
            _ => continue,
        };
        let kind = if matches!(block.language.as_str(), "json" | "toml") {
            "broken data"
        } else {
            "broken code"
        };
        if kind == "broken data"
            && block.language == "json"
            && serde_json::from_str::<serde_json::Value>(text).is_err()
        {
            continue;
        }
        let Some(at) = text.rfind(marks).map(|at| start + at) else { continue };
        // A bracket in a comment breaks nothing.
        let line = page.lines[page.line_of(at)];
        if line.contains("//") || line.contains('#') {
            continue;
        }
        let mut broken = page.changed(kind, at..at + 1, "");
        broken.line = block.lines.start + 1;
        found.push(broken);
    }
    // The last block swallows the rest.
    if let Some(last) = page.blocks.last().filter(|last| last.lines.end + 1 < page.lines.len()) {
        let at = page.starts[last.lines.end];
        let end = page.starts[last.lines.end + 1];
        let mut broken = page.changed("open block", at..end, "");
        (broken.line, broken.reach) = (last.lines.start, 1);
        found.push(broken);
    }
}

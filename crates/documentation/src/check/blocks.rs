//! Parses blocks of code that claim a language.

use std::sync::LazyLock;

use consign_code::{Cancel, is_well_formed};
use regex::Regex;

use super::{Checker, IssueKind, pattern, shell};
use crate::markdown::{Block, Document};

/// `<your key>`: something that the reader fills in, or `{ .. }`, something that was left out.
static BLANK: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"<[a-z]+(?: [A-Za-z]+)+>|struct \w+ \{ \.\. \}|(?m:^\s*%\w+ )"));

/// `Member: value` of a larger value.
static MEMBER: LazyLock<Regex> = LazyLock::new(|| pattern(r"^\s*[A-Z]\w*: "));
/// `name = value` in the drawing of an object.
static SHAPED: LazyLock<Regex> = LazyLock::new(|| pattern(r"(\w) = (\w)"));

/// The largest block that is parsed.
const MOST: usize = 64 << 10;

pub(super) fn parse(checker: &mut Checker<'_>, document: &Document) {
    for block in document.blocks.iter().filter(|block| block.fenced) {
        if !block.closed {
            checker.note(
                false,
                IssueKind::Block,
                block.line.saturating_sub(1),
                "the fence is not closed",
                None,
            );
            continue;
        }
        if let Some(good) = is_good(block) {
            let first = block
                .text
                .lines()
                .find(|line| !line.trim().is_empty())
                .unwrap_or("")
                .trim()
                .to_owned();
            checker.note(
                good,
                IssueKind::Block,
                block.line,
                &format!("{}: {first}", block.language),
                None,
            );
        }
    }
}

/// Whether it parses; `None` where that cannot be told.
fn is_good(block: &Block) -> Option<bool> {
    let text = block.text.as_str();
    // An ellipsis says that something was left out.
    if text.len() > MOST
        || text.trim().is_empty()
        || text.contains("...") && !is_spread(text, &block.language)
        || text.contains('…')
        || BLANK.is_match(text)
        || only_opens(text)
    {
        return None;
    }
    match block.language.as_str() {
        // A line of `^` points at the line above.
        "json" if text.lines().any(|line| line.trim_start().starts_with('^')) => None,
        "json" => Some(json(text)),
        "jsonc" | "json5" => None,
        "toml" => Some(text.parse::<toml::Table>().is_ok()),
        "yaml" | "yml" => Some(yaml(text)),
        language if shell::is_shell(language) => Some(!quotes_are_open(text)),
        "rust" | "rs" => {
            let skipped = ["ignore", "compile_fail", "text", "should_fail"]
                .iter()
                .any(|word| block.info.contains(word));
            let text = without_hidden(text);
            (!skipped)
                .then(|| {
                    any(
                        "a.rs",
                        &[
                            text.clone(),
                            format!("fn f() {{\n{text}\n}}"),
                            format!("const X: () = {{ {text} }};"),
                            format!("impl X {{\n{text}\n}}"),
                            format!("fn f() {{ match x {{\n{text}\n}} }}"),
                            format!("enum X {{\n{text}\n}}"),
                        ],
                    )
                })
                .flatten()
        }
        "python" | "py" | "python3" | "pycon" => {
            let text = without_prompts(text);
            any(
                "a.py",
                &[
                    text.clone(),
                    format!("class X:\n    pass\n{}", dedented(&text)),
                    dedented(&text),
                ],
            )
        }
        "js" | "javascript" | "jsx" | "mjs" | "cjs" | "node" => any("a.js", &scripts(text))
            .map(|good| good || any("a.tsx", &scripts(text)).unwrap_or(true)),
        "ts" | "typescript" => any("a.ts", &scripts(text))
            .map(|good| good || any("a.tsx", &scripts(text)).unwrap_or(true)),
        "tsx" => any("a.tsx", &scripts(text)),
        "go" | "golang" => any(
            "a.go",
            &[
                text.to_owned(),
                format!("package p\n{text}"),
                format!("package p\nfunc f() {{\n{text}\n}}"),
                format!("package p\nvar x = X{{\n{text}\n}}"),
                format!("package p\nvar x = X{{\n{},\n}}", text.trim_end()),
                format!("package p\ntype X struct {{\n{text}\n}}"),
                split_imports(text),
                format!("package p\ntype X interface {{\n{}\n}}", signatures(text)),
                // A member, and the end of the value around it.
                match MEMBER.is_match(text) {
                    true => format!("package p\nvar x = X{{\n{text}"),
                    false => text.to_owned(),
                },
            ],
        ),
        "java" => any(
            "A.java",
            &[
                text.to_owned(),
                format!("class X {{\n{text}\n}}"),
                format!("class X {{ void f() {{\n{text}\n}} }}"),
                java_split(text),
                text.replace("~", ""),
            ],
        ),
        _ => None,
    }
}

/// The beginning of something larger: each line ends with a bracket that it opens.
fn only_opens(text: &str) -> bool {
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    lines.len() > 1 && lines.iter().all(|line| line.ends_with(['{', '(', '[']))
}

/// Signatures without bodies, as the methods of an interface: what they belong to goes, and so does an open bracket.
fn signatures(text: &str) -> String {
    let lines = text.lines().map(|line| {
        let bare = line.trim().trim_end_matches('{').trim_end();
        if bare.starts_with("//") {
            return bare.to_owned();
        }
        let (owner, method) = bare
            .split_once('(')
            .map_or((bare, ""), |(name, rest)| (name.rsplit('.').next().unwrap_or(name), rest));
        match method {
            "" => bare.to_owned(),
            method => format!("{owner}({method}"),
        }
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn any(path: &str, texts: &[String]) -> Option<bool> {
    let cancel = Cancel::new();
    let mut known = false;
    for text in texts {
        match is_well_formed(path, text.as_bytes(), &cancel) {
            Some(true) => return Some(true),
            Some(false) => known = true,
            None => {}
        }
    }
    known.then_some(false)
}

/// `...name` is code in JavaScript, `name...` in Go; `...` alone is an ellipsis.
fn is_spread(text: &str, language: &str) -> bool {
    let alone = text.match_indices("...").any(|(at, _)| {
        let after = text[at + 3..].chars().next().unwrap_or(' ');
        let before = text[..at].chars().next_back().unwrap_or(' ');
        match language {
            "js" | "javascript" | "ts" | "typescript" | "jsx" | "tsx" | "mjs" | "cjs" => {
                !(after.is_alphanumeric() || "_$([{".contains(after)) || before == '.'
            }
            "go" | "golang" => !(before.is_alphanumeric() || after.is_alphabetic()),
            _ => true,
        }
    });
    !alone
        && (language.starts_with('j')
            || language.starts_with('t')
            || language.starts_with('g')
            || language == "mjs"
            || language == "cjs")
}

fn json(text: &str) -> bool {
    let good = |text: &str| {
        let values = serde_json::Deserializer::from_str(text).into_iter::<serde::de::IgnoredAny>();
        values.into_iter().all(|value| value.is_ok())
    };
    // Documents explain JSON with comments, and show members without their braces.
    let bare: String = text.lines().map(without_comment).collect::<Vec<_>>().join("\n");
    good(text)
        || good(&bare)
        || (text.trim_start().starts_with('"')
            && good(&format!("{{{}}}", bare.trim().trim_end_matches(','))))
}

fn without_comment(line: &str) -> &str {
    let mut quoted = false;
    let bytes = line.as_bytes();
    for at in 0..bytes.len() {
        match bytes[at] {
            b'"' if at == 0 || bytes[at - 1] != b'\\' => quoted = !quoted,
            b'/' if !quoted && bytes.get(at + 1) == Some(&b'/') => return &line[..at],
            b'#' if !quoted => return &line[..at],
            _ => {}
        }
    }
    line
}

/// No parser: what always is a mistake, a tab in front and a bracket or quote that stays open.
fn yaml(text: &str) -> bool {
    let tab = text
        .lines()
        .any(|line| line.trim_start_matches(' ').starts_with('\t') && !line.trim().is_empty());
    let keyed =
        text.lines().filter(|line| !line.trim().is_empty() && !line.trim_start().starts_with('#'));
    let mut depth = 0_i64;
    let mut block_at: Option<usize> = None;
    for line in keyed {
        let indent = line.len() - line.trim_start().len();
        if block_at.is_some_and(|at| indent > at) {
            continue;
        }
        block_at = line.trim_end().ends_with(['|', '>']).then_some(indent).or_else(|| {
            (line.trim_end().ends_with("|-") || line.trim_end().ends_with(">-")).then_some(indent)
        });
        let plain: String = line.split(" #").next().unwrap_or(line).to_owned();
        let value = plain.split_once(": ").map_or(plain.as_str(), |(_, value)| value).trim();
        let value = value.trim_start_matches("- ");
        if value.starts_with(['[', '{']) || depth > 0 {
            depth += i64::try_from(value.matches(['[', '{']).count()).unwrap_or(0)
                - i64::try_from(value.matches([']', '}']).count()).unwrap_or(0);
        }
        let quote = value.chars().next().filter(|c| *c == '"' || *c == '\'');
        if quote.is_some_and(|quote| depth == 0 && value.matches(quote).count() == 1) {
            return false;
        }
    }
    !tab && depth == 0
}

fn quotes_are_open(text: &str) -> bool {
    let prompted = text.lines().any(|line| line.trim_start().starts_with("$ "));
    let body: String = if prompted {
        text.lines()
            .filter_map(|line| line.trim_start().strip_prefix("$ "))
            .collect::<Vec<_>>()
            .join("\n")
    } else {
        text.to_owned()
    };
    // Output and prose have apostrophes: only a block whose double quotes are odd is broken for sure.
    let apostrophes = body.chars().filter(|c| *c == '\'').count();
    shell::unclosed(&body)
        && !prompted_output(text, prompted)
        && (apostrophes == 0 || body.lines().count() < 4)
        && !body.contains("<<")
}

fn prompted_output(text: &str, prompted: bool) -> bool {
    prompted && text.lines().any(|line| line.trim_start().starts_with("> "))
}

/// Rustdoc hides lines that begin with `# `.
fn without_hidden(text: &str) -> String {
    let shown = |line: &str| {
        let start = line.trim_start();
        if start == "#" {
            String::new()
        } else {
            start.strip_prefix("# ").map_or_else(|| line.to_owned(), str::to_owned)
        }
    };
    text.lines().map(shown).collect::<Vec<_>>().join("\n")
}

fn without_prompts(text: &str) -> String {
    if !text.lines().any(|line| line.trim_start().starts_with(">>>")) {
        return text.to_owned();
    }
    let code = |line: &str| {
        line.trim_start()
            .strip_prefix(">>>")
            .or_else(|| line.trim_start().strip_prefix("..."))
            .map(|line| line.strip_prefix(' ').unwrap_or(line).to_owned())
    };
    text.lines().filter_map(code).collect::<Vec<_>>().join("\n")
}

fn dedented(text: &str) -> String {
    let indent = text
        .lines()
        .filter(|line| !line.trim().is_empty())
        .map(|line| line.len() - line.trim_start().len())
        .min()
        .unwrap_or(0);
    text.lines().map(|line| line.get(indent..).unwrap_or("")).collect::<Vec<_>>().join("\n")
}

fn scripts(text: &str) -> Vec<String> {
    // Documents draw the shape of an object with `=`.
    let drawn = match text.trim_start().starts_with('{') {
        true => format!("x = ({})", SHAPED.replace_all(text.trim(), "$1: $2")),
        false => text.to_owned(),
    };
    vec![
        drawn,
        text.to_owned(),
        format!("async function* f() {{\n{text}\n}}"),
        format!("x = ({})", text.trim().trim_end_matches(';')),
        format!("x = {{\n{text}\n}}"),
        format!("class X {{\n{text}\n}}"),
        format!("x = [{text}]"),
        format!("interface X {{\n{text}\n}}"),
        format!("declare {text}"),
    ]
}

/// Imports above, statements below.
fn split_imports(text: &str) -> String {
    let end = text.find("\n)\n").filter(|_| text.contains("import (")).map_or(0, |end| end + 3);
    format!(
        "package p\n{}\nfunc f() {{\n{}\n}}",
        &text[..end].trim_start_matches("package main"),
        &text[end..]
    )
}

fn java_split(text: &str) -> String {
    let is_head = |line: &&str| line.starts_with("import ") || line.starts_with("package ");
    let head: Vec<&str> = text.lines().filter(is_head).collect();
    let body: Vec<&str> = text.lines().filter(|line| !is_head(line)).collect();
    format!("{}\nclass X {{ void f() {{\n{}\n}} }}", head.join("\n"), body.join("\n"))
}

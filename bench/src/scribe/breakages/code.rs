//! What is typed and what is called: commands, options, variables, names.

use std::sync::LazyLock;

use regex::Regex;

use super::{Block, Broken, Page, SPAN, each, moved, pattern};
use crate::scribe::corpus::Repository;

patterns! {
    SCRIPT = r"\b(npm run|yarn run|make|cargo run --example|cargo run --bin|cargo test --test|just|tox -e)\s+([a-z][a-z0-9:_-]+)";
    TYPED = r"(?m)(?:^[ \t]*(?:\$ )?|`)(npm|cargo|pip|git|go|docker|brew|yarn|apt|apt-get) (install|add|build|clone|test|get|run|update|publish|commit|checkout|init)\b";
    OPTION = r"(--[a-z][a-z-]{2,})";
    VARIABLE = r"\b([A-Z][A-Z0-9]+(?:_[A-Z0-9]+)+)\b";
    CALLED = r"`(?:([A-Za-z_]\w*)(?:\.|::|->)|\.)?([A-Za-z_]\w{3,})\([^`\n]*\)`";
    RUN = r"(?m)^[ \t]*(?:\$ )?(?:\./|(?:python3?|bash|sh|node) )((?:[\w-]+/)*[\w-]+\.(?:py|sh|js))\b";
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

pub(super) fn commands(page: &Page<'_>, repository: &Repository, found: &mut Vec<Broken>) {
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

pub(super) fn names(page: &Page<'_>, repository: &Repository, found: &mut Vec<Broken>) {
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

pub(super) fn calls(page: &Page<'_>, repository: &Repository, found: &mut Vec<Broken>) {
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

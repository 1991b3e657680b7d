//! Commands: programs of the repository, and what the tools of others are told to do with it.
//!
//! `managers` has Cargo, pip and Go with their packages; `runners` has what runs scripts, targets and files.

mod managers;
mod runners;

use super::{
    Checker, IssueKind, known, options, paths,
    shell::{self, Simple},
};
use crate::{
    facts::{Ecosystem, name_of},
    markdown::Document,
};

/// Commands whose span in prose is checked as a command.
const SPOKEN: &[&str] = &[
    "npm", "yarn", "pnpm", "cargo", "pip", "pip3", "go", "make", "git", "docker", "python",
    "python3", "node", "just", "npx",
];

pub(super) fn look_up(checker: &mut Checker<'_>, document: &Document) {
    // After `cd` or a generator the commands may be of another folder.
    let (mut section, mut elsewhere) = (None, false);
    for block in &document.blocks {
        let labelled = shell::is_shell(&block.language);
        let is_bare = ["", "text", "txt", "plain"].contains(&block.language.as_str());
        let prompted = is_bare
            && (block.text.lines().any(|line| line.trim_start().starts_with("$ "))
                || all_typed(checker, &block.text));
        if !labelled && !prompted {
            continue;
        }
        let heading = document.heading_of(block.line).map(|heading| heading.line);
        if heading != section {
            (section, elsewhere) = (heading, false);
        }
        for command in shell::commands(&block.text, block.line) {
            let first = command.words.first().map_or("", String::as_str);
            one(checker, document, &command, labelled, elsewhere);
            let second = command.words.get(1).map_or("", String::as_str);
            elsewhere |= ["npm", "yarn", "pnpm"].contains(&first)
                && ["init", "create"].contains(&second)
                || first == "cargo" && ["new", "init"].contains(&second);
            elsewhere |= first == "cd"
                && !command.words.get(1).is_some_and(|folder| {
                    checker.facts.index.has_name(name_of(folder))
                        || checker.snapshot.name == name_of(folder)
                        || checker.facts.name == name_of(folder)
                });
        }
    }
    for span in &document.spans {
        let first = span.text.split_whitespace().next().unwrap_or("");
        let is_own = is_program(checker, first);
        if (is_own || SPOKEN.contains(&first))
            && span.text.trim().contains(' ')
            && !shell::unclosed(&span.text)
        {
            for command in shell::commands(&span.text, span.line) {
                one(checker, document, &command, false, false);
            }
        }
    }
}

/// Whether each line of a block begins with a command that is known.
fn all_typed(checker: &Checker<'_>, text: &str) -> bool {
    let lines: Vec<Simple> = shell::commands(text, 1);
    let known =
        |word: &str| known::COMMANDS.contains(&word) && word.len() > 1 || is_program(checker, word);
    !lines.is_empty() && lines.iter().all(|line| line.words.first().is_some_and(|word| known(word)))
}

/// Programs and examples of the repository.
fn is_program(checker: &Checker<'_>, name: &str) -> bool {
    checker.facts.programs.iter().any(|program| program.name == name)
        || checker.facts.packages.iter().any(|package| package.targets.contains(name))
}

fn one(
    checker: &mut Checker<'_>,
    document: &Document,
    command: &Simple,
    labelled: bool,
    elsewhere: bool,
) {
    let words: Vec<&str> = command.words.iter().map(String::as_str).collect();
    let Some((first, rest)) = words.split_first() else { return };
    let line = command.line;
    let whole = words.join(" ");
    let shown = whole.as_str();
    if rest.first() == Some(&"=") {
        return;
    }
    if rest.iter().any(|word| word.contains("...") || word.contains('…')) && rest.len() < 2 {
        return;
    }
    if let Some(program) = first.strip_prefix("./") {
        let made = [
            "target/",
            "dist/",
            "build/",
            "bin/",
            "node_modules/",
            "out/",
            "configure",
            "gradlew",
            "mvnw",
            "b2",
            "venv/",
            ".venv/",
        ];
        let is_program = checker.facts.programs.iter().any(|own| own.name == name_of(program));
        if program.is_empty()
            || elsewhere
            || is_program
            || made.iter().any(|made| program.starts_with(made))
            || super::is_placeholder(program)
            || !paths::looks_like_path(program)
        {
            return;
        }
        let found = checker.facts.index.has_path(program)
            || checker.facts.index.has_end(program)
            || checker.text.contains(&format!("-o {program}"))
            || checker.text.matches(program).count() > 3;
        let near =
            checker.facts.index.nearest(program, checker.snapshot.paths()).map(str::to_owned);
        return checker.note(found, IssueKind::Command, line, first, near);
    }
    if is_program(checker, first) {
        return own(checker, line, first, rest);
    }
    match *first {
        "npm" | "yarn" | "pnpm" | "bun" => {
            runners::scripts(checker, line, shown, first, rest, elsewhere)
        }
        "make" | "gmake" if !elsewhere => runners::targets(checker, line, shown, rest),
        "just" if !elsewhere => runners::recipes(checker, line, shown, rest),
        "cargo" => managers::cargo(checker, line, shown, rest, elsewhere),
        "python" | "python3" | "py" | "node" | "bash" | "sh" | "ts-node" | "deno" | "ruby"
        | "source" | "." => runners::script_file(checker, line, first, rest, elsewhere),
        "pip" | "pip3" | "uv" | "poetry" | "pipx" => {
            managers::python(checker, line, shown, first, rest)
        }
        "go" => managers::go(checker, line, shown, rest),
        "npx" | "bunx" => {}
        _ => subcommand(checker, line, shown, first, rest),
    }
    let is_word = first.len() > 1
        && first.starts_with(|c: char| c.is_ascii_lowercase())
        && first.bytes().all(|byte| {
            byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-_.".contains(&byte)
        });
    if labelled && is_word && !known::COMMANDS.contains(first) && !super::is_placeholder(first) {
        let defined = checker.text.contains(&format!("{first}()"))
            || checker.text.contains(&format!("alias {first}"))
            || checker.facts.dependencies.contains(*first);
        let spoken = |text: &str| {
            text.split(|c: char| !(c.is_alphanumeric() || "-_.".contains(c)))
                .any(|word| word == *first)
        };
        let named = document.headings.iter().any(|heading| spoken(&heading.text))
            || document.links.iter().any(|link| spoken(&link.text) || spoken(&link.target))
            || document.labels.iter().any(|label| spoken(label));
        let found = defined
            || named
            || checker.facts.index.has_word(first)
            || checker.facts.index.has_name(first)
            || mentions_install(checker, first);
        let near = checker
            .facts
            .index
            .nearest(first, checker.facts.programs.iter().map(|program| program.name.as_str()))
            .map(str::to_owned);
        // The examples of a library have programs of their own.
        let is_typo = || {
            let alike =
                |known: &&&str| known.len() > 2 && strsim::damerau_levenshtein(known, first) == 1;
            known::COMMANDS.iter().any(|known| alike(&known))
        };
        if found || checker.facts.has_programs() || is_typo() {
            checker.note(found, IssueKind::Command, line, shown, near);
        }
        if !checker.facts.has_programs() && !is_typo() {
            for option in
                rest.iter().take_while(|word| **word != "--").filter_map(|word| long(word))
            {
                options::of_example(checker, line, option);
            }
        }
    }
}

/// The long option of a word, without its value.
fn long(word: &str) -> Option<&str> {
    let option = word.split(['=', '[', '<']).next().unwrap_or(word);
    let name = option.strip_prefix("--").filter(|name| name.len() > 1)?;
    let is_name = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte));
    is_name.then_some(option)
}

/// A tool that the document installs is the tool's own affair.
fn mentions_install(checker: &Checker<'_>, name: &str) -> bool {
    checker.text.lines().any(|line| {
        line.contains("install")
            && line.contains(name)
            && line.split_whitespace().any(|word| word.contains(name))
            && line.trim_start_matches(['$', ' ']).split_whitespace().next() != Some(name)
    })
}

/// A program of the repository: its options, and its subcommand where it has some.
fn own(checker: &mut Checker<'_>, line: usize, program: &str, rest: &[&str]) {
    checker.note(true, IssueKind::Command, line, program, None);
    for option in rest.iter().take_while(|word| **word != "--").filter_map(|word| long(word)) {
        options::one(checker, line, option);
    }
    let Some(word) = rest.first().filter(|word| {
        word.len() > 2
            && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-')
            && word.starts_with(|c: char| c.is_ascii_lowercase())
    }) else {
        return;
    };
    let marks = [
        "Subcommand",
        "add_parser(",
        "cobra.Command{",
        ".command(",
        "@cli.command",
        "add_subparsers",
        "cli.Command{",
        "AddCommand(",
    ];
    let has_subcommands = checker.snapshot.files.iter().any(|(path, file)| {
        !crate::facts::is_prose(path)
            && crate::facts::is_program(path)
            && !crate::facts::is_test(path)
            && marks.iter().any(|mark| file.text.contains(mark))
    });
    if has_subcommands
        && !super::is_placeholder(word)
        && checker.facts.packages.first().is_none_or(|package| package.programs.len() < 30)
    {
        let defined = checker.text.contains(&format!("\n{word}:"))
            || checker.text.contains(&format!("\n{word} "));
        let found =
            defined || checker.facts.index.has_word(word) || checker.facts.index.has_folded(word);
        checker.note(found, IssueKind::Command, line, &format!("{program} {word}"), None);
    }
}

/// `git clnoe`.
fn subcommand(checker: &mut Checker<'_>, line: usize, shown: &str, command: &str, rest: &[&str]) {
    let Some(known) = known::subcommands(command) else { return };
    let Some(verb) = rest.iter().find(|word| !word.starts_with('-')) else { return };
    // Options with a value may stand in front.
    if rest.first() != Some(verb)
        || !verb.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-')
        || super::is_placeholder(verb)
    {
        return;
    }
    let found = known.contains(verb)
        || checker.facts.index.has_word(&format!("{command}-{verb}"))
        || checker.facts.programs.iter().any(|program| program.name == format!("{command}-{verb}"));
    let near = checker
        .facts
        .index
        .nearest(verb, known.iter().copied())
        .map(|near| format!("{command} {near}"));
    checker.note(found, IssueKind::Command, line, shown, near);
}

/// A package that is nearly the repository's own is a slip; others are the reader's choice.
fn own_package(
    checker: &mut Checker<'_>,
    line: usize,
    shown: &str,
    word: &str,
    ecosystem: Ecosystem,
) {
    let name = word.split('@').next().unwrap_or(word).trim_matches(['"', '\'']);
    let own: Vec<String> = checker
        .facts
        .packages
        .iter()
        .filter(|package| package.ecosystem == ecosystem)
        .map(|package| package.name.trim_start_matches('@').to_lowercase())
        .collect();
    let lower = name.to_lowercase();
    let folded = lower.replace('_', "-");
    if own.iter().any(|own| own.replace('_', "-") == folded) {
        return checker.note(true, IssueKind::Command, line, shown, None);
    }
    let near = own.iter().find(|own| {
        let turned =
            own.len() == 3 && lower.len() == 3 && strsim::damerau_levenshtein(own, &lower) == 1;
        turned && lower.chars().all(|c| own.contains(c))
            || own.len() > 3
                && strsim::damerau_levenshtein(own, &lower) <= 2
                && strsim::normalized_damerau_levenshtein(own, &lower) >= 0.75
    });
    if let Some(near) = near.filter(|_| {
        !checker.facts.dependencies.contains(name) && !checker.facts.index.has_word(name)
    }) {
        checker.note(false, IssueKind::Command, line, shown, Some(near.clone()));
    }
}

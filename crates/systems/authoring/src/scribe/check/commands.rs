//! Commands: scripts, targets, programs, features, packages.

use super::{
    Checker, IssueKind, known, options, paths,
    shell::{self, Simple},
};
use crate::scribe::{
    facts::{Ecosystem, is_major, just_recipes, make_targets, name_of},
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
        "npm" | "yarn" | "pnpm" | "bun" => scripts(checker, line, shown, first, rest, elsewhere),
        "make" | "gmake" if !elsewhere => targets(checker, line, shown, rest),
        "just" if !elsewhere => recipes(checker, line, shown, rest),
        "cargo" => cargo(checker, line, shown, rest, elsewhere),
        "python" | "python3" | "py" | "node" | "bash" | "sh" | "ts-node" | "deno" | "ruby"
        | "source" | "." => script_file(checker, line, first, rest, elsewhere),
        "pip" | "pip3" | "uv" | "poetry" | "pipx" => python(checker, line, shown, first, rest),
        "go" => go(checker, line, shown, rest),
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
        checker.note(found, IssueKind::Command, line, shown, near);
    }
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
    for word in rest.iter().take_while(|word| **word != "--") {
        if word.starts_with("--") && word.len() > 3 {
            let option = word.split(['=', '[', '<']).next().unwrap_or(word);
            if option[2..].bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
            {
                options::one(checker, line, option);
            }
        }
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
        !crate::scribe::facts::is_prose(path)
            && crate::scribe::facts::is_program(path)
            && !crate::scribe::facts::is_test(path)
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

fn scripts(
    checker: &mut Checker<'_>,
    line: usize,
    shown: &str,
    manager: &str,
    rest: &[&str],
    elsewhere: bool,
) {
    let mut words = rest.iter().filter(|word| !word.starts_with('-'));
    let Some(verb) = words.next() else { return };
    let packages =
        || checker.facts.packages.iter().filter(|package| package.ecosystem == Ecosystem::Npm);
    let has_manifest = packages().next().is_some();
    let defined = |name: &str| {
        packages().any(|package| package.scripts.iter().any(|(script, _)| script == name))
    };
    let all =
        || packages().flat_map(|package| package.scripts.iter().map(|(name, _)| name.as_str()));
    match *verb {
        "run" | "run-script" => {
            let Some(name) = words
                .next()
                .filter(|name| has_manifest && !elsewhere && !super::is_placeholder(name))
            else {
                return;
            };
            // `npm run` of a script that the document tells the reader to add.
            let told = checker.text.contains(&format!("\"{name}\":"));
            let near = checker
                .facts
                .index
                .nearest(name, all())
                .map(|near| format!("{manager} run {near}"));
            checker.note(defined(name) || told, IssueKind::Command, line, shown, near);
        }
        "test" | "start" | "t" if has_manifest && !elsewhere => {
            let name = if *verb == "t" { "test" } else { verb };
            let told = checker.text.contains(&format!("\"{name}\":"));
            checker.note(defined(name) || told, IssueKind::Command, line, shown, None);
        }
        "install" | "i" | "add" => {
            for package in words {
                own_package(checker, line, shown, package.trim_start_matches('@'), Ecosystem::Npm);
            }
        }
        verb => {
            let Some(known) = known::subcommands(manager) else { return };
            let is_word =
                verb.bytes().all(|byte| byte.is_ascii_lowercase() || b"-:".contains(&byte));
            if is_word && !super::is_placeholder(verb) && !elsewhere {
                let found = known.contains(&verb)
                    || (manager != "npm"
                        && (defined(verb)
                            || checker.facts.dependencies.contains(verb)
                            || checker.facts.index.has_word(verb)));
                let near = checker
                    .facts
                    .index
                    .nearest(verb, known.iter().copied())
                    .map(|near| format!("{manager} {near}"));
                checker.note(found, IssueKind::Command, line, shown, near);
            }
        }
    }
}

fn targets(checker: &mut Checker<'_>, line: usize, shown: &str, rest: &[&str]) {
    let known = make_targets(checker.snapshot);
    if rest.contains(&"-C") || rest.contains(&"-f") {
        return;
    }
    for target in rest.iter().filter(|word| {
        !word.starts_with('-') && !word.contains('=') && paths::looks_like_path(word)
    }) {
        let found = known.iter().any(|(name, _)| name == target)
            || checker.code_has(&format!("{target}:")) && known.is_empty() && has_makefile(checker);
        let near = checker
            .facts
            .index
            .nearest(target, known.iter().map(|(name, _)| name.as_str()))
            .map(|near| format!("make {near}"));
        checker.note(found, IssueKind::Command, line, shown, near);
    }
}

fn has_makefile(checker: &Checker<'_>) -> bool {
    ["makefile", "gnumakefile", "makefile.am", "makefile.in", "cmakelists.txt"]
        .iter()
        .any(|name| checker.facts.index.has_name(name))
}

fn recipes(checker: &mut Checker<'_>, line: usize, shown: &str, rest: &[&str]) {
    let known = just_recipes(checker.snapshot);
    let Some(recipe) = rest.first().filter(|word| {
        !known.is_empty()
            && word.bytes().all(|byte| byte.is_ascii_lowercase() || b"-_".contains(&byte))
            && !word.starts_with('-')
    }) else {
        return;
    };
    let found =
        known.iter().any(|(name, _)| name == recipe) || checker.facts.index.has_word(recipe);
    checker.note(found, IssueKind::Command, line, shown, None);
}

fn cargo(checker: &mut Checker<'_>, line: usize, shown: &str, rest: &[&str], elsewhere: bool) {
    let mut words = rest.iter().filter(|word| !word.starts_with('+'));
    let Some(verb) = words.find(|word| !word.starts_with('-')) else { return };
    if verb.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-')
        && !super::is_placeholder(verb)
    {
        let known = known::subcommands("cargo").unwrap_or_default();
        let program = format!("cargo-{verb}");
        let found = known.contains(verb)
            || checker.facts.programs.iter().any(|own| own.name == program)
            || checker.facts.index.has_word(&program)
            || mentions_install(checker, &program)
            || checker.text.contains("[alias]");
        let near = checker
            .facts
            .index
            .nearest(verb, known.iter().copied())
            .map(|near| format!("cargo {near}"));
        checker.note(found, IssueKind::Command, line, shown, near);
    }
    if ["install", "add", "binstall"].contains(verb) {
        let after = rest.iter().skip_while(|word| word != &verb).skip(1);
        let mut value = false;
        for word in after {
            if !value && !word.starts_with('-') {
                own_package(checker, line, shown, word, Ecosystem::Cargo);
            }
            value = [
                "--features",
                "-F",
                "--git",
                "--path",
                "--branch",
                "--tag",
                "--rev",
                "--version",
                "--bin",
                "--example",
                "--root",
                "--target",
            ]
            .contains(word);
        }
    }
    let own =
        || checker.facts.packages.iter().filter(|package| package.ecosystem == Ecosystem::Cargo);
    if own().next().is_none() || elsewhere || verb == &"new" || verb == &"init" {
        return;
    }
    let other = ["install", "add", "binstall"].contains(verb)
        && !rest.iter().any(|word| {
            own().any(|package| package.name == word.split('@').next().unwrap_or(word))
        })
        && !rest.contains(&"--path");
    let mut pairs: Vec<(&str, &str)> = Vec::new();
    for (at, word) in rest.iter().take_while(|word| **word != "--").enumerate() {
        match word.split_once('=') {
            Some((option, value)) => pairs.push((option, value)),
            None => pairs.extend(rest.get(at + 1).map(|value| (*word, *value))),
        }
    }
    for (option, value) in pairs {
        if super::is_placeholder(value) || other {
            continue;
        }
        match option {
            "--bin" => {
                let found = checker.facts.programs.iter().any(|program| program.name == value);
                checker.note(found, IssueKind::Command, line, shown, None);
            }
            "--example" | "--test" | "--bench" => {
                let folder = format!("{}s/{value}", option.trim_start_matches('-'));
                let folder = if option == "--bench" { format!("benches/{value}") } else { folder };
                let found =
                    checker.facts.packages.iter().any(|package| package.targets.contains(value))
                        || checker.facts.index.has_end(&format!("{folder}.rs"))
                        || checker.facts.index.has_end(&folder)
                        || checker.facts.index.has_name(&format!("{value}.rs"));
                checker.note(found, IssueKind::Command, line, shown, None);
            }
            "--features" | "-F" => {
                for feature in value.split([',', ' ']).filter(|feature| !feature.is_empty()) {
                    let name = feature.rsplit('/').next().unwrap_or(feature);
                    let found = checker
                        .facts
                        .packages
                        .iter()
                        .any(|package| package.features.contains(name))
                        || checker.facts.dependencies.contains(name)
                        || name == "default"
                        || feature.contains('/');
                    checker.note(found, IssueKind::Command, line, shown, None);
                }
            }
            "-p" | "--package" => {
                let found = checker.facts.packages.iter().any(|package| package.name == value)
                    || checker.facts.dependencies.contains(value);
                checker.note(found, IssueKind::Command, line, shown, None);
            }
            _ => {}
        }
    }
}

/// An interpreter with a file or a module.
fn script_file(
    checker: &mut Checker<'_>,
    line: usize,
    command: &str,
    rest: &[&str],
    elsewhere: bool,
) {
    if command.starts_with("py") && rest.first() == Some(&"-m") {
        let Some(module) = rest.get(1).filter(|module| !super::is_placeholder(module)) else {
            return;
        };
        let root = module.split('.').next().unwrap_or(module);
        let found = known::MODULES.contains(module)
            || checker.is_own(root)
            || checker.facts.index.has_name(root)
            || checker.facts.index.has_name(&format!("{root}.py"))
            || checker.facts.dependencies.contains(root)
            || checker.facts.index.has_word(root);
        return checker.note(
            found,
            IssueKind::Command,
            line,
            &format!("{command} -m {module}"),
            None,
        );
    }
    let Some(file) = rest.first().filter(|file| {
        paths::looks_like_path(file) && file.contains('.') && file.contains('/') && !elsewhere
    }) else {
        return;
    };
    let path = file.trim_start_matches("./");
    let made = ["dist/", "build/", "out/", "node_modules/", "venv/", ".venv/", "env/", "target/"];
    if super::is_placeholder(path)
        || path.starts_with("..")
        || made.iter().any(|made| path.starts_with(made))
        || !path.contains('/')
    {
        return;
    }
    let near = checker.facts.index.nearest(path, checker.snapshot.paths()).map(str::to_owned);
    checker.note(
        checker.facts.index.has_end(path),
        IssueKind::Command,
        line,
        &format!("{command} {file}"),
        near,
    );
}

fn python(checker: &mut Checker<'_>, line: usize, shown: &str, command: &str, rest: &[&str]) {
    subcommand(checker, line, shown, command, rest);
    let rest = if command == "uv" && rest.first() == Some(&"pip") { &rest[1..] } else { rest };
    if !rest.first().is_some_and(|verb| ["install", "add"].contains(verb)) {
        return;
    }
    let mut value = false;
    for word in rest.iter().skip(1) {
        let is_name =
            !word.starts_with(['-', '.', '/']) && !word.contains("://") && !word.contains('/');
        if is_name && !value {
            let (name, extras) =
                word.split_once('[').map_or((*word, ""), |(name, extras)| (name, extras));
            let name = name.split(['=', '<', '>', '~', '!', ' ', ';', '@']).next().unwrap_or(name);
            own_package(checker, line, shown, name, Ecosystem::Python);
            let package = checker
                .facts
                .packages
                .iter()
                .find(|package| {
                    package.ecosystem == Ecosystem::Python
                        && package.name.eq_ignore_ascii_case(name)
                })
                .cloned();
            for extra in extras
                .trim_end_matches([']', '"', '\''])
                .split(']')
                .next()
                .unwrap_or("")
                .split(',')
                .filter(|extra| !extra.is_empty())
            {
                if let Some(package) =
                    package.as_ref().filter(|package| !package.features.is_empty())
                {
                    checker.note(
                        package.features.contains(extra.trim())
                            || checker.facts.index.has_word(extra.trim()),
                        IssueKind::Command,
                        line,
                        shown,
                        None,
                    );
                }
            }
        } else if word.starts_with('.') && word.len() == 1 {
            checker.note(true, IssueKind::Command, line, shown, None);
        }
        value = [
            "-r",
            "--requirement",
            "-c",
            "--index-url",
            "-i",
            "-t",
            "--target",
            "-e",
            "--editable",
        ]
        .contains(word);
        if value
            && ["-r", "--requirement"].contains(word)
            && let Some(file) = rest
                .iter()
                .skip_while(|other| other != &word)
                .nth(1)
                .filter(|file| paths::looks_like_path(file))
        {
            let found = checker.facts.index.has_end(file.trim_start_matches("./"));
            checker.note(found, IssueKind::Command, line, shown, None);
        }
    }
}

fn go(checker: &mut Checker<'_>, line: usize, shown: &str, rest: &[&str]) {
    subcommand(checker, line, shown, "go", rest);
    if !rest.first().is_some_and(|verb| ["get", "install", "run"].contains(verb)) {
        return;
    }
    for word in rest.iter().skip(1).filter(|word| word.contains('/') && !word.starts_with('-')) {
        let path = word.split('@').next().unwrap_or(word).trim_end_matches("/...");
        let modules: Vec<String> = checker
            .facts
            .packages
            .iter()
            .filter(|package| package.ecosystem == Ecosystem::Go)
            .map(|package| package.name.clone())
            .collect();
        let bare = |module: &str| {
            module
                .rsplit_once('/')
                .filter(|(_, last)| is_major(last))
                .map_or(module.to_owned(), |(rest, _)| rest.to_owned())
        };
        if let Some(local) = path.strip_prefix("./") {
            if !local.is_empty()
                && paths::looks_like_path(local)
                && !super::is_placeholder(local)
                && local != "..."
            {
                checker.note(
                    checker.facts.index.has_end(local),
                    IssueKind::Command,
                    line,
                    shown,
                    None,
                );
            }
            continue;
        }
        let near =
            |module: &String| strsim::normalized_damerau_levenshtein(&bare(module), path) >= 0.8;
        let below = |module: &String| {
            path == module
                || path.starts_with(&format!("{module}/"))
                || bare(module) == bare(path)
                || path.starts_with(&format!("{}/", bare(module)))
        };
        if modules.iter().any(below) {
            checker.note(true, IssueKind::Command, line, shown, None);
        } else if modules.iter().any(near) {
            checker.note(false, IssueKind::Command, line, shown, modules.first().cloned());
        }
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
        own.len() > 3
            && strsim::damerau_levenshtein(own, &lower) <= 2
            && strsim::normalized_damerau_levenshtein(own, &lower) >= 0.75
    });
    if let Some(near) = near.filter(|_| {
        !checker.facts.dependencies.contains(name) && !checker.facts.index.has_word(name)
    }) {
        checker.note(false, IssueKind::Command, line, shown, Some(near.clone()));
    }
}

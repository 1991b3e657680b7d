//! Cargo, pip and Go: their subcommands, features and packages.

use super::{mentions_install, own_package, subcommand};
use crate::{
    check::{Checker, IssueKind, is_placeholder, known, paths},
    facts::{Ecosystem, is_major},
};

pub(super) fn cargo(
    checker: &mut Checker<'_>,
    line: usize,
    shown: &str,
    rest: &[&str],
    elsewhere: bool,
) {
    let mut words = rest.iter().filter(|word| !word.starts_with('+'));
    let Some(verb) = words.find(|word| !word.starts_with('-')) else { return };
    if verb.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-') && !is_placeholder(verb) {
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
        if is_placeholder(value) || other {
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

pub(super) fn python(
    checker: &mut Checker<'_>,
    line: usize,
    shown: &str,
    command: &str,
    rest: &[&str],
) {
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

pub(super) fn go(checker: &mut Checker<'_>, line: usize, shown: &str, rest: &[&str]) {
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
                && !is_placeholder(local)
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
        let near = |module: &String| strsim::damerau_levenshtein(&bare(module), &bare(path)) <= 2;
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

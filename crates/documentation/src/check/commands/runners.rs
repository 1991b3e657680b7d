//! Scripts of package managers, targets, recipes and files that are run.

use super::{managers, own_package};
use crate::{
    check::{Checker, IssueKind, is_placeholder, known, paths},
    facts::{Ecosystem, just_recipes, make_targets},
};

pub(super) fn scripts(
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
            let Some(name) =
                words.next().filter(|name| has_manifest && !elsewhere && !is_placeholder(name))
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
            if is_word && !is_placeholder(verb) && !elsewhere {
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

pub(super) fn targets(checker: &mut Checker<'_>, line: usize, shown: &str, rest: &[&str]) {
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

pub(super) fn recipes(checker: &mut Checker<'_>, line: usize, shown: &str, rest: &[&str]) {
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

/// An interpreter with a file or a module.
pub(super) fn script_file(
    checker: &mut Checker<'_>,
    line: usize,
    command: &str,
    rest: &[&str],
    elsewhere: bool,
) {
    if command.starts_with("py") && rest.first() == Some(&"-m") {
        let Some(module) = rest.get(1).filter(|module| !is_placeholder(module)) else {
            return;
        };
        if *module == "pip" {
            return managers::python(
                checker,
                line,
                &format!("{command} {}", rest.join(" ")),
                "pip",
                &rest[2..],
            );
        }
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
    if is_placeholder(path)
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

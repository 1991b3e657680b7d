//! Finds interfaces, traits and abstract classes that nothing in the template implements.

use std::{collections::BTreeSet, path::Path};

use consign_code::{Cancel, Language, Repository};

use super::{Tally, symbols::Defined};

/// Interfaces that are looked for in the whole project, because the template seems to have nothing.
const MOST: usize = 10;

pub(super) fn implementations(
    project: &Path,
    sources: &[(String, String)],
    symbols: &[Defined],
    cancel: &Cancel,
) -> Tally {
    let mut tally = Tally::default();
    let interfaces: Vec<_> =
        symbols.iter().filter(|it| it.is_interface && has_heirs(&it.path)).collect();
    if interfaces.is_empty() {
        return tally;
    }
    let limits = consign_code::Limits::default();
    let Ok(repository) = Repository::open_with(project, limits, cancel.clone()) else {
        return tally;
    };
    let taken: BTreeSet<&str> = sources.iter().map(|(path, _)| path.as_str()).collect();
    let mut asked = 0;
    for interface in interfaces {
        if sources.iter().any(|(_, text)| text.lines().any(|line| builds_on(line, &interface.name)))
        {
            tally.there();
            continue;
        }
        asked += 1;
        if asked > MOST || cancel.is_over() {
            break;
        }
        let Ok(heirs) = repository.heirs(&interface.name) else { continue };
        let mut heirs = heirs.items.into_iter().filter(|it| it.how != "asks for");
        let Some(first) = heirs.next() else {
            let what = format!(
                "{} defines {}, and nothing implements it.",
                interface.path, interface.name
            );
            tally.lacks("implementation", &interface.name, what);
            continue;
        };
        if taken.contains(first.path.as_str()) || heirs.any(|it| taken.contains(it.path.as_str())) {
            tally.there();
        } else {
            let what = format!(
                "{} implements {} in {}, which is not in the template.",
                first.name, interface.name, first.path
            );
            tally.lacks("implementation", &interface.name, what);
        }
    }
    tally
}

/// Whether a line looks like the head of a type that extends another.
fn builds_on(line: &str, name: &str) -> bool {
    let marks = [" implements ", " extends ", "impl ", "impl<", " : ", ": ", "class "];
    line.match_indices(name).any(|(at, _)| {
        let part = |it: char| it.is_alphanumeric() || it == '_';
        let whole = !line[..at].ends_with(part) && !line[at + name.len()..].starts_with(part);
        let before = &line[..at];
        let head = ["class ", "struct ", "enum ", "record ", "object ", "impl"];
        let is_head =
            head.iter().any(|it| before.contains(it)) && !before.trim_end().ends_with("class");
        whole && is_head && marks.iter().any(|mark| before.contains(mark))
    })
}

/// Whether interfaces are implemented in this language. In TypeScript and JavaScript one is mostly
/// the shape of data.
fn has_heirs(path: &str) -> bool {
    let language = Language::of(path);
    ![Language::TypeScript, Language::Tsx, Language::JavaScript].map(Some).contains(&language)
        && language.is_some_and(Language::has_grammar)
}

//! An interface, trait or abstract class that nothing in the template implements.

use std::{collections::BTreeSet, path::Path};

use consign_code::{Cancel, Language, Repository};

use super::{Tally, symbols::Defined};

/// Interfaces that are looked at; each is looked for in the whole project.
const MOST: usize = 30;

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
    for interface in interfaces.into_iter().take(MOST) {
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

/// In TypeScript and JavaScript an interface is mostly the shape of data, which nobody implements.
fn has_heirs(path: &str) -> bool {
    let language = Language::of(path);
    ![Language::TypeScript, Language::Tsx, Language::JavaScript].map(Some).contains(&language)
        && language.is_some_and(Language::has_grammar)
}

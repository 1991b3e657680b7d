//! Which of the project's entities becomes a placeholder: the most typical one, if it is safe.
//!
//! Only one is replaced, everywhere or nowhere. It is safe where its name is a type of the project and
//! where whoever writes it small means the same thing: most files that have `invoice` have `Invoice`
//! too. In doubt none is replaced.

use crate::template::{
    analysis::Analysis,
    placeholders::{Casing, is_common, words},
};

/// Files with the small spelling that have the large one too.
const SURE: f64 = 0.6;

pub(super) fn entity(analysis: &Analysis, files: &[(String, String)]) -> Option<String> {
    let own = words(&analysis.names.project);
    let candidates = analysis.names.entities.iter().take(8);
    candidates
        .filter(|name| {
            let words = words(name);
            !is_common(&words)
                && Casing::Pascal.write(&words) == **name
                && words != own
                && !words.iter().all(|word| own.contains(word))
        })
        .find(|name| is_safe(name, files))
        .cloned()
}

fn is_safe(name: &str, files: &[(String, String)]) -> bool {
    let small = Casing::Snake.write(&words(name));
    let camel = Casing::Camel.write(&words(name));
    let (mut large, mut both, mut alone) = (0_usize, 0_usize, 0_usize);
    for (path, content) in files {
        if !consign_code::Language::of(path).is_some_and(consign_code::Language::has_grammar) {
            continue;
        }
        let has_large = content.contains(name) || path.contains(name);
        let has_small = content.contains(&small) || content.contains(&camel);
        large += usize::from(has_large);
        both += usize::from(has_large && has_small);
        alone += usize::from(has_small && !has_large);
    }
    #[expect(clippy::cast_precision_loss, reason = "they are counts of files")]
    let share = both as f64 / (both + alone).max(1) as f64;
    large >= 2 && (both + alone == 0 || share >= SURE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::template::analysis::Names;

    #[test]
    fn an_entity_in_doubt_is_left() {
        let check = |entities: &[&str], sources: &[&str]| {
            let names = Names {
                project: "acme-shop".to_owned(),
                entities: entities.iter().map(|it| (*it).to_owned()).collect(),
                ..Names::default()
            };
            let files = sources.iter().enumerate();
            let files: Vec<_> =
                files.map(|(at, it)| (format!("{at}.py"), (*it).to_owned())).collect();
            entity(&Analysis { names, ..Analysis::default() }, &files)
        };
        let typical = ["class Invoice: pass", "invoice = Invoice()"];
        assert_eq!(check(&["Invoice"], &typical).as_deref(), Some("Invoice"));
        assert_eq!(check(&["User", "Invoice"], &typical).as_deref(), Some("Invoice"));
        assert_eq!(check(&["Invoice"], &typical[..1]), None, "one file is not typical");
        assert_eq!(check(&["Shop"], &["class Shop", "Shop()"]), None, "the project's own name");
        let unsure = ["class Lemma", "Lemma()", "lemma()", "lemma()", "lemma()"];
        assert_eq!(check(&["Lemma"], &unsure), None, "others mean something else by it");
    }
}

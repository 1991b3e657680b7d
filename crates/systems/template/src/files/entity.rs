//! Chooses the entity that becomes a placeholder: the most typical one, if that is safe.
//!
//! Only one is replaced, everywhere or nowhere. It is safe where a file of the domain is called after
//! it, where its plural is no type of its own, and where the lower-case word means the same thing: most
//! files that have `invoice` have `Invoice` too. In doubt none is replaced.

use super::imports::{folder, stem};
use crate::{
    analysis::Analysis,
    placeholders::{Casing, is_common, plural, words},
};

/// Folders of what a project is about.
const DOMAIN: &[&str] = &[
    "domain",
    "domains",
    "entities",
    "entity",
    "model",
    "models",
    "schemas",
    "documents",
    "aggregates",
];

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
        .find(|name| has_home(name, files) && is_safe(name, files))
        .cloned()
}

/// Whether a file of the domain is called after it, and none anywhere after its plural.
fn has_home(name: &str, files: &[(String, String)]) -> bool {
    let one = words(name);
    let many = plural(&one);
    let domain = |path: &str| {
        folder(path).split('/').any(|it| DOMAIN.contains(&it.to_ascii_lowercase().as_str()))
    };
    let home = files.iter().any(|(path, _)| domain(path) && words(stem(path)) == one);
    let plural_type = Casing::Pascal.write(&many);
    let defined = ["class ", "struct ", "interface ", "type ", "enum ", "trait "]
        .map(|it| format!("{it}{plural_type}"));
    let clash = files.iter().any(|(_, text)| {
        defined.iter().any(|it| {
            text.match_indices(it.as_str()).any(|(at, _)| {
                !text[at + it.len()..]
                    .starts_with(|next: char| next.is_alphanumeric() || next == '_')
            })
        })
    });
    home && !clash
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
    use crate::analysis::Names;

    #[test]
    fn an_entity_in_doubt_is_left() {
        let check = |entities: &[&str], sources: &[&str]| {
            let names = Names {
                project: "acme-shop".to_owned(),
                entities: entities.iter().map(|it| (*it).to_owned()).collect(),
                ..Names::default()
            };
            // The first source is the file that is called after the last entity.
            let home = format!("app/models/{}.py", entities.last().unwrap().to_lowercase());
            let paths = std::iter::once(home).chain((0..).map(|at| format!("{at}.py")));
            let files: Vec<_> = paths.zip(sources.iter().map(|it| (*it).to_owned())).collect();
            entity(&Analysis { names, ..Analysis::default() }, &files)
        };
        let typical = ["class Invoice: pass", "invoice = Invoice()"];
        assert_eq!(check(&["Invoice"], &typical).as_deref(), Some("Invoice"));
        assert_eq!(check(&["User", "Invoice"], &typical).as_deref(), Some("Invoice"));
        assert_eq!(check(&["Invoice"], &typical[..1]), None, "one file is not typical");
        assert_eq!(check(&["Shop"], &["class Shop", "Shop()"]), None, "the project's own name");
        let clash = ["class Invoice", "Invoice()", "class Invoices:"];
        assert_eq!(check(&["Invoice"], &clash), None, "the plural is a type of its own");
        let names = Names { entities: vec!["Invoice".to_owned()], ..Names::default() };
        let homeless = typical.map(|it| ("a.py".to_owned(), it.to_owned()));
        let found = entity(&Analysis { names, ..Analysis::default() }, &homeless);
        assert_eq!(found, None, "no file of the domain is called after it");
        let unsure = ["class Lemma", "Lemma()", "lemma()", "lemma()", "lemma()"];
        assert_eq!(check(&["Lemma"], &unsure), None, "others mean something else by it");
    }
}

//! Finds what users of the template would miss.
//!
//! Four things are looked for: a create without its read, update or delete; an interface without an
//! implementation; a layer without a test; an import without its file. The score is the mean, over the
//! kinds that there are, of the share that is there.

mod implementations;
mod operations;
mod symbols;

use std::{collections::BTreeSet, path::Path};

use consign_code::{Cancel, Class, Language};

use super::{
    imports::{Index, imports},
    layer::{is_test_of, layer},
};
use crate::{
    analysis::Analysis,
    package::{Completeness, Missing},
};

/// Sentences of one kind; after that only the score goes on counting.
const MOST: usize = 50;

/// The result of one kind of check.
#[derive(Debug, Default)]
struct Tally {
    looked: usize,
    missing: Vec<Missing>,
    lacking: usize,
}

impl Tally {
    fn there(&mut self) {
        self.looked += 1;
    }

    fn lacks(&mut self, kind: &str, of: &str, what: String) {
        self.looked += 1;
        self.lacking += 1;
        if self.missing.len() < MOST {
            self.missing.push(Missing { kind: kind.to_owned(), of: of.to_owned(), what });
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "they are counts of files and names")]
    fn share(&self) -> Option<f64> {
        (self.looked > 0).then(|| (self.looked - self.lacking) as f64 / self.looked as f64)
    }
}

pub(super) fn completeness(
    project: &Path,
    analysis: &Analysis,
    index: &Index,
    sources: &[(String, String)],
    pictures: &[(String, Vec<u8>)],
    cancel: &Cancel,
) -> Completeness {
    let symbols = symbols::symbols(project, sources, cancel);
    let tallies = [
        operations::operations(analysis, sources, &symbols),
        implementations::implementations(project, sources, &symbols, cancel),
        layers(analysis, index, sources),
        imported(index, sources, pictures),
    ];
    let shares: Vec<f64> = tallies.iter().filter_map(Tally::share).collect();
    #[expect(clippy::cast_precision_loss, reason = "there are four")]
    let score = shares.iter().sum::<f64>() / (shares.len().max(1) as f64);
    let score = if shares.is_empty() { 1.0 } else { (score * 100.0).round() / 100.0 };
    Completeness { score, missing: tallies.into_iter().flat_map(|it| it.missing).collect() }
}

/// Every layer has a test that is named after one of its files or imports one.
fn layers(analysis: &Analysis, index: &Index, sources: &[(String, String)]) -> Tally {
    let mut tally = Tally::default();
    let tests: Vec<_> = sources.iter().filter(|(path, _)| Class::of(path) == Class::Test).collect();
    let reached: BTreeSet<String> = tests
        .iter()
        .flat_map(|(path, text)| imports(index, path, text))
        .flat_map(|import| import.files)
        .collect();
    for of in &analysis.layers {
        let test_layer = of.name.to_ascii_lowercase().starts_with("test");
        let files: Vec<_> = sources
            .iter()
            .filter(|(path, _)| {
                let code = Language::of(path).is_some_and(Language::has_grammar);
                code && Class::of(path) == Class::Source && layer(analysis, path) == of.name
            })
            .collect();
        if test_layer || of.name == "configuration" || files.is_empty() {
            continue;
        }
        let tested = files.iter().any(|(path, text)| {
            reached.contains(path)
                || tests.iter().any(|(test, _)| is_test_of(test, path))
                || text.contains("#[cfg(test)]")
        });
        let named = tests.iter().any(|(path, _)| path.split('/').any(|part| part == of.name));
        // What the analysis counted came along, if tests did at all.
        let counted = of.tests > 0 && !tests.is_empty();
        if tested || named || counted {
            tally.there();
        } else {
            tally.lacks(
                "test",
                &of.name,
                format!("No test in the template covers the layer {}.", of.name),
            );
        }
    }
    tally
}

/// Every import of the project's own leads to a file that came along.
fn imported(index: &Index, sources: &[(String, String)], pictures: &[(String, Vec<u8>)]) -> Tally {
    let mut tally = Tally::default();
    let pictures = pictures.iter().map(|(path, _)| path.as_str());
    let taken: BTreeSet<&str> =
        sources.iter().map(|(path, _)| path.as_str()).chain(pictures).collect();
    for (path, text) in sources {
        for import in imports(index, path, text) {
            let absent = import.files.iter().find(|file| !taken.contains(file.as_str()));
            if import.files.is_empty() {
                let what =
                    format!("{path} needs `{}`, which the project does not have.", import.written);
                tally.lacks("import", path, what);
            } else if let Some(absent) = absent {
                let what = format!("{path} needs {absent}, which is not in the template.");
                tally.lacks("import", path, what);
            } else {
                tally.there();
            }
        }
    }
    tally
}

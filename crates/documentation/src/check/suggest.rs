//! What a document could say and does not.

use super::Checker;
use crate::{Contract, markdown::Document};

/// The most suggestions of one document.
const MOST: usize = 8;

pub(super) fn suggest(checker: &Checker<'_>, document: &Document) -> Vec<String> {
    let mut found = Vec::new();
    let says = |word: &str| checker.text.contains(word);
    if checker.contract == Contract::Readme {
        for program in checker.facts.programs.iter().filter(|program| !says(&program.name)).take(3)
        {
            found.push(format!("name the program `{}` ({})", program.name, program.source));
        }
        for variable in
            checker.facts.environment.iter().filter(|variable| !says(&variable.name)).take(3)
        {
            found.push(format!(
                "name the environment variable `{}` ({})",
                variable.name, variable.source
            ));
        }
        if !document.blocks.iter().any(|block| block.fenced) {
            found.push("show how to use it, in a block of code".to_owned());
        }
    }
    if checker.contract == Contract::Api {
        for endpoint in
            checker.facts.endpoints.iter().filter(|endpoint| !says(&endpoint.path)).take(5)
        {
            found.push(format!(
                "describe `{} {}` ({})",
                endpoint.method, endpoint.path, endpoint.source
            ));
        }
    }
    let unlabelled =
        document.blocks.iter().filter(|block| block.fenced && block.language.is_empty()).count();
    if unlabelled > 0 {
        found.push(format!("say the language of {unlabelled} blocks of code"));
    }
    found.truncate(MOST);
    found
}

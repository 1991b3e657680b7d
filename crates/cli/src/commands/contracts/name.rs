//! Finding a contract by what the user typed.

use std::path::Path;

use consign_contracts::Contract;

use crate::{error::Error, output::printable};

/// The contract of that name, or an error that knows what was probably meant.
pub(super) fn find(name: &str) -> Result<&'static Contract, Error> {
    Contract::find(name).ok_or_else(|| {
        Error::usage("CONTRACT_UNKNOWN", format!("there is no contract {:?}", printable(name)))
            .hint(hint(name))
    })
}

fn hint(name: &str) -> String {
    if Contract::all().any(|contract| contract.document.family == name) {
        return format!(
            "`{name}` is a family; `consign contracts list {name}` shows its contracts"
        );
    }
    if Path::new(name).is_file() {
        return "that is a file; the contract's name comes first, and `--schema FILE` takes a schema \
                of your own"
            .to_owned();
    }
    let same: Vec<String> = Contract::all()
        .filter(|contract| contract.name.split_once('/').is_some_and(|(_, last)| last == name))
        .map(|contract| format!("`{}`", contract.name))
        .collect();
    if !same.is_empty() {
        return format!("did you mean {}?", same.join(" or "));
    }
    match closest(name) {
        Some(near) => format!("did you mean `{near}`? `consign contracts list` shows all"),
        None => "`consign contracts list` shows all".to_owned(),
    }
}

fn closest(name: &str) -> Option<&'static str> {
    // Comparing costs the product of the lengths, and no name is this long.
    if name.len() > 100 {
        return None;
    }
    let likeness = |contract: &Contract| {
        let whole = strsim::jaro_winkler(contract.name, name);
        let (_, last) = contract.name.split_once('/').unwrap_or_default();
        whole.max(strsim::jaro_winkler(last, name))
    };
    Contract::all()
        .map(|contract| (likeness(contract), contract.name))
        .filter(|(likeness, _)| *likeness > 0.8)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, name)| name)
}

//! Finding a contract by what the user typed.

use std::path::Path;

use consign_contracts::Contract;

use consign_app::suggest::nearest;

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
    match nearest(name, Contract::all().map(|contract| contract.name)) {
        Some(near) => format!("did you mean `{near}`? `consign contracts list` shows all"),
        None => "`consign contracts list` shows all".to_owned(),
    }
}

//! Finding a contract by what the user typed.

use consign_contracts::Contract;

use crate::{error::Error, output::printable};

/// The contract of that name, or an error that knows what was probably meant.
pub(super) fn find(name: &str) -> Result<&'static Contract, Error> {
    Contract::find(name).ok_or_else(|| {
        let error =
            Error::usage("CONTRACT_UNKNOWN", format!("there is no contract {:?}", printable(name)));
        match closest(name) {
            Some(near) => {
                error.hint(format!("did you mean `{near}`? `consign contracts list` shows all"))
            }
            None => error.hint("`consign contracts list` shows all"),
        }
    })
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

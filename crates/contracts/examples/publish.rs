//! Writes every contract's schema to `schemas/`, and removes what is no longer published.

use std::{fs, io, path::Path};

use consign_contracts::Contract;

fn main() -> io::Result<()> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../schemas");
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    for contract in Contract::all() {
        let file = folder.join(contract.name).with_added_extension("json");
        fs::create_dir_all(file.parent().expect("a contract's name has a family"))?;
        fs::write(file, contract.published())?;
    }
    Ok(())
}

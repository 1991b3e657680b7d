//! Every example of the five documents, and what else a contract must carry without loss.
//!
//! A golden file is `tests/golden/<family>/<contract>/<slug>.json`: a document that its contract
//! accepts and that comes back the same, digit for digit, from its Rust type and from the writer.

use std::{fs, path::Path};

use consign_contracts::{
    Contract,
    json::{self, Json},
};

/// One golden file.
pub(crate) struct Golden {
    /// `family/contract`, as its folders say.
    pub(crate) contract: String,
    pub(crate) slug: String,
    bytes: Vec<u8>,
}

impl Golden {
    /// Every golden file, in the order of their names.
    pub(crate) fn all() -> Vec<Self> {
        let mut all = Vec::new();
        for (family, folder) in entries(&crate_folder().join("tests/golden")) {
            for (contract, folder) in entries(Path::new(&folder)) {
                for (file, path) in entries(Path::new(&folder)) {
                    let slug = file.strip_suffix(".json").expect("a golden file is named *.json");
                    all.push(Self {
                        contract: format!("{family}/{contract}"),
                        slug: slug.to_owned(),
                        bytes: fs::read(path).expect("a listed file can be read"),
                    });
                }
            }
        }
        all
    }

    fn name(&self) -> String {
        format!("{}/{}", self.contract, self.slug)
    }

    pub(crate) fn contract(&self) -> Result<&'static Contract, String> {
        Contract::find(&self.contract).ok_or_else(|| "there is no such contract".to_owned())
    }

    pub(crate) fn document(&self) -> Result<Json<'_>, String> {
        json::parse(&self.bytes).map_err(|malformed| malformed.to_string())
    }
}

pub(crate) fn crate_folder() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// What lies in a folder, as names and paths, in the order of the names.
pub(crate) fn entries(folder: &Path) -> Vec<(String, String)> {
    let listing = fs::read_dir(folder).unwrap_or_else(|error| panic!("{folder:?}: {error}"));
    let mut found: Vec<_> = listing
        .map(|entry| {
            let entry = entry.expect("a folder of the repository can be listed");
            let text = |text: &std::ffi::OsStr| text.to_str().expect("names are UTF-8").to_owned();
            (text(&entry.file_name()), text(entry.path().as_os_str()))
        })
        .collect();
    found.sort();
    found
}

/// Fails with all that went wrong, one to a line.
pub(crate) fn report(failures: &[String]) {
    assert!(failures.is_empty(), "{} failed:\n{}", failures.len(), failures.join("\n"));
}

/// Tries every golden file and reports all that fail.
fn check(promise: impl Fn(&Contract, &Json<'_>) -> Result<(), String>) {
    let keep = |golden: &Golden| promise(golden.contract()?, &golden.document()?);
    let failed =
        |golden: Golden| keep(&golden).err().map(|failure| format!("{}: {failure}", golden.name()));
    report(&Golden::all().into_iter().filter_map(failed).collect::<Vec<_>>());
}

#[test]
fn every_golden_file_keeps_its_contract() {
    check(|contract, document| {
        let verdict = contract.schema().check(document);
        let breaches: Vec<_> = verdict.breaches.iter().map(ToString::to_string).collect();
        if verdict.is_valid() { Ok(()) } else { Err(breaches.join("; ")) }
    });
}

#[test]
fn every_golden_file_comes_back_unchanged_from_its_type() {
    check(|contract, document| {
        let through = contract.through_type(document).map_err(|breach| breach.to_string())?;
        if through == *document { Ok(()) } else { Err(format!("became {through}")) }
    });
}

#[test]
fn every_golden_file_reads_the_same_after_it_is_written() {
    check(|contract, document| {
        let through = contract.through_type(document).map_err(|breach| breach.to_string())?;
        for text in [format!("{document}"), format!("{document:#}"), format!("{through}")] {
            let again = json::parse(text.as_bytes()).map_err(|malformed| malformed.to_string())?;
            if again != *document {
                return Err(format!("was written as {text}"));
            }
        }
        Ok(())
    });
}

#[test]
fn every_contract_has_at_least_two_golden_files() {
    let all = Golden::all();
    let count = |name| all.iter().filter(|golden| golden.contract == name).count();
    let few = Contract::all().filter(|contract| count(contract.name) < 2);
    report(&few.map(|contract| contract.name.to_owned()).collect::<Vec<_>>());
}

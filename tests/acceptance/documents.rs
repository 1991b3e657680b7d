//! The golden and the invalid documents of the contracts, from the folders of their own tests.
//!
//! `crates/contracts/tests/it/invalid.rs` says how a case of an invalid document is written. Cases
//! hold numbers that `serde_json` cannot, so they are read and written with a JSON that can.

use std::{collections::BTreeMap, fs, path::Path};

use consign_contracts::json::{Json, parse};

use crate::support::root;

/// A document that its contract accepts.
pub(crate) struct Golden {
    pub(crate) slug: String,
    pub(crate) path: String,
    pub(crate) content: String,
}

impl Golden {
    /// The document on one line, digit for digit: line breaks are white space in JSON.
    pub(crate) fn line(&self) -> String {
        self.content.replace(['\n', '\r'], " ")
    }
}

/// The golden documents of every contract.
pub(crate) fn golden() -> BTreeMap<String, Vec<Golden>> {
    let mut all = BTreeMap::new();
    for (family, folder) in entries(&tests().join("golden")) {
        for (contract, folder) in entries(Path::new(&folder)) {
            let read = |(file, path): (String, String)| Golden {
                slug: file.trim_end_matches(".json").to_owned(),
                content: fs::read_to_string(&path).expect("a golden file can be read"),
                path,
            };
            let documents = entries(Path::new(&folder)).into_iter().map(read).collect();
            all.insert(format!("{family}/{contract}"), documents);
        }
    }
    all
}

/// The golden document of that name.
pub(crate) fn one_golden(contract: &str, slug: &str) -> Golden {
    let found = golden().remove(contract).into_iter().flatten().find(|one| one.slug == slug);
    found.unwrap_or_else(|| panic!("there is no golden file {contract}/{slug}"))
}

/// A document that its contract refuses, and the breach that must be named.
pub(crate) struct Invalid {
    pub(crate) why: String,
    /// The document on one line.
    pub(crate) line: String,
    pub(crate) pointer: String,
    pub(crate) keyword: String,
}

/// The invalid documents of every contract.
pub(crate) fn invalid() -> BTreeMap<String, Vec<Invalid>> {
    let golden = golden();
    let mut all = BTreeMap::new();
    for (family, folder) in entries(&tests().join("invalid")) {
        for (file, path) in entries(Path::new(&folder)) {
            let contract = format!("{family}/{}", file.trim_end_matches(".json"));
            let bytes = fs::read(path).expect("a file of cases can be read");
            let cases = parse(&bytes).expect("a file of cases is JSON");
            let bases = golden.get(&contract).map(Vec::as_slice).unwrap_or_default();
            let cases = cases.as_array().expect("it is a list of cases").iter();
            let broken = cases.map(|case| {
                break_one(bases, case).unwrap_or_else(|| panic!("{contract}: no case: {case}"))
            });
            let broken = broken.collect();
            all.insert(contract, broken);
        }
    }
    all
}

/// The base with the case's changes made to it; `None` where the case is not written as it should.
fn break_one(bases: &[Golden], case: &Json<'_>) -> Option<Invalid> {
    let text = |pointer: &str| case.at(pointer)?.as_str().map(str::to_owned);
    let base = text("/base")?;
    let base = bases.iter().find(|golden| golden.slug == base)?;
    let mut document = parse(base.content.as_bytes()).ok()?.into_owned();
    if let Some(changes) = case.get("set") {
        for (pointer, value) in changes.as_object()?.iter() {
            document.set_at(pointer, value.clone().into_owned())?;
        }
    }
    if let Some(pointers) = case.get("remove") {
        for pointer in pointers.as_array()? {
            document.remove_at(pointer.as_str()?)?;
        }
    }
    Some(Invalid {
        why: text("/why")?,
        line: document.to_string(),
        pointer: text("/breach/pointer")?,
        keyword: text("/breach/keyword")?,
    })
}

fn tests() -> std::path::PathBuf {
    root().join("crates/contracts/tests")
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

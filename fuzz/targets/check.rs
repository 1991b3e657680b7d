//! A byte that picks a contract, then a document.
//!
//! Reading must agree with `serde_json` about what JSON is, except where we are stricter on purpose;
//! writing must give back what was read; and what a contract accepts its type must keep whole.

#![no_main]

use std::sync::LazyLock;

use consign_contracts::{
    Contract,
    json::{self, Json, Reason},
};
use libfuzzer_sys::fuzz_target;
use serde_json::Value;

/// By name, so that `run` can tell a seed's contract by sorting file names.
static CONTRACTS: LazyLock<Vec<&Contract>> = LazyLock::new(|| {
    let mut contracts: Vec<_> = Contract::all().collect();
    contracts.sort_by_key(|contract| contract.name);
    contracts
});

fuzz_target!(|data: &[u8]| {
    let Some((pick, bytes)) = data.split_first() else { return };
    let contract = CONTRACTS[usize::from(*pick) % CONTRACTS.len()];
    let Some(document) = read(bytes) else { return };

    let verdict = contract.schema().check(&document);
    assert_eq!(verdict.is_valid(), contract.schema().is_valid(&document));
    for breach in &verdict.breaches {
        assert!(document.at(&breach.pointer).is_some(), "{breach:?} points nowhere");
    }
    let through = contract.through_type(&document);
    if verdict.is_valid() {
        assert_eq!(through.as_ref(), Ok(&document), "{}", contract.name);
    }
});

fn read(bytes: &[u8]) -> Option<Json<'_>> {
    let theirs = serde_json::from_slice::<Value>(bytes);
    match json::parse(bytes) {
        Ok(document) => {
            let texts = [document.to_string(), format!("{document:#}")];
            for text in &texts {
                assert_eq!(json::parse(text.as_bytes()).as_ref(), Ok(&document), "{text}");
            }
            match theirs {
                Ok(value) => assert_eq!(serde_json::from_str::<Value>(&texts[0]).ok(), Some(value)),
                Err(error) => {
                    let why = error.to_string();
                    // It holds no more than an `f64`, and allows one level less.
                    let known = why.starts_with("number out of range")
                        || why.starts_with("recursion limit exceeded");
                    assert!(known, "only we accept this: {why}");
                }
            }
            Some(document)
        }
        Err(malformed) => {
            let stricter =
                matches!(malformed.reason, Reason::DuplicateKey(_) | Reason::TooDeep { .. });
            assert!(stricter || theirs.is_err(), "only we refuse this: {malformed}");
            assert!(malformed.offset <= bytes.len());
            None
        }
    }
}

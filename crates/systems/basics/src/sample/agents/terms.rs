//! What an agent is given and gives, as its contract says it.

use consign_contracts::{json, schema::Schema};
use consign_engine::{Data, Failure, Fault, Nanos};
use serde::de::DeserializeOwned;

/// Compiles a schema that is written in this crate.
pub(super) fn schema(text: &'static str) -> Schema {
    let source = json::parse(text.as_bytes()).expect("a test compiles every schema of ours");
    Schema::compile(&source).expect("a test compiles every schema of ours")
}

/// Reads an input that its contract may not have been held against.
pub(super) fn read<T: DeserializeOwned>(input: &Data) -> Result<T, Fault> {
    input.to().map_err(|cause| Fault::permanent("INVALID_INPUT", format!("the input: {cause}")))
}

/// No result, and nothing to pay for it.
pub(super) fn unpaid(fault: Fault) -> Failure {
    Failure::new(fault, Some(Nanos::ZERO))
}

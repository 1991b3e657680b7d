//! Helpers for the contracts of the sample agents: compiling schemas and reading inputs.

use consign_contracts::{json, schema::Schema};
use consign_engine::{Data, Failure, Fault, Nanos};
use serde::de::DeserializeOwned;

/// Compiles a schema that is written in this crate.
pub(super) fn schema(text: &'static str) -> Schema {
    let source = json::parse(text.as_bytes()).expect("a test compiles every schema of ours");
    Schema::compile(&source).expect("a test compiles every schema of ours")
}

/// Reads an input. It may not have been checked against its contract.
pub(super) fn read<T: DeserializeOwned>(input: &Data) -> Result<T, Fault> {
    input.to().map_err(|cause| Fault::permanent("INVALID_INPUT", format!("the input: {cause}")))
}

/// A failure that costs nothing.
pub(super) fn unpaid(fault: Fault) -> Failure {
    Failure::new(fault, Some(Nanos::ZERO))
}

//! Documents of requests, held to their contracts before anything reads them.
//!
//! [`check`] gives a typed value or a [`Problem`] with all breaches; it does not say in which part of the request they
//! are. Schemas are ours and constant: [`compile`] panics on one that is no schema, and a test compiles each.

use consign_contracts::{
    json::{self, Json, Object},
    schema::Schema,
    wire::Wire,
};

use crate::error::Problem;

/// The value that a document stands for, if it keeps to the schema.
pub(super) fn check<T: Wire>(schema: &Schema, tree: &Json<'_>, what: &str) -> Result<T, Problem> {
    let verdict = schema.check(tree);
    if !verdict.is_valid() {
        return Err(Problem::breached(what, &verdict.breaches, verdict.more));
    }
    T::read(tree).map_err(|breach| Problem::breached(what, &[breach], false))
}

/// Compiles the schema of a type.
pub(super) fn compile(source: Object<'static>) -> Schema {
    Schema::compile(&Json::Object(source)).expect("a test compiles every schema of a request")
}

/// Compiles a schema that is written as JSON.
pub(crate) fn compile_text(source: &str) -> Schema {
    let tree = json::parse(source.as_bytes()).expect("a test reads every schema of a tool");
    Schema::compile(&tree).expect("a test compiles every schema of a tool")
}

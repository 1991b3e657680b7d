//! What a body must be: a JSON Schema that is checked here and published in `/openapi.json`.

use std::sync::LazyLock;

use consign_contracts::{
    json::{self, Json},
    schema::Schema,
};

use crate::error::Problem;

/// The form of a body, by its name in the document.
pub(crate) struct Form {
    pub(crate) name: &'static str,
    pub(crate) source: &'static str,
    schema: LazyLock<Schema>,
}

impl Form {
    /// `schema` compiles `source`: a constant cannot capture it.
    pub(crate) const fn new(
        name: &'static str,
        source: &'static str,
        schema: fn() -> Schema,
    ) -> Self {
        Self { name, source, schema: LazyLock::new(schema) }
    }

    /// The body as a tree that keeps to the form.
    pub(crate) fn read<'a>(&self, body: &'a [u8], most: usize) -> Result<Json<'a>, Problem> {
        let limits = json::Limits { bytes: most, ..json::Limits::default() };
        let tree = json::parse_within(body, limits)?;
        let verdict = self.schema.check(&tree);
        if verdict.is_valid() {
            return Ok(tree);
        }
        Err(Problem::breached("the body", &verdict.breaches, verdict.more))
    }
}

/// Compiles the source of a form.
pub(crate) fn compile(source: &str) -> Schema {
    let tree = json::parse(source.as_bytes()).expect("a test reads every form");
    Schema::compile(&tree).expect("a test compiles every form")
}

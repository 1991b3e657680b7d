//! The contract that the output of an agent must keep.

use std::sync::Arc;

use consign_contracts::{Contract, schema::Schema};

/// The contract of an agent's output. Every answer in the agent's name must keep it: from the agent itself,
/// a model, a script, or a person who says what the output was.
#[derive(Clone)]
pub enum OutputContract {
    /// A schema of the agent's own.
    Own(Arc<Schema>),
    /// A contract that Consign publishes. Its schema is compiled when an output is first held to it, so
    /// that commands which call no agent do not pay for it.
    Published(&'static Contract),
}

impl OutputContract {
    #[must_use]
    pub fn schema(&self) -> &Schema {
        match self {
            Self::Own(schema) => schema,
            Self::Published(contract) => contract.schema(),
        }
    }
}

impl From<Arc<Schema>> for OutputContract {
    fn from(schema: Arc<Schema>) -> Self {
        Self::Own(schema)
    }
}

impl From<Schema> for OutputContract {
    fn from(schema: Schema) -> Self {
        Self::Own(Arc::new(schema))
    }
}

impl From<&'static Contract> for OutputContract {
    fn from(contract: &'static Contract) -> Self {
        Self::Published(contract)
    }
}

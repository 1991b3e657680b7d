//! The table of tools, and the result of running one.

use consign_code::Error;
use consign_contracts::json::{Json, Object};

use super::{
    Evidence, View, code_search, find_references, find_symbol, git_blame, git_log, list_tree,
    outline, params::Params, read_file,
};

/// A tool: something that can be asked of a repository.
pub struct Tool {
    pub name: &'static str,
    /// One line for people and models.
    pub description: &'static str,
    /// The JSON Schema of its parameters.
    pub params: &'static str,
    pub(super) run: fn(&View, Params<'_>) -> Result<Yield, Broken>,
}

/// The result of a tool.
#[derive(Clone, Debug, Default)]
pub struct Yield {
    pub result: Object<'static>,
    /// Places without their text; [`View`] has it.
    pub evidence: Vec<Evidence>,
}

/// Why a tool gave no result. A failure is the result of its step, and the other steps go on.
#[derive(Debug, thiserror::Error)]
pub enum Broken {
    #[error("{0}")]
    Params(String),
    /// The policy forbids it; the rule that does.
    #[error("denied by {0}")]
    Denied(String),
    #[error("{0}")]
    Code(String),
    /// The answer is no longer needed.
    #[error("cancelled")]
    Cancelled,
}

impl From<Error> for Broken {
    fn from(error: Error) -> Self {
        if matches!(error, Error::Cancelled) {
            Self::Cancelled
        } else {
            Self::Code(error.to_string())
        }
    }
}

/// Every tool, in the order in which they are listed.
#[must_use]
pub fn table() -> &'static [Tool] {
    static TABLE: [Tool; 8] = [
        code_search::TOOL,
        read_file::TOOL,
        list_tree::TOOL,
        find_symbol::TOOL,
        find_references::TOOL,
        outline::TOOL,
        git_log::TOOL,
        git_blame::TOOL,
    ];
    &TABLE
}

#[must_use]
pub fn find(name: &str) -> Option<&'static Tool> {
    table().iter().find(|tool| tool.name == name)
}

impl Tool {
    /// Runs the tool on a repository.
    pub fn run(&self, view: &View, params: &Object<'_>) -> Result<Yield, Broken> {
        (self.run)(view, Params::of(params))
    }

    /// The schema of its parameters, as a tree.
    #[must_use]
    pub fn schema(&self) -> Json<'static> {
        consign_contracts::json::parse(self.params.as_bytes())
            .map(Json::into_owned)
            .expect("a test reads the parameters of every tool")
    }

    /// Checks parameters without running the tool.
    pub fn accepts(&self, params: &Object<'_>) -> Result<(), Broken> {
        let tree = Json::Object(params.clone());
        let schema = consign_contracts::schema::Schema::compile(&self.schema())
            .map_err(|why| Broken::Params(why.to_string()))?;
        match schema.check(&tree).breaches.first() {
            Some(breach) => Err(Broken::Params(breach.to_string())),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tool_has_a_schema_that_refuses_what_it_does_not_know() {
        for tool in table() {
            let schema = tool.schema();
            assert_eq!(
                schema.get("additionalProperties"),
                Some(&Json::Bool(false)),
                "{}",
                tool.name
            );
            let mut unknown = Object::new();
            unknown.set("no_such_parameter", Json::Null);
            assert!(tool.accepts(&unknown).is_err(), "{}", tool.name);
            assert!(!tool.description.is_empty() && !tool.description.contains('\n'));
            assert_eq!(find(tool.name).unwrap().name, tool.name);
        }
    }
}

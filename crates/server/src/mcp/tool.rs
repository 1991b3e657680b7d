//! The tools: what each is called, what it is given and what it gives.

use std::sync::Arc;

use consign_contracts::json::{Json, Object};
use rmcp::model::{JsonObject, Tool as Described, ToolAnnotations};
use serde_json::Value;

use super::{McpContext, answer, arguments::Arguments, decline, failure::Failure, list, show};

pub(super) struct Tool {
    pub(super) name: &'static str,
    pub(super) title: &'static str,
    pub(super) description: &'static str,
    /// JSON Schemas.
    pub(super) input: &'static str,
    pub(super) output: &'static str,
    pub(super) what: What,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum What {
    List,
    Show,
    Answer,
    Decline,
}

pub(super) const TOOLS: [Tool; 4] = [list::TOOL, show::TOOL, answer::TOOL, decline::TOOL];

impl Tool {
    pub(super) fn described(&self) -> Described {
        let looks = matches!(self.what, What::List | What::Show);
        let hints = ToolAnnotations::new()
            .read_only(looks)
            .destructive(!looks)
            .idempotent(looks)
            .open_world(false);
        Described::new(self.name, self.description, schema(self.input))
            .with_title(self.title)
            .with_raw_output_schema(Arc::new(schema(self.output)))
            .with_annotations(hints)
    }

    pub(super) async fn call(&self, context: &McpContext, given: &Value) -> Result<Value, Failure> {
        let arguments = Arguments::of(given, self.input)?;
        let result = match self.what {
            What::List => list::list(context, &arguments).await?,
            What::Show => show::show(context, &arguments).await?,
            What::Answer => answer::answer(context, &arguments).await?,
            What::Decline => decline::decline(context, &arguments).await?,
        };
        Ok(value(result))
    }
}

/// As the protocol's library has it. What is written here is JSON.
fn value(result: Object<'_>) -> Value {
    serde_json::from_str(&Json::Object(result).to_string()).unwrap_or_default()
}

fn schema(source: &str) -> JsonObject {
    serde_json::from_str(source).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::endpoint::compile_text;

    #[test]
    fn every_tool_has_schemas_and_says_what_it_is_for() {
        for tool in &TOOLS {
            for source in [tool.input, tool.output] {
                compile_text(source);
                assert_eq!(schema(source).get("type"), Some(&Value::from("object")));
            }
            assert!(tool.description.len() > 80, "{}", tool.name);
        }
    }
}

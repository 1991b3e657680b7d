//! Converts an input into a tool's arguments, and a tool's result into an output or a fault.

use consign_engine::{Data, Fault};
use rmcp::model::{CallToolResult, ContentBlock, JsonObject};
use serde::Serialize;

use crate::outside::{Secrets, first};

/// The most bytes of an error that are kept.
pub(super) const EXCERPT: usize = 2 << 10;

/// The input as arguments.
pub(super) fn arguments(input: &Data) -> Result<JsonObject, Fault> {
    input.to::<JsonObject>().map_err(|_| {
        let message = "a tool takes its arguments by name: its input must be a JSON object";
        Fault::permanent("MCP_INPUT", message)
    })
}

/// The output of a tool: its structured content; else its text, if that is one JSON value; else all
/// of its content.
pub(super) fn output(result: CallToolResult, secrets: &Secrets) -> Result<Data, Fault> {
    if result.is_error == Some(true) {
        let said: Vec<String> = result.content.iter().map(words).collect();
        let said = first(&said.join("\n").as_str().into(), EXCERPT, secrets);
        let message = format!("the tool reported an error: {said}");
        return Err(Fault::permanent("MCP_TOOL_FAILED", message));
    }
    if let Some(data) = result.structured_content {
        return Ok(Data::of(&data));
    }
    if let [ContentBlock::Text(text)] = result.content.as_slice()
        && let Ok(data) = Data::parse(text.text.as_str())
    {
        return Ok(data);
    }
    let content = result.content.iter().map(plain).collect();
    Ok(Data::of(&ToolText { content }))
}

/// All content of a tool, where it is neither structured nor JSON.
#[derive(Serialize)]
struct ToolText {
    content: Vec<Data>,
}

#[derive(Serialize)]
struct Text<'a> {
    r#type: &'static str,
    text: &'a str,
}

/// A part of the content: a text as its words, anything else as the tool gave it.
fn plain(block: &ContentBlock) -> Data {
    match block.as_text() {
        Some(text) => Data::of(&Text { r#type: "text", text: &text.text }),
        None => Data::of(block),
    }
}

fn words(block: &ContentBlock) -> String {
    match block.as_text() {
        Some(text) => text.text.clone(),
        None => plain(block).as_str().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_is_its_data_or_its_json_or_its_words() {
        let check = |result: &str, expected: Result<&str, &str>| {
            let found =
                output(serde_json::from_str(result).unwrap(), &vec!["s3cret-key".to_owned()]);
            let found = found.map_err(|fault| fault.to_string());
            let found = found.as_ref().map(Data::as_str).map_err(String::as_str);
            assert_eq!(found, expected, "{result}");
        };
        check(r#"{"content":[],"structuredContent":{"a":1}}"#, Ok(r#"{"a":1}"#));
        check(
            r#"{"content":[{"type":"text","text":"{\"a\": 2}"}],"structuredContent":[3]}"#,
            Ok("[3]"),
        );
        check(r#"{"content":[{"type":"text","text":"{\"a\": 1.10}"}]}"#, Ok(r#"{"a": 1.10}"#));
        check(
            r#"{"content":[{"type":"text","text":"hi {}"}]}"#,
            Ok(r#"{"content":[{"type":"text","text":"hi {}"}]}"#),
        );
        check(
            r#"{"content":[{"type":"text","text":"1"},{"type":"text","text":"2"}]}"#,
            Ok(r#"{"content":[{"type":"text","text":"1"},{"type":"text","text":"2"}]}"#),
        );
        check(r#"{"content":[]}"#, Ok(r#"{"content":[]}"#));
        check(
            r#"{"content":[{"type":"text","text":"no \u001b[31m s3cret-key"}],"isError":true}"#,
            Err("MCP_TOOL_FAILED: the tool reported an error: no \u{fffd}[31m ***"),
        );
    }

    #[test]
    fn only_an_object_can_be_arguments() {
        for input in ["null", "1", "[]", "\"x\""] {
            assert_eq!(arguments(&Data::parse(input).unwrap()).unwrap_err().code, "MCP_INPUT");
        }
        assert_eq!(arguments(&Data::parse(r#"{"a": [1]}"#).unwrap()).unwrap().len(), 1);
    }
}

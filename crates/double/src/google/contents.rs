//! Checks the turns of a request to Google.

use super::error::stranger;
use crate::{
    asked::Input,
    fields::Fields,
    refusal::{Refusal, Unread},
};

const KNOWN_PART: &[&str] = &[
    "codeExecutionResult",
    "executableCode",
    "fileData",
    "functionCall",
    "functionResponse",
    "inlineData",
    "mediaResolution",
    "partMetadata",
    "text",
    "thought",
    "thoughtSignature",
    "videoMetadata",
];

pub(super) fn read(fields: &Fields<'_>, input: &mut Input) -> Result<(), Unread> {
    let contents = fields.objects("contents")?.unwrap_or_default();
    if contents.is_empty() {
        let told = "* GenerateContentRequest.contents: contents is not specified\n";
        return Err(Refusal::bad(told).into());
    }
    // Calls of the turn before.
    let mut calls = 0;
    for content in contents {
        let role = content.text("role")?.unwrap_or_else(|| "user".to_owned());
        if !matches!(role.as_str(), "user" | "model" | "function") {
            return Err(Refusal::bad("Please use a valid role: user, model.").into());
        }
        let parts = content.objects("parts")?.unwrap_or_default();
        if parts.is_empty() {
            let told = format!(
                "* GenerateContentRequest.{}: contents.parts must not be empty.\n",
                content.at("parts")
            );
            return Err(Refusal::bad(told).into());
        }
        if role == "user" {
            input.turn();
        }
        let (mut asked, mut answered) = (0, 0);
        for part in parts {
            let part = part.camel();
            if let Some(name) = part.stranger(KNOWN_PART) {
                return Err(stranger(name, part.path()).into());
            }
            if let Some(text) = part.text("text")? {
                if role == "user" { input.add_user(&text) } else { input.add(&text) }
            }
            if let Some(call) = part.object("functionCall")? {
                asked += 1;
                input.add(&call.text("name")?.unwrap_or_default());
                input.add(call.raw("args").unwrap_or_default());
            }
            if let Some(response) = part.object("functionResponse")? {
                answered += 1;
                input.add(response.raw("response").unwrap_or_default());
            }
        }
        if answered != calls {
            let told = "Please ensure that the number of function response parts is equal to the \
                        number of function call parts of the function call turn.";
            return Err(Refusal::bad(told).into());
        }
        calls = asked;
    }
    Ok(())
}

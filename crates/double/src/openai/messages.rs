//! Checks the messages of a chat completion request: roles, texts, and calls that must have their
//! results.

use super::error::{invalid, missing};
use crate::{
    asked::Input,
    fields::{Fields, Wrong, string},
    refusal::{Refusal, Unread},
};

const ROLES: &[&str] = &["system", "assistant", "user", "function", "tool", "developer"];

pub(super) fn read(fields: &Fields<'_>, input: &mut Input) -> Result<(), Unread> {
    let messages = fields.objects("messages")?.ok_or_else(|| missing("messages".into()))?;
    if messages.is_empty() {
        let told = "Invalid 'messages': empty array. Expected an array with minimum length 1, but \
                    got an empty array instead.";
        return Err(Refusal::bad(told).about("messages").coded("empty_array").into());
    }
    let mut open: Vec<String> = Vec::new();
    for message in &messages {
        let role = message.text("role")?.ok_or_else(|| missing(message.at("role")))?;
        if role == "tool" {
            let id =
                message.text("tool_call_id")?.ok_or_else(|| missing(message.at("tool_call_id")))?;
            let Some(place) = open.iter().position(|known| *known == id) else {
                let told = "Invalid parameter: messages with role 'tool' must be a response to a \
                            preceeding message with 'tool_calls'.";
                return Err(Refusal::bad(told).about(message.at("role")).into());
            };
            open.swap_remove(place);
        } else {
            all_answered(&open)?;
        }
        match role.as_str() {
            "user" => {
                input.turn();
                content(message, |text| input.add_user(text))?;
            }
            "assistant" => {
                content(message, |text| input.add(text))?;
                open = calls(message, input)?;
                if open.is_empty() && !message.has("content") && !message.has("refusal") {
                    let path = message.at("content");
                    let (wanted, found) = ("a string", "null");
                    return Err(Wrong { path, wanted, found }.into());
                }
            }
            "system" | "developer" | "tool" | "function" => {
                content(message, |text| input.add(text))?;
            }
            other => return Err(invalid(message.at("role"), other, ROLES).into()),
        }
        if role != "assistant" && !message.has("content") {
            return Err(missing(message.at("content")).into());
        }
    }
    all_answered(&open)
}

fn all_answered(open: &[String]) -> Result<(), Unread> {
    if open.is_empty() {
        return Ok(());
    }
    let told = format!(
        "An assistant message with 'tool_calls' must be followed by tool messages responding to \
         each 'tool_call_id'. The following tool_call_ids did not have response messages: {}",
        open.join(", ")
    );
    Err(Refusal::bad(told).about("messages").into())
}

/// A string, or parts of which the texts count.
fn content(message: &Fields<'_>, mut add: impl FnMut(&str)) -> Result<(), Unread> {
    let Some(raw) = message.raw("content") else { return Ok(()) };
    if let Some(text) = string(raw) {
        add(&text);
        return Ok(());
    }
    for part in message.objects("content")?.unwrap_or_default() {
        let kind = part.text("type")?.ok_or_else(|| missing(part.at("type")))?;
        match kind.as_str() {
            "text" => {
                add(&part.text("text")?.ok_or_else(|| missing(part.at("text")))?);
            }
            "refusal" => add(&part.text("refusal")?.unwrap_or_default()),
            // Pictures and sounds have tokens too, and nobody here can count them.
            "image_url" | "input_audio" | "file" => {}
            other => {
                let known = &["text", "image_url", "input_audio", "refusal", "audio", "file"];
                return Err(invalid(part.at("type"), other, known).into());
            }
        }
    }
    Ok(())
}

/// The ids of the calls that a message of the model's makes.
fn calls(message: &Fields<'_>, input: &mut Input) -> Result<Vec<String>, Unread> {
    let mut ids = Vec::new();
    for call in message.objects("tool_calls")?.unwrap_or_default() {
        let id = call.text("id")?.ok_or_else(|| missing(call.at("id")))?;
        let function = call.object("function")?.ok_or_else(|| missing(call.at("function")))?;
        let name = function.text("name")?.ok_or_else(|| missing(function.at("name")))?;
        let arguments = function.text("arguments")?;
        input.add(&name);
        input.add(&arguments.ok_or_else(|| missing(function.at("arguments")))?);
        ids.push(id);
    }
    Ok(ids)
}

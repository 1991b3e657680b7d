//! Checks the messages of a request to Anthropic: turns, blocks, and results that answer the turn
//! before.

use super::error::{dotted, missing};
use crate::{
    asked::Input,
    fields::{Fields, string},
    refusal::{Refusal, Unread},
};

pub(super) fn read(fields: &Fields<'_>, input: &mut Input) -> Result<(), Unread> {
    let messages = fields.objects("messages")?.ok_or_else(|| missing("messages"))?;
    if messages.is_empty() {
        return Err(Refusal::bad("messages: at least one message is required").into());
    }
    // The calls of the turn before, which the next must answer.
    let mut open: Vec<String> = Vec::new();
    for (at, message) in messages.iter().enumerate() {
        let role = message.text("role")?.ok_or_else(|| missing(&message.at("role")))?;
        let raw = message.raw("content").ok_or_else(|| missing(&message.at("content")))?;
        let is_user = match role.as_str() {
            "user" => true,
            "assistant" => false,
            other => {
                let told = format!(
                    "messages: Unexpected role \"{other}\". The Messages API accepts \
                                    a top-level `system` parameter, not \"system\" as an input \
                                    message role."
                );
                return Err(Refusal::bad(told).into());
            }
        };
        let mut turn = Turn { input, is_user, results: Vec::new(), calls: Vec::new() };
        if is_user {
            turn.input.turn();
        }
        match string(raw) {
            Some(text) => turn.text(&text)?,
            None => {
                for block in message.objects("content")?.unwrap_or_default() {
                    turn.block(&block)?;
                }
            }
        }
        let Turn { results, calls, .. } = turn;
        check_results(at, &open, &results)?;
        open = calls;
    }
    if open.is_empty() { Ok(()) } else { Err(unanswered(messages.len() - 1, &open).into()) }
}

fn check_results(at: usize, open: &[String], results: &[(String, String)]) -> Result<(), Refusal> {
    if let Some((path, id)) = results.iter().find(|(_, id)| !open.contains(id)) {
        return Err(Refusal::bad(format!(
            "{}: unexpected `tool_use_id` found in `tool_result` blocks: {id}. Each `tool_result` \
             block must have a corresponding `tool_use` block in the previous message.",
            dotted(path)
        )));
    }
    let missed = |id: &&String| !results.iter().any(|(_, known)| known == *id);
    let missed: Vec<String> = open.iter().filter(missed).cloned().collect();
    if missed.is_empty() { Ok(()) } else { Err(unanswered(at.saturating_sub(1), &missed)) }
}

fn unanswered(at: usize, ids: &[String]) -> Refusal {
    Refusal::bad(format!(
        "messages.{at}: `tool_use` ids were found without `tool_result` blocks immediately after: \
         {}. Each `tool_use` block must have a corresponding `tool_result` block in the next \
         message.",
        ids.join(", ")
    ))
}

/// One message while it is read.
struct Turn<'a> {
    input: &'a mut Input,
    is_user: bool,
    /// Where each result is, and the call it answers.
    results: Vec<(String, String)>,
    calls: Vec<String>,
}

impl Turn<'_> {
    fn text(&mut self, text: &str) -> Result<(), Refusal> {
        if text.is_empty() {
            return Err(Refusal::bad("messages: text content blocks must be non-empty"));
        }
        if self.is_user {
            self.input.add_user(text)
        } else {
            self.input.add(text)
        }
        Ok(())
    }

    fn block(&mut self, block: &Fields<'_>) -> Result<(), Unread> {
        let kind = block.text("type")?.ok_or_else(|| missing(&block.at("type")))?;
        match kind.as_str() {
            "text" => {
                let text = block.text("text")?.ok_or_else(|| missing(&block.at("text")))?;
                self.text(&text)?;
            }
            "tool_use" => {
                let name = block.text("name")?.ok_or_else(|| missing(&block.at("name")))?;
                let given = block.raw("input").ok_or_else(|| missing(&block.at("input")))?;
                self.input.add(&name);
                self.input.add(given);
                self.calls.push(block.text("id")?.ok_or_else(|| missing(&block.at("id")))?);
            }
            "tool_result" => {
                let id = block.text("tool_use_id")?;
                let id = id.ok_or_else(|| missing(&block.at("tool_use_id")))?;
                match block.raw("content").map(|raw| (raw, string(raw))) {
                    None => {}
                    Some((_, Some(text))) => self.input.add(&text),
                    Some((_, None)) => {
                        for part in block.objects("content")?.unwrap_or_default() {
                            self.input.add(&part.text("text")?.unwrap_or_default());
                        }
                    }
                }
                self.results.push((block.path().to_owned(), id));
            }
            // What nobody here can count, or what the provider made itself.
            "image"
            | "document"
            | "thinking"
            | "redacted_thinking"
            | "server_tool_use"
            | "web_search_tool_result"
            | "search_result" => {}
            other => {
                let told = format!(
                    "{}: Input tag '{other}' found using 'type' does not match any of the expected \
                     tags: 'text', 'image', 'document', 'tool_use', 'tool_result', 'thinking'",
                    dotted(block.path())
                );
                return Err(Refusal::bad(told).into());
            }
        }
        Ok(())
    }
}

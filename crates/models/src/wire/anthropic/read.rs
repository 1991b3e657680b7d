//! Reads answers of Anthropic's Messages API, whole or streamed.

use consign_contracts::json::Json;

use crate::{
    Trouble,
    chat::{Answer, Stop, ToolCall, Usage},
    wire::{
        count_at,
        draft::{Draft, unreadable},
        text_at,
    },
};

pub(in crate::wire) fn answer(tree: &Json<'_>) -> Result<Answer, Trouble> {
    let mut draft = Draft::default();
    let blocks = tree
        .get("content")
        .and_then(Json::as_array)
        .ok_or_else(|| unreadable("the answer has no `content`"))?;
    for (at, block) in blocks.iter().enumerate() {
        begin(block, at as u64, &mut draft, &mut |_| {})?;
    }
    draft.name(text_at(tree, "/model"));
    counted(tree.get("usage"), &mut draft);
    stop(text_at(tree, "/stop_reason"), &mut draft);
    draft.complete = true;
    draft.each_call(finish_call);
    draft.finish().ok_or_else(|| unreadable("the answer is not complete"))
}

/// Reads an event. Its data says of which type it is.
pub(in crate::wire) fn event(
    tree: &Json<'_>,
    draft: &mut Draft,
    on_delta: &mut (dyn FnMut(&str) + Send),
) -> Result<(), Trouble> {
    let number = count_at(tree, "/index").unwrap_or_default();
    match text_at(tree, "/type") {
        Some("message_start") => {
            draft.name(text_at(tree, "/message/model"));
            counted(tree.at("/message/usage"), draft);
        }
        Some("content_block_start") => {
            if let Some(block) = tree.get("content_block") {
                begin(block, number, draft, on_delta)?;
            }
        }
        Some("content_block_delta") => match text_at(tree, "/delta/type") {
            Some("text_delta") => {
                draft.say(text_at(tree, "/delta/text").unwrap_or_default(), on_delta);
            }
            Some("input_json_delta") => {
                let piece = text_at(tree, "/delta/partial_json").unwrap_or_default();
                draft.call(number)?.arguments.push_str(piece);
            }
            // Thoughts and their signatures are the provider's own.
            _ => {}
        },
        Some("message_delta") => {
            counted(tree.get("usage"), draft);
            stop(text_at(tree, "/delta/stop_reason"), draft);
        }
        Some("message_stop") => {
            (draft.complete, draft.over) = (true, true);
            draft.each_call(finish_call);
        }
        // Pings, and what is yet to be thought of.
        _ => {}
    }
    Ok(())
}

/// A block, whole or as it begins: in a stream its text and its input are empty yet.
fn begin(
    block: &Json<'_>,
    number: u64,
    draft: &mut Draft,
    on_delta: &mut (dyn FnMut(&str) + Send),
) -> Result<(), Trouble> {
    match text_at(block, "/type") {
        Some("text") => draft.say(text_at(block, "/text").unwrap_or_default(), on_delta),
        Some("tool_use") => {
            let call = draft.call(number)?;
            call.id = text_at(block, "/id").unwrap_or_default().to_owned();
            call.name = text_at(block, "/name").unwrap_or_default().to_owned();
            if let Some(input) = block.get("input").and_then(Json::as_object)
                && !input.is_empty()
            {
                call.arguments = Json::Object(input.clone()).to_string();
            }
        }
        _ => {}
    }
    Ok(())
}

/// A call without arguments comes without a single piece of them.
fn finish_call(call: &mut ToolCall) {
    if call.arguments.is_empty() {
        call.arguments.push_str("{}");
    }
}

fn stop(reason: Option<&str>, draft: &mut Draft) {
    match reason {
        Some("max_tokens" | "model_context_window_exceeded") => draft.stop(Stop::Length),
        Some("tool_use") => draft.stop(Stop::Tools),
        Some("refusal") => draft.stop(Stop::Refused),
        Some(_) | None => {}
    }
}

/// What has been counted so far. The input is told at the start of a stream, the output at its end
/// (each count replaces the one before).
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::wire) struct Counts {
    /// Neither read from a cache nor written to one.
    plain: Option<u64>,
    read: u64,
    written: u64,
    output: Option<u64>,
    thinking: u64,
}

fn counted(usage: Option<&Json<'_>>, draft: &mut Draft) {
    let Some(usage) = usage else { return };
    let before = draft.counts;
    let now = Counts {
        plain: count_at(usage, "/input_tokens").or(before.plain),
        read: count_at(usage, "/cache_read_input_tokens").unwrap_or(before.read),
        written: count_at(usage, "/cache_creation_input_tokens").unwrap_or(before.written),
        output: count_at(usage, "/output_tokens").or(before.output),
        thinking: count_at(usage, "/output_tokens_details/thinking_tokens")
            .unwrap_or(before.thinking),
    };
    draft.counts = now;
    if let (Some(plain), Some(output)) = (now.plain, now.output) {
        draft.usage = Some(Usage {
            input_tokens: plain.saturating_add(now.read).saturating_add(now.written),
            cached_tokens: now.read,
            cache_write_tokens: now.written,
            output_tokens: output,
            reasoning_tokens: now.thinking,
        });
    }
}

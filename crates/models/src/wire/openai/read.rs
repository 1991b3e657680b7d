//! Reads answers of chat completions, whole or streamed.

use consign_contracts::json::Json;

use crate::{
    Provider, Trouble,
    chat::{Answer, Stop, Usage},
    wire::{
        count_at,
        draft::{Draft, unreadable},
        text_at,
    },
};

pub(in crate::wire) fn answer(provider: Provider, tree: &Json<'_>) -> Result<Answer, Trouble> {
    let mut draft = Draft::default();
    let choice = tree.at("/choices/0").ok_or_else(|| unreadable("the answer has no `choices`"))?;
    let message = choice.get("message").ok_or_else(|| unreadable("the answer has no `message`"))?;
    draft.name(text_at(tree, "/model"));
    draft.usage = usage(provider, tree);
    speech(message, &mut draft, &mut |_| {})?;
    stop(choice, &mut draft);
    draft.complete = true;
    draft.finish().ok_or_else(|| unreadable("the answer is not complete"))
}

pub(in crate::wire) fn event(
    provider: Provider,
    tree: &Json<'_>,
    draft: &mut Draft,
    on_delta: &mut (dyn FnMut(&str) + Send),
) -> Result<(), Trouble> {
    draft.name(text_at(tree, "/model"));
    // It comes once, in an event without choices, or with the last of them.
    draft.usage = usage(provider, tree).or(draft.usage);
    let Some(choice) = tree.at("/choices/0") else { return Ok(()) };
    if let Some(delta) = choice.get("delta") {
        speech(delta, draft, on_delta)?;
    }
    stop(choice, draft);
    Ok(())
}

/// A message, or what is new in it.
fn speech(
    message: &Json<'_>,
    draft: &mut Draft,
    on_delta: &mut (dyn FnMut(&str) + Send),
) -> Result<(), Trouble> {
    match message.get("content") {
        Some(Json::String(text)) => draft.say(text, on_delta),
        // Some give it as a list of typed parts.
        Some(Json::Array(parts)) => {
            let texts = parts.iter().filter(|part| text_at(part, "/type") == Some("text"));
            texts
                .filter_map(|part| text_at(part, "/text"))
                .for_each(|text| draft.say(text, on_delta));
        }
        Some(Json::Null | Json::Bool(_) | Json::Number(_) | Json::Object(_)) | None => {}
    }
    if let Some(refusal) = text_at(message, "/refusal").filter(|refusal| !refusal.is_empty()) {
        draft.say(refusal, on_delta);
        draft.stop(Stop::Refused);
    }
    let calls = message.get("tool_calls").and_then(Json::as_array).unwrap_or_default();
    for (at, call) in calls.iter().enumerate() {
        let number = count_at(call, "/index").unwrap_or(at as u64);
        let known = draft.call(number)?;
        // Some repeat id and name with every piece of the arguments.
        if known.id.is_empty() {
            known.id.push_str(text_at(call, "/id").unwrap_or_default());
        }
        if known.name.is_empty() {
            known.name.push_str(text_at(call, "/function/name").unwrap_or_default());
        }
        match call.at("/function/arguments") {
            Some(Json::String(piece)) => known.arguments.push_str(piece),
            // Some give them as a value and not as the text of one.
            Some(value @ Json::Object(_)) => known.arguments.push_str(&value.to_string()),
            Some(Json::Null | Json::Bool(_) | Json::Number(_) | Json::Array(_)) | None => {}
        }
    }
    Ok(())
}

fn stop(choice: &Json<'_>, draft: &mut Draft) {
    let Some(reason) = text_at(choice, "/finish_reason") else { return };
    draft.complete = true;
    match reason {
        "length" | "model_length" => draft.stop(Stop::Length),
        "tool_calls" | "function_call" => draft.stop(Stop::Tools),
        "content_filter" => draft.stop(Stop::Refused),
        // A refusal stops like any other answer, and stays one.
        _ => {}
    }
}

fn usage(provider: Provider, tree: &Json<'_>) -> Option<Usage> {
    let usage = tree.get("usage")?;
    let input = count_at(usage, "/prompt_tokens")?;
    let said = count_at(usage, "/completion_tokens")?;
    let reasoning =
        count_at(usage, "/completion_tokens_details/reasoning_tokens").unwrap_or_default();
    // xAI leaves its reasoning out of the completion, but not out of the total, nor of the bill.
    let beside = match count_at(usage, "/total_tokens") {
        Some(total) if provider == Provider::Xai => total.saturating_sub(input),
        None if provider == Provider::Xai => said.saturating_add(reasoning),
        Some(_) | None => 0,
    };
    Some(Usage {
        input_tokens: input,
        cached_tokens: count_at(usage, "/prompt_tokens_details/cached_tokens").unwrap_or_default(),
        cache_write_tokens: count_at(usage, "/prompt_tokens_details/cache_write_tokens")
            .unwrap_or_default(),
        output_tokens: said.max(beside).max(reasoning),
        reasoning_tokens: reasoning,
    })
}

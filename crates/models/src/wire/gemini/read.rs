//! Reads answers of `generateContent`, whole or streamed.

use consign_contracts::json::Json;

use super::OUR_ID;
use crate::{
    Trouble,
    chat::{Answer, Stop, Usage},
    wire::{
        count_at,
        draft::{Draft, unreadable},
        text_at,
    },
};

pub(in crate::wire) fn answer(tree: &Json<'_>) -> Result<Answer, Trouble> {
    let mut draft = Draft::default();
    if tree.at("/candidates/0").is_none() && tree.at("/promptFeedback/blockReason").is_none() {
        return Err(unreadable("the answer has no `candidates`"));
    }
    event(tree, &mut draft, &mut |_| {})?;
    draft.complete = true;
    draft.finish().ok_or_else(|| unreadable("the answer has no `finishReason`"))
}

/// Each event of a stream has the form of a whole answer.
pub(in crate::wire) fn event(
    tree: &Json<'_>,
    draft: &mut Draft,
    on_delta: &mut (dyn FnMut(&str) + Send),
) -> Result<(), Trouble> {
    draft.name(text_at(tree, "/modelVersion"));
    draft.usage = usage(tree).or(draft.usage);
    if tree.at("/promptFeedback/blockReason").is_some() {
        draft.stop(Stop::Refused);
        draft.complete = true;
    }
    let parts = tree.at("/candidates/0/content/parts").and_then(Json::as_array).unwrap_or_default();
    for part in parts {
        let is_thought = part.get("thought").and_then(Json::as_bool).unwrap_or_default();
        if let Some(text) = text_at(part, "/text")
            && !is_thought
        {
            draft.say(text, on_delta);
        }
        if let Some(wanted) = part.get("functionCall") {
            let number = draft.calls() as u64;
            let call = draft.call(number)?;
            call.id = match text_at(wanted, "/id") {
                Some(id) if !id.is_empty() => id.to_owned(),
                Some(_) | None => format!("{OUR_ID}{number}"),
            };
            call.name = text_at(wanted, "/name").unwrap_or_default().to_owned();
            call.arguments = match wanted.get("args") {
                Some(args) if *args != Json::Null => args.to_string(),
                Some(_) | None => "{}".to_owned(),
            };
        }
    }
    if let Some(reason) = text_at(tree, "/candidates/0/finishReason") {
        draft.complete = true;
        match reason {
            "MAX_TOKENS" => draft.stop(Stop::Length),
            "SAFETY"
            | "RECITATION"
            | "BLOCKLIST"
            | "PROHIBITED_CONTENT"
            | "SPII"
            | "LANGUAGE"
            | "IMAGE_SAFETY"
            | "IMAGE_PROHIBITED_CONTENT"
            | "IMAGE_RECITATION" => {
                draft.stop(Stop::Refused);
            }
            _ => {}
        }
    }
    Ok(())
}

/// The last one counts. Thoughts are counted beside the candidates, and paid like them.
fn usage(tree: &Json<'_>) -> Option<Usage> {
    let usage = tree.get("usageMetadata")?;
    let count = |name: &str| count_at(usage, name).unwrap_or_default();
    let prompt = count_at(usage, "/promptTokenCount")?;
    let thoughts = count("/thoughtsTokenCount");
    Some(Usage {
        input_tokens: prompt.saturating_add(count("/toolUsePromptTokenCount")),
        cached_tokens: count("/cachedContentTokenCount"),
        cache_write_tokens: 0,
        output_tokens: count("/candidatesTokenCount").saturating_add(thoughts),
        reasoning_tokens: thoughts,
    })
}

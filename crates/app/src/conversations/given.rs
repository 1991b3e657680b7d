//! What a turn is given besides its message: what was said before, and a wish for the form of the answer.

use consign_contracts::{
    crew::{CheckType, GuardrailsInput},
    json::Object,
};
use consign_conversation::{
    failure::Failed,
    turn::{GUARDRAILS, HistoryMessage},
};
use consign_knowledge::conversation::Message;
use serde_json::json;

use super::guard::guard;
use crate::{Home, error::Error};

/// How much of what was said before a turn is given, all of it and of one message, in bytes. The newest come first.
const MOST_HISTORY: usize = 24 << 10;
const MOST_OF_MESSAGE: usize = 4 << 10;

/// What was said before, as much of it as a turn is given.
pub(super) fn history(messages: Vec<Message>) -> Vec<HistoryMessage> {
    let mut left = MOST_HISTORY;
    let mut newest_first = Vec::new();
    for mut message in messages.into_iter().rev().filter(|message| !message.content.is_empty()) {
        let end = message.content.floor_char_boundary(MOST_OF_MESSAGE);
        message.content.truncate(end);
        let Some(rest) = left.checked_sub(message.content.len()) else { break };
        left = rest;
        newest_first.push(HistoryMessage { role: message.role, content: message.content });
    }
    newest_first.reverse();
    newest_first
}

/// A wish for the form of an answer is the user's text too: it goes into the journal and to a model only as the guard
/// lets it.
pub(super) async fn instructions(
    home: &Home,
    wished: Option<&str>,
) -> Result<Result<Option<String>, Failed>, Error> {
    let Some(wished) = wished else { return Ok(Ok(None)) };
    let given = GuardrailsInput {
        content: wished.to_owned(),
        check_type: CheckType::InputValidation,
        metadata: None,
        extra: Object::new(),
    };
    let checked = guard(home, None, &given).await?;
    let verdict = checked.verdict();
    if verdict.is_safe {
        return Ok(Ok(Some(verdict.sanitized.clone())));
    }
    Ok(Err(blocked(verdict.reasoning.clone(), Some(verdict.risk.as_str()))))
}

/// What a text of the user was blocked for.
pub(super) fn blocked(reasoning: String, risk: Option<&str>) -> Failed {
    let is_injection = risk == Some("injection");
    let code = if is_injection { "ERR_GUARDRAIL_INJECTION" } else { "ERR_GUARDRAIL_UNSAFE" };
    let mut failed = Failed::new(GUARDRAILS, code, reasoning);
    failed.details = json!({ "risk_category": risk }).as_object().cloned();
    failed
}

#[cfg(test)]
mod tests {
    use consign_engine::At;

    use super::*;

    #[test]
    fn the_newest_messages_are_given_and_none_of_them_is_long() {
        let said = |text: String| Message { role: "user".to_owned(), content: text, at: At(0) };
        let messages = (0..20).map(|number| said(format!("{number} {}", "é".repeat(9_000))));
        let given =
            history(messages.chain([said(String::new()), said("last".to_owned())]).collect());
        let sizes: Vec<_> = given.iter().map(|message| message.content.len()).collect();
        assert_eq!(given.last().map(|message| message.content.as_str()), Some("last"));
        assert!(given[0].content.starts_with("14 "), "{}", given[0].content.len());
        assert!(sizes.iter().all(|size| *size <= MOST_OF_MESSAGE), "{sizes:?}");
        assert!(sizes.iter().sum::<usize>() <= MOST_HISTORY);
    }
}

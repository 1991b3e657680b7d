//! Works out the model's answer: from the script, or from the request alone. The same request
//! always gets the same answer.

use consign_contracts::{json::Json, sample};
use consign_models::chat::{Stop, Usage};
use serde_json::{Value, json};

use super::{
    asked::{Asked, Wants},
    refusal::Refusal,
    script::{Call, Entry, Fault, Filter, Saying},
    spoil::{FLOOD, flood_tokens},
    tokens,
};

/// An answer, before a dialect writes it.
#[derive(Clone, Debug)]
pub(super) struct Said {
    pub(super) text: String,
    pub(super) calls: Vec<Call>,
    pub(super) stop: Stop,
    /// Used only for a refusal.
    pub(super) refused_by: Filter,
    pub(super) usage: Usage,
    pub(super) chunks: Option<usize>,
}

/// The text with which a model refuses.
const REFUSAL: &str = "I'm sorry, but I can't help with that.";

/// Works out the answer. Fails when a schema cannot be met.
pub(super) fn say(asked: &Asked, entry: Option<&Entry>) -> Result<Said, Refusal> {
    let fault = entry.and_then(|entry| entry.fault.as_ref());
    let (mut text, mut calls) = match (fault, entry.map(|entry| &entry.saying)) {
        // A filter takes the words away.
        (Some(Fault::Empty {} | Fault::Refused { by: Filter::Filter }), _) => {
            (String::new(), Vec::new())
        }
        (Some(Fault::Huge { .. }), _) => (FLOOD.to_owned(), Vec::new()),
        (Some(Fault::Refused { .. }), _) => (REFUSAL.to_owned(), Vec::new()),
        (Some(Fault::BreaksSchema {}), _) => json_in_its_form(asked, json!({ "unexpected": true })),
        (_, None | Some(Saying::Unscripted)) => unscripted(asked)?,
        (_, Some(Saying::Text(text))) => (text.clone(), Vec::new()),
        (_, Some(Saying::Json(value))) => json_in_its_form(asked, value.clone()),
        (_, Some(Saying::Calls { text, calls })) => (text.clone(), calls.clone()),
    };
    let refused_by = match fault {
        Some(Fault::Refused { by }) => Some(*by),
        _ => None,
    };
    let (cut, output) = match fault {
        // It keeps to no limit.
        Some(Fault::Huge { megabytes }) => (false, flood_tokens(*megabytes)),
        _ => limit(asked.max_tokens, &mut text, &mut calls),
    };
    let stop = match refused_by {
        Some(_) => Stop::Refused,
        None if cut => Stop::Length,
        None if calls.is_empty() => Stop::End,
        None => Stop::Tools,
    };
    let counted = entry.map(|entry| entry.usage).unwrap_or_default();
    let reasoning_tokens = counted.reasoning_tokens.unwrap_or_default();
    let usage = Usage {
        input_tokens: counted.input_tokens.unwrap_or(asked.input.tokens),
        cached_tokens: counted.cached_tokens.unwrap_or_default(),
        cache_write_tokens: counted.cache_write_tokens.unwrap_or_default(),
        output_tokens: counted.output_tokens.unwrap_or(output.saturating_add(reasoning_tokens)),
        reasoning_tokens,
    };
    let chunks = match fault {
        Some(Fault::Huge { .. }) => Some(1),
        _ => entry.and_then(|entry| entry.chunks),
    };
    Ok(Said { text, calls, stop, refused_by: refused_by.unwrap_or_default(), usage, chunks })
}

/// Puts JSON where the request wants it: into the tool that must be called, else into the text.
fn json_in_its_form(asked: &Asked, value: Value) -> (String, Vec<Call>) {
    match &asked.wants {
        Wants::Tool { name, .. } if value.is_object() => {
            (String::new(), vec![Call { name: name.clone(), arguments: value }])
        }
        Wants::Tool { .. } | Wants::Text | Wants::AnyJson | Wants::Json(_) | Wants::Word(_) => {
            (value.to_string(), Vec::new())
        }
    }
}

fn unscripted(asked: &Asked) -> Result<(String, Vec<Call>), Refusal> {
    let value = match &asked.wants {
        Wants::Text => return Ok((sentence(&asked.input.last_user), Vec::new())),
        Wants::AnyJson => json!({ "answer": sentence(&asked.input.last_user) }),
        Wants::Json(schema) | Wants::Word(schema) | Wants::Tool { schema, .. } => {
            let sample = sample::least(&Json::from(schema)).map_err(|why| {
                Refusal::bad(format!("The double has no answer for this schema: {why}"))
            })?;
            sample.to_serde()
        }
    };
    Ok(match (&asked.wants, value) {
        (Wants::Word(_), Value::String(word)) => (word, Vec::new()),
        (_, value) => json_in_its_form(asked, value),
    })
}

/// A sentence with the first words of what the user said.
fn sentence(said: &str) -> String {
    const WORDS: usize = 12;
    const LETTERS: usize = 120;
    let mut words = said.split_whitespace();
    let first: Vec<&str> = words.by_ref().take(WORDS).collect();
    let joined = first.join(" ");
    let short: String = joined.chars().take(LETTERS).collect();
    if short.is_empty() {
        return "You said nothing, and this is the answer.".to_owned();
    }
    let more = if words.next().is_some() || short.len() < joined.len() { " …" } else { "" };
    format!("You said: \"{short}{more}\". This is the answer.")
}

/// Cuts an answer to its limit of tokens, and counts them. Calls are kept completely or not at all.
fn limit(most: Option<u64>, text: &mut String, calls: &mut Vec<Call>) -> (bool, u64) {
    let most = most.unwrap_or(u64::MAX);
    let mut count = tokens::count(text);
    let mut is_cut = count > most;
    if is_cut {
        (*text, count) = tokens::cut(text, most);
        calls.clear();
    }
    let fit = calls
        .iter()
        .take_while(|call| {
            let more = count + tokens::count(&call.name) + tokens::count(&call.arguments_text());
            let fits = more <= most;
            if fits {
                count = more;
            }
            fits
        })
        .count();
    is_cut |= fit < calls.len();
    calls.truncate(fit);
    (is_cut, count)
}

impl Call {
    /// The arguments as OpenAI sends them.
    pub(super) fn arguments_text(&self) -> String {
        let text = self.arguments.as_str().map(str::to_owned);
        text.unwrap_or_else(|| self.arguments.to_string())
    }

    /// The arguments as Anthropic and Google send them, which must be an object.
    pub(super) fn arguments_object(&self) -> Value {
        if self.arguments.is_object() {
            return self.arguments.clone();
        }
        let read = self.arguments.as_str().and_then(|text| serde_json::from_str(text).ok());
        read.filter(Value::is_object).unwrap_or_else(|| json!({}))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_repeats_a_little() {
        let check = |said: &str, sentence: &str| assert_eq!(super::sentence(said), sentence);
        check("Hello  there", "You said: \"Hello there\". This is the answer.");
        check("", "You said nothing, and this is the answer.");
        let long = "word ".repeat(20);
        assert!(super::sentence(&long).ends_with("word word …\". This is the answer."));
        assert!(super::sentence(&"ä".repeat(100_000)).len() < 300);
    }

    #[test]
    fn an_answer_keeps_to_its_tokens_and_calls_stay_whole() {
        let call = |name: &str| Call { name: name.to_owned(), arguments: json!({}) };
        let check = |most: Option<u64>, kept: &str, calls: usize, cut: bool| {
            let mut text = "one two three".to_owned();
            let mut all = vec![call("look"), call("find")];
            assert_eq!(limit(most, &mut text, &mut all).0, cut, "{most:?}");
            assert_eq!((text.as_str(), all.len()), (kept, calls), "{most:?}");
        };
        check(None, "one two three", 2, false);
        check(Some(2), "one two", 0, true);
        check(Some(3), "one two three", 0, true);
        check(Some(5), "one two three", 1, true);
        check(Some(7), "one two three", 2, false);
    }
}

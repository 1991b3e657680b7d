//! An answer, for people and for programs.

use consign_app::{
    conversations::{TurnOutcome, orchestrator_output},
    documents,
};
use consign_engine::{Owner, RunId};
use serde_json::Value;

use crate::{
    engine::Session,
    error::Error,
    output::{Audience, FAINT, Output, STRONG, WARN, printable, styled},
    text::one_line,
};

/// How an answer is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(in crate::commands) enum Form {
    Text,
    /// Markdown
    Md,
    Json,
}

/// Quotes are shown up to so many letters; the whole is in the JSON.
const QUOTE: usize = 240;

pub(in crate::commands) async fn print(
    session: &Session,
    owner: &Owner,
    run: &RunId,
    outcome: &TurnOutcome,
    form: Form,
    output: &mut Output,
) -> Result<(), Error> {
    if form == Form::Json || output.reader == Audience::Program {
        output.line(orchestrator_output(outcome, run).to_string())?;
        return output.finish();
    }
    let answer = &outcome.final_response;
    let is_md = form == Form::Md;
    let content = answer.get("content").and_then(Value::as_str).unwrap_or_default();
    for line in content.lines() {
        output.line(printable(line))?;
    }
    let citations = list(answer, "citations");
    if !citations.is_empty() {
        output.line("")?;
    }
    for (number, citation) in citations.iter().enumerate() {
        let number = number + 1;
        let place = place(session, owner, citation).await;
        let quote = citation.get("text_snippet").and_then(Value::as_str).unwrap_or_default();
        let quote = shortened(&one_line(quote));
        let (place, quote) = (printable(&place), printable(&quote));
        if is_md {
            output.line(format!("{number}. {place}: “{quote}”"))?;
        } else {
            output.line(format!("{} {place}", styled(STRONG, format!("[{number}]"))))?;
            output.line(styled(FAINT, format!("    “{quote}”")))?;
        }
    }
    let follow = list(answer, "follow_up_suggestions");
    if !follow.is_empty() {
        output.line("")?;
        let head = "You could also ask:";
        output.line(if is_md { head.to_owned() } else { styled(FAINT, head) })?;
        for suggestion in follow.iter().filter_map(Value::as_str) {
            output.line(format!("- {}", printable(suggestion)))?;
        }
    }
    output.finish()?;
    for warning in &outcome.warnings {
        let source = warning.get("source_id").and_then(Value::as_str).unwrap_or_default();
        let told =
            format!("a document tells the assistant what to do, and was not obeyed: {source}");
        output.tell(format!("{} {}", styled(WARN, "note:"), printable(&told)));
    }
    let confidence = answer.get("confidence_score").and_then(Value::as_f64).unwrap_or_default();
    let took = outcome.processing_time_total_ms / 1_000.0;
    let told = match citations.len() {
        0 => format!("no citations, {took:.1} s"),
        1 => format!("1 citation, confidence {confidence:.2}, {took:.1} s"),
        many => format!("{many} citations, confidence {confidence:.2}, {took:.1} s"),
    };
    output.tell(styled(FAINT, told));
    Ok(())
}

fn list<'a>(answer: &'a Value, name: &str) -> &'a [Value] {
    answer.get(name).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// `handbook.pdf, page 2`: what a person looks for.
async fn place(session: &Session, owner: &Owner, citation: &Value) -> String {
    let text = |name: &str| citation.get(name).and_then(Value::as_str);
    let id = text("source_id").unwrap_or_default();
    let mut place = match documents::show(session, owner, id).await {
        Ok(source) => source.about.identifier,
        // It was removed meanwhile.
        Err(_) => text("url").unwrap_or(id).to_owned(),
    };
    if let Some(page) = citation.get("page_number").and_then(Value::as_u64) {
        place += &format!(", page {page}");
    }
    place
}

fn shortened(quote: &str) -> String {
    match quote.char_indices().nth(QUOTE) {
        Some((at, _)) => format!("{}…", quote.get(..at).unwrap_or(quote)),
        None => quote.to_owned(),
    }
}

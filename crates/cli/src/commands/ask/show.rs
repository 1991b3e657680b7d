//! An answer, for people and for programs.

use consign_app::{
    conversations::{TurnOutcome, escaped, markdown, orchestrator_output},
    documents,
};
use consign_engine::{Owner, RunId};
use serde_json::Value;

use crate::{
    commands::sources::hint_if_empty,
    engine::Session,
    error::Error,
    live,
    output::{Audience, FAINT, Output, STRONG, WARN, printable, styled},
    text::{self, folded, one_line},
};

/// How an answer is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(in crate::commands) enum Form {
    Text,
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
    collection: Option<&str>,
    output: &mut Output,
) -> Result<(), Error> {
    if form == Form::Json || output.reader == Audience::Program {
        output.line(orchestrator_output(outcome, run).to_string())?;
        return output.finish();
    }
    let answer = &outcome.final_response;
    let is_md = form == Form::Md;
    let content = answer.get("content").and_then(Value::as_str).unwrap_or_default();
    let content = if is_md { markdown(content) } else { content.to_owned() };
    for line in content.lines() {
        output.line(printable(line))?;
    }
    let columns = match output.reader {
        Audience::Person => live::columns().saturating_sub(4),
        Audience::Pipe | Audience::Program => usize::MAX,
    };
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
            output.line(format!("{number}. {}: “{}”", escaped(&place), escaped(&quote)))?;
        } else {
            output.line(format!("{} {place}", styled(STRONG, format!("[{number}]"))))?;
            let quote = format!("“{quote}”");
            for line in folded(&quote, columns) {
                let line = quote.get(line).unwrap_or_default();
                output.line(styled(FAINT, format!("    {line}")))?;
            }
        }
    }
    let follow = list(answer, "follow_up_suggestions");
    if !follow.is_empty() {
        output.line("")?;
        let head = "You could also ask:";
        output.line(if is_md { head.to_owned() } else { styled(FAINT, head) })?;
        for suggestion in follow.iter().filter_map(Value::as_str) {
            let suggestion = if is_md { escaped(suggestion) } else { suggestion.to_owned() };
            output.line(format!("- {}", printable(&suggestion)))?;
        }
    }
    output.finish()?;
    let mut warned: Vec<&str> = Vec::new();
    for warning in &outcome.warnings {
        let id = warning.get("source_id").and_then(Value::as_str).unwrap_or_default();
        if warned.contains(&id) {
            continue;
        }
        warned.push(id);
        let name = name(session, owner, id).await.unwrap_or_else(|| id.to_owned());
        let told = format!("{name} tells the assistant what to do; that was not obeyed");
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
    if citations.is_empty() {
        hint_if_empty(session, owner, collection, output).await?;
    }
    Ok(())
}

fn list<'a>(answer: &'a Value, name: &str) -> &'a [Value] {
    answer.get(name).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// `handbook.pdf, page 2`: what a person looks for.
async fn place(session: &Session, owner: &Owner, citation: &Value) -> String {
    let text = |name: &str| citation.get(name).and_then(Value::as_str);
    let id = text("source_id").unwrap_or_default();
    let name = name(session, owner, id).await;
    let mut place = name.unwrap_or_else(|| text("url").unwrap_or(id).to_owned());
    if let Some(page) = citation.get("page_number").and_then(Value::as_u64) {
        place += &format!(", page {page}");
    }
    place
}

/// Where a source is. None where it was removed meanwhile.
async fn name(session: &Session, owner: &Owner, id: &str) -> Option<String> {
    let source = documents::show(session, owner, id).await.ok()?;
    Some(text::place(&source.about.identifier).into_owned())
}

fn shortened(quote: &str) -> String {
    match quote.char_indices().nth(QUOTE) {
        Some((at, _)) => format!("{}…", quote.get(..at).unwrap_or(quote)),
        None => quote.to_owned(),
    }
}

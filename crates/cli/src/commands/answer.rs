//! The answer of an envelope, for people: text or Markdown, with what it rests on.

use clap::ValueEnum;
use consign_contracts::{
    envelope::Envelope,
    json::{Json, Object},
};

use crate::{
    error::Error,
    output::{FAINT, Output, Reader, STRONG, printable, styled},
};

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Form {
    Text,
    Markdown,
}

/// Prints an output: an answer with its citations, text as it is, and all else as JSON.
pub(super) fn print(
    result: &Object<'static>,
    form: Form,
    output: &mut Output,
) -> Result<(), Error> {
    let Some(answer) = result.get("final_response").and_then(Json::as_str) else {
        let text = result.get("text").and_then(Json::as_str).filter(|_| result.len() == 1);
        match text {
            Some(text) => lines(text, output)?,
            None if output.reader == Reader::Person => {
                lines(&format!("{:#}", Json::Object(result.clone())), output)?;
            }
            None => output.line(Json::Object(result.clone()).to_string())?,
        }
        return Ok(());
    };
    lines(answer, output)?;
    let citations = result.get("citations").and_then(Json::as_array).unwrap_or_default();
    let citations: Vec<_> = citations.iter().filter_map(cited).collect();
    if !citations.is_empty() {
        output.line("")?;
        output.line(match form {
            Form::Text => styled(STRONG, "Sources"),
            Form::Markdown => "## Sources".to_owned(),
        })?;
        for (text, location) in citations {
            let (text, location) = (printable(text.trim()), printable(location));
            output.line(match form {
                Form::Text => format!("  {}  {}", styled(STRONG, location), styled(FAINT, text)),
                Form::Markdown => format!("- `{location}`: `` {} ``", text.replace("``", "` `")),
            })?;
        }
    }
    let next = result.get("follow_up_suggestions").and_then(Json::as_array).unwrap_or_default();
    let next: Vec<_> = next.iter().filter_map(Json::as_str).collect();
    if !next.is_empty() {
        output.line("")?;
        output.line(match form {
            Form::Text => styled(STRONG, "You could ask"),
            Form::Markdown => "## You could ask".to_owned(),
        })?;
        for question in next {
            let mark = if form == Form::Text { "  " } else { "- " };
            output.line(format!("{mark}{}", printable(question)))?;
        }
    }
    Ok(())
}

fn cited<'a>(citation: &'a Json<'_>) -> Option<(&'a str, &'a str)> {
    Some((citation.get("text")?.as_str()?, citation.get("location")?.as_str()?))
}

/// Text from outside, line by line.
fn lines(text: &str, output: &mut Output) -> Result<(), Error> {
    for line in text.lines() {
        output.line(printable(&line.replace('\t', "    ")))?;
    }
    Ok(())
}

/// The stages whose model gave nothing, so that they went on without.
pub(super) fn fallbacks(envelope: &Envelope) -> Vec<String> {
    let errors = envelope.errors.as_deref().unwrap_or_default();
    let told = errors.iter().filter_map(|error| {
        let agent = error.get("agent")?.as_str()?;
        let message = error.get("message")?.as_str()?;
        let went_on = envelope.outputs.get(agent).is_some();
        went_on.then(|| printable(&format!("{agent} without its model: {message}")).into_owned())
    });
    told.collect()
}

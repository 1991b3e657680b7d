//! The answer of an envelope, for people: text or Markdown, with what it rests on.

use clap::ValueEnum;
use consign_contracts::{
    envelope::Envelope,
    json::{Json, Object},
};

use crate::{
    error::Error,
    no_key,
    output::{Audience, FAINT, Output, STRONG, printable, styled},
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
            None if output.reader == Audience::Person => {
                lines(&format!("{:#}", Json::Object(result.clone())), output)?;
            }
            None => output.line(Json::Object(result.clone()).to_string())?,
        }
        return Ok(());
    };
    match form {
        Form::Text => lines(answer, output)?,
        Form::Markdown => lines(&tame(answer), output)?,
    }
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
            let question = printable(question);
            output.line(match form {
                Form::Text => format!("  {question}"),
                Form::Markdown => format!("- {}", tame(&question)),
            })?;
        }
    }
    Ok(())
}

/// Makes Markdown safe to show, so that a viewer loads and runs nothing: an answer quotes comments of a
/// repository, which are not to be trusted. What is code stays as it is.
fn tame(text: &str) -> String {
    let mut fenced = false;
    let line = |line: &str| {
        let fence = line.trim_start().starts_with("```");
        fenced ^= fence;
        if fence || fenced { line.to_owned() } else { tame_line(line) }
    };
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

fn tame_line(line: &str) -> String {
    // Code stands between two marks; a mark without another is a mark.
    let pieces: Vec<&str> = line.split('`').collect();
    let last = pieces.len() - 1;
    let tamed = pieces.iter().enumerate().map(|(at, piece)| {
        if at % 2 == 1 && at < last {
            (*piece).to_owned()
        } else {
            piece.replace('<', "&lt;").replace("![", "!\\[")
        }
    });
    tamed.collect::<Vec<_>>().join("`")
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

/// Why stages went on without their model: each cause once, with the stages that it concerns.
pub(super) fn fallbacks(envelope: &Envelope) -> Vec<String> {
    let mut causes: Vec<(String, Vec<&str>)> = Vec::new();
    for error in envelope.errors.as_deref().unwrap_or_default() {
        let Some(stage) = error.get("agent").and_then(Json::as_str) else { continue };
        let Some(why) = cause(error).filter(|_| went_on(envelope, stage)) else { continue };
        match causes.iter_mut().find(|(known, _)| *known == why) {
            Some((_, stages)) if stages.contains(&stage) => {}
            Some((_, stages)) => stages.push(stage),
            None => causes.push((why, vec![stage])),
        }
    }
    let told = causes.into_iter().map(|(why, stages)| {
        let whose = if stages.len() == 1 { "its" } else { "their" };
        printable(&format!("{} without {whose} model: {why}", stages.join(", "))).into_owned()
    });
    told.collect()
}

/// Whether a stage came to something by itself. Built-in agents alone say which way they went.
fn went_on(envelope: &Envelope, stage: &str) -> bool {
    let records = envelope.processing_history.as_deref().unwrap_or_default().iter();
    let mut own = records.filter(|record| {
        let is = |name: &str, text: &str| record.get(name).and_then(Json::as_str) == Some(text);
        is("agent", stage) && is("status", "success")
    });
    own.any(|record| {
        let key = record.get("output_key").and_then(Json::as_str).unwrap_or(stage);
        envelope.outputs.get(key).is_some_and(|output| output.get("source").is_some())
    })
}

/// What happened, in the words of this surface.
pub(super) fn cause(error: &Object<'static>) -> Option<String> {
    let message = error.get("message")?.as_str()?;
    if error.get("error_type")?.as_str()? != "AI_KEY_MISSING" {
        return Some(message.to_owned());
    }
    let why = error.get("details").and_then(|details| details.get("cause")?.as_str());
    Some(no_key::words(why))
}

#[cfg(test)]
mod tests {
    use super::*;
    use consign_pipeline::envelope::{MOST_BYTES, read};

    fn error(stage: &str, code: &str, message: &str, cause: &str) -> String {
        format!(
            r#"{{"agent": {stage:?}, "error_type": {code:?}, "message": {message:?}, "timestamp":
            "2025-12-10T10:00:00Z", "recoverable": false, "details": {{"cause": {cause:?}}}}}"#
        )
    }

    #[test]
    fn markdown_loads_and_runs_nothing() {
        for (text, expected) in [
            ("of `Vec<u8>` and ![x](http://x)", "of `Vec<u8>` and !\\[x](http://x)"),
            ("a < b ` <img src=x>", "a &lt; b ` &lt;img src=x>"),
            ("`a` <b> `c<d>`", "`a` &lt;b> `c<d>`"),
            ("1. x\n   ```\n   <T>\n   ```\n<T>", "1. x\n   ```\n   <T>\n   ```\n&lt;T>"),
        ] {
            assert_eq!(tame(text), expected);
        }
    }

    #[test]
    fn a_cause_is_told_once_with_its_stages_and_what_helps() {
        let missing = |stage: &str| {
            error(stage, "AI_KEY_MISSING", "Settings > AI Keys", "there is no key for openai")
        };
        let errors = [
            missing("intent"),
            missing("plan"),
            missing("intent"),
            error("plan", "AI_TIMEOUT", "it took too long", ""),
            // A program that failed at first has no model to do without.
            error("sum", "EXIT_STATUS", "exit code 3", ""),
        ];
        let done = |stage: &str| {
            format!(
                r#"{{"agent": {stage:?}, "stage_order": 1, "started_at": "2025-12-10T10:00:00Z",
                "status": "success"}}"#
            )
        };
        let text = format!(
            r#"{{"envelope_id": "env_0123456789abcdef", "request_id": "req_0123456789abcdef",
            "user_id": "ada", "session_id": "sess_0123456789abcdef", "raw_input": "?",
            "received_at": "2025-12-10T10:00:00Z", "current_stage": "end", "terminated": true,
            "outputs": {{"intent": {{"source": "heuristic"}}, "plan": {{"source": "heuristic"}}, "sum": {{}}}},
            "errors": [{}], "processing_history": [{}, {}, {}]}}"#,
            errors.join(", "),
            done("intent"),
            done("plan"),
            done("sum")
        );
        let envelope = read(text.as_bytes(), MOST_BYTES).unwrap();
        assert_eq!(
            fallbacks(&envelope),
            [
                "intent, plan without their model: there is no key for openai; set OPENAI_API_KEY, \
                 or `consign keys set openai`",
                "plan without its model: it took too long",
            ]
        );
    }
}

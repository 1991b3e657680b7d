//! Commands with `--stream`: a question a line, an answer a line.

use std::{io, path::Path};

use consign_contracts::json::Json;

use crate::{
    error::{Error, Exit},
    input::{Line, Source, next_line},
    output::{Output, object},
};

/// Answers each line of standard input with a line. One that fails gives its error in its place.
pub(super) async fn answer_each(
    output: &mut Output,
    limit: usize,
    answer: impl AsyncFn(&[u8]) -> Result<String, Error>,
) -> Result<Exit, Error> {
    output.only_json()?;
    let mut exit = Exit::Done;
    let mut lines = Source::Stdin.open()?;
    while let Some(line) = next_line(&mut lines, limit).map_err(|cause| unreadable(&cause))? {
        let answered = match line {
            Line::Bytes(line) if line.trim_ascii().is_empty() => continue,
            Line::Bytes(line) => answer(&line).await,
            Line::TooLarge(why) => Err(Error::new("INPUT_MALFORMED", why.to_string())),
        };
        match answered {
            Ok(answer) => output.line(answer)?,
            Err(error) => {
                exit = Exit::Failed;
                output.line(refusal(&error).to_string())?;
            }
        }
        // A caller that waits for an answer before it sends the next line must get it now.
        output.finish()?;
    }
    Ok(exit)
}

pub(super) fn unreadable(cause: &io::Error) -> Error {
    Error::unreadable(Path::new("standard input"), cause)
}

/// An error, in the place of an answer.
pub(super) fn refusal(error: &Error) -> Json<'_> {
    let mut told = object([
        ("code", Json::String(error.code.as_ref().into())),
        ("message", Json::String(error.message.as_str().into())),
    ]);
    if let Some(details) = error.details_for_program() {
        told.set("details", Json::Object(details));
    }
    Json::Object(object([("error", Json::Object(told))]))
}

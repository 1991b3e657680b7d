//! The plan and the coverage of a job, for people.

use consign_contracts::json::Json;

use super::Completed;
use crate::{
    error::Error,
    output::{Audience, FAINT, Output, printable, styled},
};

/// The artifact that has the coverage as Markdown.
const MATRIX: &str = "coverage-matrix.md";

/// Writes the plan, then which tests cover which scenario: a table for people, Markdown in a pipe.
pub(super) fn print(done: &Completed, output: &mut Output) -> Result<(), Error> {
    text(done.text("testPlan"), output)?;
    output.line("")?;
    if output.reader == Audience::Person {
        output.rows(&["scenario", "tests"], rows(&done.result))?;
        output.finish()?;
        let more = format!("write the files with: consign trace --run {} --out DIR", done.run);
        output.tell(styled(FAINT, more));
        return Ok(());
    }
    text(matrix(&done.result), output)
}

fn text(text: &str, output: &mut Output) -> Result<(), Error> {
    for line in text.trim_end().lines() {
        output.line(printable(line))?;
    }
    Ok(())
}

fn rows(result: &Json<'_>) -> Vec<Vec<String>> {
    let matrix = result.get("coverageMatrix").and_then(Json::as_object);
    let tests = |ids: &Json<'_>| {
        let ids = ids.as_array().unwrap_or_default().iter().filter_map(Json::as_str);
        ids.collect::<Vec<_>>().join(", ")
    };
    let rows = matrix.into_iter().flat_map(|matrix| matrix.iter());
    rows.map(|(name, ids)| vec![name.to_owned(), tests(ids)]).collect()
}

fn matrix<'r>(result: &'r Json<'_>) -> &'r str {
    let files = result.get("artifacts").and_then(Json::as_array).unwrap_or_default();
    let named = |file: &&Json<'_>| file.get("filePath").and_then(Json::as_str) == Some(MATRIX);
    let content = files.iter().find(named).and_then(|file| file.get("content")?.as_str());
    content.unwrap_or_default()
}

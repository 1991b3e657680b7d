//! Trace: a test plan, a coverage matrix and a test file from a specification.
//!
//! [`check`] says at submit whether a specification can be read. [`Framework::recognise`] finds out
//! what a repository tests with, and [`generate`] makes the plan. Everything here is a pure
//! function: the same specification, framework and suggestions always give the same bytes. Nothing
//! here may read a file, ask a model or look at a clock. A specification is text of a stranger, and
//! none of it may become code in the test file: [`testfile`] has the one way out of here.

mod coverage;
mod framework;
mod gherkin;
mod ids;
mod markdown;
mod output;
mod plain;
mod plan;
mod scenario;
mod strategy;
mod testfile;
pub mod words;

pub use framework::Framework;
pub use output::TraceOutput;
pub use strategy::Strategy;

use consign_contracts::authoring::TestCase;

use self::scenario::Spec;

/// The largest specification that is planned at once.
const MOST_BYTES: usize = 1 << 20;
const MOST_LINES: usize = 10_000;

/// A specification that cannot be read. Answer it with `400`, and the line in `details.line`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Refused {
    /// What is wrong, for people. It names the line too.
    pub message: String,
    /// The line of the specification, from 1, where one is to blame.
    pub line: Option<u32>,
}

impl Refused {
    fn at(line: u32, message: &str) -> Self {
        Self { message: format!("line {line}: {message}"), line: Some(line) }
    }
}

/// Whether [`generate`] takes this specification.
///
/// # Errors
/// A blank specification, and Gherkin that is broken.
pub fn check(spec: &str) -> Result<(), Refused> {
    read(spec).map(|_| ())
}

/// The plan of a specification. `suggested` are cases that a model thought of; they come last.
///
/// # Errors
/// As [`check`].
pub fn generate(
    spec: &str,
    framework: &Framework,
    suggested: &[TestCase],
) -> Result<TraceOutput, Refused> {
    let (strategy, read) = read(spec)?;
    Ok(output::assemble(spec, strategy, &read, *framework, suggested))
}

fn read(spec: &str) -> Result<(Strategy, Spec), Refused> {
    let invisible = |c: char| c.is_whitespace() || matches!(c, '\u{feff}' | '\u{200b}');
    if spec.chars().all(invisible) {
        return Err(Refused { message: "the specification is empty".to_owned(), line: None });
    }
    // Every line can become a case with an id, a row and a test: what is made is many times what came in.
    let lines = spec.lines().filter(|line| !line.trim().is_empty()).count();
    if spec.len() > MOST_BYTES || lines > MOST_LINES {
        let told = format!(
            "the specification has {} bytes on {lines} lines; at most {MOST_BYTES} bytes on {MOST_LINES} lines are planned \
             at once: split it",
            spec.len()
        );
        return Err(Refused { message: told, line: None });
    }
    let text = spec.trim_start_matches('\u{feff}').replace("\r\n", "\n").replace('\r', "\n");
    let strategy = Strategy::detect(&text);
    let read = match strategy {
        Strategy::Gherkin => gherkin::read(&text)?,
        Strategy::Arrow => plain::arrow(&text),
        Strategy::Colon => plain::colon(&text),
        Strategy::Sentences => plain::sentences(&text),
        Strategy::Lines => plain::lines(&text),
    };
    Ok((strategy, read))
}

//! Pipelines for the tour: one of two programs as a run, and the built-in one with a question about a small
//! library. All of it is gone afterwards.

use std::{fs, path::Path};

use consign_app::pipelines::{self, Ready, Where, ready};
use consign_engine::{Data, Limits, Owner, Settings};
use consign_pipeline::{
    ENVELOPE, Errand,
    envelope::{Names, Session as Of, fresh},
    result,
};

use crate::{
    commands::{
        answer::{self, Form},
        runs,
    },
    engine::{Session, now, random, runtime},
    error::Error,
    output::{FAINT, Output, printable, styled},
};

const WORDS: &str = include_str!("../../../../../examples/words.toml");
pub(super) const TEXT: &str = "Work is handed over under contract";
pub(super) const QUESTION: &str = "who calls overdue?";
const LIBRARY: [(&str, &str); 2] = [
    ("loans.py", include_str!("../../../../../examples/pipelines/library/loans.py")),
    ("members.py", include_str!("../../../../../examples/pipelines/library/members.py")),
];

/// Runs the words of a text through two programs.
pub(super) fn words(output: &mut Output) -> Result<(), Error> {
    in_passing(output, async |session, folder, output| {
        let file = folder.join("words.toml");
        fs::write(&file, WORDS)?;
        let ready = made_ready(session, Some(&file), folder)?;
        let envelope = fresh(TEXT, "local", &names(), &ready.pipeline.bounds, now());
        let errand = Errand::new(&ready.pipeline, &envelope, ready.place, now());
        runs::tour_of_pipeline(session, ENVELOPE, Data::of(&errand), output).await
    })
}

/// Asks who calls a function.
pub(super) fn question(output: &mut Output) -> Result<(), Error> {
    in_passing(output, async |session, folder, output| {
        for (name, text) in LIBRARY {
            fs::write(folder.join(name), text)?;
        }
        let ready = made_ready(session, None, folder)?;
        let wanted = pipelines::Ask {
            text: QUESTION.to_owned(),
            session: None,
            owner: Owner::from("local"),
            limits: Limits::standard(),
            settings: Settings::default(),
        };
        let mut asked = pipelines::ask(session, &ready, wanted)?;
        asked.go_on(|_| {}).await;
        match result(asked.journey.envelope()) {
            Some((_, answer)) => answer::print(&answer, Form::Text, output),
            None => Err(Error::new("INTERNAL", "there is no answer")),
        }
    })
}

fn made_ready(session: &Session, file: Option<&Path>, folder: &Path) -> Result<Ready, Error> {
    Ok(ready(session, file, Where { repo: Some(folder), policy: None }, None)?)
}

fn names() -> Names {
    Names { envelope: random(), request: random(), session: Of::New(random()) }
}

/// Does something in a home and a folder of its own. A tour goes on where a machine lacks something.
fn in_passing(
    output: &mut Output,
    work: impl AsyncFnOnce(&Session, &Path, &mut Output) -> Result<(), Error>,
) -> Result<(), Error> {
    let done = match (tempfile::tempdir(), tempfile::tempdir()) {
        (Ok(home), Ok(folder)) => runtime()?.block_on(async {
            let session = Session::open(home.path().to_owned()).await?;
            work(&session, folder.path(), output).await
        }),
        (Err(cause), _) | (_, Err(cause)) => Err(Error::new("INTERNAL", cause.to_string())),
    };
    match done {
        Err(error) if !error.is_broken_pipe() => {
            let why = format!("(not shown: {})", printable(&error.message));
            Ok(output.line(styled(FAINT, why))?)
        }
        done => done,
    }
}

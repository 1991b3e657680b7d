//! A job that waits for approval: its plan and the diff are shown, and the user says yes or no.

use std::io::{self, BufRead, IsTerminal, Write};

use consign_app::agent_jobs::{self, Asked, Include, asked, changes, decide_here};
use consign_contracts::json::Json;
use consign_engine::Owner;

use super::diff;
use crate::{
    commands::{authoring::job::Driven, runs::foreground::Ended},
    engine::Session,
    error::Error,
    output::{Audience, FAINT, Output, WARN, printable, styled},
};

/// Shows what a job would publish, and asks, until it waits for no approval. If the repository moves meanwhile, the job
/// asks anew, and so does this.
pub(super) async fn until_decided(
    session: &Session,
    driven: Driven,
    output: &mut Output,
) -> Result<Driven, Error> {
    let mut driven = driven;
    loop {
        let row = driven.row().clone();
        if !matches!(driven.ended, Ended::Waiting(..)) {
            return Ok(driven);
        }
        let (owner, id) = (&row.owner, row.id.as_str());
        let Some(Asked { digest, base }) = asked(session, owner, id).await? else {
            return Ok(driven);
        };
        if output.reader == Audience::Program {
            return Ok(driven);
        }
        plan(session, owner, id, output).await?;
        diff::write(&changes(session, owner, id).await?, output)?;
        output.finish()?;
        let base = base.map_or_else(String::new, |base| format!(", made from {base}"));
        output.tell(styled(FAINT, format!("digest {digest}{base}")));
        let Some(approved) = said(output)? else { return Ok(driven) };
        decide_here(session, owner, &session.user, id, &digest, approved).await?;
        driven = driven.on(session, output).await?;
        if let Ended::Waiting(..) = driven.ended {
            output.tell("the repository has moved meanwhile: look again");
        }
    }
}

/// Writes what the documents were made by: the plan is part of what is approved.
async fn plan(
    session: &Session,
    owner: &Owner,
    id: &str,
    output: &mut Output,
) -> Result<(), Error> {
    let include = Include { plan: true, ..Include::default() };
    let job = agent_jobs::get(session, owner, &session.user, id, include).await?;
    let Some(plan) = job.get("plan") else { return Ok(()) };
    let list = |name: &str| plan.get(name).and_then(Json::as_array).unwrap_or_default();
    let text = |value: Option<&Json<'_>>| {
        printable(value.and_then(Json::as_str).unwrap_or_default()).into_owned()
    };
    output.line("Plan:")?;
    for step in list("steps") {
        output.line(format!("- {}", text(Some(step))))?;
    }
    let mut path = String::new();
    for section in list("sections") {
        let of = text(section.get("path"));
        if of != path {
            output.line(format!("{of}:"))?;
            path = of;
        }
        output.line(format!("  - {}", text(section.get("outline"))))?;
    }
    output.line("")?;
    Ok(())
}

/// Yes or no; nothing without a terminal.
fn said(output: &Output) -> Result<Option<bool>, Error> {
    if output.reader != Audience::Person || !io::stdin().is_terminal() {
        return Ok(None);
    }
    loop {
        let mut err = anstream::AutoStream::new(io::stderr(), output.color);
        let _ = write!(err, "{} Publish this? [y/n]\n> ", styled(WARN, "?"));
        let _ = err.flush();
        let mut line = String::new();
        if io::stdin().lock().read_line(&mut line)? == 0 {
            return Ok(None);
        }
        match line.trim().to_lowercase().as_str() {
            "y" | "yes" => return Ok(Some(true)),
            "n" | "no" => return Ok(Some(false)),
            _ => {}
        }
    }
}

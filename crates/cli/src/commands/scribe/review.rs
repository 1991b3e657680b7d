//! A job that waits for approval: the diff is shown, and the user says yes or no.

use std::io::{self, BufRead, IsTerminal, Write};

use consign_app::agent_jobs::{Asked, asked, changes, decide_here};

use super::diff;
use crate::{
    commands::{authoring::job::Driven, runs::foreground::Ended},
    engine::Session,
    error::Error,
    output::{Audience, FAINT, Output, WARN, styled},
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

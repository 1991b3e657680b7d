//! `consign runs redact RUN`: erases what a run that is over has said and heard.

use std::io::{self, BufRead, IsTerminal, Write};

use consign_app::runs;
use consign_engine::{Redaction, store::Row};

use super::{find, report};
use crate::{
    engine::session,
    error::{Error, Exit},
    output::{Audience, Output, WARN, printable, styled},
};

const HELP: &str = "\
Erases for good what a run was given, what it said, and what it came to: the bodies of its events, its state, what it \
asked and was answered, and the words of comments on it. A line of each event stays (when, by whom, of which kind), so \
do the run's status, label and what it spent, and one event `redacted` says who erased the rest. `consign runs verify` \
still proves that no event was changed or removed. Only a run that is over can be redacted.

What was copied before is not reached: backups, files that the run wrote, runs that were forked from it, and what was \
said in a conversation.

Asks before it erases. Without a terminal, or with --json, it wants --yes. A run that is redacted already stays as it \
is, and the command exits with 0.

Examples:
  consign runs redact 7h2k
  consign runs redact 7h2k --yes --json";

#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(crate) struct Args {
    /// The run, or the first letters of its id
    run: String,

    /// Do not ask
    #[arg(long)]
    yes: bool,
}

pub(crate) fn run(args: &Args, output: &mut Output) -> Result<Exit, Error> {
    session(async |session| {
        let row = find(&session.engine, &args.run).await?;
        if !args.yes && row.status.is_closed() && !row.redacted && !is_meant(&row, output)? {
            output.tell(format!("{} is left as it is", row.id));
            return Ok(Exit::Failed);
        }
        let redacted = runs::redact(&session.engine, &row.id, &session.user).await;
        let runs::Redacted { row, redaction, left } =
            redacted.map_err(|error| Error::from(error).about(row.id.as_str()))?;
        if output.reader == Audience::Program {
            output.object(report::whole(session, &row, &[]).await?)?;
        }
        output.tell(match redaction {
            Redaction::Done => format!("{} redacted", row.id),
            Redaction::Already => format!("{} was redacted before", row.id),
        });
        if let Some(directory) = left {
            let directory = printable(&directory.display().to_string()).into_owned();
            output.tell(format!(
                "{}: the files of its job are left: {directory}",
                styled(WARN, "note")
            ));
        }
        Ok(Exit::Done)
    })
}

/// Asks whether a run is to be erased.
fn is_meant(row: &Row, output: &Output) -> Result<bool, Error> {
    if output.reader != Audience::Person || !io::stdin().is_terminal() {
        let told = format!("what run {} said and heard would be erased for good", row.id);
        return Err(Error::usage("NOT_CONFIRMED", told).hint("add --yes if that is meant"));
    }
    loop {
        let mut err = anstream::AutoStream::new(io::stderr(), output.color);
        let (id, workflow) = (&row.id, &row.workflow);
        // Who cannot see the question does not answer it.
        let _ = write!(
            err,
            "{} Erase for good what run {id} ({workflow}) said and heard? [y/n]\n> ",
            styled(WARN, "?")
        );
        let _ = err.flush();
        let mut line = String::new();
        if io::stdin().lock().read_line(&mut line)? == 0 {
            return Ok(false);
        }
        match line.trim().to_lowercase().as_str() {
            "y" | "yes" => return Ok(true),
            "n" | "no" => return Ok(false),
            _ => {}
        }
    }
}

//! `consign sources refresh [ID]`: known sources are looked at again.

use consign_app::{
    documents::{self, Counts, OcrWish},
    foreground::Foreground,
};
use consign_engine::Owner;
use serde_json::json;

use super::super::{
    ingest::{Taken, in_words, ocr, show, take},
    runs::{limits::LimitArgs, owner_arg},
};
use crate::{
    engine::session,
    error::{Error, Exit},
    output::{Audience, Output, WARN, styled},
    text::count,
};

const HELP: &str = "\
Looks at every source of the owner again, or at one: what has changed is taken in anew, what has not is left alone. It is \
a durable run for each collection, as with `consign ingest`. A source that is gone is told with ERR_CONNECTOR_NOT_FOUND \
and kept as missing: its passages can still be found, until it is removed. New files of a folder are not looked for; \
`consign ingest` takes them.

It exits with 1 when a source gave nothing. With --json each line is an object for one source, and the last one has the \
counts.

Examples:
  consign sources refresh
  consign sources refresh handbook.pdf";

#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(crate) struct Args {
    /// Only this source: its id or the beginning of it, its path, or the name of its file
    #[arg(value_name = "SOURCE")]
    id: Option<String>,

    /// Read every page as a picture: `fast` or `best`
    #[arg(long, value_name = "HOW", num_args = 0..=1, default_missing_value = "fast", require_equals = true,
          value_parser = ocr)]
    ocr: Option<OcrWish>,

    /// The credentials to use, by name
    #[arg(long, value_name = "NAME")]
    credentials: Option<String>,

    /// Whose documents
    #[arg(long, value_name = "NAME", default_value = "local", value_parser = owner_arg)]
    owner: Owner,

    #[command(flatten)]
    limits: LimitArgs,
}

pub(super) fn run(args: &Args, output: &mut Output) -> Result<Exit, Error> {
    session(async |session| {
        let id = match &args.id {
            Some(word) => Some(super::meant(session, &args.owner, word).await?.id.to_string()),
            None => None,
        };
        let (id, credentials) = (id.as_deref(), args.credentials.as_deref());
        let wanted = documents::wanted(session, &args.owner, id, args.ocr, credentials).await?;
        let mut foreground = Foreground::new(&session.engine).await?;
        let (mut counts, mut runs, mut empty) = (Counts::default(), Vec::new(), Vec::new());
        for input in wanted.inputs {
            let limits = args.limits.set();
            let taken = take(session, &mut foreground, &args.owner, limits, input, output).await?;
            let Taken { run, files, outcome, verdict } = taken;
            show(&files, output)?;
            documents::note_missing(session, &args.owner, &files).await?;
            runs.push(run.to_string());
            match outcome {
                Some(outcome) => {
                    counts.add(&outcome.counts);
                    empty.extend(outcome.empty);
                }
                None => return Ok(verdict),
            }
        }
        let others = wanted.without_place.len() as u64;
        match output.reader {
            Audience::Program => {
                let mut last = json!(counts);
                last["runs"] = json!(runs);
                last["without_place"] = json!(others);
                output.line(last.to_string())?;
            }
            Audience::Person | Audience::Pipe => {
                output.tell(in_words(&counts));
                if others > 0 {
                    let told = count(others, "source");
                    let told = format!("{told} came as text and cannot be looked at again");
                    output.tell(format!("{} {told}", styled(WARN, "note:")));
                }
            }
        }
        Ok(if empty.is_empty() { Exit::Done } else { Exit::Failed })
    })
}

//! `consign envelope …`: envelopes by hand and in scripts.

mod can_continue;
mod new;
mod result;
mod validate;

use std::path::Path;

use clap::Subcommand;
use consign_contracts::envelope::Envelope;
use consign_pipeline::envelope::{MOST_BYTES, NotAnEnvelope, read};

use crate::{
    error::{Error, Exit},
    input::Source,
    output::Output,
};

pub(super) use new::session as session_arg;

const HELP: &str = "\
An envelope is a question with everything that was done for it. `consign process` takes one through a \
pipeline; docs/spec/envelope.md has every field.

Examples:
  consign envelope new 'how does authentication work?' | consign process | consign envelope result
  consign envelope validate envelope.json
  consign envelope can-continue < envelope.json";

#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Make an envelope for a question
    New(new::Args),
    /// Is it an envelope, and of which version?
    Validate(validate::Args),
    /// Can it go on, and what has it used?
    CanContinue(can_continue::Args),
    /// The answer of an envelope
    Result(result::Args),
}

pub(super) fn run(args: &Args, output: &mut Output) -> Result<Exit, Error> {
    match &args.command {
        Command::New(args) => new::run(args, output),
        Command::Validate(args) => validate::run(args, output),
        Command::CanContinue(args) => can_continue::run(args, output),
        Command::Result(args) => result::run(args, output),
    }
}

/// Why there is no envelope: nothing could be read, or it is none, by the name of where it came from.
enum NoEnvelope {
    Unread(Error),
    Read(NotAnEnvelope, String),
}

impl From<NoEnvelope> for Error {
    fn from(why: NoEnvelope) -> Self {
        match why {
            NoEnvelope::Unread(error) => error,
            NoEnvelope::Read(NotAnEnvelope::Malformed(why), name) => {
                Self::new("MALFORMED", format!("{name}: {why}"))
            }
            NoEnvelope::Read(NotAnEnvelope::Breached(breaches), name) => {
                Self::new("CONTRACT_BREACH", format!("{name} is no envelope"))
                    .listing(breaches.iter().map(ToString::to_string))
                    .hint("`consign contracts show envelope/envelope` explains every field")
            }
        }
    }
}

/// Reads an envelope from a file or standard input.
fn envelope(file: &Path) -> Result<Envelope, NoEnvelope> {
    let source = Source::of(file);
    let bytes = source.read(MOST_BYTES).map_err(NoEnvelope::Unread)?;
    read(&bytes, MOST_BYTES).map_err(|why| NoEnvelope::Read(why, source.name()))
}

//! `consign envelope …`: envelopes by hand and in scripts.

mod can_continue;
mod new;
mod result;
mod validate;

use std::path::Path;

use clap::Subcommand;
use consign_contracts::envelope::Envelope;
use consign_workflows::pipeline::envelope::{MOST_BYTES, NotAnEnvelope, read};

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

/// Reads an envelope from a file or standard input.
fn envelope(file: &Path) -> Result<Envelope, Error> {
    let source = Source::of(file);
    let bytes = source.read(MOST_BYTES)?;
    read(&bytes, MOST_BYTES).map_err(|why| match why {
        NotAnEnvelope::Malformed(why) => {
            Error::new("MALFORMED", format!("{}: {why}", source.name()))
        }
        NotAnEnvelope::Breached(breaches) => {
            Error::new("CONTRACT_BREACH", format!("{} is no envelope", source.name()))
                .listing(breaches.iter().map(ToString::to_string))
                .hint("`consign contracts show envelope/envelope` explains every field")
        }
    })
}

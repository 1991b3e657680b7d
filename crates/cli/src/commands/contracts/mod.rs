//! `consign contracts …`: shows contracts, checks documents against them, compares versions.

mod check;
pub(super) mod compat;
mod list;
mod name;
pub(super) mod own;
mod show;
mod stream;
pub(super) mod verdict;

use clap::Subcommand;

use crate::{
    error::{Error, Exit},
    output::Output,
};

const HELP: &str = "\
A contract is a JSON Schema with a name: family/message. The families are bridge, job, envelope, \
authoring and crew, one for each document, and engine, our own.

Examples:
  consign contracts list
  consign contracts show job/agent-response
  consign contracts check job/agent-response answer.json
  consign contracts compat job/manifest @ mine.schema.json";

#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Every contract, with its document, version and digest
    List(list::Args),
    /// One contract, field by field, or its JSON Schema
    Show(show::Args),
    /// Hold a document against a contract, or against a schema of your own
    Check(check::Args),
    /// Do documents that were valid under OLD stay valid under NEW?
    Compat(compat::Args),
}

impl Args {
    /// The exit code when the reader closes the pipe. A check that was not read to the end counts as
    /// failed.
    pub(crate) fn when_cut_off(&self) -> Exit {
        match self.command {
            Command::List(_) | Command::Show(_) => Exit::Done,
            Command::Check(_) | Command::Compat(_) => Exit::Failed,
        }
    }
}

pub(crate) fn run(args: &Args, output: &mut Output) -> Result<Exit, Error> {
    match &args.command {
        Command::List(args) => list::run(args, output),
        Command::Show(args) => show::run(args, output),
        Command::Check(args) => check::run(args, output),
        Command::Compat(args) => compat::run(args, output),
    }
}

//! `consign pipeline …`: checks pipelines and draws them.

mod check;
mod draw;
pub(super) mod place_args;
mod svg;

use clap::Subcommand;

use crate::{
    error::{Error, Exit},
    output::Output,
};

const HELP: &str = "\
A pipeline is a TOML or JSON file: stages in order, each with an agent, and where each leads. `consign \
run PIPELINE.toml` runs one durably, `consign process` with the envelope in the pipe. docs/pipelines.md \
has the form, `consign contracts show engine/pipeline` the schema, examples/pipelines some that run.

Examples:
  consign pipeline check release.toml
  consign pipeline draw release.toml > release.svg
  consign pipeline draw --format mermaid";

#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Find out what is wrong with a pipeline, and what it can come to
    Check(check::Args),
    /// Draw how its stages lead to each other
    Draw(draw::Args),
}

pub(super) fn run(args: &Args, output: &mut Output) -> Result<Exit, Error> {
    match &args.command {
        Command::Check(args) => check::run(args, output),
        Command::Draw(args) => draw::run(args, output),
    }
}

//! `consign bridge …`: the other side of a template's creation, where agents answer.

mod answer;
mod status;
mod watch;

use clap::Subcommand;

use crate::{
    error::{Error, Exit},
    output::Output,
};

const HELP: &str = "\
`consign template create` asks an outside agent through files in the project's root: .agent-request.json is \
what it asks, .agent-response.json is the answer. `status` says what is asked, `answer` writes a valid response \
from what an agent said, and `watch` does all of it in a loop with a command or a model. docs/bridge.md has the \
whole of it.

Examples:
  consign bridge status --path ~/src/shop
  jq -r .prompt ~/src/shop/.agent-request.json | my-agent | consign bridge answer --path ~/src/shop --file -
  consign bridge watch --path ~/src/shop --exec 'my-agent --headless'";

#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// What is asked in a project, and whether it was answered
    Status(status::Args),
    /// Write a valid response from what an agent said
    Answer(answer::Args),
    /// Let a command or a model answer, and go on until the template is there
    Watch(watch::Args),
}

pub(super) fn run(args: &Args, output: &mut Output) -> Result<Exit, Error> {
    match &args.command {
        Command::Status(args) => status::run(args, output),
        Command::Answer(args) => answer::run(args, output),
        Command::Watch(args) => watch::run(args, output),
    }
}

//! `consign template …`: what a project is made of, and templates of it.

mod analyze;
pub(super) mod create;
mod new;
mod page;
mod status;

use clap::Subcommand;

use crate::{
    error::{Error, Exit},
    output::Output,
};

const HELP: &str = "\
A template is what a team keeps of a project that it likes: its files with placeholders for names, what \
they are for, and agents that know the stack. `analyze` only looks; `create` makes a template, with an outside \
agent where judgement helps and without where there is none; `new` makes projects of it. docs/bridge.md has all of it.

Examples:
  consign template create --path ~/code/shop --name shop-api --output ~/templates/shop-api
  consign template analyze --path ~/code/shop
  consign template analyze --path ~/code/shop --json | jq .frameworks";

#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Find out what a project is made of, without any agent
    Analyze(analyze::Args),
    /// Make a template of a project
    Create(create::Args),
    /// Where the creation in a project stands
    Status(status::Args),
    /// Make a project of a template
    New(new::Args),
}

pub(super) fn run(args: &Args, output: &mut Output) -> Result<Exit, Error> {
    match &args.command {
        Command::Analyze(args) => analyze::run(args, output),
        Command::Create(args) => create::run(args, output),
        Command::Status(args) => status::run(args, output),
        Command::New(args) => new::run(args, output),
    }
}

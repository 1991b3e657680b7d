//! `consign agents …`: the user's own agents, and a call to try one.

mod add;
mod list;
mod remove;
mod show;
mod trial;

use clap::Subcommand;

use crate::{
    error::{Error, Exit},
    output::Output,
};

const HELP: &str = "\
An agent is a name, a contract for what it is given and gives, an effect class, a timeout, and one \
way to be reached: a model, a subprocess, an HTTP service, an MCP tool, or an answer from \
outside (bridge). Yours are TOML files; `agents add` makes one known:

  name = \"reviewer\"
  effect = \"pure\"               # pure, idempotent, keyed or unsafe (what a second call would do)
  [contract]
  output = \"review.schema.json\" # a file beside this one, a published contract, or a schema in TOML
  [model]
  name = \"openai/gpt-5-mini\"
  fallback = [\"anthropic/claude-haiku-4-5\"]
  prompt = \"Review this diff: {{input.diff}}\"

Instead of [model]: [subprocess] command = [\"python3\", \"agent.py\"]; [http] url = \"…\"; [mcp] \
command = […] or url = \"…\" and tool = \"…\"; [bridge]. docs/agents.md has all of it.

Examples:
  consign agents list
  consign agents try reviewer.toml --input '{\"diff\": \"…\"}'
  consign agents try reviewer --input diff.json --cost 0.05";

#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// The agents that can be called here
    #[command(after_help = list::HELP)]
    List,
    /// One agent: how it is reached, and its contract
    Show(show::Args),
    /// Call an agent once, as a durable run
    Try(trial::Args),
    /// Make an agent known: a link to its file is kept in CONSIGN_HOME
    Add(add::Args),
    /// Forget an agent; its file stays
    Remove(remove::Args),
}

impl Args {
    pub(super) fn when_cut_off(&self, ended: Option<Exit>) -> Exit {
        match &self.command {
            Command::Try(_) => ended.unwrap_or(Exit::Failed),
            Command::List | Command::Show(_) | Command::Add(_) | Command::Remove(_) => Exit::Done,
        }
    }
}

pub(super) fn run(args: &Args, output: &mut Output) -> Result<Exit, Error> {
    match &args.command {
        Command::List => list::run(output),
        Command::Show(args) => show::run(args, output),
        Command::Try(args) => trial::run(args, output),
        Command::Add(args) => add::run(args, output),
        Command::Remove(args) => remove::run(args, output),
    }
}

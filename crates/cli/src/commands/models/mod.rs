//! `consign models …`: what models cost, whether they answer, a double to test against, and the models that work on this
//! machine.

mod double;
mod list;
pub(super) mod local;
mod pull;
mod test;

use clap::Subcommand;

use crate::{
    error::{Error, Exit},
    output::Output,
};

const HELP: &str = "\
A model's name is provider/model: openai/gpt-5-mini, anthropic/claude-sonnet-4-5, \
xai/grok-code-fast-1, google/gemini-2.5-flash, ollama/qwen3, or compatible/NAME for any server that \
speaks OpenAI's protocol at a --base-url. A bare name is OpenAI's.

Keys come from the environment (OPENAI_API_KEY and so on) or are sealed in the store (`consign \
keys`); OPENAI_BASE_URL and so on say where providers are. Where they are, how much of them is used at once, prices and policies can be set in \
models.toml and prices.toml in CONSIGN_HOME: docs/models.md.

Some models work on this machine, without a key: `consign models pull` fetches them and says which there are.

Examples:
  consign models list
  consign models test openai/gpt-5-mini
  consign models double &
  consign models test openai/gpt-5-mini --base-url http://127.0.0.1:4010/openai/v1
  consign models pull embeddings";

#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// The models with known prices, and whose keys are there
    List(list::Args),
    /// Fetch a model that works on this machine, or say which there are
    Pull(pull::Args),
    /// Ask a model one question: does it answer, and what does that cost?
    Test(test::Args),
    /// Serve a stand-in for all providers on this machine, with faults by script
    Double(double::Args),
}

pub(super) fn run(args: &Args, output: &mut Output) -> Result<Exit, Error> {
    match &args.command {
        Command::List(args) => list::run(args, output),
        Command::Pull(args) => pull::run(args, output),
        Command::Test(args) => test::run(args, output),
        Command::Double(args) => double::run(args, output),
    }
}

//! `consign keys …`: keys of model providers and tokens for GitHub, sealed for each owner.

mod fault;
mod init;
mod list;
mod prompt;
mod provider;
mod remove;
mod rotate;
mod set;

pub(super) use prompt::read_secret;

use clap::Subcommand;
use consign_models::keys::Keys;

use crate::{
    engine::Session,
    error::{Error, Exit},
    output::Output,
};

const HELP: &str = "\
A call to a model goes out with the key of the run's owner, sealed in the database, or else with the \
one that the environment has for everybody: OPENAI_API_KEY, ANTHROPIC_API_KEY, XAI_API_KEY, \
GEMINI_API_KEY or GOOGLE_API_KEY, OLLAMA_API_KEY, CONSIGN_COMPATIBLE_API_KEY. A sealed key that cannot \
be opened stops the call; the environment does not stand in for it. `github` is for the token with which jobs read \
and publish repositories; GITHUB_TOKEN is that of the environment.

Keys are sealed with XChaCha20-Poly1305 under a sealing key: AI_KEY_ENCRYPTION_KEY (32 bytes as 64 \
hexadecimal digits or base64), or else the file `sealing.key` in CONSIGN_HOME, which only its owner may \
read. With both the database and the sealing key anyone can read the keys: keep copies of them apart. No \
command ever prints a key or a part of one.

Examples:
  consign keys init
  consign keys set openai
  pass show openai | consign keys set openai --owner alice
  consign keys list
  consign keys rotate";

#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Make a sealing key, in a file of its own
    #[command(after_help = init::HELP)]
    Init,
    /// Seal a key of a provider and keep it
    Set(set::Args),
    /// Which keys there are, and whether they can be used
    #[command(after_help = list::HELP)]
    List,
    /// Forget a key
    Remove(remove::Args),
    /// Seal all keys anew, with a new sealing key
    #[command(after_help = rotate::HELP)]
    Rotate,
}

pub(super) fn run(args: &Args, output: &mut Output) -> Result<Exit, Error> {
    match &args.command {
        Command::Init => init::run(output),
        Command::Set(args) => set::run(args, output),
        Command::List => list::run(output),
        Command::Remove(args) => remove::run(args, output),
        Command::Rotate => rotate::run(output),
    }
}

/// The keys of our directory, and of our environment.
fn keys(session: &Session) -> &Keys {
    session.models.keys()
}

//! `consign completions SHELL`: prints a completion script.

use clap_complete::Shell;
use consign_contracts::json::Json;

use crate::{
    error::{Error, Exit},
    output::{Audience, Output, object},
};

const HELP: &str = "\
Examples:
  consign completions bash > ~/.local/share/bash-completion/completions/consign
  consign completions zsh  > \"${fpath[1]}/_consign\"
  consign completions fish > ~/.config/fish/completions/consign.fish";

#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(crate) struct Args {
    /// Whose completions
    shell: Shell,
}

pub(super) fn run(args: &Args, output: &mut Output) -> Result<Exit, Error> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut crate::args::command(), "consign", &mut script);
    let script = String::from_utf8_lossy(&script);
    match output.reader {
        Audience::Program => output.object(object([
            ("shell", Json::String(args.shell.to_string().into())),
            ("script", Json::String(script)),
        ]))?,
        Audience::Person | Audience::Pipe => output.text(&script)?,
    }
    Ok(Exit::Done)
}

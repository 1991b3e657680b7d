//! One command per file.

mod completions;
mod contracts;
mod demo;
mod doctor;
mod version;

use clap::Subcommand;

use crate::{
    error::{Error, Exit},
    output::Output,
};

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Look at the contracts, hold documents against them, compare versions
    Contracts(contracts::Args),
    /// A short tour of what Consign does
    Demo,
    /// What is installed, what is missing and what that costs you
    Doctor,
    /// A completion script for your shell
    Completions(completions::Args),
    #[command(skip)]
    Version,
}

pub(crate) fn run(command: &Command, output: &mut Output) -> Result<Exit, Error> {
    match command {
        Command::Contracts(args) => contracts::run(args, output),
        Command::Demo => demo::run(output),
        Command::Doctor => doctor::run(output),
        Command::Completions(args) => completions::run(args, output),
        Command::Version => version::run(output),
    }
}

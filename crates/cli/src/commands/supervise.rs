//! `consign supervise PARENT MEMORY COMMAND…`, hidden: how Consign starts the programs of agents.

use std::ffi::OsString;

use crate::error::{Error, Exit};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// What the keeper is told, by whoever starts it
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, required = true)]
    told: Vec<OsString>,
}

/// Turns this process into a supervisor of a program. It reports only to the process that started it.
pub(super) fn run(args: &Args) -> Result<Exit, Error> {
    Ok(match consign_invokers::process::supervise(&args.told) {
        true => Exit::Done,
        false => Exit::Failed,
    })
}

//! The `consign` command: reads its arguments, runs one command, and ends with a documented code.

mod args;
mod commands;
mod engine;
mod error;
mod fault;
mod handles;
mod home;
mod input;
mod live;
mod locks;
mod logs;
mod no_key;
mod output;
mod pages;
mod signals;
mod text;

use std::process::ExitCode;

use args::Invocation;
use error::{Error, Exit};
use output::Output;

/// Envelopes are many small values: with the system's allocator a third of the time went into it.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let invocation = match args::read() {
        Ok(invocation) => invocation,
        Err(exit) => return exit.into(),
    };
    logs::install(&invocation.logs);
    let mut output = Output::new(invocation.json, invocation.color);
    let ended = run(&invocation, &mut output);
    logs::finish();
    // What was written before an error still belongs to the user.
    let written = output.finish();
    let error = match (ended, written) {
        (Ok(exit), Ok(())) => return exit.into(),
        // The reader of our output has seen enough, as in `consign contracts list | head -1`.
        (Ok(exit), Err(error)) if error.is_broken_pipe() => {
            return invocation.command.when_cut_off(Some(exit)).into();
        }
        (Err(error), _) if error.is_broken_pipe() => {
            return invocation.command.when_cut_off(None).into();
        }
        (Err(error), _) | (Ok(_), Err(error)) => error,
    };
    error.report(invocation.json, invocation.color);
    error.exit.into()
}

fn run(invocation: &Invocation, output: &mut Output) -> Result<Exit, Error> {
    commands::run(&invocation.command, output)
}

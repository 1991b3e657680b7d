//! The `consign` command: reads its arguments, runs one command, and ends with a documented code.

mod args;
mod commands;
mod error;
mod input;
mod output;

use std::process::ExitCode;

use args::Invocation;
use error::{Error, Exit};
use output::Output;

fn main() -> ExitCode {
    let invocation = match args::read() {
        Ok(invocation) => invocation,
        Err(exit) => return exit.into(),
    };
    let mut output = Output::new(invocation.json, invocation.color);
    match run(&invocation, &mut output).and_then(|exit| output.finish().map(|()| exit)) {
        Ok(exit) => exit.into(),
        // The reader of our output has seen enough, as in `consign contracts list | head -1`.
        Err(error) if error.is_broken_pipe() => invocation.command.when_cut_off().into(),
        Err(error) => {
            // What was written before the error still belongs to the user.
            let _ = output.finish();
            error.report(invocation.color);
            error.exit.into()
        }
    }
}

fn run(invocation: &Invocation, output: &mut Output) -> Result<Exit, Error> {
    commands::run(&invocation.command, output)
}

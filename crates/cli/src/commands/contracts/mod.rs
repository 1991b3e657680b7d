//! `consign contracts …`

pub(super) mod check;
mod compat;
mod list;
mod name;
mod show;

use clap::Subcommand;
use consign_contracts::{Breach, json::Json};

use crate::{
    error::{Error, Exit},
    output::{Output, object},
};

const HELP: &str = "\
A contract is a JSON Schema with a name: family/message. The families are bridge, job, envelope, \
authoring and crew, one for each document, and engine, our own.

Examples:
  consign contracts list
  consign contracts show job/agent-response
  consign contracts check job/agent-response answer.json
  consign contracts compat job/manifest @ mine.schema.json";

#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Every contract, with its document, version and digest
    List(list::Args),
    /// One contract, field by field, or its JSON Schema
    Show(show::Args),
    /// Hold a document against a contract, or against a schema of your own
    Check(check::Args),
    /// Do documents that were valid under OLD stay valid under NEW?
    Compat(compat::Args),
}

pub(crate) fn run(args: &Args, output: &mut Output) -> Result<Exit, Error> {
    match &args.command {
        Command::List(args) => list::run(args, output),
        Command::Show(args) => show::run(args, output),
        Command::Check(args) => check::run(args, output),
        Command::Compat(args) => compat::run(args, output),
    }
}

/// Breaches for programs.
fn breaches(breaches: &[Breach]) -> Json<'_> {
    let as_object = |breach: &Breach| {
        Json::Object(object([
            ("pointer", Json::String(breach.pointer.clone().into())),
            ("keyword", Json::String(breach.keyword.clone().into())),
            ("message", Json::String(breach.message.clone().into())),
        ]))
    };
    Json::Array(breaches.iter().map(as_object).collect())
}

/// Breaches for people. The empty pointer points at the whole document.
fn print_breaches(breaches: &[Breach], output: &mut Output) -> Result<(), Error> {
    let rows = breaches.iter().map(|breach| {
        let place = if breach.pointer.is_empty() { "(document)" } else { &breach.pointer };
        vec![place.to_owned(), breach.keyword.clone(), breach.message.clone()]
    });
    output.rows(&["where", "rule", "what is wrong"], rows.collect())?;
    Ok(())
}

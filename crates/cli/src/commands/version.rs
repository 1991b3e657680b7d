//! `consign --version`: the version of this program.

use consign_contracts::json::Json;

use crate::{
    error::{Error, Exit},
    output::{Audience, Output, object},
};

const VERSION: &str = env!("CARGO_PKG_VERSION");

pub(super) fn run(output: &mut Output) -> Result<Exit, Error> {
    match output.reader {
        Audience::Program => output
            .object(object([("name", Json::from("consign")), ("version", Json::from(VERSION))]))?,
        Audience::Person | Audience::Pipe => output.line(format!("consign {VERSION}"))?,
    }
    Ok(Exit::Done)
}

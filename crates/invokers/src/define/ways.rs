//! The five ways to be reached, each from its table.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use super::{
    file::{Bridge, Mcp, McpServer, Reached},
    limits::{Limits, seconds},
    model::read_model,
    table::TableReader,
};
use crate::{address::Reach, http, process, prompt::PromptTemplate};

/// People may take longer than programs, and the run waits at no cost.
const LONGEST_DEADLINE: Duration = Duration::from_secs(3650 * 24 * 3600);

/// Reads the table of a way. Nothing if it cannot be read, and why is noted.
pub(super) fn read(
    way: &str,
    own: &TableReader<'_>,
    folder: &Path,
    limits: &Limits,
) -> Option<Reached> {
    match way {
        "model" => read_model(own, folder).map(Reached::Model),
        "subprocess" => subprocess(own, folder, limits).map(Reached::Subprocess),
        "http" => http(own, limits).map(Reached::Http),
        "mcp" => mcp(own, folder, limits).map(Reached::Mcp),
        _ => bridge(own, limits).map(Reached::Bridge),
    }
}

fn subprocess(
    own: &TableReader<'_>,
    folder: &Path,
    limits: &Limits,
) -> Option<process::Definition> {
    const ANSWERS: [&str; 2] = ["json", "text"];
    own.require("command", "command = [\"PROGRAM\", \"ARGUMENT\"]");
    let answers = own.string("answers").map(|word| word.one_of(&ANSWERS, own.notes));
    let mut program = program(own, folder, limits)?;
    program.text = answers == Some(Some(1));
    Some(program)
}

/// The program that `command` names.
fn program(own: &TableReader<'_>, folder: &Path, limits: &Limits) -> Option<process::Definition> {
    let directory = own.string("directory").map(|own| PathBuf::from(own.value));
    let env = texts(own, "env");
    let command = own.strings("command")?;
    let named = command.value.first().is_some_and(|program| !program.value.is_empty());
    if !named {
        let place = &command.place;
        own.notes.note(place, format!("{place} is empty; write the program, then its arguments"));
        return None;
    }
    let command = command.value.into_iter().map(|part| part.value).collect();
    Some(limits.program(command, directory, env, folder))
}

fn http(own: &TableReader<'_>, limits: &Limits) -> Option<http::Definition> {
    own.require("url", "url = \"https://HOST/PATH\"");
    let probe_url = url(own, "probe_url");
    let mut server = server(own, limits)?;
    server.probe_url = probe_url;
    Some(server)
}

/// The server at `url`.
fn server(own: &TableReader<'_>, limits: &Limits) -> Option<http::Definition> {
    let bearer = own.string("bearer_env").map(|own| own.value);
    let allow_private = own.boolean("allow_private").unwrap_or(false);
    Some(limits.server(url(own, "url")?, bearer, allow_private))
}

fn mcp(own: &TableReader<'_>, folder: &Path, limits: &Limits) -> Option<Mcp> {
    own.require("tool", "tool = \"NAME\"");
    let tool = own.string("tool");
    // What is wrong with either is told, whichever is meant.
    let (program, server) = (program(own, folder, limits), server(own, limits));
    let server = match (own.has("command"), own.has("url")) {
        (true, false) => program.map(McpServer::Program),
        (false, true) => server.map(McpServer::Web),
        (true, true) => {
            let what = "mcp.command and mcp.url exclude each other; remove one of them";
            own.notes.note(&own.at("url"), what);
            None
        }
        (false, false) => {
            let what = "mcp.command and mcp.url are missing; write one of them";
            own.notes.note(&own.at("command"), what);
            None
        }
    };
    Some(Mcp { tool: tool?.value, server: server? })
}

fn bridge(own: &TableReader<'_>, limits: &Limits) -> Option<Bridge> {
    let deadline = own.number("deadline_seconds");
    let deadline = deadline.and_then(|wait| seconds(&wait, LONGEST_DEADLINE, own.notes));
    Some(Bridge { template: prompt(own)?, deadline, max_cost: limits.max_cost })
}

/// The template in `prompt`. Without one the input is the prompt.
pub(super) fn prompt(own: &TableReader<'_>) -> Option<PromptTemplate> {
    if !own.has("prompt") {
        return Some(PromptTemplate::default());
    }
    let text = own.string("prompt")?;
    let read = PromptTemplate::read(&text.value);
    read.map_err(|why| own.notes.note(&text.place, format!("{}: {why}", text.place))).ok()
}

/// The strings of a list, without their places.
pub(super) fn texts(own: &TableReader<'_>, field: &str) -> Vec<String> {
    let read = own.strings(field);
    read.map(|list| list.value.into_iter().map(|item| item.value).collect()).unwrap_or_default()
}

/// An address that could be reached. What a name leads to is looked at with each call.
fn url(own: &TableReader<'_>, field: &str) -> Option<String> {
    let url = own.string(field)?;
    let private = own.raw("allow_private").is_some_and(|own| own.value.as_bool() != Some(false));
    let read = (Reach { private }).url(&url.value);
    // The address itself is not told: it may have a password in it.
    read.map_err(|why| own.notes.note(&url.place, format!("{}: {why}", url.place))).ok()?;
    Some(url.value)
}

//! `consign mcp`

use std::io::{self, IsTerminal};

use consign_server::mcp;

use crate::{
    engine::session,
    error::{Error, Exit},
    output::Output,
};

const HELP: &str = "\
A coding agent that speaks MCP starts this command and gets four tools: inbox_list, inbox_show, \
inbox_answer and inbox_decline. With them it sees what runs wait for, and answers, as `consign inbox` \
and `consign runs answer` do. The protocol is on standard input and output; what people should know is \
on standard error. It ends when its input does.

It works on the same directory as every other command (CONSIGN_HOME), with no server in between, and as \
the user that started it: whoever may start it may answer.

To add it to a coding agent, give it this command; most read a file like

  {\"mcpServers\": {\"consign\": {\"command\": \"consign\", \"args\": [\"mcp\"]}}}

and docs/mcp.md has more.

Examples:
  consign mcp
  claude mcp add consign -- consign mcp
  codex mcp add consign -- consign mcp";

#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(crate) struct Args {}

pub(super) fn run(_args: &Args, output: &Output) -> Result<Exit, Error> {
    if io::stdin().is_terminal() {
        output.tell(
            "this speaks MCP, line by line, and is for a coding agent to start; Ctrl-D ends it",
        );
    }
    session(async |session| {
        let (read, write) = (tokio::io::stdin(), tokio::io::stdout());
        let held = mcp(session.engine.clone(), session.actor.clone(), read, write).await;
        held.map_err(|why| {
            Error::new("PROTOCOL_ERROR", format!("whoever is there does not speak MCP: {}", why.0))
                .hint("this command is for coding agents to start: `consign mcp --help`")
        })?;
        Ok(Exit::Done)
    })
}

//! `consign mcp`: runs and the inbox as tools for a coding agent, over MCP.

use std::{
    io::{self, IsTerminal},
    path::PathBuf,
    sync::Arc,
};

use consign_app::pipelines::{PipelineService, ready};
use consign_engine::{Actor, Owner, Role, Settings, Speaker};
use consign_pipeline::envelope::MOST_BYTES;
use consign_server::{McpContext, mcp};

use super::{pipeline::place_args::PlaceArgs, runs::owner_arg};
use crate::{
    engine::session,
    error::{Error, Exit},
    output::Output,
};

const HELP: &str = "\
A coding agent that speaks MCP starts this command and gets these tools:

  inbox_list, inbox_show                what runs wait for
  inbox_answer, inbox_decline           answer it, as `consign runs answer` does
  run_start                             start a run of a workflow, which a worker takes
  run_list, run_show                    the runs, and one of them whole
  run_cancel                            end a run
  run_signal                            send it something that its workflow takes without asking
  run_retry, run_fork, run_points       begin a new run where another one stood
  process_envelope                      make a durable run of an envelope, with the pipeline of --pipeline
  job_new, job_activate, job_cancel     make a supervised job, let it begin, end it
  job_list, job_show, job_history       the jobs, one of them, what was said in it
  job_advise, job_approve, job_reject,
  job_raise                             what a person says to a job

The client acts as an agent: it is shown, and may answer, only what is asked of agents. What is for a person \
(approval, confirmation, clarification, intervention, limit) is refused with PERSON_REQUIRED. A client that a person \
answers with is started with --as-person; what it says counts as that person's.

The limits of a run are raised by people, so there is no tool for it. Nothing is run here: keep `consign worker` or `consign \
serve` going for that. The protocol is on standard input and output; what people should know is on standard error. \
It ends when its input does.

It works on the same directory as every other command (CONSIGN_HOME), with no server in between, and as \
the user that started it: every program that may start it may do all of this. The journal keeps the name that the \
client gives itself (`mcp:NAME`).

To add it to a coding agent, give it this command; most read a file like

  {\"mcpServers\": {\"consign\": {\"command\": \"consign\", \"args\": [\"mcp\"]}}}

and docs/mcp.md has more.

Examples:
  consign mcp
  claude mcp add consign -- consign mcp --repo .
  codex mcp add consign -- consign mcp";

#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(crate) struct Args {
    /// The pipeline of process_envelope; that of the six built-in agents if left out
    #[arg(long, value_name = "FILE")]
    pipeline: Option<PathBuf>,

    #[command(flatten)]
    at: PlaceArgs,

    /// The client is a person's: it may answer what is asked of people
    #[arg(long)]
    as_person: bool,

    /// Who pays for the runs that are started
    #[arg(long, value_name = "NAME", default_value = "local", value_parser = owner_arg)]
    owner: Owner,
}

pub(super) fn run(args: &Args, output: &Output) -> Result<Exit, Error> {
    if io::stdin().is_terminal() {
        output.tell(
            "this speaks MCP, line by line, and is for a coding agent to start; Ctrl-D ends it",
        );
    }
    session(async |session| {
        let ready = ready(session, args.pipeline.as_deref(), args.at.at(), None)?;
        let owner = args.owner.clone();
        let settings = Settings::default();
        let processor = PipelineService::new(session, ready, settings, owner.clone(), MOST_BYTES);
        // A program that an agent is cannot make itself a person's client.
        let role = match (args.as_person, session.user.role) {
            (true, Role::Person) => Role::Person,
            (true, Role::Agent) => {
                let told = "--as-person is for people, and this was started by an agent's program";
                return Err(Error::new("PERSON_REQUIRED", told));
            }
            (false, _) => Role::Agent,
        };
        let context = McpContext {
            home: session.clone(),
            jobs_dir: consign_app::jobs::jobs_dir(&session.folder),
            by: Speaker { actor: Actor::from("mcp:client"), role },
            owner,
            processor: Arc::new(processor),
        };
        let held = mcp(context, tokio::io::stdin(), tokio::io::stdout()).await;
        held.map_err(|why| {
            Error::new("PROTOCOL_ERROR", format!("the client does not speak MCP: {}", why.0))
                .hint("this command is for coding agents to start: `consign mcp --help`")
        })?;
        Ok(Exit::Done)
    })
}

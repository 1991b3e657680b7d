//! `consign agents try NAME`: calls an agent once, as a durable run.

use consign_basics::agent;
use consign_contracts::json::{Json, Object};
use consign_engine::{Data, Owner, Placement};

use consign_app::{definitions, runs::Start};

use super::add;
use crate::{
    commands::runs::{
        agent_overrides::AgentOverrides, document, limits::LimitArgs, owner_arg, start,
    },
    engine::session,
    error::{Error, Exit},
    output::{FAINT, Output, styled},
};

const HELP: &str = "\
Starts a run of agent/call: with limits, a journal, and all that a run has. A file is added first, \
as `agents add` does.

The ladder for a model's answer that breaks its contract: it is mended where that invents nothing, \
asked for again with what was wrong, asked of the fallback, and left to a person (docs/repair.md). \
Each rung is in the journal: `consign runs show RUN --events`.

Exits with 0 when it succeeded, 1 when it failed, 42 when it waits for an agent's answer (bridge), \
43 when it waits for a person or a limit.

Examples:
  consign agents try reviewer --input '{\"diff\": \"…\"}'
  consign agents try reviewer.toml --input diff.json --cost 0.05 --record review.jsonl
  consign agents try reviewer --input diff.json --model replay:review.jsonl
  consign agents try reviewer --input diff.json --model bridge";

#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(crate) struct Args {
    /// The agent's name, or its file
    #[arg(value_name = "NAME")]
    agent: String,

    /// What it is given: a file, `-` for standard input, or JSON itself; {} if left out
    #[arg(long, value_name = "F")]
    input: Option<String>,

    #[command(flatten)]
    limits: LimitArgs,

    #[command(flatten)]
    overrides: AgentOverrides,

    /// Refuse it unless it is sure to end within its limits, if nothing crashes and no call is
    /// made again on request
    #[arg(long)]
    certified: bool,

    /// Leave it to the workers
    #[arg(long)]
    detach: bool,

    /// Who pays for it
    #[arg(long, value_name = "NAME", default_value = "local", value_parser = owner_arg)]
    owner: Owner,
}

pub(super) fn run(args: &Args, output: &mut Output) -> Result<Exit, Error> {
    let input = document::input(args.input.as_deref())?;
    session(async |session| {
        let name = if definitions::is_file(&args.agent) {
            let (name, file) = add::add(&session.folder, args.agent.as_ref(), false)?;
            output.tell(styled(FAINT, format!("{name} is {}", file.display())));
            name
        } else {
            args.agent.clone()
        };
        if session.engine.agents().get(&name).is_none() {
            return Err(definitions::unknown(&session.folder, &name).into());
        }
        // A definition that cannot be used is better told now than in the inbox.
        definitions::named(&session.folder, &name)?;
        let settings = args.overrides.settings()?;
        args.overrides.check(session, Some(&name))?;
        let mut given = Object::new();
        given.set("agent", Json::from(name.as_str()));
        given.set("input", input.shown());
        let wanted = Start {
            id: None,
            workflow: agent::CALL.to_owned(),
            input: Data::from(&Json::Object(given)),
            owner: args.owner.clone(),
            limits: args.limits.set(),
            placement: if args.detach { Placement::Anywhere } else { Placement::Foreground },
            priority: 0,
            settings,
            certified: args.certified,
            actor: session.user.actor.clone(),
        };
        match args.detach {
            true => start::leave(session, wanted, output).await,
            false => start::drive(session, wanted, output).await,
        }
    })
}

//! `consign runs start WORKFLOW`: starts a run of a workflow, here or for the workers.

use consign_app::{
    foreground::Foreground,
    runs::{self, Admission, Start},
};
use consign_basics::agent;
use consign_contracts::json::Json;
use consign_engine::{Data, Owner, Placement, RunId, Submitted};

use super::{
    agent_overrides::AgentOverrides,
    document,
    foreground::{go_on, stranded},
    limits::LimitArgs,
    placement_args::PlacementArgs,
    report,
};
use crate::{
    engine::{Session, session},
    error::{Error, Exit},
    output::{Audience, FAINT, Output, STRONG, styled},
};

const HELP: &str = "\
Without --detach the run is driven here until it ends, and its output goes to standard output. If \
it has to wait for an answer, the command says for what and ends; an answer goes on with it. Ctrl-C \
stops it after what is under way; `consign runs resume` goes on. With --detach the run is left to \
the workers (`consign worker`), and its id goes to standard output.

Before anything is called, the most that the run can come to is worked out and shown. It has every \
retry in it: three steps of which each is tried up to three times are nine calls. Attempts that are \
lost to a crash, or that are made again on request (`not_done`), are not in it; the limits hold for \
them all the same. Unless you set other limits, a \
run may cost $10, work for 24 hours and make 100000 calls.

If you cannot know whether a start arrived (a lost connection, a crash), give it an --id and \
repeat it: there is one run of that name, and the second start goes on with it, or shows how it \
ended. Another workflow, input or owner under the same name is refused (RUN_EXISTS).

Exits with 0 when the run succeeded, 1 when it failed or was cancelled, 42 when it waits for an \
agent's answer, 43 when it waits for a person or a limit.

The workflows of this version (`consign agents` has the agents):
  agent/call       {\"agent\": \"NAME\", \"input\": …}
  agent/map        {\"agent\": \"NAME\", \"inputs\": […], \"at_once\": 8}
  sample/steps     {\"steps\": 3, \"sleep_ms\": 0, \"payload\": 0}
  sample/fanout    {\"width\": 8, \"cost_usd\": 0, \"sleep_ms\": 0}
  sample/approval  {\"asks\": 1, \"deadline_seconds\": 60, \"default\": false}
  sample/budget    {\"calls\": 3, \"cost_usd\": 0.01}
  sample/signals   {\"notes\": 1}
  sample/effects   {\"class\": \"keyed\", \"times\": 1, \"file\": \"/tmp/effects\", \"sleep_ms\": 0}

Examples:
  consign runs start sample/steps
  consign runs start sample/steps --input '{\"steps\": 100, \"sleep_ms\": 50}'
  consign runs start sample/budget --input plan.json --cost 0.02
  consign runs start sample/steps --id nightly-2026-07-30
  consign runs start sample/approval --detach --json | jq -r .id";

#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(crate) struct Args {
    /// The workflow, such as `sample/steps`
    workflow: String,

    /// Its input: a file, `-` for standard input, or JSON itself; {} if left out
    #[arg(long, value_name = "F")]
    input: Option<String>,

    /// Your own name for the run: start it again under the same name and get the same run
    #[arg(long, value_name = "ID")]
    id: Option<String>,

    #[command(flatten)]
    placement: PlacementArgs,

    #[command(flatten)]
    limits: LimitArgs,

    #[command(flatten)]
    overrides: AgentOverrides,

    /// Refuse it unless it is sure to end within its limits, if nothing crashes and no call is
    /// made again on request
    #[arg(long)]
    certified: bool,

    /// Who pays for it
    #[arg(long, value_name = "NAME", default_value = "local", value_parser = owner)]
    owner: Owner,

    /// Of one owner's runs, workers take higher ones first
    #[arg(long, value_name = "N", default_value_t = 0, allow_negative_numbers = true)]
    priority: i32,
}

pub(in crate::commands) fn owner(name: &str) -> Result<Owner, String> {
    let plain = |letter: char| !letter.is_control() && !letter.is_whitespace();
    if name.is_empty() || name.len() > 200 || !name.chars().all(plain) {
        return Err("not 1 to 200 letters without spaces".to_owned());
    }
    Ok(Owner::new(name))
}

pub(crate) fn run(args: &Args, output: &mut Output) -> Result<Exit, Error> {
    let input = document::input(args.input.as_deref())?;
    session(async |session| {
        let settings = args.overrides.settings()?;
        let start = Start {
            id: args.id.as_deref().map(RunId::from),
            workflow: args.workflow.clone(),
            input,
            owner: args.owner.clone(),
            limits: args.limits.set(),
            placement: args.placement.placement(Placement::Anywhere),
            priority: args.priority,
            settings,
            certified: args.certified,
            actor: session.user.actor.clone(),
        };
        // What would be refused today may be the repetition of what was not.
        if let Err(unfit) = check(session, args, &start.input)
            && !runs::is_repeated(&session.engine, &start).await
        {
            return Err(unfit);
        }
        match args.placement.detach() {
            true => leave(session, start, output).await,
            false => drive(session, start, output).await,
        }
    })
}

/// Whether the overrides can stand in for the agent that the run calls.
fn check(session: &Session, args: &Args, input: &Data) -> Result<(), Error> {
    if ![agent::CALL, agent::MAP].contains(&args.workflow.as_str()) {
        return args.overrides.check(session, None);
    }
    let tree = input.shown();
    let called = tree.get("agent").and_then(Json::as_str);
    // An agent that does not exist is reported by the run itself.
    match called.filter(|called| session.engine.agents().get(called).is_some()) {
        Some(called) => args.overrides.check(session, Some(called)),
        None => Ok(()),
    }
}

/// Drives it here.
pub(in crate::commands) async fn drive(
    session: &Session,
    start: Start,
    output: &mut Output,
) -> Result<Exit, Error> {
    let mut foreground = Foreground::new(&session.engine).await?;
    let named = start.id.clone();
    let begun = runs::begin(&session.engine, &mut foreground, start).await;
    let (submitted, drive) = begun.map_err(|error| about(error.into(), named.as_ref()))?;
    let most = in_advance(&submitted);
    let run = submitted.run;
    output.tell(format!("run {}: {most}", styled(STRONG, &run)));
    let new = drive.is_some();
    let ended = go_on(session, &mut foreground, &run, drive, output, new).await;
    let ended = ended.map_err(|error| stranded(error, &run))?;
    report::print(session, &ended, output).await?;
    report::verdict(session, &ended).await
}

/// Leaves it to the workers.
pub(in crate::commands) async fn leave(
    session: &Session,
    start: Start,
    output: &mut Output,
) -> Result<Exit, Error> {
    let named = start.id.clone();
    let submitted = runs::start(&session.engine, start, Admission::Trusted).await;
    let submitted = submitted.map_err(|error| about(error.into(), named.as_ref()))?;
    let most = in_advance(&submitted);
    if output.reader != Audience::Program {
        output.tell(if submitted.repeated { most } else { format!("queued: {most}") });
    }
    left(session, submitted, output).await
}

/// Says how a run goes on that is left to the workers.
pub(super) async fn left(
    session: &Session,
    submitted: Submitted,
    output: &mut Output,
) -> Result<Exit, Error> {
    let run = submitted.run;
    if output.reader == Audience::Program {
        let row = session.store().row(&run).await?;
        output.object(report::whole(session, &row, &[]).await?)?;
        return Ok(Exit::Done);
    }
    output.line(run.as_str())?;
    let next = match submitted.placement {
        Placement::Foreground | Placement::HereOnly => {
            format!("it was not left to workers; continue it with: consign runs resume {run}")
        }
        Placement::Anywhere | Placement::Host(_) => {
            format!("`consign worker` takes it; `consign runs watch {run}` follows it")
        }
    };
    output.tell(styled(FAINT, next));
    Ok(Exit::Done)
}

/// Says in hints which run it was, where that is known.
fn about(error: Error, named: Option<&RunId>) -> Error {
    match named {
        Some(run) => error.about(run.as_str()),
        None => error,
    }
}

/// What is told of a run before it goes on.
fn in_advance(submitted: &Submitted) -> String {
    let again = if submitted.repeated { "there already; " } else { "" };
    format!("{again}{}", report::expected(&submitted.certificate))
}

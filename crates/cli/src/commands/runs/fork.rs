//! `consign runs fork RUN --at SEQ|POINT`: begins a new run where another one stood.

use consign_app::{
    foreground::Foreground,
    runs::{self, ForkRequest},
};
use consign_engine::{ForkAt, RunId, Submitted, store::Row};

use super::{
    agent_overrides::AgentOverrides,
    find,
    foreground::{go_on, stranded},
    limits::LimitArgs,
    placement_args::PlacementArgs,
    report, start,
};
use crate::{
    engine::{Session, session},
    error::{Error, Exit},
    output::{Output, STRONG, styled},
};

const HELP: &str = "\
A fork is a new run that begins where another one stood. Nothing that was recorded up to there is done again; the \
other run stays as it is. --at is the number of an event (`consign runs show RUN --events`) or the name of a \
recovery point (`consign runs points RUN`); `start` is before everything. Calls that were under way at that event \
keep the result that the other run has for them; an unsafe one without a result is asked about first. Where the \
other run made unsafe calls after that place, the fork is refused (UNSAFE_REPEATED) unless --repeat-unsafe says that \
they may be made again.

What the new run spends starts at $0; its limits are those of the other run unless you set higher ones. It keeps the \
pipeline and the agents that the other run began with.

Exits like `consign runs start`.

Examples:
  consign runs fork 7h2k --at plan
  consign runs fork 7h2k --at 14 --cost 2
  consign runs fork 7h2k --at start --detach --json | jq -r .id";

#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(crate) struct Args {
    /// The run, or the first letters of its id
    run: String,

    /// The event or recovery point after which it begins
    #[arg(long, value_name = "SEQ|POINT")]
    at: String,

    #[command(flatten)]
    into: ForkArgs,
}

/// What the new run is to be.
#[derive(clap::Args)]
pub(super) struct ForkArgs {
    /// Your own name for the new run: fork again under the same name and get the same run
    #[arg(long, value_name = "ID")]
    id: Option<String>,

    /// Make unsafe calls again that the other run made after that place
    #[arg(long)]
    repeat_unsafe: bool,

    #[command(flatten)]
    placement: PlacementArgs,

    #[command(flatten)]
    limits: LimitArgs,

    #[command(flatten)]
    overrides: AgentOverrides,
}

pub(crate) fn run(args: &Args, output: &mut Output) -> Result<Exit, Error> {
    session(async |session| {
        let row = find(&session.engine, &args.run).await?;
        make(session, &row, runs::place(&args.at), None, &args.into, output).await
    })
}

/// Forks a run, and drives the new one here or leaves it to the workers. `input` is that of the new run, where it is
/// another one.
pub(super) async fn make(
    session: &Session,
    row: &Row,
    at: ForkAt,
    input: Option<consign_engine::Data>,
    args: &ForkArgs,
    output: &mut Output,
) -> Result<Exit, Error> {
    let settings = args.overrides.settings()?;
    let request = ForkRequest {
        run: row.id.clone(),
        at,
        id: args.id.as_deref().map(RunId::from),
        limits: args.limits.set(),
        placement: args.placement.placement(runs::detached(row)),
        settings: (!settings.is_none()).then_some(settings),
        input,
        repeat_unsafe: args.repeat_unsafe,
        by: session.user.clone(),
    };
    let about = |error: consign_app::Error| Error::from(error).about(row.id.as_str());
    if args.placement.detach() {
        let submitted = runs::fork(&session.engine, request).await.map_err(about)?;
        tell(&submitted, row, output);
        return start::left(session, submitted, output).await;
    }
    let mut foreground = Foreground::new(&session.engine).await?;
    let begun = runs::begin_fork(&session.engine, &mut foreground, request).await;
    let (submitted, drive) = begun.map_err(about)?;
    tell(&submitted, row, output);
    let (run, new) = (submitted.run, drive.is_some());
    let ended = go_on(session, &mut foreground, &run, drive, output, new).await;
    let ended = ended.map_err(|error| stranded(error, &run))?;
    report::print(session, &ended, output).await?;
    report::verdict(session, &ended).await
}

fn tell(submitted: &Submitted, parent: &Row, output: &Output) {
    let again = if submitted.repeated { ", there already" } else { "" };
    let spent = format!("{} spent ${}", parent.id, parent.figures.spent);
    let run = styled(STRONG, &submitted.run);
    output.tell(format!("run {run}{again}: forked from {}; {spent}", parent.id));
}

//! `consign run PIPELINE.toml`: the user's own agents, durable.

use std::path::{Path, PathBuf};

use consign_app::pipelines::{PipelineStart, RunPipeline, ready, run_pipeline};
use consign_engine::{Data, Owner, Placement, RunId};
use consign_pipeline::envelope::MOST_BYTES;

use super::{
    pipeline::place_args::PlaceArgs,
    runs::{
        agent_overrides::AgentOverrides, document, limits::LimitArgs, owner_arg,
        placement_args::PlacementArgs, start,
    },
};
use crate::{
    engine::{host, session},
    error::{Error, Exit},
    input::Source,
    output::{Output, printable},
};

const HELP: &str = "\
The pipeline is a TOML or JSON file: stages in order, each with an agent (built in, a model, a program, an HTTP \
service, an MCP tool, or a person or program outside) and where it leads. The run has limits, a journal, waits \
and retries like any other: kill it where you like, `consign runs resume RUN` goes on. It keeps the pipeline that it \
began with, whatever becomes of the file; programs and schemas that it names are read when they are needed.

--input is a file, `-`, or JSON itself. An envelope is taken as one; anything else becomes the input of a new one, \
which stages refer to as {{input}} or {{input.member}}. What the last stage gives goes to standard output.

Exits with 0 when the pipeline came to its end, 1 when it failed or reached a bound, 42 when it waits for an \
agent's answer, 43 when it waits for a person or a limit.

Examples:
  consign run release.toml --input '{\"since\": \"v1.2.0\"}'
  consign run triage.toml --input ticket.json --cost 0.50 --detach
  consign run questions.toml --input '\"who calls parse_config?\"' --repo ../project
  consign run release.toml --agent-script answers.json";

#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(crate) struct Args {
    /// The pipeline's file
    #[arg(value_name = "PIPELINE")]
    pipeline: PathBuf,

    /// Its input: a file, `-` for standard input, or JSON itself; {} if left out
    #[arg(long, value_name = "F")]
    input: Option<String>,

    #[command(flatten)]
    at: PlaceArgs,

    /// Stop after this stage, and before whatever comes after it
    #[arg(long, value_name = "STAGE")]
    until: Option<String>,

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
    #[arg(long, value_name = "NAME", default_value = "local", value_parser = owner_arg)]
    owner: Owner,

    /// Of one owner's runs, workers take higher ones first
    #[arg(long, value_name = "N", default_value_t = 0, allow_negative_numbers = true)]
    priority: i32,
}

pub(super) fn run(args: &Args, output: &mut Output) -> Result<Exit, Error> {
    let input = given(args.input.as_deref())?;
    session(async |session| {
        let ready = ready(session, Some(&args.pipeline), args.at.at(), args.overrides.model())?;
        args.overrides.check_many(session, ready.thinks())?;
        let wanted = RunPipeline {
            input,
            until: args.until.clone(),
            id: args.id.as_deref().map(RunId::from),
            owner: args.owner.clone(),
            limits: args.limits.set(),
            // Files and repositories are on this machine.
            placement: args.placement.placement(Placement::Host(host())),
            priority: args.priority,
            settings: args.overrides.settings()?,
            certified: args.certified,
            actor: session.user.actor.clone(),
        };
        let PipelineStart { start: wanted, short_of, missing_keys } =
            run_pipeline(&session.engine, &ready, wanted).await?;
        // Of a run that is driven here it is told with its end.
        if let Some(why) = short_of.filter(|_| args.placement.detach()) {
            output.tell(format!("note: {}", printable(&why)));
        }
        for missing in missing_keys {
            output.tell(format!("note: {missing}; the worker that takes the run must have it"));
        }
        match args.placement.detach() {
            true => start::leave(session, wanted, output).await,
            false => start::drive(session, wanted, output).await,
        }
    })
}

/// Reads the input as text or JSON. A file with plain text is given as that text.
fn given(typed: Option<&str>) -> Result<Data, Error> {
    let Some(path) = typed.filter(|typed| !document::is_json(typed)) else {
        return document::input(typed);
    };
    let source = Source::of(Path::new(path));
    let bytes = source.read(MOST_BYTES).map_err(|error| {
        error.hint_too("text itself needs quotes of its own: --input '\"who calls main?\"'")
    })?;
    if bytes.len() > MOST_BYTES {
        let told = format!("{} is larger than {MOST_BYTES} bytes", source.name());
        return Err(Error::new("INPUT_MALFORMED", told));
    }
    let text = String::from_utf8(bytes)
        .map_err(|_| Error::new("INPUT_MALFORMED", format!("{} is not UTF-8", source.name())))?;
    let json = Path::new(path).extension().is_some_and(|extension| extension == "json");
    match Data::parse(text.clone()) {
        Ok(data) => Ok(data),
        Err(why) if json => Err(Error::new("INPUT_MALFORMED", format!("{}: {why}", source.name()))),
        Err(_) => Ok(Data::of(text.trim_end())),
    }
}

//! `consign process`: an envelope in, an envelope out.

mod documents;
mod refusal;
mod stream;

use std::{future::pending, path::PathBuf, time::Duration};

use consign_app::pipelines::{EnvelopeRunner, check_until, ready};
use consign_contracts::{
    envelope::{Envelope, TerminalReason},
    json::{Json, Object},
    wire::{Message, Nullable},
};
use consign_engine::{Owner, SharedBudget, Stop};
use consign_pipeline::envelope::{MOST_BYTES, read};

use super::{
    pipeline::place_args::PlaceArgs,
    runs::{
        agent_overrides::{AgentOverrides, SCRIPT},
        limits::LimitArgs,
        owner_arg,
    },
};
use crate::{
    engine::{Session, now, session},
    error::{Error, Exit},
    input::Source,
    output::{Audience, Output},
    signals::Signals,
};
use documents::Documents;
pub(super) use refusal::{Refusal, breach};

const HELP: &str = "\
Reads an envelope, runs the stages of a pipeline, and writes the envelope as it is then: at its end, at \
a wait (a clarification or a confirmation is pending), or at a bound. Answer by setting \
clarification_response or confirmation_response, and send it through again. The envelope is the whole \
state, and any program can hand it on; only what a session was asked and answered is remembered for its owner. `consign run` makes the same journey a \
durable run.

Standard output has one JSON document and nothing else; what there is to tell people goes to standard error. \
Exits with 0 whenever it wrote an envelope, waits and bounds included, and with 1 when it wrote \
{\"errors\": [{\"agent\", \"error_type\", \"message\", \"timestamp\", \"recoverable\", \"details\"}]} instead. With \
Ctrl-C or SIGTERM no further stage begins, the envelope is written as far as it got, and the exit code is 130 or 143: \
send it through again to go on. Of stages at once, those that are done are not called again.

Where an `unsafe` or `keyed` agent was cut off and what it did is not known, its stage has failed, details.outcome of \
the error is \"unknown\", and standard error names the stage: look before you have it called again. An envelope \
whose durable run waits for an answer (metadata.waits) comes back as it was; take `waits` out to go on here all the same.

--until STAGE: nothing that comes after STAGE is run. An envelope that is past it, or cannot come to it any more, \
comes back as it was, and standard error says so.

With --stream every line is an envelope, many are under way at once, and the answers come in the order of the \
questions. A line that is no envelope gets its errors in its place, with its number in details.line; the rest \
goes on, and the exit code is 1. What is told on standard error names its line from the second on. Blank lines are skipped, and have no answer. --calls and --minutes are for EACH \
envelope; --cost is for ALL of them together.

Examples:
  consign envelope new 'how does authentication work?' | consign process --repo .
  consign process envelope.json --until plan | jq .outputs.plan.steps
  consign process --pipeline triage.toml --stream < envelopes.ndjson > answered.ndjson";

/// The help of `--model`. It leaves out the bridge: in a pipe there is no answer from outside.
const MODEL: &str = "Use this model instead of the agents' own: a name, `replay:FILE` or \
                     `scripted:FILE`. Built-in agents, which do without, think with it";

/// What a limit is for, where there are many envelopes.
const COST: &str = "What it may cost, in US dollars; with --stream ALL envelopes together";
const MINUTES: &str = "How long it may work; waiting is free. With --stream EACH envelope";
const CALLS: &str =
    "How many calls it may make, repeated ones included; with --stream EACH envelope";

#[derive(clap::Args)]
#[command(after_help = HELP, mut_arg("model", |model| model.help(MODEL)))]
#[command(mut_arg("agent_script", |script| script.help(SCRIPT)))]
#[command(mut_arg("cost", |cost| cost.help(COST)))]
#[command(mut_arg("minutes", |minutes| minutes.help(MINUTES)))]
#[command(mut_arg("calls", |calls| calls.help(CALLS)))]
pub(crate) struct Args {
    /// The envelope; `-` or nothing reads standard input
    #[arg(default_value = "-")]
    file: PathBuf,

    /// The pipeline; that of the six built-in agents if left out
    #[arg(long, value_name = "FILE")]
    pipeline: Option<PathBuf>,

    #[command(flatten)]
    at: PlaceArgs,

    /// Stop after this stage, and before whatever comes after it
    #[arg(long, value_name = "STAGE")]
    until: Option<String>,

    /// One envelope a line, in and out
    #[arg(long)]
    stream: bool,

    /// With --stream: how many envelopes are under way at once
    #[arg(long, value_name = "N", default_value_t = 16,
          value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(1..=1024))]
    at_once: usize,

    /// Refuse envelopes larger than this
    #[arg(long, value_name = "BYTES", default_value_t = MOST_BYTES)]
    max_bytes: usize,

    #[command(flatten)]
    limits: LimitArgs,

    #[command(flatten)]
    overrides: AgentOverrides,

    /// Whose keys are used
    #[arg(long, value_name = "NAME", default_value = "local", value_parser = owner_arg)]
    owner: Owner,
}

/// How long what was told to stop may take, before it is left.
const GRACE: Duration = Duration::from_secs(30);

/// What an envelope came to.
struct Answer {
    envelope: String,
    /// What there is to tell people.
    notes: Vec<String>,
}

pub(super) fn run(args: &Args, output: &mut Output) -> Result<Exit, Error> {
    let done = session(async |session| work(args, session, output).await);
    match done {
        // The reader of standard output gets the error there too, as a document.
        Err(mut error) if !error.is_broken_pipe() => {
            output.line(Refusal::from(&error).to_json(now()))?;
            error.exit = Exit::Failed;
            Err(error)
        }
        done => done,
    }
}

async fn work(args: &Args, session: &Session, output: &mut Output) -> Result<Exit, Error> {
    if args.overrides.model() == Some("bridge") {
        let told = "`bridge` waits for answers from outside, and nothing can wait in a pipe";
        return Err(Error::usage("NOT_A_MODEL", told).hint(
            "`consign run PIPELINE --model bridge` waits; `consign models list` names models",
        ));
    }
    let ready = ready(session, args.pipeline.as_deref(), args.at.at(), args.overrides.model())?;
    check_until(&ready.pipeline, args.until.as_deref())?;
    args.overrides.check_many(session, ready.thinks())?;
    let carrier = EnvelopeRunner {
        agents: session.engine.agents().clone(),
        ready,
        limits: args.limits.set(),
        settings: args.overrides.settings()?,
        owner: args.owner.clone(),
        max_bytes: args.max_bytes,
        budget: Some(SharedBudget::shared()),
    };
    let source = Source::of(&args.file);
    output.only_json()?;
    let documents = match args.stream {
        true => Documents::lines(&source, args.max_bytes)?,
        false => Documents::whole(&source, args.max_bytes)?,
    };
    stream::run(&carrier, args.until.as_deref(), documents, args.at_once, output).await
}

/// Of a reader who has gone nothing is said elsewhere.
fn lost(error: &Error, what: &str, output: &Output) {
    if error.is_broken_pipe() {
        let told = Error::new("OUTPUT_FAILED", format!("the output is no longer read: {what}"));
        told.report(output.reader == Audience::Program, output.color);
    }
}

/// Takes an envelope, which begins in this line of the input, as far as it goes, or as far as it got when a signal came.
async fn process(
    carrier: &EnvelopeRunner,
    bytes: &[u8],
    line: u64,
    until: Option<&str>,
    signals: &Signals,
) -> Result<Answer, Refusal> {
    let envelope = read(bytes, carrier.max_bytes).map_err(|why| Refusal::of(why, line))?;
    let (was_over, errors) = (over(&envelope), error_count(&envelope));
    // Agents that do not stop end with the whole process.
    let journey = carrier.take(envelope, until, stopped(signals), pending()).await;
    let journey = journey.map_err(Refusal::from)?;
    let mut notes = unknown_outcomes(journey.envelope(), errors);
    notes.extend(was_over);
    notes.extend(match signals.exit() {
        Some(_) if !journey.is_waiting() => left_off(journey.envelope()),
        Some(_) | None => journey.short_of(),
    });
    Ok(Answer { envelope: journey.into_envelope().into_json(), notes })
}

/// Comes back with the first signal.
async fn stopped(signals: &Signals) {
    // The sender lives as long as this process, so waiting cannot fail.
    let _ = signals.stop.clone().wait_for(|stop| *stop != Stop::GoOn).await;
}

/// What is said of an envelope that was over when it came. One that is done needs no words.
fn over(envelope: &Envelope) -> Option<String> {
    let Some(Nullable(Some(reason))) = &envelope.terminal_reason else { return None };
    let is_told = envelope.terminated && *reason != TerminalReason::CompletedSuccessfully;
    let words = envelope.termination_reason.as_ref().and_then(|words| words.0.as_deref());
    is_told.then(|| {
        format!(
            "the envelope is terminated ({}), and comes back as it was: {}",
            reason.as_str(),
            words.unwrap_or("it does not say more")
        )
    })
}

fn error_count(envelope: &Envelope) -> usize {
    envelope.errors.as_ref().map_or(0, Vec::len)
}

/// A note for each stage whose outcome is unknown, from the errors that came on the way.
fn unknown_outcomes(envelope: &Envelope, before: usize) -> Vec<String> {
    let errors = envelope.errors.as_deref().unwrap_or_default();
    let unknown = |error: &Object<'_>| {
        let outcome = error.get("details").and_then(|details| details.get("outcome"));
        let stage = error.get("agent").and_then(Json::as_str)?;
        (outcome.and_then(Json::as_str) == Some("unknown")).then(|| {
            format!(
                "the outcome of stage {stage} is unknown: its agent may have done its work. Look before it is \
                 called again"
            )
        })
    };
    errors.iter().skip(before).filter_map(unknown).collect()
}

/// What is said of an envelope that a signal left in the middle.
fn left_off(envelope: &Envelope) -> Option<String> {
    let stage = &envelope.current_stage;
    (!envelope.terminated).then(|| {
        format!("stopped at {stage}: send the envelope through again, and it goes on there")
    })
}

//! `consign run PIPELINE.toml`: the user's own agents, durable.

use std::path::{Path, PathBuf};

use consign_contracts::{envelope::Envelope, json::Json};
use consign_engine::{Data, Limits, Owner, Placement, RunId, Submission};
use consign_pipeline::{
    ENVELOPE, Errand, GIVEN,
    envelope::{MOST_BYTES, Names, Session as Of, fresh, has_waits, read, waiting},
};

use super::{
    pipeline::ready::{Ready, Where, check_until, ready},
    runs::{document, limits::LimitArgs, owner_arg, stand_ins::StandIns, start},
};
use crate::{
    engine::{Session, host, now, random, session},
    error::{Error, Exit},
    input::Source,
    output::{Output, printable},
};

const HELP: &str = "\
The pipeline is a TOML or JSON file: stages in order, each with an agent (built in, a model, a program, an HTTP \
service, an MCP tool, or whoever answers from outside) and where it leads. The run has limits, a journal, waits \
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
    at: Where,

    /// Stop after this stage, and before whatever comes after it
    #[arg(long, value_name = "STAGE")]
    until: Option<String>,

    /// Your own name for the run: start it again under the same name and get the same run
    #[arg(long, value_name = "ID")]
    id: Option<String>,

    /// Leave it to the workers
    #[arg(long)]
    detach: bool,

    #[command(flatten)]
    limits: LimitArgs,

    #[command(flatten)]
    stand_ins: StandIns,

    /// Refuse it unless it is sure to end within its limits, if nothing crashes and nobody has a call
    /// made again
    #[arg(long)]
    certified: bool,

    /// Who pays for it
    #[arg(long, value_name = "NAME", default_value = "local", value_parser = owner_arg)]
    owner: Owner,

    /// Workers take higher ones first
    #[arg(long, value_name = "N", default_value_t = 0, allow_negative_numbers = true)]
    priority: i32,
}

pub(super) fn run(args: &Args, output: &mut Output) -> Result<Exit, Error> {
    let input = given(args.input.as_deref())?;
    session(async |session| {
        let ready = ready(session, Some(&args.pipeline), &args.at, args.stand_ins.model())?;
        args.stand_ins.check_many(session, ready.thinks())?;
        check_until(&ready.pipeline, args.until.as_deref())?;
        let mut errand = errand(args, &ready, &input)?;
        errand.until.clone_from(&args.until);
        // Of one that is driven here it is told with its end.
        if let Some(why) = errand.short_of().filter(|_| args.detach) {
            output.tell(format!("note: {}", printable(&why)));
        }
        let id = args.id.as_deref().map(RunId::from);
        let submission = Submission {
            input: again(session, id.as_ref(), errand, is_envelope(&input.tree())).await,
            id,
            workflow: ENVELOPE.to_owned(),
            owner: args.owner.clone(),
            limits: Limits::standard().raised(&args.limits.set()),
            // Files and repositories are where they are.
            placement: if args.detach { Placement::Host(host()) } else { Placement::Foreground },
            priority: args.priority,
            settings: args.stand_ins.settings()?,
            certified: args.certified,
            actor: session.actor.clone(),
        };
        match args.detach {
            true => start::leave(session, submission, output).await,
            false => start::drive(session, submission, output).await,
        }
    })
}

/// Text or JSON: whoever names a file with plain text means that text.
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

fn errand(args: &Args, ready: &Ready, input: &Data) -> Result<Errand, Error> {
    let at = now();
    let tree = input.tree();
    let envelope = if is_envelope(&tree) {
        let envelope = read(input.as_str().as_bytes(), MOST_BYTES).map_err(|why| {
            Error::new(
                "CONTRACT_BREACH",
                format!("the input looks like an envelope, and is none: {why}"),
            )
            .hint("`consign envelope validate` has every breach")
        })?;
        if has_waits(&envelope) {
            return Err(Error::new("INVALID_STATE", waiting(&envelope)));
        }
        envelope
    } else {
        wrapped(args, ready, &tree)
    };
    Ok(Errand::new(&ready.pipeline, &envelope, ready.place.clone(), at))
}

fn is_envelope(input: &Json<'_>) -> bool {
    input.get("envelope_id").is_some() && input.get("current_stage").is_some()
}

/// Whatever a pipeline is given, in a new envelope.
fn wrapped(args: &Args, ready: &Ready, input: &Json<'_>) -> Envelope {
    let text = input.as_str().map_or_else(|| input.to_string(), str::to_owned);
    let names = Names { envelope: random(), request: random(), session: Of::New(random()) };
    let bounds = &ready.pipeline.bounds;
    let mut envelope = fresh(&text, args.owner.as_str(), &names, bounds, now());
    if input.as_str().is_none() {
        envelope.metadata.get_or_insert_default().set(GIVEN, input.clone().into_owned());
    }
    envelope
}

/// A start that is repeated means the same run, though new ids and a later instant would make it
/// another: what the first one was given counts, if the pipeline and the question are the same.
async fn again(session: &Session, id: Option<&RunId>, errand: Errand, brought: bool) -> Data {
    let new = Data::of(&errand);
    let Some(id) = id else { return new };
    let Ok(first) = session.store().events(id, consign_engine::Seq(0), 1).await else { return new };
    let created = first.first().and_then(|record| record.body().ok()).flatten();
    let Some(consign_engine::journal::Body::Created(created)) = created else { return new };
    let Ok(before) = created.input.to::<Errand>() else { return new };
    // Who brings an envelope means that one. Around anything else a new one is made each time.
    if brought {
        let same = before.pipeline == errand.pipeline
            && before.place == errand.place
            && before.until == errand.until
            && before.envelope.tree() == errand.envelope.tree();
        return if same { created.input } else { new };
    }
    let question = |errand: &Errand| {
        let envelope = errand.envelope.tree();
        let given = envelope.get("metadata").and_then(|metadata| metadata.get(GIVEN)).cloned();
        let raw = envelope.get("raw_input").cloned();
        (raw.map(Json::into_owned), given.map(Json::into_owned))
    };
    let same = before.pipeline == errand.pipeline
        && before.place == errand.place
        && before.until == errand.until
        && question(&before) == question(&errand);
    if same { created.input } else { new }
}

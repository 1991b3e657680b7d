//! `consign envelope new QUESTION`: makes an envelope for a question.

use std::path::{Path, PathBuf};

use consign_contracts::{
    json::{self, Json},
    wire::Message,
};
use consign_pipeline::{
    Bounds,
    envelope::{Names, Session, fresh},
};

use consign_app::pipelines::load;

use crate::{
    engine::{now, random},
    error::{Error, Exit},
    input::Source,
    output::Output,
};

const HELP: &str = "\
Writes a new envelope, with new ids and every field, to standard output.

Examples:
  consign envelope new 'how does authentication work?'
  consign envelope new 'and the logout?' --session sess_0123456789abcdef --max-agent-hops 40
  consign envelope new - < question.txt";

#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(super) struct Args {
    /// The question; `-` reads it from standard input
    question: String,

    /// Who asks
    #[arg(long, value_name = "NAME", default_value = "anonymous")]
    user: String,

    /// The session that it goes on with
    #[arg(long, value_name = "ID", value_parser = session)]
    session: Option<String>,

    /// Whose bounds it gets; those of the built-in agents' pipeline if left out
    #[arg(long, value_name = "FILE")]
    pipeline: Option<PathBuf>,

    /// How often it may be taken up again
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(i64).range(1..))]
    max_iterations: Option<i64>,

    /// How many model calls may be made
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(i64).range(1..))]
    max_llm_calls: Option<i64>,

    /// How many stages may be begun
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(i64).range(1..))]
    max_agent_hops: Option<i64>,

    /// How many rounds of goals there may be
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(i64).range(1..))]
    max_stages: Option<i64>,

    /// What travels along, as JSON
    #[arg(long, value_name = "JSON")]
    metadata: Option<String>,
}

/// The name of a session, as a contract has it.
pub(in crate::commands) fn session(id: &str) -> Result<String, String> {
    let hex = |letter: u8| letter.is_ascii_digit() || (b'a'..=b'f').contains(&letter);
    match id.strip_prefix("sess_") {
        Some(rest) if rest.len() == 16 && rest.bytes().all(hex) => Ok(id.to_owned()),
        _ => Err("not sess_ and 16 digits of 0-9 and a-f".to_owned()),
    }
}

pub(super) fn run(args: &Args, output: &mut Output) -> Result<Exit, Error> {
    let question = match args.question.as_str() {
        "-" => {
            let bytes = Source::of(Path::new("-")).read(1 << 20)?;
            let text = String::from_utf8(bytes);
            let text = text.map_err(|_| Error::new("MALFORMED", "the question is not UTF-8"))?;
            text.trim_end().to_owned()
        }
        question => question.to_owned(),
    };
    let bounds = load(args.pipeline.as_deref())?.bounds;
    let bounds = Bounds {
        iterations: args.max_iterations.unwrap_or(bounds.iterations),
        llm_calls: args.max_llm_calls.unwrap_or(bounds.llm_calls),
        agent_hops: args.max_agent_hops.unwrap_or(bounds.agent_hops),
        stages: args.max_stages.unwrap_or(bounds.stages),
    };
    let session = match &args.session {
        Some(known) => Session::Known(known.clone()),
        None => Session::New(random()),
    };
    let names = Names { envelope: random(), request: random(), session };
    let mut envelope = fresh(&question, &args.user, &names, &bounds, now());
    if let Some(metadata) = &args.metadata {
        let wrong =
            |why: String| Error::usage("METADATA_MALFORMED", format!("the metadata: {why}"));
        let metadata = json::parse(metadata.as_bytes()).map_err(|why| wrong(why.to_string()))?;
        let Json::Object(members) = metadata else {
            return Err(wrong(format!("expected object, found {}", metadata.kind())));
        };
        envelope.metadata = Some(members.into_owned());
    }
    output.line(envelope.to_json())?;
    Ok(Exit::Done)
}

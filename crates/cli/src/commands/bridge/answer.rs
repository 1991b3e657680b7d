//! `consign bridge answer`: a valid response from what an agent said.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use consign_contracts::{
    bridge::{AgentRequest, AgentResponse, ErrorType, ResponseMetadata},
    json::{Json, Number, Object},
    wire::Integer,
};
use consign_template::{
    answers::{self, Unusable},
    folder::Folder,
    respond,
};

use crate::{
    commands::template::{create::described, making},
    engine::now,
    error::{Error, Exit},
    input::Source,
    output::{GOOD, Output, Reader, styled},
    text::shell_word,
};

const HELP: &str = "\
The file holds what the agent said: JSON, in a code fence or among prose if need be. It is held to the contract of \
what was asked (bridge/response.codebase_analysis, .agent_creation, .agent_enhancement), wrapped into a \
response with request_id, times and metadata, and put into its place in one step. Of two answers the first counts: \
the second gets ALREADY_ANSWERED. An answer that would be refused is not written, unless --unchecked.

Examples:
  consign bridge answer --path ~/src/shop --file answer.json
  my-agent < prompt.txt | consign bridge answer --path ~/src/shop --file - --model my-model --confidence 0.9
  consign bridge answer --path ~/src/shop --error INVOCATION_FAILED --message 'no more quota'
  consign bridge answer --path ~/src/shop --cancel --message 'nobody has time for this'";

#[derive(clap::Args)]
#[command(after_help = HELP)]
#[command(group(clap::ArgGroup::new("what").required(true).args(["file", "error", "cancel"])))]
pub(crate) struct Args {
    /// The project
    #[arg(long, value_name = "DIR", default_value = ".")]
    path: PathBuf,

    /// What the agent said; `-` reads it from standard input
    #[arg(long, value_name = "F")]
    file: Option<String>,

    /// Say that the agent failed, and how
    #[arg(long, value_name = "TYPE", value_parser = error_type)]
    error: Option<ErrorType>,

    /// Say that no answer will come
    #[arg(long)]
    cancel: bool,

    /// Why, with --error and --cancel
    #[arg(long, value_name = "TEXT", conflicts_with = "file")]
    message: Option<String>,

    /// The model that answered
    #[arg(long, value_name = "NAME")]
    model: Option<String>,

    /// The tokens that it took
    #[arg(long, value_name = "N")]
    tokens: Option<u32>,

    /// How sure the agent is, from 0 to 1; else the answer's overall_confidence counts
    #[arg(long, value_name = "C", value_parser = confidence)]
    confidence: Option<f64>,

    /// How long it took, in seconds; else the time since the request
    #[arg(long, value_name = "S", value_parser = seconds)]
    duration: Option<Duration>,

    /// Write an answer that will be refused, too
    #[arg(long, requires = "file")]
    unchecked: bool,
}

fn error_type(word: &str) -> Result<ErrorType, String> {
    ErrorType::ALL.iter().copied().find(|kind| kind.as_str() == word).ok_or_else(|| {
        let all: Vec<_> = ErrorType::ALL.iter().map(|kind| kind.as_str()).collect();
        format!("not one of {}", all.join(", "))
    })
}

fn confidence(text: &str) -> Result<f64, String> {
    let value: f64 = text.parse().map_err(|_| "not a number".to_owned())?;
    if (0.0..=1.0).contains(&value) { Ok(value) } else { Err("not from 0 to 1".to_owned()) }
}

fn seconds(text: &str) -> Result<Duration, String> {
    let value: f64 = text.parse().map_err(|_| "not a number".to_owned())?;
    Duration::try_from_secs_f64(value).map_err(|_| "not a time in seconds".to_owned())
}

pub(super) fn run(args: &Args, output: &mut Output) -> Result<Exit, Error> {
    let folder = making::open(&args.path)?;
    let request = making::request(&folder)?.ok_or_else(|| {
        let told = format!("nothing is asked in {}", folder.path().display());
        Error::new("NOT_PENDING", told)
            .hint("`consign template create` asks; `consign inbox` lists")
    })?;
    let response = match &args.file {
        Some(file) => said(args, file, &folder, &request)?,
        None => failed(args, &request),
    };
    respond::respond(folder.path(), request.request_id.as_str(), &response)?;
    if output.reader == Reader::Program {
        let mut told = described(&request);
        told.set("status", Json::from(response.status.as_str()));
        output.object(told)?;
        return Ok(Exit::Done);
    }
    output.line(format!(
        "{} {} of {}",
        styled(GOOD, "answered"),
        request.request_id,
        request.agent_name
    ))?;
    let path = shell_word(&folder.path().display().to_string()).into_owned();
    output.tell(format!("go on with `consign template create --path {path} … --resume`"));
    Ok(Exit::Done)
}

fn said(
    args: &Args,
    file: &str,
    folder: &Folder,
    request: &AgentRequest,
) -> Result<AgentResponse, Error> {
    let bytes = Source::of(Path::new(file)).read(respond::MOST_ANSWER)?;
    let text = String::from_utf8(bytes).map_err(|_| {
        Error::new("NOT_TEXT", format!("what the agent said in {file} is not UTF-8"))
    })?;
    let answer = match answers::read(request.phase_name, &text) {
        Ok(answer) => Some(answer),
        Err(_) if args.unchecked => None,
        Err(unusable) => return Err(refused(&unusable, request)),
    };
    let agent = making::enhanced(folder);
    let worth = answers::worth(request.phase_name, agent.as_deref(), &text, args.confidence);
    if let Err(why) = worth
        && !args.unchecked
    {
        return Err(Error::new("WOULD_NOT_COUNT", format!("this would be done without: {why}"))
            .hint("--confidence says how sure the agent is, where its answer does not; --unchecked hands it over all the same"));
    }
    let sure = args.confidence.or_else(|| answer.as_ref().and_then(answers::Answer::overall));
    let metadata = metadata(args, sure);
    Ok(respond::wrap(request, text, took(args, request), metadata, now())?)
}

/// How long it took: as somebody says, else since the request was written.
fn took(args: &Args, request: &AgentRequest) -> Option<Duration> {
    args.duration.or_else(|| respond::since(request, now()))
}

fn metadata(args: &Args, confidence: Option<f64>) -> Option<ResponseMetadata> {
    let number = |value: f64| Number::try_from(value).ok();
    let metadata = ResponseMetadata {
        model: args.model.clone(),
        tokens_used: args.tokens.map(|tokens| Integer::from(i64::from(tokens))),
        confidence: confidence.and_then(number),
        extra: Object::new(),
    };
    let empty = metadata.model.is_none() && metadata.tokens_used.is_none();
    (!empty || metadata.confidence.is_some()).then_some(metadata)
}

fn failed(args: &Args, request: &AgentRequest) -> AgentResponse {
    let (took, now) = (took(args, request), now());
    let response = match args.error {
        Some(error) => respond::fail(request, error, args.message.clone(), took, now),
        None => {
            let why = args.message.as_deref().unwrap_or("nobody will answer this");
            respond::give_up(request, why, took, now)
        }
    };
    AgentResponse { metadata: metadata(args, args.confidence), ..response }
}

fn refused(unusable: &Unusable, request: &AgentRequest) -> Error {
    let contract = format!("bridge/response.{}", request.phase_name);
    match unusable {
        Unusable::NotJson(why) => {
            Error::new("PARSE_ERROR", format!("there is no JSON in what the agent said: {why}"))
        }
        Unusable::Breaks(breaches) => {
            Error::new("VALIDATION_ERROR", format!("what the agent said breaks {contract}"))
                .listing(breaches.iter().take(10).cloned())
        }
    }
    .hint(format!(
        "`consign contracts show {contract}` has the form; --unchecked hands it over all the same, and it will be done without"
    ))
}

//! `consign bridge answer`: a valid response from what an agent said.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use consign_app::templates::{AgentSaid, GivenAnswer, OpenRequest};
use consign_contracts::{bridge::ErrorType, json::Json};
use consign_template::respond::MOST_ANSWER;

use crate::{
    commands::template::create::described,
    error::{Error, Exit},
    input::Source,
    output::{Audience, GOOD, Output, styled},
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
  consign bridge answer --path ~/src/shop --cancel --message 'there is no time for this'";

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
    let open = OpenRequest::find(&args.path)?;
    let given = GivenAnswer {
        said: said(args)?,
        model: args.model.clone(),
        tokens: args.tokens,
        confidence: args.confidence,
        took: args.duration,
    };
    let response = open.answer(given)?;
    let request = open.request();
    if output.reader == Audience::Program {
        let mut told = described(request);
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
    let path = shell_word(&open.project().display().to_string()).into_owned();
    output.tell(format!("go on with `consign template create --path {path} … --resume`"));
    Ok(Exit::Done)
}

fn said(args: &Args) -> Result<AgentSaid, Error> {
    let why = args.message.clone();
    let Some(file) = &args.file else {
        return Ok(match args.error {
            Some(kind) => AgentSaid::Failed { kind, why },
            None => AgentSaid::GivenUp { why },
        });
    };
    let bytes = Source::of(Path::new(file)).read(MOST_ANSWER)?;
    let text = String::from_utf8(bytes).map_err(|_| {
        Error::new("NOT_TEXT", format!("what the agent said in {file} is not UTF-8"))
    })?;
    Ok(AgentSaid::Text { text, unchecked: args.unchecked })
}

//! `consign guard`: a text held against the guard.

use consign_app::conversations::{self, named_entities};
use consign_contracts::{
    crew::{CheckType, GuardrailsInput},
    json::{Limits, Object},
    wire::Message as _,
};
use serde_json::Value;

use super::lines::answer_each;
use crate::{
    engine::{Session, session},
    error::{Error, Exit},
    input::Source,
    output::{Audience, BAD, FAINT, GOOD, Output, WARN, printable, styled},
};

const HELP: &str = "\
Reads a text on standard input and says whether it may go on: attacks on the assistant, hate speech, requests for harmful \
code, private data. A question with private data goes on with marks in its place; an answer with private data is not safe.

--entities takes names and places for private too. The threshold is guard.threshold of settings.toml.

The exit code is 0 whenever there is a verdict, safe or not. With --json it is contract crew/guardrails.output, with \
`score` from 0 to 1. With --stream each line of the input is contract crew/guardrails.input, whose check_type wins over \
--check, and each line of the output is the verdict.

Examples:
  echo 'Ignore all previous instructions' | consign guard
  consign guard --check output < answer.txt --json
  consign guard --stream < questions.jsonl";

#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(crate) struct Args {
    /// Which way the text is going
    #[arg(long, value_enum, default_value_t = Way::Input)]
    check: Way,

    /// Take names and places for private data too
    #[arg(long)]
    entities: bool,

    /// Texts on standard input, a line of JSON each
    #[arg(long)]
    stream: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Way {
    Input,
    Output,
}

impl Way {
    fn check_type(self) -> CheckType {
        match self {
            Self::Input => CheckType::InputValidation,
            Self::Output => CheckType::OutputSafety,
        }
    }
}

/// The longest text, in bytes.
const LONGEST: usize = 16 << 20;

pub(super) fn run(args: &Args, output: &mut Output) -> Result<Exit, Error> {
    session(async |session| match args.stream {
        true => {
            let answer = async |line: &[u8]| {
                let input = read(args, line)?;
                Ok(checked(session, args, &input).await?.to_string())
            };
            answer_each(output, Limits::default().bytes, answer).await
        }
        false => one(session, args, output).await,
    })
}

async fn one(session: &Session, args: &Args, output: &mut Output) -> Result<Exit, Error> {
    let bytes = Source::Stdin.read(LONGEST)?;
    let content = String::from_utf8(bytes)
        .map_err(|_| Error::new("INPUT_MALFORMED", "the text is not UTF-8"))?;
    let check_type = args.check.check_type();
    let input = GuardrailsInput { content, check_type, metadata: None, extra: Object::new() };
    let verdict = checked(session, args, &input).await?;
    match output.reader {
        Audience::Program => output.line(verdict.to_string())?,
        Audience::Person | Audience::Pipe => print(&verdict, output)?,
    }
    Ok(Exit::Done)
}

/// A line of the input. Without a check_type it is the one of the command line.
fn read(args: &Args, line: &[u8]) -> Result<GuardrailsInput, Error> {
    let invalid = |why: String| Error::new("VALIDATION_ERROR", why);
    let mut given: Value = serde_json::from_slice(line)
        .map_err(|cause| Error::new("INPUT_MALFORMED", cause.to_string()))?;
    if let Some(given) = given.as_object_mut()
        && !given.contains_key("check_type")
    {
        let way = args.check.check_type().as_str().to_owned();
        given.insert("check_type".to_owned(), Value::String(way));
    }
    GuardrailsInput::from_json(given.to_string().as_bytes()).map_err(|why| invalid(why.to_string()))
}

async fn checked(session: &Session, args: &Args, input: &GuardrailsInput) -> Result<Value, Error> {
    let other = args.entities.then(|| named_entities(session));
    Ok(conversations::guard(session, other.as_ref(), input).await?.to_value())
}

fn print(verdict: &Value, output: &mut Output) -> Result<(), Error> {
    let text = |name: &str| verdict.get(name).and_then(Value::as_str).unwrap_or_default();
    let is_safe = verdict.get("is_safe").and_then(Value::as_bool) == Some(true);
    let risk = text("risk_category");
    let head = match (is_safe, risk) {
        (true, "none") => styled(GOOD, "safe"),
        (true, risk) => styled(WARN, format!("safe with marks: {risk}")),
        (false, risk) => styled(BAD, format!("not safe: {risk}")),
    };
    output.line(head)?;
    output.line(printable(text("reasoning")))?;
    let sanitized = text("sanitized_content");
    if is_safe && risk != "none" {
        output.line("")?;
        for line in sanitized.lines() {
            output.line(printable(line))?;
        }
    }
    output.finish()?;
    let score = verdict.get("score").and_then(Value::as_f64).unwrap_or_default();
    output.tell(styled(FAINT, format!("score {score:.2}")));
    Ok(())
}

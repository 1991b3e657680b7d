//! `consign models test PROVIDER/MODEL`: asks a model one question, and says what that cost.

use std::{path::PathBuf, sync::Arc, time::Instant};

use consign_contracts::{json::Json, schema::Schema};
use consign_engine::{Data, Owner};
use consign_models::{
    ModelName,
    chat::{Answer, AnswerSchema, Message, Request},
    client::{Client, Target},
    config::check_base_url,
    record::{Recorder, Tape},
    repair::{self, Expected},
    transport::Transport,
    web::Web,
};

use crate::{
    commands::runs::{document, form, owner_arg},
    engine::{Session, session},
    error::{Error, Exit},
    output::{Audience, FAINT, Output, object, printable, styled},
    text::one_line,
};

const HELP: &str = "\
Asks once: nothing is tried again, and no run is made. What it costs is told, and not counted to \
anybody's budget.

With --json: {\"model\", \"answered_by\", \"text\", \"usage\", \"cost_usd\", \"stop\", \"took_ms\"}; \
cost_usd is null where the price is not known.

Examples:
  consign models test openai/gpt-5-mini
  consign models test anthropic/claude-haiku-4-5 --prompt 'Name a colour.' --stream
  consign models test ollama/qwen3 --base-url http://127.0.0.1:11434/v1 --json
  consign models test gpt-5-mini --schema answer.schema.json";

#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(crate) struct Args {
    /// The model, such as openai/gpt-5-mini
    #[arg(value_name = "PROVIDER/MODEL")]
    model: String,

    /// Where the provider is, if not in its usual place
    #[arg(long, value_name = "URL")]
    base_url: Option<String>,

    /// What to ask
    #[arg(
        long,
        value_name = "TEXT",
        default_value = "Say in one short sentence that you are there."
    )]
    prompt: String,

    /// What it is told first
    #[arg(long, value_name = "TEXT")]
    system: Option<String>,

    /// The JSON Schema of the answer
    #[arg(long, value_name = "FILE")]
    schema: Option<String>,

    /// Show the answer as it comes
    #[arg(long)]
    stream: bool,

    /// The most tokens of the answer
    #[arg(long, value_name = "N", default_value_t = 1024,
          value_parser = clap::value_parser!(u32).range(1..))]
    max_tokens: u32,

    #[arg(long, value_name = "T", default_value_t = 0.0)]
    temperature: f64,

    /// Write down what is said, for replay:FILE
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,

    /// Whose key to use
    #[arg(long, value_name = "NAME", default_value = "local", value_parser = owner_arg)]
    owner: Owner,
}

pub(super) fn run(args: &Args, output: &mut Output) -> Result<Exit, Error> {
    let name: ModelName = args.model.parse().map_err(|why: String| {
        Error::usage("MODEL_INVALID", why).hint("`consign models list` shows some")
    })?;
    if let Some(url) = &args.base_url {
        check_base_url(url).map_err(|why| Error::usage("BASE_URL_INVALID", why))?;
    }
    let schema = match &args.schema {
        Some(file) => {
            Some(AnswerSchema { name: "answer".to_owned(), schema: document::input(Some(file))? })
        }
        None => None,
    };
    let request = Request {
        system: args.system.clone(),
        messages: vec![Message::user(&args.prompt)],
        tools: Vec::new(),
        schema,
        temperature: args.temperature,
        max_tokens: args.max_tokens,
        stream: args.stream,
    };
    session(async |session| ask(args, session, &name, &request, output).await)
}

async fn ask(
    args: &Args,
    session: &Session,
    name: &ModelName,
    request: &Request,
    output: &mut Output,
) -> Result<Exit, Error> {
    let models = &session.models;
    let key = models.keys().key_for(&args.owner, name.provider).await;
    let key = key.map_err(|fault| Error::from(&fault))?;
    let base_url = args.base_url.clone().or_else(|| models.config().base_url(name.provider));
    let target = Target { name: name.clone(), base_url, key: key.map(|(key, _)| key) };
    let mut transport: Arc<dyn Transport> = Arc::new(Web::new());
    if let Some(path) = &args.record {
        let tape = Tape::open(path).map_err(|cause| Error::unreadable(path, &cause))?;
        transport = Arc::new(Recorder::new(transport, tape, name));
    }
    let client = Client::new(transport).with_patience(models.config().patience);
    let show = args.stream && output.reader == Audience::Person;
    let began = Instant::now();
    let mut say = |text: &str| {
        if show {
            // A piece may end anywhere, in a line break as well as before one.
            let text = text.replace('\r', "");
            let _ = output.text(&text.split('\n').map(printable).collect::<Vec<_>>().join("\n"));
            let _ = output.finish();
        }
    };
    let asked = client.ask(&target, request, &mut say).await;
    let took = began.elapsed();
    let answer = asked.map_err(|refused| Error::from(&refused.trouble.fault()))?;
    if let Some(wanted) = &request.schema {
        held(&answer, wanted)?;
    }
    let cost = answer
        .usage
        .and_then(|usage| models.config().prices.of(name).map(|price| price.cost(&usage)));
    if output.reader == Audience::Program {
        let took = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
        output.object(object([
            ("model", form::text(name)),
            ("answered_by", form::text(&answer.model)),
            ("text", form::text(&answer.text)),
            ("usage", answer.usage.map_or(Json::Null, |usage| form::data(&Data::of(&usage)))),
            ("cost_usd", cost.map_or(Json::Null, form::usd)),
            ("stop", Json::from(answer.stop.as_str())),
            ("took_ms", form::number(took)),
        ]))?;
        return Ok(Exit::Done);
    }
    if show {
        if !answer.text.ends_with('\n') {
            output.line("")?;
        }
    } else {
        for line in answer.text.lines() {
            output.line(printable(line))?;
        }
    }
    // What it cost comes after it, also where both end on one terminal.
    output.finish()?;
    output.tell(styled(FAINT, told(name, &answer, cost.map(|cost| format!("${cost}")), took)));
    Ok(Exit::Done)
}

/// Holds an answer to the schema, as a run would on its first rung.
fn held(answer: &Answer, wanted: &AnswerSchema) -> Result<(), Error> {
    let schema = Schema::compile(&wanted.schema.shown())
        .map_err(|why| Error::usage("SCHEMA_INVALID", why.to_string()))?;
    let expected = Expected { schema: &schema, source: Some(&wanted.schema) };
    match repair::read(&answer.text, Some(expected)) {
        Ok(_) => Ok(()),
        Err(why) => Err(Error::new("AI_INVALID_RESPONSE", why.to_string())
            .listing([format!("it said: {}", printable(&one_line(&answer.text)))])
            .hint("a run would ask again with these words: docs/repair.md")),
    }
}

fn told(
    name: &ModelName,
    answer: &Answer,
    cost: Option<String>,
    took: std::time::Duration,
) -> String {
    let used = answer.usage.map_or("an unknown number of tokens".to_owned(), |usage| {
        format!("{} tokens in, {} out", usage.input_tokens, usage.output_tokens)
    });
    let cost = cost.unwrap_or_else(|| "price not known".to_owned());
    let by = printable(&answer.model);
    format!("{name} ({by}): {used}, {cost}, {:.1} s", took.as_secs_f64())
}

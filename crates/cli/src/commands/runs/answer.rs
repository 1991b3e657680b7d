//! `consign runs answer RUN [INTERACTION] --value JSON | --decline WHY`

use consign_engine::{
    Key,
    store::{Interaction, Row},
};

use super::{document, find, onward::onward, waits};
use crate::{
    engine::{Session, session},
    error::{Error, Exit},
    output::{GOOD, Output, styled},
    text::{ended, one_line, shell_word, shortened},
};

const HELP: &str = "\
The first answer counts: whoever comes second gets ALREADY_ANSWERED. The value must fit the schema \
of what is asked, which `consign inbox --json` shows. Whoever was to answer in the place of an agent \
and cannot says so with --decline: the call fails with DECLINED, and the run goes on as it does with \
any failed call.

A run that belongs to the command line goes on here if nobody else holds it; a detached one goes on \
with a worker. Exits with 0 when the answer was taken, whatever the run does next; with 3 when it \
was taken and going on here failed, after which `consign runs resume` goes on; with 1 when it was \
not taken.

Examples:
  consign runs answer 7h2k --value true
  consign runs answer 7h2k ask-2 --value false --no-resume
  consign runs answer 7h2k @stuck@1 --value '{\"go_on\": true}'
  some-agent | consign runs answer 7h2k review --value -
  consign runs answer 7h2k review --decline 'the repository cannot be read'";

#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(crate) struct Args {
    /// The run, or the first letters of its id
    run: String,

    /// What is answered; may be left out where only one thing is asked
    interaction: Option<String>,

    /// The answer as JSON; `-` reads it from standard input
    #[arg(
        long,
        value_name = "JSON",
        allow_hyphen_values = true,
        required_unless_present = "decline"
    )]
    value: Option<String>,

    /// Say why no answer will come in the place of an agent
    #[arg(
        long,
        value_name = "WHY",
        conflicts_with = "value",
        value_parser = clap::builder::NonEmptyStringValueParser::new()
    )]
    decline: Option<String>,

    /// Leave the run as it is afterwards
    #[arg(long)]
    no_resume: bool,
}

pub(crate) fn run(args: &Args, output: &mut Output) -> Result<Exit, Error> {
    let value = args.value.as_deref().map(document::value).transpose()?;
    session(async |session| {
        let row = find(session, &args.run).await?;
        let key = match &args.interaction {
            Some(key) => Key::from(key.as_str()),
            None => only(session, &row).await?,
        };
        let (engine, actor) = (&session.engine, &session.actor);
        let (did, taken) = match &value {
            Some(value) => (engine.answer(&row.id, &key, value, actor).await, "answered"),
            None => {
                let why = args.decline.as_deref().unwrap_or_default();
                (engine.decline(&row.id, &key, why, actor).await, "declined")
            }
        };
        did.map_err(|error| Error::from(error).about(row.id.as_str()))?;
        let key = shortened(key.as_str(), 200);
        output.tell(format!("{} {key} of {}", styled(GOOD, taken), row.id));
        let what = if value.is_some() { "answer to" } else { "refusal of" };
        let taken = format!("the {what} {key} was taken");
        onward(session, &row.id, &taken, !args.no_resume, output).await
    })
}

/// The one thing that a run asks.
async fn only(session: &Session, row: &Row) -> Result<Key, Error> {
    if row.status.is_closed() {
        let told = format!("run {} is over: it {}", row.id, ended(row.status));
        return Err(Error::new("INVALID_STATE", told)
            .hint(format!("`consign runs show {}` shows how it ended", row.id)));
    }
    let asks = waits::open(session, &row.id).await?;
    match asks.as_slice() {
        [ask] => Ok(ask.key.clone()),
        [] => {
            let told = format!("run {} asks nothing now; it is {}", row.id, row.status);
            Err(Error::new("INTERACTION_NOT_FOUND", told)
                .hint("`consign inbox` shows what can be answered"))
        }
        asks => {
            let line = |ask: &Interaction| {
                let asked = one_line(&ask.prompt);
                format!("{}  {}", shell_word(ask.key.as_str()), shortened(&asked, 80))
            };
            let told = format!("run {} asks {} things; which one?", row.id, asks.len());
            Err(Error::usage("INTERACTION_AMBIGUOUS", told)
                .listing(asks.iter().take(10).map(line))
                .hint(format!("consign runs answer {} INTERACTION --value JSON", row.id)))
        }
    }
}

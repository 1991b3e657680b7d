//! `consign runs answer RUN [INTERACTION]`: answers what a run asks, with `--value JSON`, `--text TEXT` or
//! `--file FILE`, or declines to with `--decline WHY`.

use std::path::PathBuf;

use consign_app::runs::{self, Reply, Taken};
use consign_engine::{Data, Key};

use super::{document, find, onward::onward};
use crate::{
    engine::session,
    error::{Error, Exit},
    output::{GOOD, Output, styled},
    text::shortened,
};

const HELP: &str = "\
The first answer counts: a second one is refused with ALREADY_ANSWERED. The answer must fit the schema \
of what is asked, which `consign inbox --json` shows: --value is JSON, --text is plain text, --file is a file with \
JSON or, if it has none, with text. --decline says that no answer will come in the place of an agent: the call fails \
with DECLINED, and the run goes on as it does with any failed call.

A program that an agent is may answer for agents only; what is asked of a person is refused with PERSON_REQUIRED.

A run that belongs to the command line continues here if no process holds it; a detached one continues \
with a worker. Exits with 0 when the answer was taken, whatever the run does next; with 3 when it \
was taken and continuing here failed, after which `consign runs resume` continues it; with 1 when it was \
not taken.

Examples:
  consign runs answer 7h2k --value true
  consign runs answer 7h2k ask-2 --value false --no-resume
  consign runs answer 7h2k @stuck@1 --value '{\"go_on\": true}'
  consign runs answer 7h2k --text 'the second one'
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
        required_unless_present_any = ["text", "file", "decline"],
        conflicts_with_all = ["text", "file", "decline"]
    )]
    value: Option<String>,

    /// The answer as plain text
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true, conflicts_with_all = ["file", "decline"])]
    text: Option<String>,

    /// A file with the answer: JSON, or plain text
    #[arg(long, value_name = "FILE", conflicts_with = "decline")]
    file: Option<PathBuf>,

    /// Say why no answer will come in the place of an agent
    #[arg(
        long,
        value_name = "WHY",
        value_parser = clap::builder::NonEmptyStringValueParser::new()
    )]
    decline: Option<String>,

    /// Leave the run as it is afterwards
    #[arg(long)]
    no_resume: bool,
}

pub(crate) fn run(args: &Args, output: &mut Output) -> Result<Exit, Error> {
    let value = match (&args.value, &args.text, &args.file) {
        (Some(value), ..) => Some(document::value(value)?),
        (_, Some(text), _) => Some(Data::of(text)),
        (_, _, Some(file)) => Some(document::of_file(file)?),
        (None, None, None) => None,
    };
    session(async |session| {
        let row = find(&session.engine, &args.run).await?;
        let key = args.interaction.as_deref().map(Key::from);
        let (reply, taken) = match &value {
            Some(value) => (Reply::Value(value.clone()), "answered"),
            None => (Reply::Decline(args.decline.clone().unwrap_or_default()), "declined"),
        };
        let answered = runs::answer(&session.engine, &row.id, key, &reply, &session.user).await;
        let Taken { key, .. } =
            answered.map_err(|error| Error::from(error).about(row.id.as_str()))?;
        let key = shortened(key.as_str(), 200);
        output.tell(format!("{} {key} of {}", styled(GOOD, taken), row.id));
        let what = if value.is_some() { "answer to" } else { "refusal of" };
        let taken = format!("the {what} {key} was taken");
        onward(session, &row.id, &taken, !args.no_resume, output).await
    })
}

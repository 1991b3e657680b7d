//! `consign runs answer RUN [INTERACTION] --value JSON | --decline WHY`

use consign_app::runs::{self, Reply, Taken};
use consign_engine::Key;

use super::{document, find, onward::onward};
use crate::{
    engine::session,
    error::{Error, Exit},
    output::{GOOD, Output, styled},
    text::shortened,
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

//! `consign runs approve RUN` and `consign runs reject RUN --why WHY`: yes or no to an approval.

use consign_app::runs::{self, Taken, Verdict};
use consign_engine::Key;

use super::{find, onward::onward};
use crate::{
    engine::session,
    error::{Error, Exit},
    output::{BAD, GOOD, Output, styled},
    text::shortened,
};

const APPROVE: &str = "\
Says yes to what a run asks a person to approve or confirm. The first answer counts: a second one is refused with \
ALREADY_ANSWERED. Who approved, and from where, is in the journal and in `consign inbox --answered`.

A run that belongs to the command line continues here if no process holds it. Exits with 0 when the approval was \
taken, whatever the run does next; with 3 when it was taken and continuing here failed; with 1 when it was not taken.

Examples:
  consign runs approve 7h2k
  consign runs approve 7h2k review.3 --why 'checked the diff'";

const REJECT: &str = "\
Says no to what a run asks a person to approve or confirm, and why. A pipeline that has a route for a rejection takes \
it; any other ends.

Exits like `consign runs approve`.

Examples:
  consign runs reject 7h2k --why 'the changelog is missing'";

#[derive(clap::Args)]
#[command(after_help = APPROVE)]
pub(crate) struct Approve {
    #[command(flatten)]
    what: What,

    /// Why, for the journal and for later stages
    #[arg(long, value_name = "WHY")]
    why: Option<String>,
}

#[derive(clap::Args)]
#[command(after_help = REJECT)]
pub(crate) struct Reject {
    #[command(flatten)]
    what: What,

    /// Why, for the journal and for later stages
    #[arg(long, value_name = "WHY", value_parser = clap::builder::NonEmptyStringValueParser::new())]
    why: String,
}

#[derive(clap::Args)]
struct What {
    /// The run, or the first letters of its id
    run: String,

    /// What is approved or rejected; may be left out where only one thing is
    interaction: Option<String>,

    /// Leave the run as it is afterwards
    #[arg(long)]
    no_resume: bool,
}

pub(crate) fn approve(args: &Approve, output: &mut Output) -> Result<Exit, Error> {
    decide(&args.what, &Verdict::Approved { why: args.why.clone() }, output)
}

pub(crate) fn reject(args: &Reject, output: &mut Output) -> Result<Exit, Error> {
    decide(&args.what, &Verdict::Rejected { why: args.why.clone() }, output)
}

fn decide(args: &What, verdict: &Verdict, output: &mut Output) -> Result<Exit, Error> {
    session(async |session| {
        let run = find(&session.engine, &args.run).await?.id;
        let key = args.interaction.as_deref().map(Key::from);
        let decided = runs::decide(&session.engine, &run, key, verdict, &session.user).await;
        let Taken { key, .. } = decided.map_err(|error| Error::from(error).about(run.as_str()))?;
        let key = shortened(key.as_str(), 200);
        let (told, taken) = match verdict {
            Verdict::Approved { .. } => (styled(GOOD, "approved"), "the approval was taken"),
            Verdict::Rejected { .. } => (styled(BAD, "rejected"), "the rejection was taken"),
        };
        output.tell(format!("{told} {key} of {run}"));
        onward(session, &run, taken, !args.no_resume, output).await
    })
}

//! `consign job history DIR`: what was said, interaction by interaction.

use consign_app::jobs::{self, HistoryPage, Purpose};
use serde_json::Value;

use super::{place::PlaceArgs, write};
use crate::{
    engine::session,
    error::{Error, Exit},
    output::{Audience, FAINT, GOOD, Output, WARN, printable, styled},
};

const HELP: &str = "\
Reads across rotated parts of the history. With --json each line is one interaction, as jobHistory.json has it. \
--full also shows the prompts and answers.

Examples:
  consign job history site
  consign job history site --from 10 --to 12 --full
  consign job history site --json | jq -r .response.summary_for_supervisor";

#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(crate) struct Args {
    #[command(flatten)]
    place: PlaceArgs,

    /// The first interaction, counted from 0
    #[arg(long, value_name = "N")]
    from: Option<u64>,

    /// The last interaction
    #[arg(long, value_name = "M")]
    to: Option<u64>,

    /// Also the prompts and answers
    #[arg(long)]
    full: bool,
}

pub(crate) fn run(args: &Args, output: &mut Output) -> Result<Exit, Error> {
    session(async |session| {
        let job = args.place.open(session, Purpose::Look, output).await?;
        let page = HistoryPage { from: args.from, to: args.to };
        let mut any = false;
        let mut failed = None;
        jobs::history(session, &job, page, |interaction| {
            any = true;
            match print(&interaction, args.full, output) {
                Ok(()) => Ok(true),
                Err(error) => {
                    failed = Some(error);
                    Ok(false)
                }
            }
        })
        .await?;
        if let Some(error) = failed {
            return Err(error);
        }
        if !any && output.reader == Audience::Person {
            output.line(styled(FAINT, "no interactions yet"))?;
        }
        Ok(Exit::Done)
    })
}

fn print(interaction: &Value, full: bool, output: &mut Output) -> Result<(), Error> {
    if output.reader == Audience::Program {
        return write(output, interaction);
    }
    let (request, response) = (&interaction["request"], &interaction["response"]);
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let action = text(&response["action"]);
    let style = if action == "COMPLETED" { GOOD } else { WARN };
    output.line(format!(
        "{:>4}  {}  {} ({}) {} → {}  ${}",
        interaction["sequence"],
        text(&interaction["timestamp"]),
        text(&request["metadata"]["role"]),
        text(&request["metadata"]["phase"]),
        styled(style, action),
        text(&response["new_status"]),
        response["cost_usd"],
    ))?;
    output.line(format!("      {}", printable(&text(&response["summary_for_supervisor"]))))?;
    let files: Vec<_> =
        response["evidence_files"].as_array().into_iter().flatten().map(text).collect();
    if !files.is_empty() {
        output.line(styled(FAINT, format!("      {}", printable(&files.join(", ")))))?;
    }
    if full {
        for (name, value) in [("prompt", &request["prompt"]), ("answer", &response["raw_response"])]
        {
            output.line(styled(FAINT, format!("      {name}:")))?;
            for line in text(value).lines() {
                output.line(format!("        {}", printable(line)))?;
            }
        }
    }
    Ok(())
}

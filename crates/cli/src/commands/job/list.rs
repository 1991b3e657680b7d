//! `consign job list`: the jobs of this home, newest first.

use consign_app::jobs::{self, JobLine, ListJobs};
use consign_contracts::job::JobStatus;
use consign_engine::Owner;
use consign_supervised::amount::{cents, number};
use serde_json::json;

use super::write;
use crate::{
    engine::session,
    error::{Error, Exit},
    output::{Audience, FAINT, Output, styled},
    pages::{Entry, PageArgs},
    text::span,
};

const HELP: &str = "\
In a pipe the fields are name, status, cost in cents, time of creation, time of the newest event and run, separated \
by tabs.

Examples:
  consign job list
  consign job list --status HALTED_COST
  consign job list --all --json | jq -r .job_id";

#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(crate) struct Args {
    /// Only jobs that stand so, such as INTERVENTION_REQUIRED
    #[arg(long, value_name = "S", value_parser = status)]
    status: Option<JobStatus>,

    /// Only jobs that this owner pays for
    #[arg(long, value_name = "O")]
    owner: Option<String>,

    #[command(flatten)]
    pages: PageArgs,
}

fn status(word: &str) -> Result<JobStatus, String> {
    let known = JobStatus::from_word(&word.to_ascii_uppercase());
    known.ok_or_else(|| {
        "not one of DRAFT, PENDING, RUNNING, REVIEWING, SUCCESS, CANCELED, INTERVENTION_REQUIRED, HALTED_COST, \
         HALTED_TIME"
            .to_owned()
    })
}

struct Listed(JobLine);

impl Entry for Listed {
    fn cursor(&self) -> String {
        self.0.run.to_string()
    }
}

pub(crate) fn run(args: &Args, output: &mut Output) -> Result<Exit, Error> {
    session(async |session| {
        let before = match &args.pages.cursor {
            Some(typed) => Some(consign_app::runs::find(&session.engine, typed).await?.id),
            None => None,
        };
        let read = async |last: Option<&Listed>, most: usize| {
            let before = last.map(|last| last.0.run.clone()).or_else(|| before.clone());
            let owner = args.owner.as_deref().map(Owner::from);
            let wanted = ListJobs { status: args.status, owner, before, most };
            let lines = jobs::list(session, &wanted).await?;
            Ok(lines.into_iter().map(Listed).collect())
        };
        let now = session.engine.now();
        let mut any = false;
        args.pages
            .walk(output, read, |lines: Vec<Listed>, output| {
                any |= !lines.is_empty();
                print(&lines, now, output)
            })
            .await?;
        if !any && output.reader == Audience::Person {
            output
                .line(styled(FAINT, "no jobs; `consign job new NAME --objective …` makes one"))?;
        }
        Ok(Exit::Done)
    })
}

fn print(lines: &[Listed], now: consign_engine::At, output: &mut Output) -> Result<(), Error> {
    match output.reader {
        Audience::Program => {
            for Listed(line) in lines {
                let told = json!({
                    "job_id": line.job_id,
                    "status": line.status,
                    "cost": number(&cents(line.spent)),
                    "created_at": line.created_at.to_string(),
                    "updated_at": line.at.to_string(),
                    "run": line.run.to_string(),
                });
                write(output, &told)?;
            }
        }
        Audience::Person => {
            let rows = lines.iter().map(|Listed(line)| {
                let age = |at: consign_engine::At| format!("{} ago", span(now.since(at)));
                vec![
                    line.job_id.clone(),
                    line.status.clone(),
                    cents(line.spent),
                    age(line.created_at),
                    age(line.at),
                    line.run.to_string(),
                ]
            });
            output.rows(&["job", "status", "cents", "made", "changed", "run"], rows.collect())?;
        }
        Audience::Pipe => {
            for Listed(line) in lines {
                let fields = [
                    line.job_id.clone(),
                    line.status.clone(),
                    cents(line.spent),
                    line.created_at.to_string(),
                    line.at.to_string(),
                    line.run.to_string(),
                ];
                output.line(fields.join("\t"))?;
            }
        }
    }
    Ok(())
}

//! `consign runs list`: runs, newest first.

use consign_engine::{
    At, Owner, RunId, Status,
    store::{Row, RunQuery},
};

use consign_app::view;

use crate::{
    engine::{Session, session},
    error::{Error, Exit},
    output::{Audience, FAINT, Output, styled},
    pages::{Entry, PageArgs},
    text::{amount, span},
};

const HELP: &str = "\
In a pipe the fields are id, workflow, status, owner, spent, cap, time of creation, time of the \
newest event, the name of the pipeline and the label, separated by tabs. With --json each line is an object of contract \
engine/run.

The id of the last line is the --cursor of the next page.

Examples:
  consign runs list
  consign runs list --status waiting --limit 10
  consign runs list --label HALTED_COST
  consign runs list --all --json | jq -r 'select(.usage.spent_usd > 1) | .id'";

#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(crate) struct Args {
    /// Only runs that stand so: queued, running, waiting, succeeded, failed or cancelled
    #[arg(long, value_name = "S", value_parser = status)]
    status: Option<Status>,

    /// Only runs of this workflow
    #[arg(long, value_name = "W")]
    workflow: Option<String>,

    /// Only runs that this owner pays for
    #[arg(long, value_name = "O")]
    owner: Option<String>,

    /// Only runs with this label of their workflow, such as HALTED_COST
    #[arg(long, value_name = "L")]
    label: Option<String>,

    #[command(flatten)]
    pages: PageArgs,
}

fn status(word: &str) -> Result<Status, String> {
    Status::from_word(word).ok_or_else(|| {
        let words: Vec<_> = Status::ALL.iter().map(|status| status.as_str()).collect();
        format!("not one of {}", words.join(", "))
    })
}

/// A run, and the name of its pipeline if it is one's.
struct Listed {
    row: Row,
    pipeline: Option<String>,
}

impl Entry for Listed {
    fn cursor(&self) -> String {
        self.row.id.to_string()
    }
}

pub(crate) fn run(args: &Args, output: &mut Output) -> Result<Exit, Error> {
    session(async |session| {
        let before = match &args.pages.cursor {
            Some(typed) => Some(super::find(&session.engine, typed).await?.id),
            None => None,
        };
        let read = async |last: Option<&Listed>, most: usize| {
            let last = last.map(|last| last.row.id.clone());
            let before: Option<RunId> = last.or_else(|| before.clone());
            let (status, workflow) = (args.status, args.workflow.clone());
            let owner = args.owner.as_deref().map(Owner::from);
            let label = args.label.clone();
            let query =
                RunQuery { status, workflow, owner, label, before, most, ..RunQuery::default() };
            let rows = session.store().runs(&query).await?;
            let names = view::pipelines(&session.engine, &rows).await?;
            let listed = rows.into_iter().zip(names);
            Ok(listed.map(|(row, pipeline)| Listed { row, pipeline }).collect())
        };
        let now = session.engine.now();
        let (mut any, mut still) = (false, StandingStill::default());
        args.pages
            .walk(output, read, |rows, output| {
                any |= !rows.is_empty();
                rows.iter().for_each(|listed| still.add(session, &listed.row));
                print(&rows, now, output)
            })
            .await?;
        if !any && output.reader == Audience::Person {
            output.line(styled(FAINT, "no runs; `consign runs start sample/steps` makes one"))?;
        }
        if output.reader == Audience::Person {
            for line in still.lines() {
                output.line(styled(FAINT, line))?;
            }
        }
        Ok(Exit::Done)
    })
}

/// Runs that could go on and no process will take, and the commands that continue them.
#[derive(Default)]
struct StandingStill {
    shown: Vec<String>,
    more: u64,
}

impl StandingStill {
    const MOST: usize = 3;

    fn add(&mut self, session: &Session, row: &Row) {
        if !view::needs_resume(&session.engine, row) {
            return;
        }
        if self.shown.len() < Self::MOST {
            let why = if row.interrupted { "was interrupted" } else { "stands still" };
            let run = &row.id;
            self.shown.push(format!("{run} {why}; continue it with: consign runs resume {run}"));
        } else {
            self.more += 1;
        }
    }

    fn lines(self) -> impl Iterator<Item = String> {
        let more = match self.more {
            0 => None,
            1 => Some("1 more run stands still".to_owned()),
            more => Some(format!("{more} more runs stand still")),
        };
        self.shown.into_iter().chain(more)
    }
}

fn print(rows: &[Listed], now: At, output: &mut Output) -> Result<(), Error> {
    match output.reader {
        Audience::Program => rows.iter().try_for_each(|Listed { row, pipeline }| {
            output.object(view::listed(row, pipeline.as_deref()))
        })?,
        Audience::Pipe => {
            let row = |Listed { row, pipeline }: &Listed| {
                let Row { id, workflow, status, owner, figures, created_at, at, .. } = row;
                let cap = figures.cap.map_or(String::new(), |cap| cap.to_string());
                let (spent, created) = (figures.spent.to_string(), created_at.to_string());
                let names =
                    [id.to_string(), workflow.clone(), status.to_string(), owner.to_string()];
                let pipeline = pipeline.clone().unwrap_or_default();
                let label = row.label.clone().unwrap_or_default();
                let rest = [spent, cap, created, at.to_string(), pipeline, label];
                names.into_iter().chain(rest).collect()
            };
            output.rows(&[], rows.iter().map(row).collect())?;
        }
        Audience::Person if rows.is_empty() => {}
        Audience::Person => {
            let row = |Listed { row, pipeline }: &Listed| {
                vec![
                    row.id.to_string(),
                    named(&row.workflow, pipeline.as_deref()),
                    stands(row),
                    row.owner.to_string(),
                    format!("${} of {}", row.figures.spent, amount(row.figures.cap)),
                    format!("{} ago", span(now.since(row.created_at))),
                ]
            };
            let head = ["run", "workflow", "status", "owner", "spent", "created"];
            output.rows(&head, rows.iter().map(row).collect())?;
        }
    }
    Ok(())
}

/// `waiting (HALTED_COST)`: the status, with the label where there is one. A queued run that waits for a command is
/// interrupted.
pub(super) fn stands(row: &Row) -> String {
    let status = if row.interrupted { "interrupted" } else { row.status.as_str() };
    match &row.label {
        Some(label) => format!("{status} ({label})"),
        None => status.to_owned(),
    }
}

/// `pipeline/envelope notes`: the workflow of every pipeline is the same.
pub(super) fn named(workflow: &str, pipeline: Option<&str>) -> String {
    pipeline.map_or_else(|| workflow.to_owned(), |pipeline| format!("{workflow} {pipeline}"))
}

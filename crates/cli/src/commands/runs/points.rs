//! `consign runs points RUN`: the recovery points from which a run can be forked.

use consign_app::runs;
use consign_contracts::json::Json;
use consign_engine::RecoveryPoint;

use super::{find, form};
use crate::{
    engine::session,
    error::{Error, Exit},
    output::{Audience, FAINT, Output, styled},
    text::span,
};

const HELP: &str = "\
A recovery point is a place in a run's journal that its workflow has named: a pipeline has one after every stage. \
`consign runs fork RUN --at POINT` begins a new run there. With --json each line is an object with `point`, `run` \
(whose journal has it: this one, or one that it was forked from), `seq` and `at`.

Examples:
  consign runs points 7h2k
  consign runs points 7h2k --json | jq -r .point";

#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(crate) struct Args {
    /// The run, or the first letters of its id
    run: String,
}

pub(crate) fn run(args: &Args, output: &mut Output) -> Result<Exit, Error> {
    session(async |session| {
        let row = find(&session.engine, &args.run).await?;
        let points = runs::points(&session.engine, &row.id).await?;
        match output.reader {
            Audience::Program => points.iter().try_for_each(|point| {
                let RecoveryPoint { run, name, seq, at } = point;
                output.object(form::object([
                    ("point", form::text(name)),
                    ("run", form::text(run)),
                    ("seq", Json::Number(seq.0.into())),
                    ("at", form::text(at)),
                ]))
            })?,
            Audience::Pipe | Audience::Person => {
                let began = row.created_at;
                let line = |point: &RecoveryPoint| {
                    let after = format!("+{}", span(point.at.since(began)));
                    vec![point.name.clone(), point.run.to_string(), point.seq.to_string(), after]
                };
                output
                    .rows(&["point", "run", "event", "after"], points.iter().map(line).collect())?;
            }
        }
        if output.reader == Audience::Person {
            let hint = format!("begin a new run at one: consign runs fork {} --at POINT", row.id);
            output.line(styled(FAINT, hint))?;
        }
        Ok(Exit::Done)
    })
}

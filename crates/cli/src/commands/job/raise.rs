//! `consign job raise DIR`: sets higher thresholds.

use consign_app::jobs::{self, Purpose, Raise};
use consign_engine::Nanos;

use super::{
    new::{cents, minutes},
    place::PlaceArgs,
    steward::onward,
};
use crate::{
    engine::session,
    error::{Error, Exit},
    output::Output,
};

const HELP: &str = "\
Each value is the whole new threshold, not what is added to it. Thresholds only go up; 0 lifts one.

Examples:
  consign job raise site --cost 2500 --run
  consign job raise site --minutes 90";

#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(crate) struct Args {
    #[command(flatten)]
    place: PlaceArgs,

    /// What the job may cost, in US cents
    #[arg(long, value_name = "CENTS", value_parser = cents)]
    cost: Option<Nanos>,

    /// How many minutes the job may work
    #[arg(long, value_name = "N", value_parser = minutes)]
    minutes: Option<f64>,

    /// Drive the job on here
    #[arg(long)]
    run: bool,
}

pub(crate) fn run(args: &Args, output: &mut Output) -> Result<Exit, Error> {
    session(async |session| {
        let job = args.place.open(session, Purpose::Change, output).await?;
        let to = Raise { cost: args.cost, minutes: args.minutes };
        jobs::raise(session, &job, to, &session.user).await?;
        onward(session, &args.place, &job, "raised", args.run, output).await
    })
}

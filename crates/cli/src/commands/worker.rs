//! `consign worker`: takes detached runs and drives them.

use std::{path::PathBuf, time::Duration};

use anstream::ColorChoice;
use consign_app::{
    documents,
    workers::{self, Enlisted},
};
use consign_contracts::json::{Json, Object};
use consign_engine::{Left, Report, Stop};
use tracing::{Level, enabled};

use super::runs::form;
use crate::{
    engine::{Session, session},
    error::{Error, Exit},
    output::{Audience, FAINT, Output, object, printable, styled, warn},
    signals::Signals,
    text::count,
};

const HELP: &str = "\
Takes detached runs and drives them side by side. Owners take turns; the runs of one owner are taken by priority and \
then by age. Any number of workers can share a directory; a run has one at a time. When one dies, another takes over \
its runs at once. Beside that, passages of documents get the vectors that `consign ingest` has left.

Ctrl-C or SIGTERM stops it gracefully: it begins nothing new, waits for what is under way, and puts \
its runs back. After the grace, or at a second signal, it leaves at once; what was under way then \
is lost, and taken up by the worker or command that takes the run next.

With --json each line on standard output is something that happened: {\"event\": \"started\", …}, \
then reclaimed, claimed, left and damaged, unavailable and available (of the store), and at the end stopped.

Examples:
  consign worker
  consign worker --at-once 8 --grace 60 --verbose
  consign worker --json >> worker.ndjson";

#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(crate) struct Args {
    /// How many runs to drive at once
    #[arg(long, value_name = "N", default_value_t = 1000,
          value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(1..=100_000))]
    at_once: usize,

    /// How long to wait for what is under way when it is stopped
    #[arg(long, value_name = "SECONDS", default_value_t = 10)]
    grace: u32,

    /// Jobs may read and publish the git repositories right below this folder, as `local/NAME`
    #[arg(long, value_name = "DIR")]
    repos: Option<PathBuf>,

    /// Say which runs it takes and leaves
    #[arg(short, long)]
    verbose: bool,
}

/// What a worker has done.
#[derive(Default)]
struct Tally {
    claimed: u64,
    closed: u64,
    /// The reader of our output has gone.
    cut_off: Option<Error>,
}

pub(super) fn run(args: &Args, output: &mut Output) -> Result<Exit, Error> {
    session(async |session| work(args, session, output).await)
}

async fn work(args: &Args, session: &Session, output: &mut Output) -> Result<Exit, Error> {
    if let Some(repos) = &args.repos {
        session.sources.share(repos, &session.folder)?;
    }
    let signals = Signals::listen(Duration::from_secs(args.grace.into()))?;
    let worker = workers::enlist(&session.engine, args.at_once).await?;
    let (id, host) = (worker.id.clone(), worker.host.clone());
    let home = session.folder.display().to_string();
    happened(output, "started", |event| {
        event.set("worker", form::text(&id));
        event.set("home", form::text(&home));
        event.set("host", form::text(&host));
        event.set("at_once", form::number(args.at_once as u64));
    })?;
    output.tell(format!("worker {id} on {}; Ctrl-C stops it", printable(&home)));

    let mut tally = Tally::default();
    work_until_stopped(session, worker, &signals, output.color, |report| {
        tally.count(&report);
        if tally.cut_off.is_none()
            && let Err(error) = print(&report, args.verbose, output)
        {
            // Standard output is closed: the worker stops, since it can report no more.
            tally.cut_off = Some(error);
            signals.drain();
        }
    })
    .await?;
    if let Some(error) = tally.cut_off {
        return Err(error);
    }
    happened(output, "stopped", |event| {
        event.set("worker", form::text(&id));
        event.set("claimed", form::number(tally.claimed));
        event.set("closed", form::number(tally.closed));
    })?;
    // A run is claimed again after each wait.
    let (claims, closed) = (count(tally.claimed, "claim"), count(tally.closed, "run"));
    output.tell(format!("worker {id} stopped; {claims}, {closed} closed"));
    Ok(Exit::Done)
}

async fn work_until_stopped(
    session: &Session,
    worker: Enlisted,
    signals: &Signals,
    color: ColorChoice,
    tell: impl FnMut(Report) + Send,
) -> Result<(), Error> {
    let mut stop = signals.stop.clone();
    let worked = worker.work(stop.clone(), tell);
    // Passages of documents get their vectors for as long as nothing is to be stopped.
    let filling = documents::fill_in_background(session);
    tokio::pin!(worked, filling);
    loop {
        let goes_on = *stop.borrow() == Stop::GoOn;
        tokio::select! {
            biased;
            ended = &mut worked => return Ok(ended?),
            never = &mut filling, if goes_on => match never {},
            Ok(()) = stop.changed() => {
                if *stop.borrow_and_update() == Stop::Drain {
                    warn(color, "stopping after what is under way; a second signal leaves at once");
                }
            }
        }
    }
}

impl Tally {
    fn count(&mut self, report: &Report) {
        match report {
            Report::Claimed(_) => self.claimed += 1,
            Report::Left(_, Left::Closed(_)) => self.closed += 1,
            Report::Left(_, Left::Waiting | Left::Queued | Left::Taken)
            | Report::Reclaimed(_)
            | Report::Damaged(..)
            | Report::Unavailable(_)
            | Report::Available => {}
        }
    }
}

/// A line for programs, at once.
fn happened(
    output: &mut Output,
    what: &'static str,
    add: impl FnOnce(&mut Object<'static>),
) -> Result<(), Error> {
    if output.reader == Audience::Program {
        let mut event = object([("event", form::text(what))]);
        add(&mut event);
        output.object(event)?;
        output.finish()?;
    }
    Ok(())
}

fn print(report: &Report, verbose: bool, output: &mut Output) -> Result<(), Error> {
    let say = |line: String| {
        // A log of this level says it already.
        if verbose && !enabled!(target: "consign_engine::drive", Level::INFO) {
            output.tell(styled(FAINT, line));
        }
    };
    match report {
        Report::Reclaimed(runs) => {
            happened(output, "reclaimed", |event| event.set("runs", form::number(*runs)))
        }
        Report::Claimed(run) => {
            say(format!("{run} taken"));
            happened(output, "claimed", |event| event.set("run", form::text(run)))
        }
        Report::Left(run, left) => {
            let (how, status) = match left {
                Left::Closed(status) => ("closed", Some(*status)),
                Left::Waiting => ("waiting", None),
                Left::Queued => ("queued", None),
                Left::Taken => ("taken", None),
            };
            let ended = status.map_or(how, |status| status.as_str());
            say(format!("{run} left: {ended}"));
            happened(output, "left", |event| {
                event.set("run", form::text(run));
                event.set("left", form::text(how));
                event.set("status", status.map_or(Json::Null, form::text));
            })
        }
        // The log tells people of these.
        Report::Damaged(run, why) => happened(output, "damaged", |event| {
            event.set("run", form::text(run));
            event.set("reason", form::text(why));
        }),
        Report::Unavailable(why) => {
            happened(output, "unavailable", |event| event.set("reason", form::text(why)))
        }
        Report::Available => happened(output, "available", |_| {}),
    }
}

//! `consign runs show RUN`: everything about one run.

use consign_engine::{
    At, Placement, Seq, Usage,
    journal::Record,
    store::{Figures, Interaction, Row},
};

use consign_app::view::{self, Ancestor};

use super::{
    find, form, journey,
    list::stands,
    phases,
    report::{self, End},
    timeline, waits,
};
use crate::{
    engine::{Session, session},
    error::{Error, Exit},
    fault::in_our_words,
    output::{Audience, FAINT, Output, STRONG, printable, styled},
    text::{amount, count, one_line, shortened, span},
};

const HELP: &str = "\
With --json this is one object of contract engine/run, with the run's input, output or fault, \
limits, certificate and what it waits for. With --events it is the journal instead: one object of \
contract engine/event per line, from which anybody can check the chain of hashes.

Examples:
  consign runs show 7h2k
  consign runs show 7h2k --events
  consign runs show 7h2k --json | jq .output";

#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(crate) struct Args {
    /// The run, or the first letters of its id
    run: String,

    /// All events of its journal
    #[arg(long)]
    events: bool,
}

/// Events that people are shown of a run.
const RECENT: u64 = 15;

pub(crate) fn run(args: &Args, output: &mut Output) -> Result<Exit, Error> {
    session(async |session| {
        let row = find(&session.engine, &args.run).await?;
        if args.events {
            return events(session, &row, output).await;
        }
        let asks = waits::open(session, &row.id).await?;
        match output.reader {
            Audience::Program => {
                output.object(report::whole(session, &row, &asks).await?)?;
            }
            Audience::Person | Audience::Pipe => explain(session, &row, &asks, output).await?,
        }
        Ok(Exit::Done)
    })
}

/// The whole journal, page by page: it may be long.
async fn events(session: &Session, row: &Row, output: &mut Output) -> Result<Exit, Error> {
    let mut from = Seq(0);
    loop {
        let page = session.page(&row.id, from).await?;
        let Some(last) = page.last() else { return Ok(Exit::Done) };
        from = last.seq.next();
        for record in &page {
            print_event(record, row, output)?;
        }
    }
}

/// Prints one event in the form for the output's audience.
pub(super) fn print_event(record: &Record, row: &Row, output: &mut Output) -> Result<(), Error> {
    match output.reader {
        Audience::Program => output.line(form::event(record))?,
        Audience::Pipe => {
            let fields = [record.seq.to_string(), record.at.to_string(), record.kind.to_string()];
            let told = [record.actor.to_string(), timeline::told(record)];
            output.rows(&[], vec![fields.into_iter().chain(told).collect()])?;
        }
        Audience::Person => told(record, row, output)?,
    }
    Ok(())
}

/// An event for people, with the last words of the program that failed.
fn told(record: &Record, row: &Row, output: &mut Output) -> Result<(), Error> {
    output.line(printable(&timeline::line(record, row.created_at)))?;
    for words in timeline::last_words(record) {
        output.line(styled(FAINT, format!("{:17}{}", "", printable(&words))))?;
    }
    Ok(())
}

async fn explain(
    session: &Session,
    row: &Row,
    asks: &[Interaction],
    output: &mut Output,
) -> Result<(), Error> {
    let mut line = |name: &str, value: &str| {
        output.line(format!("{}  {}", styled(FAINT, format!("{name:<11}")), printable(value)))
    };
    line("run", row.id.as_str())?;
    line("workflow", &format!("{} version {}", row.workflow, row.version))?;
    let holder = row.worker.as_ref().map_or(String::new(), |worker| format!(", held by {worker}"));
    line("status", &format!("{}{holder}", stands(row)))?;
    line("owner", row.owner.as_str())?;
    line("placement", &format!("{}, priority {}", row.placement, row.priority))?;
    let now = session.engine.now();
    let ago = |at| format!("{at} ({} ago)", span(now.since(at)));
    for Ancestor { run, seq, spent } in view::lineage(&session.engine, row).await? {
        let spent = spent.map_or("no longer here".to_owned(), |spent| format!("it spent ${spent}"));
        line("forked from", &format!("{run} after event {seq}; {spent}"))?;
    }
    line("created", &ago(row.created_at))?;
    line("newest", &format!("event {}, {}", row.seq, ago(row.at)))?;
    line("head", &row.head.to_string())?;
    if let Some(idle) = waits::idle(session, row, !asks.is_empty()).await {
        line("next", &idle)?;
    } else if let Some(at) = row.wake_at {
        line("goes on", &goes_on(row, at, now))?;
    }
    // A run whose state cannot be read is shown all the same.
    if let Ok((limits, usage)) = session.engine.usage(&row.id).await {
        line("used", &format!("{}; {}", money(&row.figures), work(&usage)))?;
        line("limits", &timeline::limits(&limits))?;
    } else {
        line("used", &money(&row.figures))?;
    }
    if row.redacted {
        line("content", "(redacted)")?;
    }
    if let Some(created) = report::beginning(session, row).await? {
        line("certificate", &report::certificate(&created.certificate))?;
        match journey::begun(row, &created.input) {
            Some((pipeline, question)) => {
                line("pipeline", &pipeline)?;
                line("question", &shortened(&one_line(&question), 2000))?;
            }
            None => line("input", &shortened(created.input.as_str(), 2000))?,
        }
    }
    if let Some(stages) = journey::stages(session, row).await {
        line("stages", &stages)?;
    }
    for (name, told) in phases::phases(session, row).await {
        line(&name, &told)?;
    }
    match report::end(session, row).await? {
        Some(End::Succeeded(end)) => {
            let result = journey::result(row, &end).unwrap_or_else(|| end.as_str().to_owned());
            line("output", &shortened(&result, 20_000))?;
        }
        Some(End::Failed(fault)) => {
            line("fault", &format!("{}: {}", fault.code, in_our_words(&fault)))?;
        }
        Some(End::Cancelled { by, reason }) => {
            let why = timeline::because(reason.as_deref());
            line("cancelled", &format!("by {by}{why}"))?;
        }
        None => {}
    }
    waits::print(session, row, asks, now, output).await?;
    recent(session, row, output).await
}

/// `$1 spent, $0 held back, of $10`
fn money(figures: &Figures) -> String {
    let Figures { spent, reserved, cap } = figures;
    format!("${spent} spent, ${reserved} held back, of {}", amount(*cap))
}

/// `2 calls, 3.4s of work`
fn work(used: &Usage) -> String {
    let unmetered = match used.unmetered {
        0 => String::new(),
        calls => format!(" ({} unmetered)", count(calls, "call")),
    };
    let active = span(used.active.unwrap_or_default());
    format!("{}{unmetered}, {active} of work", count(used.calls, "call"))
}

/// When a run that waits for an instant goes on, and by whom.
fn goes_on(row: &Row, at: At, now: At) -> String {
    let when =
        if at <= now { "now".to_owned() } else { format!("{at} (in {})", span(at.since(now))) };
    match (&row.worker, &row.placement) {
        (None, Placement::HereOnly) if at <= now => {
            format!("when it is resumed: consign runs resume {}", row.id)
        }
        (None, Placement::HereOnly) => format!("{when}, when it is resumed"),
        (None, Placement::Foreground | Placement::Anywhere | Placement::Host(_)) if at <= now => {
            "as soon as a worker takes it (`consign worker`)".to_owned()
        }
        (Some(_), _) | (None, Placement::Foreground | Placement::Anywhere | Placement::Host(_)) => {
            when
        }
    }
}

async fn recent(session: &Session, row: &Row, output: &mut Output) -> Result<(), Error> {
    let from = Seq(row.seq.0.saturating_sub(RECENT - 1));
    let page = session.store().events(&row.id, from, RECENT as usize).await?;
    let what = if from.0 == 0 { "events" } else { "newest events" };
    output.line("")?;
    output.line(styled(STRONG, what))?;
    for record in &page {
        told(record, row, output)?;
    }
    if from.0 > 0 {
        let all = format!("`consign runs show {} --events` shows all {}", row.id, row.seq.0 + 1);
        output.line(styled(FAINT, all))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_that_nobody_could_price_are_named_only_where_there_are_some() {
        let used = |unmetered| work(&Usage { calls: 2, unmetered, ..Usage::default() });
        assert_eq!(used(0), "2 calls, 0ms of work");
        assert_eq!(used(1), "2 calls (1 call unmetered), 0ms of work");
        assert_eq!(used(2), "2 calls (2 calls unmetered), 0ms of work");
    }
}

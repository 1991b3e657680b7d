//! `consign runs watch RUN`: follows a run until it ends.

use std::{collections::VecDeque, io::Stdout, time::Duration};

use consign_app::view;
use consign_engine::{
    RunId, Seq, Status,
    store::{InboxQuery, Row, Tick},
};
use tokio::time::sleep;

use super::{find, list, picture::Picture, report, show::print_event, timeline, waits};
use crate::{
    engine::{Session, session},
    error::{Error, Exit},
    live::Live,
    output::{Audience, Output, printable},
    text::{amount, one_line, shell_word, shortened, span},
};

const HELP: &str = "\
Shows the events so far, then each as it happens, until the run ends; if it waits, it says for what \
and goes on watching. On a terminal it is a view that is drawn again and again; in a pipe a line \
per event; with --json an object of contract engine/event per line, so that `--from` with the seq \
after the last one goes on without a gap.

Exits with 0 when the run succeeded and with 1 when it failed or was cancelled. Ctrl-C stops \
watching, not the run.

Examples:
  consign runs watch 7h2k
  consign runs watch 7h2k --from 120 --json";

#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(crate) struct Args {
    /// The run, or the first letters of its id
    run: String,

    /// The first event to show
    #[arg(long, value_name = "SEQ", default_value_t = 0)]
    from: u64,
}

/// Events and open activities that a view has room for.
const EVENTS: usize = 8;
const OPEN: usize = 6;
/// A view that shows how time passes is drawn at least so often.
const REDRAW: Duration = Duration::from_secs(1);

pub(crate) fn run(args: &Args, output: &mut Output) -> Result<Exit, Error> {
    session(async |session| {
        let row = find(&session.engine, &args.run).await?;
        let created = report::beginning(session, &row).await?;
        let pipeline = created.as_ref().and_then(view::pipeline);
        let (run, what) = (row.id, list::named(&row.workflow, pipeline.as_deref()));
        let live = match output.reader {
            Audience::Person => Live::on_stdout(output.color),
            Audience::Pipe | Audience::Program => Live::nowhere(),
        };
        let mut watch = Watch {
            from: Seq(if live.is_able() { 0 } else { args.from }),
            shown_from: Seq(args.from),
            live,
            what,
            picture: Picture::default(),
            recent: VecDeque::new(),
            seen: 0,
            told: None,
        };
        let row = watch.until_closed(session, &run, output).await?;
        match report::unhappy(session, &row).await? {
            Some(error) => Err(error),
            None => Ok(Exit::Done),
        }
    })
}

struct Watch {
    /// The next event to read.
    from: Seq,
    /// The first event that the view shows.
    shown_from: Seq,
    live: Live<Stdout>,
    /// The workflow, and which pipeline it is.
    what: String,
    picture: Picture,
    /// The newest events, and how many there were.
    recent: VecDeque<String>,
    seen: usize,
    /// The event after which it was last said why nothing moves.
    told: Option<Seq>,
}

impl Watch {
    async fn until_closed(
        &mut self,
        session: &Session,
        run: &RunId,
        output: &mut Output,
    ) -> Result<Row, Error> {
        let store = session.store();
        let mut tick = Tick::default();
        loop {
            // The row first: once it is closed, all events are there to be read.
            let row = store.row(run).await?;
            self.read(session, &row, output).await?;
            if self.live.is_able() {
                let view = self.view(session, &row).await?;
                self.live.draw(&view)?;
            } else {
                output.finish()?;
                self.tell_standstill(session, &row, output).await?;
            }
            if row.status.is_closed() {
                return Ok(row);
            }
            tokio::select! {
                now = store.changed(tick) => tick = now,
                () = sleep(REDRAW) => {}
            }
            output.is_read()?;
            store.reclaim().await?;
        }
    }

    async fn read(
        &mut self,
        session: &Session,
        row: &Row,
        output: &mut Output,
    ) -> Result<(), Error> {
        loop {
            let page = session.page(&row.id, self.from).await?;
            let Some(last) = page.last() else { return Ok(()) };
            self.from = last.seq.next();
            for record in &page {
                if !self.live.is_able() {
                    print_event(record, row, output)?;
                    continue;
                }
                self.picture.take(record);
                if record.seq >= self.shown_from {
                    self.seen += 1;
                    self.recent.push_back(timeline::line(record, row.created_at));
                    self.recent.drain(..self.recent.len().saturating_sub(EVENTS));
                }
            }
        }
    }

    async fn view(&self, session: &Session, row: &Row) -> Result<Vec<String>, Error> {
        let now = session.engine.now();
        let age = span(if row.status.is_closed() { row.at } else { now }.since(row.created_at));
        let figures = &row.figures;
        let mut head = vec![
            format!("{}  {}  {}  {age}", row.id, self.what, row.status),
            format!(
                "{}, ${} held back, of {}; event {}",
                self.picture.in_short(),
                figures.reserved,
                amount(figures.cap),
                row.seq
            ),
        ];
        head.extend(waits::idle(session, row, self.picture.asks()).await);
        let mut open = self.picture.work(now, OPEN);
        if self.picture.asks() {
            open.extend(asks(session, row).await?);
        }
        let open: Vec<_> = open.into_iter().map(|line| format!("  {line}")).collect();
        Ok(fit(head, open, &self.recent, self.seen, self.live.room()))
    }

    /// Says once why nothing moves.
    async fn tell_standstill(
        &mut self,
        session: &Session,
        row: &Row,
        output: &Output,
    ) -> Result<(), Error> {
        if self.told == Some(row.seq) {
            return Ok(());
        }
        match row.status {
            Status::Waiting => {
                let asks = waits::open(session, &row.id).await?;
                for ask in asks.iter().take(OPEN) {
                    let key = shell_word(ask.key.as_str()).into_owned();
                    let now = session.engine.now();
                    let next = waits::commands(session, row, ask, now).await?;
                    let deadline = ask.deadline.filter(|_| next.is_empty());
                    let deadline = deadline.map(|at| waits::until(at, ask, row, now));
                    let next: Vec<_> = next.into_iter().chain(deadline).collect();
                    let (kind, code) = (ask.kind, waits::why(ask));
                    output.tell(format!("waits for {kind} {key}{code}: {}", next.join("\n  ")));
                }
                if let Some(idle) = waits::idle(session, row, !asks.is_empty()).await {
                    output.tell(printable(&idle));
                } else if let Some(at) = row.wake_at.filter(|_| asks.is_empty()) {
                    output.tell(format!("waits until {at}"));
                }
            }
            Status::Queued => match waits::idle(session, row, false).await {
                Some(idle) => output.tell(printable(&idle)),
                None => return Ok(()),
            },
            Status::Running | Status::Succeeded | Status::Failed | Status::Cancelled => {
                return Ok(());
            }
        }
        self.told = Some(row.seq);
        Ok(())
    }
}

/// What a run asks, each with the command that answers it or what becomes of it at its deadline.
async fn asks(session: &Session, row: &Row) -> Result<Vec<String>, Error> {
    let now = session.engine.now();
    let query = InboxQuery { run: Some(row.id.clone()), most: OPEN + 1, ..Default::default() };
    let asks = session.store().inbox(&query).await?;
    let mut lines = Vec::new();
    for ask in asks.iter().take(OPEN) {
        let (key, kind, age) = (&ask.key, ask.kind, span(now.since(ask.opened_at)));
        lines.push(format!(
            "{key}: waits for {kind} for {age}: {}",
            shortened(&one_line(&ask.prompt), 200)
        ));
        let deadline = ask.deadline.map(|deadline| waits::until(deadline, ask, row, now));
        let next = waits::commands(session, row, ask, now).await?.into_iter().chain(deadline);
        lines.extend(next.map(|line| format!("  {line}")));
    }
    if asks.len() > OPEN {
        lines.push(format!("… and more: consign inbox --run {}", row.id));
    }
    Ok(lines)
}

/// A view of at most so many lines: of what is open, at most half of what is left by the head; of
/// the events, the newest.
fn fit(
    mut head: Vec<String>,
    mut open: Vec<String>,
    recent: &VecDeque<String>,
    seen: usize,
    room: usize,
) -> Vec<String> {
    head.truncate(room);
    let left = room - head.len();
    // What the events do not need is there for what is open, and the other way round.
    let most = (left / 2).max(left.saturating_sub(recent.len() + 2));
    if open.len() > most {
        open.truncate(most.saturating_sub(1));
        open.extend((most > 0).then(|| "  …".to_owned()));
    }
    let mut left = left - open.len();
    head.append(&mut open);
    if left > 2 && !recent.is_empty() {
        head.push(String::new());
        left -= 1;
    }
    if seen <= left && seen == recent.len() {
        head.extend(recent.iter().cloned());
    } else {
        let shown = if left > 1 { recent.len().min(left - 1) } else { left.min(recent.len()) };
        head.extend((left > 1).then(|| format!("… {} earlier", seen - shown)));
        head.extend(recent.iter().skip(recent.len() - shown).cloned());
    }
    head
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_view_is_never_taller_than_its_room_and_keeps_the_newest() {
        let lines = |name: &str, n: usize| (0..n).map(|i| format!("{name}{i}")).collect::<Vec<_>>();
        for (open, recent, seen) in [(0, 8, 8), (0, 8, 30), (7, 8, 30), (2, 3, 3), (13, 8, 9)] {
            for room in 0..40 {
                let events = lines("e", recent).into();
                let view = fit(lines("h", 2), lines("o", open), &events, seen, room);
                assert!(view.len() <= room, "{view:?} in {room}");
                if room > 4 {
                    assert_eq!(view.last(), events.back(), "in {room}");
                    let shown = view.iter().filter(|line| line.starts_with('e')).count();
                    let told = view.contains(&format!("… {} earlier", seen - shown));
                    assert!(told || shown == seen, "{view:?} in {room}");
                }
            }
        }
    }
}

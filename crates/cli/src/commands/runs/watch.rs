//! `consign runs watch RUN`

use std::{collections::VecDeque, io::Stdout, time::Duration};

use consign_engine::{Placement, RunId, Seq, Status, store::Row};
use tokio::time::sleep;

use super::{find, picture::Picture, report, show::print_event, timeline, waits};
use crate::{
    engine::{Session, session},
    error::{Error, Exit},
    live::Live,
    output::{Output, Reader},
    text::{amount, shell_word, span},
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

/// Events that are read at a time.
const PAGE: usize = 1000;
/// Events and open activities that a view has room for.
const EVENTS: usize = 8;
const OPEN: usize = 6;
/// A view that shows how time passes is drawn at least so often.
const REDRAW: Duration = Duration::from_secs(1);

pub(crate) fn run(args: &Args, output: &mut Output) -> Result<Exit, Error> {
    session(async |session| {
        let run = find(session, &args.run).await?.id;
        let live = match output.reader {
            Reader::Person => Live::on_stdout(output.color),
            Reader::Pipe | Reader::Program => Live::nowhere(),
        };
        let mut watch = Watch {
            from: Seq(if live.is_able() { 0 } else { args.from }),
            shown_from: Seq(args.from),
            live,
            picture: Picture::default(),
            recent: VecDeque::new(),
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
    picture: Picture,
    recent: VecDeque<String>,
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
        loop {
            // The row first: once it is closed, all events are there to be read.
            let row = store.row(run).await?;
            self.read(session, &row, output).await?;
            if self.live.is_able() {
                self.live.draw(&self.view(session, &row))?;
            } else {
                output.finish()?;
                self.tell_standstill(session, &row, output).await?;
            }
            if row.status.is_closed() {
                return Ok(row);
            }
            tokio::select! {
                () = store.changed() => {}
                () = sleep(REDRAW) => {}
            }
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
            let page = session.store().events(&row.id, self.from, PAGE).await?;
            let Some(last) = page.last() else { return Ok(()) };
            self.from = last.seq.next();
            for record in &page {
                if !self.live.is_able() {
                    print_event(record, row, output)?;
                    continue;
                }
                self.picture.take(record);
                if record.seq >= self.shown_from {
                    self.recent.push_back(timeline::line(record, row.created_at));
                    self.recent.drain(..self.recent.len().saturating_sub(EVENTS));
                }
            }
        }
    }

    fn view(&self, session: &Session, row: &Row) -> Vec<String> {
        let now = session.engine.now();
        let age = span(if row.status.is_closed() { row.at } else { now }.since(row.created_at));
        let figures = &row.figures;
        let mut lines = vec![
            format!("{}  {}  {}  {age}", row.id, row.workflow, row.status),
            format!(
                "{}, ${} held back, of {}; event {}",
                self.picture.in_short(),
                figures.reserved,
                amount(figures.cap),
                row.seq
            ),
        ];
        lines.extend(idle(row));
        if row.status == Status::Waiting {
            lines.push(format!("how to go on: consign runs show {}", row.id));
        }
        lines.extend(self.picture.lines(now, OPEN).into_iter().map(|line| format!("  {line}")));
        lines.push(String::new());
        lines.extend(self.recent.iter().cloned());
        lines
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
                    output.tell(format!("waits for {} {key}: {}", ask.kind, waits::answer(ask)));
                }
                if let Some(at) = row.wake_at.filter(|_| asks.is_empty()) {
                    output.tell(format!("waits until {at}"));
                }
            }
            Status::Queued => match idle(row) {
                Some(idle) => output.tell(idle),
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

/// Why a run that could go on does not.
fn idle(row: &Row) -> Option<String> {
    match (row.status, &row.placement) {
        (Status::Queued, Placement::Foreground) => {
            Some(format!("nobody goes on with it: consign runs resume {}", row.id))
        }
        (Status::Queued, Placement::Anywhere | Placement::Host(_)) => {
            Some("queued for a worker (`consign worker`)".to_owned())
        }
        (
            Status::Running
            | Status::Waiting
            | Status::Succeeded
            | Status::Failed
            | Status::Cancelled,
            _,
        ) => None,
    }
}

//! A run in memory: the engine's frame, the workflow's program, and the end of the journal.

use serde::{Deserialize, Serialize};

use crate::{
    Actor, At, Data, Fault, Happened, RunId, Seq, Signal, Version, Workflows,
    frame::{Frame, News},
    journal::{Body, Chain, Hash, Record},
    store::{Error, Loaded, Snapshot},
    workflow::Program,
};

/// States up to this size are stored after a few events. Storing them with every commit would cost a third
/// of the throughput, and folding a few events costs almost nothing.
const SMALL_STATE: usize = 2048;
const SMALL_EVERY: u64 = 16;
/// Larger states are stored after so many events.
const LARGE_EVERY: u64 = 64;

pub(crate) struct Run {
    pub(crate) id: RunId,
    pub(crate) frame: Frame,
    /// The workflow's program; or why this process has none for the run.
    pub(crate) program: Result<Box<dyn Program>, Fault>,
    pub(crate) seq: Seq,
    pub(crate) head: Hash,
    /// The version that the state came from, and the event up to which it counts, until the
    /// journal says so.
    pub(crate) upgraded: Option<(Version, Seq)>,
    /// The event of the newest snapshot.
    snapshot: Option<Seq>,
    size: usize,
    /// The label that the store has.
    label: Option<String>,
}

/// What a snapshot holds.
#[derive(Serialize, Deserialize)]
struct Saved<F> {
    frame: F,
    state: Data,
}

impl Run {
    /// A run whose first event is about to be written.
    pub(crate) fn new(id: RunId, frame: Frame, program: Box<dyn Program>, first: &Record) -> Self {
        let (seq, head) = (first.seq, first.hash);
        let (upgraded, snapshot, size, label) = (None, None, 0, None);
        Self { id, frame, program: Ok(program), seq, head, upgraded, snapshot, size, label }
    }

    /// Rebuilds a run from its snapshot and the events since.
    pub(crate) fn load(workflows: &Workflows, loaded: &Loaded) -> Result<Self, Error> {
        let id = &loaded.row.id;
        let damaged = |what: String| Error::Damaged(format!("run {id}: {what}"));
        let snapshot = &loaded.snapshot;
        // To go on from a snapshot that was tampered with would make the change true.
        if Hash::of(snapshot.state.as_str().as_bytes()) != snapshot.digest {
            return Err(damaged("its snapshot was changed: its digest is another".to_owned()));
        }
        let Saved::<Frame> { frame, state } =
            snapshot.state.to().map_err(|cause| damaged(format!("its snapshot: {cause}")))?;
        let mut chain = Chain::after(snapshot.seq, frame.at, snapshot.head);
        let bodies = loaded.tail.iter().map(|record| {
            chain.take(record).map_err(|broken| damaged(broken.to_string()))?;
            let body =
                record.body().map_err(|cause| damaged(format!("event {}: {cause}", record.seq)))?;
            body.ok_or_else(|| damaged(format!("event {} is redacted", record.seq)))
        });
        let bodies = bodies.collect::<Result<Vec<_>, _>>()?;
        let (program, upgrade) = restore(workflows, &frame, &state, &bodies);
        let mut run = Self {
            id: id.clone(),
            frame,
            program,
            seq: snapshot.seq,
            head: snapshot.head,
            upgraded: None,
            snapshot: Some(snapshot.seq),
            size: snapshot.state.as_str().len(),
            label: loaded.row.label.clone(),
        };
        let from = run.frame.version;
        if upgrade == Upgrade::Before {
            run.upgraded = Some((from, run.seq));
        }
        for (record, body) in loaded.tail.iter().zip(&bodies) {
            run.apply(record.at, &record.actor, body)
                .map_err(|fault| damaged(fault.to_string()))?;
            (run.seq, run.head) = (record.seq, record.hash);
        }
        if upgrade == Upgrade::After
            && let Ok(old) = &run.program
            && let Ok(newest) = workflows.newest(&run.frame.workflow)
        {
            run.program = newest.restore(from, &old.state());
            run.upgraded = Some((from, run.seq));
        }
        if (run.seq, run.head) != (loaded.row.seq, loaded.row.head) {
            return Err(damaged("its journal does not end where it should".to_owned()));
        }
        Ok(run)
    }

    /// Takes in an event. The program hears of it where it should; if that goes wrong, the event has
    /// happened all the same.
    pub(crate) fn apply(&mut self, at: At, actor: &Actor, body: &Body) -> Result<bool, Fault> {
        let news = self.frame.apply(at, actor, body)?;
        if let (Body::Forked(forked), Ok(program)) = (body, &mut self.program)
            && let Err(fault) = program.replace(&forked.state)
        {
            self.program = Err(fault);
        }
        let Some(news) = news else { return Ok(false) };
        if let Ok(program) = &mut self.program
            && let Err(fault) = program.evolve(&heard(&news))
        {
            self.program = Err(fault);
        }
        Ok(true)
    }

    /// What the workflow calls the place where the run stands. A workflow that is broken says nothing new.
    pub(crate) fn label(&self) -> Option<String> {
        let program = self.program.as_ref().ok()?;
        program.label(&self.frame.own_codes()).unwrap_or_else(|_| self.label.clone())
    }

    /// The label, if it is another one than the store has.
    pub(crate) fn new_label(&self) -> Option<Option<String>> {
        if self.program.is_err() {
            return None;
        }
        let label = self.label();
        (label != self.label).then_some(label)
    }

    /// The store has this label now, where a step brought it one.
    pub(crate) fn labelled(&mut self, label: Option<Option<String>>) {
        if let Some(label) = label {
            self.label = label;
        }
    }

    /// The snapshot that is due, or any if one is wanted. None while nothing here can fold.
    pub(crate) fn snapshot(&mut self, wanted: bool) -> Option<Snapshot> {
        let since = self.snapshot.map_or(LARGE_EVERY, |seq| self.seq.0 - seq.0);
        let every = if self.size > SMALL_STATE { LARGE_EVERY } else { SMALL_EVERY };
        if since == 0 || !wanted && since < every {
            return None;
        }
        let program = self.program.as_ref().ok()?;
        let state = Data::of(&Saved { frame: &self.frame, state: program.state() });
        self.size = state.as_str().len();
        self.snapshot = Some(self.seq);
        let digest = Hash::of(state.as_str().as_bytes());
        Some(Snapshot { seq: self.seq, head: self.head, digest, state })
    }
}

/// When a newer version takes over.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Upgrade {
    None,
    /// From the snapshot on.
    Before,
    /// After the old version has folded what it did itself.
    After,
}

fn restore(
    workflows: &Workflows,
    frame: &Frame,
    state: &Data,
    tail: &[Body],
) -> (Result<Box<dyn Program>, Fault>, Upgrade) {
    let (name, version) = (&frame.workflow, frame.version);
    let newest = match workflows.newest(name) {
        Ok(newest) => newest,
        Err(fault) => return (Err(fault), Upgrade::None),
    };
    if newest.version() == version {
        return (newest.restore(version, state), Upgrade::None);
    }
    if let Err(fault) = workflows.knows(name, version) {
        return (Err(fault), Upgrade::None);
    }
    if tail.iter().all(|body| body.is_delivered() || is_unheard(body)) {
        return (newest.restore(version, state), Upgrade::Before);
    }
    if let Some(old) = workflows.version(name, version) {
        return (old.restore(version, state), Upgrade::After);
    }
    let text = format!("{name} {version} is needed to fold what it did, and is not here");
    (Err(Fault::permanent("WORKFLOW_VERSION_MISSING", text)), Upgrade::None)
}

/// Whether no program hears of it, so that none is needed to fold it.
fn is_unheard(body: &Body) -> bool {
    matches!(
        body,
        Body::CallStarted(_)
            | Body::AttemptStarted(_)
            | Body::AttemptFailed(_)
            | Body::AttemptLost(_)
            | Body::CallCancelled(_)
            | Body::TimeSkipped(_)
            | Body::PointReached(_)
            | Body::Asked(_)
            | Body::AskWithdrawn(_)
            | Body::TimerSet(_)
            | Body::TimerDropped(_)
    )
}

fn heard(news: &News) -> Happened<'_> {
    match news {
        News::Completed(key, output, work) => Happened::Completed { key, output, work: *work },
        News::Failed(key, fault, work) => Happened::Failed { key, fault, work: *work },
        News::Answered(key, value, at, by) => {
            Happened::Answered { key, value, at: *at, by: by.as_ref() }
        }
        News::Fired(key) => Happened::Fired { key },
        News::Advice(text) => Happened::Signalled(Signal::Advice(text)),
        News::Raised(limits) => Happened::Signalled(Signal::Raised(limits)),
        News::Cancel => Happened::Signalled(Signal::Cancel),
        News::Signalled(name, value, at, by) => {
            Happened::Signalled(Signal::Named { name, value, at: *at, by })
        }
    }
}

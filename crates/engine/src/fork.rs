//! Forks: a new run that begins where another one stood.
//!
//! [`Engine::fork`] and [`Seat::fork`] fold the journal of the parent up to an event, a recovery point or just
//! before its failure, and make a run whose second event, `forked`, holds the state that this comes to. The
//! parent is left as it is. What the child spends starts at nothing.
//!
//! Nothing that is recorded is done again: results that the parent has for calls under way at that event are
//! kept; a retry keeps every result and leaves out only what failed, or made the workflow fail. Calls that were
//! begun and not finished are made again under the parent's idempotency key; an unsafe one whose outcome is
//! unknown is asked about first.

mod allow;
mod keep;
mod lineage;

use std::collections::BTreeMap;

use self::{keep::Kept, lineage::Resolved};
use crate::{
    At, Data, Drive, Engine, Error, Fault, Limits, Next, Outcome, Placement, RunId, Seat, Seq,
    Settings, Speaker, Status, Submission, Submitted,
    journal::{BegunCall, Body, Chain, Created, Forked, Hash, Keeps, Record},
    redact::unless_redacted,
    refold::Refold,
    store,
};

/// Events that are read at a time, and how large they may be together.
const PAGE: usize = 1000;
const PAGE_BYTES: usize = 4 << 20;
/// How many recovery points a retry goes back at most before it begins at the start.
const MOST_POINTS_BACK: usize = 8;
/// How many events a retry leaves out at most because the workflow failed of them.
const MOST_LEFT_OUT: usize = 16;
/// The name of the point before everything else.
const START: &str = "start";

/// A request for a fork.
#[derive(Clone, Debug)]
pub struct Fork {
    pub parent: RunId,
    pub at: ForkAt,
    /// The caller's own name for the new run. The same fork under the same name gives the same run.
    pub id: Option<RunId>,
    /// What the new run may use, where that is not what the parent may.
    pub limits: Limits,
    pub placement: Placement,
    /// How its agents are reached, where that is not as in the parent.
    pub settings: Option<Settings>,
    /// Its input, where that is not the parent's: the workflow fits the state to it.
    pub input: Option<Data>,
    /// Whether unsafe calls that the parent made after that place may be made again.
    pub repeat_unsafe: bool,
    pub by: Speaker,
}

/// Where a fork begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ForkAt {
    /// After this event.
    Event(Seq),
    /// At the recovery point of this name: the last one, if there are several. `start` is before everything.
    Point(String),
    /// Just before what failed, or was cancelled: everything that was finished is kept.
    Failure,
}

/// A place from which a run can be forked by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecoveryPoint {
    /// The run whose journal has it: the run itself, or one that it was forked from.
    pub run: RunId,
    pub name: String,
    pub seq: Seq,
    pub at: At,
}

/// What a fork comes to: its first two events, before they have a time.
struct Planned {
    submission: Submission,
    forked: Forked,
}

/// What is known of a run before it is forked.
struct Parent {
    row: store::Row,
    created: Created,
    /// The event behind which the run has a state of its own: a fork begins with its second.
    first: Seq,
    points: Vec<RecoveryPoint>,
}

impl Engine {
    /// Forks a run and leaves the new one to the workers.
    pub async fn fork(&self, fork: Fork) -> Result<Submitted, Error> {
        let fork = self.resolve(fork).await?;
        let planned = match self.plan_fork(&fork).await {
            Ok(planned) => planned,
            Err(error) => return self.forked_before(&fork.fork).await?.ok_or(error),
        };
        let Resolved { fork, .. } = fork;
        match self.submit_fork(planned.submission, planned.forked).await {
            Err(Error::Store(store::Error::Exists(run))) => {
                let before = self.forked_before(&fork).await?;
                before.ok_or_else(|| taken(&run, &fork.parent).into())
            }
            submitted => submitted,
        }
    }

    /// Whether a fork begins with what the journal of its parent comes to; or why that cannot be told.
    /// `input` is that of the fork.
    pub(crate) async fn begins_as(
        &self,
        forked: &Forked,
        input: Option<&Data>,
    ) -> Result<Result<bool, String>, Error> {
        let parent = match self.parent(&forked.run, Some(forked.until)).await {
            Ok(parent) => parent,
            Err(Error::Fault(fault)) => return Ok(Err(fault.to_string())),
            Err(Error::Store(redacted @ store::Error::Redacted(_))) => {
                return Ok(Err(redacted.to_string()));
            }
            Err(error) => return Err(error),
        };
        let without = forked.without.clone();
        let begin = Begin { seq: forked.seq, keeps: forked.keeps, without };
        let stood = match self.stood(&parent, &begin).await {
            Ok(stood) => stood,
            Err(Error::Fault(fault)) => return Ok(Err(fault.to_string())),
            Err(error) => return Err(error),
        };
        let same = (&stood.head, &stood.calls) == (&forked.head, &forked.calls);
        let input = input.filter(|_| forked.refitted);
        Ok(match self.newest_state(&parent.row.workflow, &stood, input) {
            Ok(state) => Ok(same && state == forked.state),
            Err(fault) => Err(fault.to_string()),
        })
    }

    /// The run that the same fork made before.
    async fn forked_before(&self, fork: &Fork) -> Result<Option<Submitted>, Error> {
        let Some(id) = &fork.id else { return Ok(None) };
        let events = match self.store.events(id, Seq(0), 2).await {
            Err(store::Error::NotFound(_)) => return Ok(None),
            events => events?,
        };
        let [created, forked] = events.as_slice() else { return Ok(None) };
        let (Ok(Some(Body::Created(created))), Ok(Some(Body::Forked(forked)))) =
            (created.body(), forked.body())
        else {
            return Ok(None);
        };
        if forked.run != fork.parent || !self.begins_at(&forked, &fork.at).await? {
            return Ok(None);
        }
        let Created { certificate, placement, .. } = created;
        Ok(Some(Submitted { run: id.clone(), certificate, placement, repeated: true }))
    }

    /// Whether a fork begins at this place of its parent.
    async fn begins_at(&self, forked: &Forked, at: &ForkAt) -> Result<bool, Error> {
        let first = |record: &Record| matches!(record.kind.as_ref(), "created" | "forked");
        let begins = self.store.events(&forked.run, forked.seq, 1).await?;
        let Some(begins) = begins.first() else { return Ok(false) };
        Ok(match (at, forked.keeps) {
            (ForkAt::Event(seq), Keeps::UnderWay) => {
                *seq == forked.seq || *seq < forked.seq && first(begins)
            }
            (ForkAt::Point(name), Keeps::UnderWay) => {
                point(&forked.run, begins).is_some_and(|point| point.name == *name)
            }
            (ForkAt::Failure, Keeps::Finished) => true,
            (ForkAt::Event(_) | ForkAt::Point(_), Keeps::Finished)
            | (ForkAt::Failure, Keeps::UnderWay) => false,
        })
    }

    /// Works out a fork. Writes nothing.
    async fn plan_fork(&self, resolved: &Resolved) -> Result<Planned, Error> {
        let fork = &resolved.fork;
        let parent = self.parent(&fork.parent, None).await?;
        self.begins_here(&parent.row.workflow)?;
        let mut found = None;
        for begin in parent.candidates(&fork.at)? {
            found = self.stood_open(&parent, begin).await?;
            if found.is_some() {
                break;
            }
        }
        let (begin, stood) = found.ok_or_else(|| finished(&fork.parent))?;
        self.allow(resolved, begin.seq, begin.keeps, parent.row.seq).await?;
        let forked = Forked {
            run: fork.parent.clone(),
            seq: begin.seq,
            head: stood.head,
            until: parent.row.seq,
            keeps: begin.keeps,
            without: begin.without,
            refitted: fork.input.is_some(),
            state: self.newest_state(&parent.row.workflow, &stood, fork.input.as_ref())?,
            calls: stood.calls.clone(),
        };
        let Parent { row, created, .. } = parent;
        let submission = Submission {
            id: fork.id.clone(),
            workflow: row.workflow,
            input: fork.input.clone().unwrap_or(created.input),
            owner: row.owner,
            limits: stood.limits.raised(&fork.limits),
            placement: fork.placement.clone(),
            priority: row.priority,
            settings: fork.settings.clone().unwrap_or(created.settings),
            certified: false,
            actor: fork.by.actor.clone(),
        };
        Ok(Planned { submission, forked })
    }

    /// A parent as it stood, if the run could go on from there. A retry leaves out what the workflow failed of, and
    /// also goes on where nothing is left to do but to succeed: the parent was cancelled just before.
    async fn stood_open(
        &self,
        parent: &Parent,
        mut begin: Begin,
    ) -> Result<Option<(Begin, Stood)>, Error> {
        loop {
            let stood = self.stood(parent, &begin).await?;
            let (retries, full) =
                (begin.keeps == Keeps::Finished, begin.without.len() >= MOST_LEFT_OUT);
            return Ok(match (&stood.wants, stood.failed_at) {
                (Ok(Next::Open(_)), _) => Some((begin, stood)),
                (Ok(Next::Finish(Outcome::Succeeded(_))), _) => retries.then_some((begin, stood)),
                (Ok(Next::Finish(Outcome::Failed(_))), Some(seq)) if retries && !full => {
                    begin.without.push(seq);
                    continue;
                }
                (Ok(Next::Finish(Outcome::Failed(_))), _) => None,
                (Err(fault), _) => return Err(fault.clone().into()),
            });
        }
    }

    /// The state of a parent, as its newest version has it, fitted to another input where there is one.
    fn newest_state(
        &self,
        workflow: &str,
        stood: &Stood,
        input: Option<&Data>,
    ) -> Result<Data, Fault> {
        let newest = self.workflows.newest(workflow)?;
        let (version, state) = &stood.state;
        let mut program = newest.restore(*version, state)?;
        if let Some(input) = input {
            program.refit(input)?;
        }
        Ok(program.state())
    }

    /// Looks through the journal of a run, up to an event.
    async fn parent(&self, run: &RunId, until: Option<Seq>) -> Result<Parent, Error> {
        let mut row = self.store.row(run).await?;
        unless_redacted(&row)?;
        row.seq = until.unwrap_or(row.seq).min(row.seq);
        let (mut created, mut first) = (None, Seq(0));
        let mut points = Vec::new();
        let mut journal = Pages::new(self, run, row.seq);
        while let Some(record) = journal.next().await? {
            match record.kind.as_ref() {
                "created" => created = record.body().ok().flatten(),
                // The beginning of everything is in the journal of the first run.
                "forked" => {
                    first = record.seq;
                    points.clear();
                }
                _ => {}
            }
            points.extend(point(run, &record));
        }
        let Some(Body::Created(created)) = created else {
            let text = format!("the first event of run {run} cannot be read");
            return Err(impossible(text).into());
        };
        Ok(Parent { row, created, first, points })
    }

    /// Folds the journal of a parent up to where a fork begins, and takes what it keeps of the rest.
    async fn stood(&self, parent: &Parent, begin: &Begin) -> Result<Stood, Error> {
        let row = &parent.row;
        let mut refold = Refold::new(&self.workflows, self.upgrades(&row.id, row.seq).await?);
        let mut journal = Pages::new(self, &row.id, row.seq);
        let (mut head, mut kept) = (row.head, Kept::default());
        while let Some(record) = journal.next().await? {
            let body = readable(&record)?;
            if record.seq <= begin.seq {
                kept.fold(&mut refold, &record, body)?;
                head = record.hash;
            } else {
                kept.take(&mut refold, &record, body, begin)?;
            }
            refold.upgrade(record.seq);
        }
        let run = refold.run().map_err(impossible)?;
        kept.take_replies(run)?;
        let program = run.program.as_ref().map_err(Clone::clone)?;
        Ok(Stood {
            failed_at: kept.failed_at(),
            head,
            state: (program.version(), program.state()),
            limits: kept.limits(run),
            calls: kept.begun(run, &row.id),
            wants: program.decide(),
        })
    }
}

/// A journal, page by page. Its chain is checked on the way: going on from what was changed would make it true.
struct Pages<'a> {
    engine: &'a Engine,
    run: &'a RunId,
    from: Seq,
    last: Seq,
    page: std::vec::IntoIter<Record>,
    chain: Chain,
}

impl<'a> Pages<'a> {
    fn new(engine: &'a Engine, run: &'a RunId, last: Seq) -> Self {
        let (page, chain) = (Vec::new().into_iter(), Chain::default());
        Self { engine, run, from: Seq(0), last, page, chain }
    }

    async fn next(&mut self) -> Result<Option<Record>, Error> {
        if self.page.len() == 0 && self.from <= self.last {
            let page =
                self.engine.store.events_within(self.run, self.from, PAGE, PAGE_BYTES).await?;
            self.page = page.into_iter();
        }
        let Some(record) = self.page.next().filter(|record| record.seq <= self.last) else {
            return Ok(None);
        };
        self.from = record.seq.next();
        self.chain.take(&record).map_err(|broken| {
            store::Error::Damaged(format!("run {} cannot be forked: {broken}", self.run))
        })?;
        Ok(Some(record))
    }
}

impl Seat {
    /// Forks a run and holds the new one from the start. If there is one of its name
    /// ([`store::Error::Exists`]), it was forked before.
    pub async fn fork(&self, fork: Fork) -> Result<(Submitted, Drive), Error> {
        let fork = self.engine.resolve(fork).await?;
        let planned = match self.engine.plan_fork(&fork).await {
            Ok(planned) => planned,
            Err(error) => {
                return match self.engine.forked_before(&fork.fork).await? {
                    Some(before) => Err(store::Error::Exists(before.run).into()),
                    None => Err(error),
                };
            }
        };
        self.begin_fork(planned.submission, planned.forked).await
    }
}

/// The point that an event marks. The beginning of everything is one, too.
fn point(run: &RunId, record: &Record) -> Option<RecoveryPoint> {
    let name = match record.kind.as_ref() {
        "created" => START.to_owned(),
        "point_reached" => match record.body() {
            Ok(Some(Body::PointReached(reached))) => reached.point,
            _ => return None,
        },
        _ => return None,
    };
    Some(RecoveryPoint { run: run.clone(), name, seq: record.seq, at: record.at })
}

fn taken(run: &RunId, parent: &RunId) -> Fault {
    let text = format!("there is a run {run} already, and it is not this fork of {parent}");
    Fault::permanent("RUN_EXISTS", text)
}

fn finished(run: &RunId) -> Fault {
    let text =
        format!("run {run} had nothing left to do there; fork it at an earlier event or point");
    impossible(text)
}

/// Where a fork begins, and what it keeps of what came after.
#[derive(Clone, Debug)]
struct Begin {
    seq: Seq,
    keeps: Keeps,
    without: Vec<Seq>,
}

/// A parent as it stood where the fork begins.
struct Stood {
    head: Hash,
    state: (crate::Version, Data),
    limits: Limits,
    calls: BTreeMap<crate::Key, BegunCall>,
    wants: Result<Next, Fault>,
    /// The event that made the workflow fail, if it came after the one at which the fork begins.
    failed_at: Option<Seq>,
}

impl Parent {
    /// Where the fork may begin, the best first.
    fn candidates(&self, at: &ForkAt) -> Result<Vec<Begin>, Fault> {
        let keeps = Keeps::UnderWay;
        match at {
            ForkAt::Event(seq) if *seq > self.row.seq => {
                let text =
                    format!("run {} has no event {seq}; its last is {}", self.row.id, self.row.seq);
                Err(Fault::permanent("EVENT_NOT_FOUND", text))
            }
            ForkAt::Event(seq) => {
                let seq = (*seq).max(self.first);
                Ok(vec![Begin { seq, keeps, without: Vec::new() }])
            }
            ForkAt::Point(name) => {
                let found = self.points.iter().rfind(|point| point.name == *name);
                let seq = found.ok_or_else(|| self.no_point(name))?.seq;
                Ok(vec![Begin { seq, keeps, without: Vec::new() }])
            }
            ForkAt::Failure => self.before_failure(),
        }
    }

    fn no_point(&self, name: &str) -> Fault {
        let known: Vec<_> = self.points.iter().rev().map(|point| point.name.as_str()).collect();
        let shown = known.iter().take(10).copied().collect::<Vec<_>>().join(", ");
        let text = format!("run {} has no recovery point {name:?}; it has {shown}", self.row.id);
        Fault::permanent("POINT_NOT_FOUND", text)
    }

    fn before_failure(&self) -> Result<Vec<Begin>, Fault> {
        match self.row.status {
            Status::Failed | Status::Cancelled => {}
            Status::Succeeded | Status::Queued | Status::Running | Status::Waiting => {
                let text = format!(
                    "run {} is {}; only a failed or cancelled run can be retried",
                    self.row.id, self.row.status
                );
                return Err(Fault::permanent("INVALID_STATE", text));
            }
        }
        let keeps = Keeps::Finished;
        let points = self.points.iter().rev().map(|point| point.seq);
        let bases = points.take(MOST_POINTS_BACK).chain([self.first]);
        Ok(bases.map(|seq| Begin { seq, keeps, without: Vec::new() }).collect())
    }
}

fn impossible(why: String) -> Fault {
    Fault::permanent("FORK_IMPOSSIBLE", why)
}

fn readable(record: &Record) -> Result<Body, Fault> {
    let seq = record.seq;
    let body = record.body().map_err(|cause| impossible(format!("event {seq}: {cause}")))?;
    body.ok_or_else(|| impossible(format!("event {seq} is redacted")))
}

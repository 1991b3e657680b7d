//! What a run does next, worked out without doing any of it.
//!
//! [`Planner`] takes what came in, asks the workflow what should be open, and writes down the events
//! that follow. The result is one [`Step`] to commit and the [`Action`]s to perform once it is
//! committed. Nothing here waits, calls or stores; a refused step is thrown away and planned anew
//! on a freshly loaded run.

mod asks;
mod budget;
mod calls;
mod close;
mod compare;
mod intake;

pub(crate) use budget::{fits, next_costs};
pub(crate) use calls::{breach, callable};
pub(crate) use intake::{After, SoFar, after};

use std::{collections::BTreeMap, time::Duration};

use crate::{
    Actor, Agent, AgentName, Agents, At, Call, Data, Entropy, Failure, Fault, Key, Nanos, Next,
    Outcome, Probe, Reply, Status,
    frame::{Open, Phase},
    journal::{Asked, Body, Cancelled, Failed, PointReached, Record, Salt, Succeeded, Upgraded},
    run::Run,
    store::{AskChange, AskState, Figures, Interaction, Ledger, Snapshot, Standing, Step},
};

/// Shorter waits are sat out; for longer ones the run is let go.
const SIT_OUT: Duration = Duration::from_millis(250);
/// A workflow that keeps failing its calls before they begin must not keep a worker for itself: after so
/// many rounds what there is is committed, and the others have their turn.
const MOST_ROUNDS: usize = 100;
/// A run that has not come to rest after so many such steps in a row never will. The longest journey of
/// an envelope has ten thousand hops, with two rounds each at most.
const MOST_RESTLESS: usize = 250;

/// The result of an attempt, for the next plan.
#[derive(Clone, Debug)]
pub(crate) struct Input {
    pub(crate) key: Key,
    pub(crate) attempt: u32,
    pub(crate) came: Came,
}

#[derive(Clone, Debug)]
pub(crate) enum Came {
    Finished(Result<Reply, Failure>),
    /// It was told to stop, and this is what it had come to.
    Stopped(Result<Reply, Failure>),
    /// The run has worked for as long as it may, and this is how the attempt broke off.
    TimeUp(Failure),
    /// What the other side says of an attempt that a dead process made.
    Probed(Probe),
}

/// An attempt that this process is making.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Live {
    pub(crate) attempt: u32,
    pub(crate) stopping: bool,
}

/// Something to do once the step is committed.
#[derive(Clone)]
pub(crate) enum Action {
    Start {
        call: Call,
        /// The very agent that was priced: a directory may have another one by now.
        agent: Agent,
        attempt: u32,
        /// How many attempts the run began before this one.
        before: u64,
    },
    /// The workflow no longer wants its result.
    Stop(Key),
    /// The run has worked for as long as it may.
    TimeUp(Key),
}

/// A step and what follows from it.
pub(crate) struct Plan {
    pub(crate) step: Step,
    pub(crate) actions: Vec<Action>,
    /// When to look again if nothing comes before.
    pub(crate) wake_at: Option<At>,
    /// The workflow has not come to rest: it goes on at once, in another step.
    pub(crate) restless: bool,
}

impl Plan {
    /// Whether there is anything to write.
    pub(crate) fn is_idle(&self) -> bool {
        self.step.records.is_empty() && self.step.standing == Standing::Held
    }
}

/// The facts that a plan rests on, besides the run.
pub(crate) struct Ground<'a> {
    pub(crate) agents: &'a Agents,
    pub(crate) entropy: &'a dyn Entropy,
    pub(crate) actor: &'a Actor,
    /// Never before the run's newest event.
    pub(crate) now: At,
    /// Time that passed on the clock since the run was last written, and in which this process did not
    /// work.
    pub(crate) skipped: Duration,
    pub(crate) live: &'a BTreeMap<Key, Live>,
    /// The most that may be reserved in this step, where the owner's account has said so.
    pub(crate) headroom: Option<Nanos>,
    /// The process is about to stop: what ended is written down, and nothing begins.
    pub(crate) draining: bool,
    /// Steps before this one, in a row, after which the workflow had not come to rest.
    pub(crate) restless: usize,
}

pub(crate) struct Planner<'a> {
    run: &'a mut Run,
    ground: Ground<'a>,
    records: Vec<Record>,
    actions: Vec<Action>,
    asks: Vec<AskChange>,
    ledger: Ledger,
    /// The agents that were looked up for this step. Each is looked up once: a directory may change.
    agents: BTreeMap<AgentName, Option<Agent>>,
    /// Attempts that begin with this step.
    starting: usize,
    /// Why a call could not begin.
    blocked: Option<Fault>,
    standing: Option<Standing>,
    /// The workflow is broken or missing.
    stuck: bool,
    restless: bool,
    /// The state as a newer version took it over.
    upgraded: Option<Snapshot>,
}

impl<'a> Planner<'a> {
    pub(crate) fn new(run: &'a mut Run, ground: Ground<'a>) -> Self {
        Self {
            run,
            ground,
            records: Vec::new(),
            actions: Vec::new(),
            asks: Vec::new(),
            ledger: Ledger::default(),
            agents: BTreeMap::new(),
            starting: 0,
            blocked: None,
            standing: None,
            stuck: false,
            restless: false,
            upgraded: None,
        }
    }

    /// Works out the next step.
    pub(crate) fn plan(mut self, inputs: &[Input]) -> Result<Plan, Fault> {
        if let Some((from, since)) = self.run.upgraded.take()
            && let Ok(program) = &self.run.program
        {
            let to = program.version();
            self.note(Upgraded { from, to, since })?;
            // Should the new version break on what comes next, mending it must be enough.
            self.upgraded = self.run.snapshot(true);
        }
        self.skip_time()?;
        self.take_in(inputs)?;
        self.take_replies()?;
        self.take_time();
        if self.ground.draining {
            let live = !self.ground.live.is_empty();
            self.standing = Some(if live { Standing::Held } else { Standing::Queued });
            return Ok(self.finish());
        }
        self.take_losses()?;
        if let Some((by, reason)) = self.run.frame.cancel.clone() {
            self.close(Status::Cancelled, Cancelled { by, reason }.into())?;
        } else {
            self.go_on()?;
        }
        Ok(self.finish())
    }

    /// Asks the workflow until nothing changes any more, or until others should have their turn.
    fn go_on(&mut self) -> Result<(), Fault> {
        for _ in 0..MOST_ROUNDS {
            self.mark_point()?;
            let next = match &self.run.program {
                Ok(program) => program.decide(),
                Err(fault) => Err(fault.clone()),
            };
            let wanted = match next {
                Ok(Next::Open(wanted)) => wanted,
                Ok(Next::Finish(Outcome::Succeeded(output))) => {
                    return self.close(Status::Succeeded, Succeeded { output }.into());
                }
                Ok(Next::Finish(Outcome::Failed(fault))) => {
                    return self.close(Status::Failed, Failed { fault }.into());
                }
                Err(fault) => return self.stick(&fault),
            };
            if self.take_due(&wanted)? {
                continue;
            }
            match self.compare(wanted) {
                Ok(false) => return Ok(()),
                Ok(true) => {}
                Err(fault) if fault.code == "WORKFLOW_INVALID" => return self.stick(&fault),
                Err(fault) => return Err(fault),
            }
        }
        if self.ground.restless < MOST_RESTLESS {
            self.restless = true;
            return Ok(());
        }
        let text = "the workflow opens and fails calls without end";
        self.stick(&Fault::permanent("WORKFLOW_INVALID", text))
    }

    /// Writes down the recovery point at which the workflow stands, if it is a new one.
    fn mark_point(&mut self) -> Result<(), Fault> {
        let Ok(program) = &self.run.program else { return Ok(()) };
        // A workflow that breaks here breaks in its decision, too.
        let Ok(Some(point)) = program.point() else { return Ok(()) };
        if self.run.frame.point.as_ref() == Some(&point) {
            return Ok(());
        }
        self.note(PointReached { point }).map(|_| ())
    }

    /// Writes down an event and takes it in. Says whether the workflow heard of it.
    fn note(&mut self, body: impl Into<Body>) -> Result<bool, Fault> {
        let body = body.into();
        let at = self.ground.now;
        let mut salt = [0; 16];
        self.ground.entropy.fill(&mut salt);
        let (seq, actor) = (self.run.seq.next(), self.ground.actor.clone());
        let record = Record::new(seq, at, actor, &body, Salt(salt), Some(self.run.head));
        let before = self.run.frame.usage.clone();
        let heard = self.run.apply(at, self.ground.actor, &body)?;
        let after = &self.run.frame.usage;
        self.ledger.reserve = self.ledger.reserve + after.reserved.minus(before.reserved);
        self.ledger.release = self.ledger.release + before.reserved.minus(after.reserved);
        self.ledger.spend = self.ledger.spend + after.spent.minus(before.spent);
        (self.run.seq, self.run.head) = (record.seq, record.hash);
        self.records.push(record);
        Ok(heard)
    }

    /// Opens an entry in the inbox.
    fn ask(&mut self, ask: Asked) -> Result<(), Fault> {
        let at = self.ground.now;
        self.asks.push(AskChange::Open(Interaction {
            run: self.run.id.clone(),
            key: ask.key.clone(),
            kind: ask.kind,
            code: ask.about.as_ref().map(|fault| fault.code.to_string()),
            agent: ask.agent.clone(),
            prompt: ask.prompt.clone(),
            schema: ask.schema.clone(),
            deadline: ask.deadline,
            default: ask.default.clone(),
            opened_at: at,
            state: AskState::Open,
            answered: None,
        }));
        self.note(ask).map(|_| ())
    }

    fn agent(&mut self, name: &AgentName) -> Option<Agent> {
        let agents = self.ground.agents;
        self.agents.entry(name.clone()).or_insert_with(|| agents.get(name)).clone()
    }

    fn in_flight(&self) -> bool {
        self.starting > 0 || !self.ground.live.is_empty()
    }

    fn finish(self) -> Plan {
        let wake_at = self.next_instant();
        let soon = wake_at.is_some_and(|at| at <= self.ground.now + SIT_OUT);
        let standing = match self.standing {
            Some(standing) => standing,
            None if soon || self.in_flight() => Standing::Held,
            None => Standing::Parked { wake_at },
        };
        let upgraded = self.records.iter().any(|record| record.kind == "upgraded");
        // With a snapshot the next holder needs no program to fold the events before it. A closed
        // run has no next holder.
        let left = matches!(standing, Standing::Parked { .. } | Standing::Queued);
        let snapshot = self.run.snapshot(upgraded || left);
        let snapshot = snapshot.or(self.upgraded);
        let frame = &self.run.frame;
        let upgraded = upgraded.then_some(frame.version);
        let (spent, reserved) = (frame.usage.spent, frame.usage.reserved);
        let figures = Figures { spent, reserved, cap: frame.limits.cost };
        let label = self.run.new_label();
        let Self { records, actions, asks, ledger, restless, .. } = self;
        let step = Step { records, standing, figures, ledger, asks, snapshot, upgraded, label };
        Plan { step, actions, wake_at, restless }
    }

    /// The next instant at which something is due by itself.
    fn next_instant(&self) -> Option<At> {
        // A run that closes, or whose workflow is broken, takes nothing up that is due.
        if self.standing.is_some() || self.stuck {
            return None;
        }
        if self.restless {
            return Some(self.ground.now);
        }
        let due = self.run.frame.open.values().filter_map(|open| match open {
            Open::Call(call) => match call.phase {
                // What is due and cannot begin waits for something else to happen.
                Phase::Due { at } => (self.blocked.is_none() || at > self.ground.now).then_some(at),
                Phase::Asked { deadline, .. } => deadline,
                Phase::InFlight { .. }
                | Phase::Unknown
                | Phase::Replied { .. }
                | Phase::Declined { .. } => None,
            },
            Open::Ask { deadline, .. } => *deadline,
            Open::Timer { fires_at } => Some(*fires_at),
        });
        due.chain(self.retry_owner()).chain(self.time_up()).min()
    }
}

/// A schema in the words of the page, for the engine's own questions.
fn schema(text: &str) -> Data {
    Data::restore(text.to_owned()).unwrap_or_else(Data::null)
}

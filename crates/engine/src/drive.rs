//! Driving one run: plan, commit, perform, wait, and again, until it closes, waits or is let go.
//!
//! Nothing is performed before the commit that holds its intent, and what came in is kept until a
//! commit has it. A refused commit is planned anew on what the store has.

use std::{
    collections::{BTreeMap, HashMap},
    sync::Arc,
    time::Duration,
};

use tokio::{
    sync::{Notify, watch},
    task::{self, JoinSet},
    time::{Instant, sleep, sleep_until},
};
use tracing::{Instrument, debug, info};

use crate::{
    Agent, At, Attempt, Call, Effect, Epoch, Error, Failure, Fault, Key, Nanos, RunId, Seat, Seq,
    Status,
    agent::Halt,
    attempt_task::{AttemptTask, wanted_calls},
    frame::{Open, Phase},
    logs::{self, WaitsFor},
    plan::{Action, Came, Ground, Input, Live, Plan, Planner},
    run::Run,
    store::{self, Claim, Commit, Loaded, Refusal, Standing},
};

/// The controls of a drive: it is told to look again, or to come to an end.
#[derive(Clone)]
pub struct Reins {
    /// Something was delivered to the run.
    pub poke: Arc<Notify>,
    pub stop: watch::Receiver<Stop>,
}

/// Whether a drive is to go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    GoOn,
    /// Write down what ends, begin nothing, let go when nothing is under way.
    Drain,
    /// Let go at once; what is under way is lost.
    Now,
}

/// Where a drive left its run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Left {
    Closed(Status),
    Waiting,
    /// Put back, because the process stops.
    Queued,
    /// Another worker holds it.
    Taken,
}

/// A run that this process holds, with the attempts that it is making.
pub struct Drive {
    seat: Seat,
    run: Run,
    claim: Claim,
    live: BTreeMap<Key, (Live, watch::Sender<Halt>)>,
    flights: JoinSet<Input>,
    keys: HashMap<task::Id, (Key, u32)>,
    inputs: Vec<Input>,
    /// The newest event that the store knows we have seen.
    told: Seq,
    /// When this process last wrote, by the clock and by what cannot be set.
    wrote: Option<(At, Duration)>,
    /// Steps in a row after which the workflow had not come to rest.
    restless: usize,
    /// The step that was committed before the drive began.
    begun: Option<(Standing, Option<At>, Vec<Action>)>,
}

impl Drive {
    pub(crate) fn begun(
        seat: Seat,
        run: Run,
        wrote: (At, Duration),
        (standing, wake_at, actions): (Standing, Option<At>, Vec<Action>),
    ) -> Self {
        let (worker, epoch) = (seat.worker.clone(), Epoch(1));
        let claim = Claim { run: run.id.clone(), worker, epoch };
        let mut drive = Self::new(seat, run, claim);
        drive.begun = Some((standing, wake_at, actions));
        drive.wrote = Some(wrote);
        drive
    }

    /// Takes over a run that was claimed.
    pub(crate) fn resume(seat: Seat, loaded: &Loaded) -> Result<Self, Error> {
        let run = Run::load(&seat.engine.workflows, loaded)?;
        seat.engine.time.not_before(run.frame.at);
        let claim = loaded.claim().filter(|claim| claim.worker == seat.worker);
        let claim = claim.ok_or(store::Error::Refused(Refusal::Fenced))?;
        Ok(Self::new(seat, run, claim))
    }

    fn new(seat: Seat, run: Run, claim: Claim) -> Self {
        Self {
            told: run.seq,
            wrote: None,
            seat,
            run,
            claim,
            live: BTreeMap::new(),
            flights: JoinSet::new(),
            keys: HashMap::new(),
            inputs: Vec::new(),
            restless: 0,
            begun: None,
        }
    }

    #[must_use]
    pub fn run(&self) -> &RunId {
        &self.run.id
    }

    /// Drives the run until it closes, waits or is let go.
    pub async fn drive(self, reins: Reins) -> Result<Left, Error> {
        let span = logs::run_span(&self.run);
        self.drive_in_span(reins).instrument(span).await
    }

    async fn drive_in_span(mut self, mut reins: Reins) -> Result<Left, Error> {
        let mut next = match self.begun.take() {
            Some(begun) => begun,
            None => {
                info!(worker = %self.claim.worker, epoch = self.claim.epoch.0, "run claimed");
                self.probe();
                match self.step(&reins).await? {
                    Some(next) => next,
                    None => return Ok(Left::Taken),
                }
            }
        };
        loop {
            let (standing, wake_at, actions) = next;
            match standing {
                Standing::Held => {}
                Standing::Parked { .. } => {
                    info!(waits_for = %WaitsFor(&self.run.frame.open), "run waits");
                    return Ok(Left::Waiting);
                }
                Standing::Queued => {
                    info!("run put back into the queue");
                    return Ok(Left::Queued);
                }
                Standing::Closed(status) => {
                    let cost_usd = self.run.frame.usage.spent;
                    info!(status = status.as_str(), %cost_usd, "run closed");
                    return Ok(Left::Closed(status));
                }
            }
            for action in actions {
                self.perform(action);
            }
            if !self.wait(&mut reins, wake_at).await? {
                return Ok(Left::Taken);
            }
            next = match self.step(&reins).await? {
                Some(next) => next,
                None => return Ok(Left::Taken),
            };
        }
    }

    /// Plans and commits until a commit is taken. `None` if the run is no longer ours.
    async fn step(
        &mut self,
        reins: &Reins,
    ) -> Result<Option<(Standing, Option<At>, Vec<Action>)>, Error> {
        let engine = self.seat.engine.clone();
        let mut headroom: Option<Nanos> = None;
        let mut patience = engine.patience;
        loop {
            let live = self.live.iter().map(|(key, (live, _))| (key.clone(), *live)).collect();
            let (now, ticks) = engine.time.read();
            let now = now.max(self.run.frame.at);
            // What was before the first commit of this drive was not its work.
            let skipped = match self.wrote {
                Some((at, then)) => now.since(at).saturating_sub(ticks.saturating_sub(then)),
                None => now.since(self.run.frame.counted),
            };
            let ground = Ground {
                agents: &engine.agents,
                entropy: engine.entropy.as_ref(),
                actor: &self.seat.actor,
                now,
                skipped,
                live: &live,
                headroom,
                draining: *reins.stop.borrow() != Stop::GoOn,
                restless: self.restless,
            };
            let seen = self.run.seq;
            let plan = Planner::new(&mut self.run, ground)
                .plan(&self.inputs)
                .map_err(|fault| store::Error::Damaged(format!("run {}: {fault}", self.run.id)))?;
            // What was delivered is acknowledged even if nothing follows from it.
            if plan.is_idle() && seen == self.told {
                self.inputs.clear();
                return Ok(Some((plan.step.standing, plan.wake_at, plan.actions)));
            }
            let Plan { step, actions, wake_at, restless } = plan;
            let (standing, events) = (step.standing, step.records.len());
            let setbacks = logs::setbacks(&step.records);
            let label = step.label.clone();
            let commit = Commit { claim: self.claim.clone(), seen, step };
            match engine.store.commit(commit).await {
                Ok(()) => {
                    self.inputs.clear();
                    self.run.labelled(label);
                    self.told = self.run.seq;
                    self.wrote = Some((now, ticks));
                    debug!(seq = self.told.0, events, "step committed");
                    logs::tell(setbacks, &self.run, now);
                    self.restless = if restless { self.restless + 1 } else { 0 };
                    engine.project(&self.run.frame.workflow, &self.run.id).await;
                    return Ok(Some((standing, wake_at, actions)));
                }
                Err(store::Error::Refused(Refusal::OverCap { headroom: left })) => {
                    headroom = Some(left);
                }
                Err(store::Error::Refused(Refusal::Moved { .. } | Refusal::NotOpen)) => {}
                Err(store::Error::Refused(
                    Refusal::Fenced | Refusal::Closed | Refusal::Held { .. },
                )) => return Ok(None),
                // A full disk may have room again in a moment, and results in memory are dear.
                Err(error) => {
                    if patience == engine.patience {
                        info!(why = %error, "step could not be written");
                    }
                    hold_out(error.into(), &mut patience).await?;
                }
            }
            loop {
                match self.reload().await {
                    Ok(true) => break,
                    Ok(false) => return Ok(None),
                    Err(error) => hold_out(error, &mut patience).await?,
                }
            }
        }
    }

    /// Reads the run anew. Says whether it is still ours.
    async fn reload(&mut self) -> Result<bool, Error> {
        let loaded = self.seat.engine.store.load(&self.run.id).await?;
        if loaded.claim().as_ref() != Some(&self.claim) {
            return Ok(false);
        }
        self.run = Run::load(&self.seat.engine.workflows, &loaded)?;
        // The clock of a delivering process may be ahead; our time must go on from the newest event.
        self.seat.engine.time.not_before(self.run.frame.at);
        Ok(true)
    }

    fn perform(&mut self, action: Action) {
        match action {
            Action::Start { call, agent, attempt, before } => {
                let key = call.key.clone();
                let flight = self.flight(call, agent, attempt, before);
                let task = self.flights.spawn(flight.run());
                self.keys.insert(task.id(), (key, attempt));
            }
            Action::Stop(key) => self.halt(&key, Halt::Unwanted),
            Action::TimeUp(key) => self.halt(&key, Halt::TimeUp),
        }
    }

    fn flight(&mut self, call: Call, agent: Agent, number: u32, before: u64) -> AttemptTask {
        let (tell, halt) = watch::channel(Halt::GoOn);
        let (run, key) = (self.run.id.clone(), call.key);
        self.live.insert(key.clone(), (Live { attempt: number, stopping: false }, tell));
        let frame = &self.run.frame;
        let (handed, failures) = match frame.open.get(&key) {
            Some(Open::Call(open)) => (open.handed.clone(), open.failures),
            Some(Open::Ask { .. } | Open::Timer { .. }) | None => (None, 0),
        };
        let attempt = Attempt {
            says: self.seat.engine.talk.of(&run, &key, number),
            origin: frame.origins.get(&key).unwrap_or(&run).clone(),
            run,
            key,
            number,
            agent: call.agent.clone(),
            owner: frame.owner.clone(),
            input: call.input,
            settings: frame.settings.clone(),
            handed,
            last: failures + 1 >= call.retry.tries,
            before,
            earlier: None,
            halt,
        };
        // A run tries again with the same key, and its journal has what became of each attempt.
        AttemptTask { agent, name: call.agent, attempt, doubtful: false }
    }

    fn halt(&mut self, key: &Key, halt: Halt) {
        if let Some((live, tell)) = self.live.get_mut(key) {
            live.stopping = true;
            let _ = tell.send(halt);
        }
    }

    /// Asks the other side about attempts that a dead process made, where it can be asked. Until it
    /// has answered they count as under way.
    fn probe(&mut self) {
        let lost = self.run.frame.open.iter().filter_map(|(key, open)| match open {
            Open::Call(call) if call.effect == Effect::Keyed => match call.phase {
                Phase::InFlight { .. } => Some((key.clone(), call.attempt)),
                Phase::Due { .. }
                | Phase::Unknown
                | Phase::Asked { .. }
                | Phase::Replied { .. }
                | Phase::Declined { .. } => None,
            },
            Open::Call(_) | Open::Ask { .. } | Open::Timer { .. } => None,
        });
        let lost: BTreeMap<_, _> = lost.collect();
        if lost.is_empty() {
            return;
        }
        for call in wanted_calls(&self.run) {
            let Some(attempt) = lost.get(&call.key) else { continue };
            // An agent that is no longer registered cannot be asked what it did.
            let Some(agent) = self.seat.engine.agents.get(&call.agent) else { continue };
            let before = self.run.frame.usage.calls.saturating_sub(1);
            let flight = self.flight(call, agent, *attempt, before);
            let key = flight.attempt.key.clone();
            let task = self.flights.spawn(flight.probe());
            self.keys.insert(task.id(), (key, *attempt));
        }
    }

    /// Waits for something to do. Says whether the run is still ours.
    async fn wait(&mut self, reins: &mut Reins, wake_at: Option<At>) -> Result<bool, Error> {
        let wait = wake_at.map(|at| at.since(self.seat.engine.time.now()));
        let wake = wait.map(|wait| Instant::now() + wait);
        let stop = *reins.stop.borrow_and_update();
        let draining = stop != Stop::GoOn;
        if stop == Stop::Now || draining && self.flights.is_empty() {
            while let Some(joined) = self.flights.try_join_next_with_id() {
                self.land(joined);
            }
            // The next holder of the run finds the remaining attempts lost.
            self.flights.shutdown().await;
            self.live.clear();
            return Ok(true);
        }
        tokio::select! {
            biased;
            Some(joined) = self.flights.join_next_with_id() => {
                self.land(joined);
                while let Some(joined) = self.flights.try_join_next_with_id() {
                    self.land(joined);
                }
            }
            () = reins.poke.notified() => match self.reload().await {
                // The poke is repeated, or else the next commit is refused.
                Err(Error::Store(store::Error::Unavailable(_))) => {}
                ours => return ours,
            },
            () = sleep_until(wake.unwrap_or_else(Instant::now)), if wake.is_some() && !draining => {}
            Ok(()) = reins.stop.changed() => {}
        }
        Ok(true)
    }

    fn land(&mut self, joined: Result<(task::Id, Input), task::JoinError>) {
        let input = match joined {
            Ok((id, input)) => {
                self.keys.remove(&id);
                input
            }
            Err(broken) => {
                let Some((key, attempt)) = self.keys.remove(&broken.id()) else { return };
                let fault = Fault::outcome_unknown(
                    "AGENT_PANICKED",
                    format!("the agent panicked: {broken}"),
                );
                Input { key, attempt, came: Came::Finished(Err(Failure::new(fault, None))) }
            }
        };
        self.live.remove(&input.key);
        self.seat.engine.talk.ended(&self.run.id, &input.key);
        self.inputs.push(input);
    }
}

impl Drop for Drive {
    fn drop(&mut self) {
        // No attempt may say anything after the drive has ended.
        self.flights.abort_all();
        self.seat.engine.talk.forget(&self.run.id);
    }
}

/// Waits a while for a store that cannot be used just now, as long as there is patience left.
pub(crate) async fn hold_out(error: Error, patience: &mut Duration) -> Result<(), Error> {
    if patience.is_zero() || !matches!(error, Error::Store(store::Error::Unavailable(_))) {
        return Err(error);
    }
    let pause = (*patience).min(Duration::from_millis(500));
    *patience -= pause;
    sleep(pause).await;
    Ok(())
}

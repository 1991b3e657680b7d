//! Calls without a durable run: for work whose state is carried in a pipe or a request.
//!
//! [`InMemoryDriver::call`] retries, hands over, enforces timeouts and contracts as a run would, and stores
//! nothing: the caller keeps the result. Where a run would ask a person and wait, the call fails instead. So
//! does one that would have to wait for longer than a caller with an open pipe or request can.
//!
//! Once the time is over, or the driver was told to stop, no agent is called any more, and those at work are
//! told to stop. If an agent that must not be called twice was cut off, the fault says that its outcome is
//! unknown.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use consign_contracts::json::{Json, Object};
use tokio::{
    sync::{Notify, watch},
    time::{Instant, sleep, sleep_until},
};
use tracing::{Instrument, error_span, warn};

use crate::{
    Agent, AgentName, Agents, At, Attempt, Call, Data, Effect, Fault, FaultClass, Limits, Nanos,
    Order, Owner, RunId, Settings, Work,
    agent::Halt,
    attempt_task::AttemptTask,
    frame::model_calls,
    logs::millis,
    plan::{After, Came, SoFar, after, callable, fits, next_costs},
    says::Talk,
};

/// The longest that a call waits before another try, whatever the other side asks for.
const LONGEST_WAIT: Duration = Duration::from_secs(60);

/// Calls agents, within limits, on behalf of a caller that carries the state itself.
pub struct InMemoryDriver {
    /// What agents are told the work is called; with a call's key it makes the idempotency key.
    pub name: RunId,
    pub agents: Agents,
    pub owner: Owner,
    pub settings: Settings,
    pub limits: Limits,
    /// What the limit on cost is held against: its own, or one that it shares.
    pub budget: SharedBudget,
    pub now: fn() -> At,
    begun: Instant,
    /// The agents that were called, in order.
    called: Mutex<Vec<AgentName>>,
    halt: watch::Sender<Halt>,
    talk: Talk,
}

/// A budget that one driver has to itself, or that several share.
///
/// An attempt that does not fit only because of other reservations waits until those are settled. The wait
/// ends: an attempt with a reservation is at work, has a timeout, and waits for no other reservation.
#[derive(Clone, Default)]
pub struct SharedBudget {
    money: Arc<Mutex<Money>>,
    released: Arc<Notify>,
}

#[derive(Default)]
struct Money {
    spent: Nanos,
    reserved: Nanos,
    /// The number of drivers that have paid from it.
    payers: u32,
}

impl SharedBudget {
    /// A budget for several drivers, each of which gets a clone.
    #[must_use]
    pub fn shared() -> Self {
        Self::default()
    }

    fn money(&self) -> MutexGuard<'_, Money> {
        self.money.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What is reserved for an attempt. The cost of one that is dropped midway is not known: then all of it is
/// spent.
struct Held<'a> {
    budget: &'a SharedBudget,
    cost: Nanos,
    spent: Nanos,
}

impl Held<'_> {
    fn settle(mut self, spent: Option<Nanos>) {
        self.spent = spent.unwrap_or(self.cost);
    }
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        let mut money = self.budget.money();
        money.reserved = money.reserved.minus(self.cost);
        money.spent = money.spent + self.spent;
        drop(money);
        self.budget.released.notify_waiters();
    }
}

/// The result of a call, and what it used.
#[derive(Clone, Debug)]
pub struct InMemoryResult {
    pub result: Result<Data, Fault>,
    pub work: Work,
}

/// The state of a call between two attempts.
#[derive(Default)]
struct Tally {
    attempt: u32,
    failures: u32,
    hand_overs: u32,
    model_calls: u32,
    cost: Nanos,
    assumed: Nanos,
    handed: Option<Data>,
    /// It is unknown what the last attempt did, and it must not be done twice.
    unknown: bool,
}

impl InMemoryDriver {
    #[must_use]
    pub fn new(name: RunId, agents: Agents, owner: Owner, now: fn() -> At) -> Self {
        let (settings, limits, budget) = Default::default();
        let (called, halt, talk) =
            (Mutex::default(), watch::Sender::new(Halt::GoOn), Talk::default());
        let begun = Instant::now();
        Self { name, agents, owner, settings, limits, budget, now, begun, called, halt, talk }
    }

    /// What was spent so far.
    #[must_use]
    pub fn spent(&self) -> Nanos {
        self.budget.money().spent
    }

    /// Tells everything that is under way to stop. Nothing begins after this.
    pub fn stop(&self) {
        self.halt.send_replace(Halt::Unwanted);
    }

    /// Tells everything that is under way to stop, and waits for none of it: what has not stopped is dropped.
    pub fn leave(&self) {
        self.halt.send_replace(Halt::Left);
    }

    #[must_use]
    pub fn is_stopped(&self) -> bool {
        matches!(*self.halt.borrow(), Halt::Unwanted | Halt::Left)
    }

    pub async fn call(&self, call: &Call) -> InMemoryResult {
        let span = error_span!("run", run = self.name.as_str(), owner = self.owner.as_str());
        self.call_in_span(call).instrument(span).await
    }

    async fn call_in_span(&self, call: &Call) -> InMemoryResult {
        let began = (self.now)();
        let mut tally = Tally::default();
        let agent = self.agents.get(&call.agent);
        let result = match callable(agent.as_ref(), call) {
            Ok(agent) => self.in_time(self.tries(call, agent, &mut tally)).await,
            Err(fault) => Err(fault),
        };
        let result = match result {
            Err(fault) if tally.unknown => Err(unknown(fault, call.agent.shown())),
            result => result,
        };
        let Tally { model_calls, cost, assumed, .. } = tally;
        let work = Work { began, ended: (self.now)(), model_calls, cost, assumed };
        InMemoryResult { result, work }
    }

    /// Tells the agent at work to stop once the time for all calls is over. It has a while to stop in order,
    /// as in a run.
    async fn in_time(
        &self,
        work: impl Future<Output = Result<Data, Fault>>,
    ) -> Result<Data, Fault> {
        let Some(until) = self.until() else { return work.await };
        tokio::pin!(work);
        tokio::select! {
            biased;
            result = &mut work => return result,
            () = sleep_until(until) => {}
        }
        self.halt.send_if_modified(|halt| {
            let going = *halt == Halt::GoOn;
            if going {
                *halt = Halt::TimeUp;
            }
            going
        });
        work.await
    }

    /// When the time is over. A limit that is further away than the clock reaches is none.
    fn until(&self) -> Option<Instant> {
        self.begun.checked_add(self.limits.active?)
    }

    /// Whether an attempt may begin: not once the driver was told to stop, or the time is over.
    fn may_begin(&self) -> Result<(), Fault> {
        let late = self.until().is_some_and(|until| Instant::now() >= until);
        let halt = *self.halt.borrow();
        match halt {
            Halt::Unwanted | Halt::Left => Err(cancelled()),
            Halt::GoOn if !late => Ok(()),
            Halt::GoOn | Halt::TimeUp => Err(self.time_up()),
        }
    }

    fn time_up(&self) -> Fault {
        let most = self.limits.active.unwrap_or_default();
        Fault::permanent("LIMIT_TIME", format!("it may work for {most:?}, and has"))
    }

    async fn tries(&self, call: &Call, agent: &Agent, tally: &mut Tally) -> Result<Data, Fault> {
        loop {
            self.may_begin()?;
            let order = Order {
                input: &call.input,
                settings: &self.settings,
                handed: tally.handed.as_ref(),
            };
            if agent.invoker.bridge(&call.input, &self.settings).is_some() {
                let text = format!(
                    "{} waits for an answer from outside, which only a run can",
                    call.agent.shown()
                );
                return Err(Fault::permanent("NEEDS_A_RUN", text));
            }
            let quote = agent.invoker.quote(&order);
            let (held, earlier) = self.reserve(&call.agent, quote.cost).await?;
            tally.attempt += 1;
            let came = self.attempt((call, agent), tally, earlier).await;
            let (cost, note) = match &came {
                Came::Finished(Ok(reply)) | Came::Stopped(Ok(reply)) => {
                    (Some(reply.cost), reply.note.as_ref())
                }
                Came::Finished(Err(failure))
                | Came::Stopped(Err(failure))
                | Came::TimeUp(failure) => (failure.cost, failure.note.as_ref()),
                Came::Probed(_) => (None, None),
            };
            let paid = cost.unwrap_or(held.cost);
            tally.cost = tally.cost + paid;
            if cost.is_none() {
                tally.assumed = tally.assumed + paid;
            }
            held.settle(cost);
            tally.model_calls = tally.model_calls.saturating_add(model_calls(note));
            tally.unknown = is_unknown(&came, agent.effect);
            let failure = match came {
                // What was done before it could stop is done.
                Came::Finished(Ok(reply)) | Came::Stopped(Ok(reply)) => return Ok(reply.output),
                Came::Finished(Err(failure)) => failure,
                Came::TimeUp(_) => return Err(self.time_up()),
                Came::Stopped(Err(_)) | Came::Probed(_) => return Err(cancelled()),
            };
            let so_far = SoFar {
                effect: agent.effect,
                failures: tally.failures,
                hand_overs: tally.hand_overs,
            };
            match after(&failure, &so_far, Some(&call.retry), || 0.5) {
                After::HandOver(handed) => {
                    (tally.handed, tally.failures) = (Some(handed), 0);
                    tally.hand_overs += 1;
                }
                After::Again(wait) if wait > LONGEST_WAIT => {
                    return Err(too_long(failure.fault, wait));
                }
                After::Again(wait) => {
                    let (activity, attempt) = (call.key.as_str(), tally.attempt);
                    let (agent, code) = (call.agent.shown(), &*failure.fault.code);
                    let retry_in_ms = millis(wait);
                    warn!(
                        activity,
                        attempt, agent, code, retry_in_ms, "attempt failed and is tried again"
                    );
                    tally.failures += 1;
                    self.rest(wait).await?;
                }
                After::Refer | After::AskOutcome | After::Over => return Err(failure.fault),
            }
        }
    }

    async fn attempt(
        &self,
        (call, agent): (&Call, &Agent),
        tally: &Tally,
        earlier: Arc<[AgentName]>,
    ) -> Came {
        let attempt = Attempt {
            run: self.name.clone(),
            origin: self.name.clone(),
            key: call.key.clone(),
            number: tally.attempt,
            agent: call.agent.clone(),
            owner: self.owner.clone(),
            input: call.input.clone(),
            settings: self.settings.clone(),
            handed: tally.handed.clone(),
            last: tally.failures + 1 >= call.retry.tries,
            before: earlier.len() as u64,
            earlier: Some(earlier),
            says: self.talk.of(&self.name, &call.key, tally.attempt),
            halt: self.halt.subscribe(),
        };
        let (agent, name, doubtful) = (agent.clone(), call.agent.clone(), tally.unknown);
        AttemptTask { agent, name, attempt, doubtful }.run().await.came
    }

    async fn rest(&self, wait: Duration) -> Result<(), Fault> {
        let mut halt = self.halt.subscribe();
        tokio::select! {
            () = sleep(wait) => Ok(()),
            // Why is said before the next attempt.
            _ = halt.wait_for(|halt| *halt != Halt::GoOn) => self.may_begin(),
        }
    }

    /// Reserves what an attempt can cost, as soon as it fits. Returns the agents that were called before.
    async fn reserve(&self, agent: &AgentName, needs: Option<Nanos>) -> Result<Begun<'_>, Fault> {
        loop {
            // Subscribed before looking, so that a release in between is not missed.
            let released = self.budget.released.notified();
            if let Some(begun) = self.hold(agent, needs)? {
                return Ok(begun);
            }
            let mut halt = self.halt.subscribe();
            tokio::select! {
                () = released => {}
                _ = halt.wait_for(|halt| *halt != Halt::GoOn) => {}
            }
            self.may_begin()?;
        }
    }

    /// Reserves at once. `None` if other reservations have to be settled first.
    fn hold(&self, agent: &AgentName, needs: Option<Nanos>) -> Result<Option<Begun<'_>>, Fault> {
        let mut called = self.called.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(most) = self.limits.calls
            && called.len() as u64 >= most
        {
            let text = match most {
                1 => "one call may be made, and it was".to_owned(),
                most => format!("{most} calls may be made, and all were"),
            };
            return Err(Fault::permanent("LIMIT_CALLS", text));
        }
        let mut money = self.budget.money();
        if let Some(cap) = self.limits.cost {
            let spent = money.spent;
            if !fits(needs, spent, cap) {
                let others = money.payers > u32::from(!called.is_empty());
                let whose = if others { " for all together" } else { "" };
                let next = next_costs(needs, agent.shown());
                let enough = needs.map_or("more".to_owned(), |needs| format!("${}", spent + needs));
                let text = format!(
                    "the limit on cost is ${cap}{whose}; ${spent} is spent, and {next}. Allow {enough} to go on"
                );
                return Err(Fault::permanent("LIMIT_COST", text));
            }
            if !fits(needs, spent + money.reserved, cap) {
                return Ok(None);
            }
        }
        let cost = needs.unwrap_or_default();
        money.reserved = money.reserved + cost;
        money.payers += u32::from(called.is_empty());
        let earlier = called.as_slice().into();
        called.push(agent.clone());
        Ok(Some((Held { budget: &self.budget, cost, spent: cost }, earlier)))
    }
}

/// The reservation of an attempt, and the agents that were called before it.
type Begun<'a> = (Held<'a>, Arc<[AgentName]>);

/// Whether an attempt may have done what must not be done twice. The key that would tell a repeat is made
/// of the state that is carried, and is another once that has changed.
fn is_unknown(came: &Came, effect: Effect) -> bool {
    let twice = matches!(effect, Effect::Keyed | Effect::Unsafe);
    twice
        && match came {
            Came::Finished(Err(failure)) | Came::Stopped(Err(failure)) | Came::TimeUp(failure) => {
                failure.fault.class == FaultClass::OutcomeUnknown
            }
            Came::Finished(Ok(_)) | Came::Stopped(Ok(_)) | Came::Probed(_) => false,
        }
}

/// Marks a fault as one with an unknown outcome, so that it does not look safe to try again.
fn unknown(mut fault: Fault, agent: &str) -> Fault {
    let details = fault.details.as_ref().map(|details| details.shown().into_owned());
    let mut details = match details {
        Some(Json::Object(details)) => details,
        Some(other) => [("details".into(), other)].into_iter().collect(),
        None => Object::new(),
    };
    details.set("outcome", Json::String("unknown".into()));
    fault.details = Some(Data::from(&Json::Object(details)));
    (fault.class, fault.recoverable) = (FaultClass::OutcomeUnknown, false);
    fault.message = format!(
        "{}; its outcome is unknown: {agent} may have done its work, so look before it is called again",
        fault.message
    );
    fault
}

fn cancelled() -> Fault {
    Fault::permanent("CANCELLED", "it was told to stop")
}

/// The fault with the wait that the other side asks for, after which the caller may try again.
fn too_long(mut fault: Fault, wait: Duration) -> Fault {
    let (wait, most) = (wait.as_secs(), LONGEST_WAIT.as_secs());
    fault.message = format!(
        "{}; it asks to be left alone for {wait} s, and a call without a run waits for {most} s at most",
        fault.message
    );
    fault
}

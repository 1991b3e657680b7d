//! A call without a run: for work whose state is carried in a pipe or a request.
//!
//! [`Carrier::call`] tries, hands over, times and holds to its contract as a run would, and writes down
//! nothing: whoever carries the state keeps the result. Where a run would ask somebody and wait, the
//! call fails instead.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use tokio::{
    sync::watch,
    time::{Instant, sleep, timeout_at},
};

use crate::{
    Agent, Agents, At, Attempt, Call, Data, Fault, Limits, Nanos, Order, Owner, RunId, Settings,
    Work,
    agent::{Halt, plain_name},
    flight::Flight,
    frame::model_calls,
    plan::{After, Came, SoFar, after, callable},
    says::Talk,
};

/// Calls agents on behalf of whoever carries the state, within limits.
pub struct Carrier {
    /// What agents are told the work is called; with a call's key it makes the idempotency key.
    pub name: RunId,
    pub agents: Agents,
    pub owner: Owner,
    pub settings: Settings,
    pub limits: Limits,
    pub now: fn() -> At,
    begun: Instant,
    purse: Mutex<Purse>,
    halt: watch::Sender<Halt>,
    talk: Talk,
}

#[derive(Default)]
struct Purse {
    spent: Nanos,
    reserved: Nanos,
    /// Who was called, in order.
    called: Vec<Arc<str>>,
}

/// What a call came to.
#[derive(Clone, Debug)]
pub struct Carried {
    pub result: Result<Data, Fault>,
    pub work: Work,
}

/// Where a carried call stands between two attempts.
#[derive(Default)]
struct Tally {
    attempt: u32,
    failures: u32,
    hand_overs: u32,
    model_calls: u32,
    handed: Option<Data>,
}

impl Carrier {
    #[must_use]
    pub fn new(name: RunId, agents: Agents, owner: Owner, now: fn() -> At) -> Self {
        let (settings, limits) = (Settings::default(), Limits::default());
        let (purse, halt, talk) =
            (Mutex::default(), watch::Sender::new(Halt::GoOn), Talk::default());
        let begun = Instant::now();
        Self { name, agents, owner, settings, limits, now, begun, purse, halt, talk }
    }

    /// What was spent so far.
    #[must_use]
    pub fn spent(&self) -> Nanos {
        self.purse.lock().unwrap_or_else(PoisonError::into_inner).spent
    }

    /// Tells everything that is under way to stop.
    pub fn stop(&self) {
        self.halt.send_replace(Halt::Unwanted);
    }

    pub async fn call(&self, call: &Call) -> Carried {
        let began = (self.now)();
        let mut tally = Tally::default();
        let agent = self.agents.get(&call.agent);
        let result = match callable(agent.as_ref(), call) {
            Ok(agent) => self.in_time(self.tries(call, agent, &mut tally)).await,
            Err(fault) => Err(fault),
        };
        let work = Work { began, ended: (self.now)(), model_calls: tally.model_calls };
        Carried { result, work }
    }

    /// Breaks off what is not done by the time that all of it may take.
    async fn in_time(
        &self,
        work: impl Future<Output = Result<Data, Fault>>,
    ) -> Result<Data, Fault> {
        let Some(most) = self.limits.active else { return work.await };
        match timeout_at(self.begun + most, work).await {
            Ok(result) => result,
            Err(_) => {
                let text = format!("it may work for {most:?}, and has");
                Err(Fault::permanent("LIMIT_TIME", text))
            }
        }
    }

    async fn tries(&self, call: &Call, agent: &Agent, tally: &mut Tally) -> Result<Data, Fault> {
        loop {
            let order = Order {
                input: &call.input,
                settings: &self.settings,
                handed: tally.handed.as_ref(),
            };
            if agent.invoker.bridge(&call.input, &self.settings).is_some() {
                let text = format!(
                    "{} waits for an answer from outside, which only a run can",
                    plain_name(&call.agent)
                );
                return Err(Fault::permanent("NEEDS_A_RUN", text));
            }
            let reserved = agent.invoker.quote(&order).cost.unwrap_or_default();
            let earlier = self.reserve(&call.agent, reserved)?;
            tally.attempt += 1;
            let came = self.attempt((call, agent), tally, earlier).await;
            let (cost, note) = match &came {
                Came::Finished(Ok(reply)) => (Some(reply.cost), reply.note.as_ref()),
                Came::Finished(Err(failure)) => (failure.cost, failure.note.as_ref()),
                Came::Stopped(_) | Came::TimeUp(_) | Came::Probed(_) => (None, None),
            };
            self.settle(reserved, cost.unwrap_or(reserved));
            tally.model_calls = tally.model_calls.saturating_add(model_calls(note));
            let failure = match came {
                Came::Finished(Ok(reply)) => return Ok(reply.output),
                Came::Finished(Err(failure)) => failure,
                Came::Stopped(_) | Came::TimeUp(_) | Came::Probed(_) => {
                    return Err(Fault::permanent("CANCELLED", "it was told to stop"));
                }
            };
            let so_far = SoFar {
                effect: agent.effect,
                failures: tally.failures,
                hand_overs: tally.hand_overs,
            };
            match after(&failure, &so_far, Some(call.retry), || 0.5) {
                After::HandOver(handed) => {
                    (tally.handed, tally.failures) = (Some(handed), 0);
                    tally.hand_overs += 1;
                }
                After::Again(wait) => {
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
        earlier: Arc<[Arc<str>]>,
    ) -> Came {
        let attempt = Attempt {
            run: self.name.clone(),
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
        Flight { agent: agent.clone(), name: call.agent.clone(), attempt }.fly().await.came
    }

    async fn rest(&self, wait: Duration) -> Result<(), Fault> {
        let mut halt = self.halt.subscribe();
        tokio::select! {
            () = sleep(wait) => Ok(()),
            _ = halt.wait_for(|halt| *halt != Halt::GoOn) => {
                Err(Fault::permanent("CANCELLED", "it was told to stop"))
            }
        }
    }

    /// Holds back what an attempt can cost, or says that there is no room for it. Says who was called before.
    fn reserve(&self, agent: &Arc<str>, cost: Nanos) -> Result<Arc<[Arc<str>]>, Fault> {
        let mut purse = self.purse.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(most) = self.limits.calls
            && purse.called.len() as u64 >= most
        {
            let text = format!("{most} calls may be made, and all were");
            return Err(Fault::permanent("LIMIT_CALLS", text));
        }
        if let Some(cap) = self.limits.cost
            && purse.spent + purse.reserved + cost > cap
        {
            let (spent, held) = (purse.spent, purse.reserved);
            let text = format!(
                "${cap} may be spent; ${spent} is, ${held} is held back, and the next call may cost ${cost}"
            );
            return Err(Fault::permanent("LIMIT_COST", text));
        }
        let earlier = purse.called.as_slice().into();
        purse.called.push(agent.clone());
        purse.reserved = purse.reserved + cost;
        Ok(earlier)
    }

    fn settle(&self, reserved: Nanos, spent: Nanos) {
        let mut purse = self.purse.lock().unwrap_or_else(PoisonError::into_inner);
        purse.reserved = purse.reserved.minus(reserved);
        purse.spent = purse.spent + spent;
    }
}

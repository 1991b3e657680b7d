//! Agents that do what their input says, and the outside world that they touch.
//!
//! An attempt waits, has its effect, waits again, and comes back. Whatever stops it on the way
//! leaves the effect done or not done, and only the [`World`] knows which.

use std::{future::pending, sync::Arc, time::Duration};

use async_trait::async_trait;
use consign_contracts::schema::Schema;
use consign_engine::{
    Agent, Agents, Attempt, Bridged, Data, Effect, Failure, Fault, Invoker, Nanos, Onward, Probe,
    Reply, Settings,
};
use serde::{Deserialize, Serialize};
use serde_json::json;
use tokio::time::sleep;

use super::{life::Life, world::World};

/// What becomes of the attempts of a call.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Script {
    /// The most that an attempt can cost; nothing is unmetered.
    pub(super) worst: Option<u64>,
    /// The last one goes for all that follow.
    pub(super) tries: Vec<Try>,
    /// How long it takes to stop when it is told to, in milliseconds; nothing is for ever.
    pub(super) stops: Option<u64>,
    /// How often in a thousand the other side cannot say what became of an attempt.
    pub(super) forgets: u64,
    /// How long somebody outside may take to answer in its place, in milliseconds.
    pub(super) deadline: Option<u64>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Try {
    /// Milliseconds until the effect, and from there to the end.
    pub(super) before: u64,
    pub(super) after: u64,
    pub(super) cost: u64,
    pub(super) fate: Fate,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Fate {
    Replies,
    /// The effect happens, and the reply breaks its contract.
    Garbles,
    /// No effect, and worth another try.
    Stumbles,
    /// No effect, and not worth another try.
    Fails,
    /// No effect, and something for the next attempt.
    HandsOver,
    /// No effect, and somebody is to say what follows.
    Refers,
    /// It cannot say whether the effect happened: it did.
    LosesReply,
    /// It cannot say whether the effect happened: it did not.
    LosesRequest,
    /// The effect happens, and nothing comes back.
    Hangs,
    Panics,
}

impl Fate {
    fn has_effect(self) -> bool {
        match self {
            Self::Replies | Self::Garbles | Self::LosesReply | Self::Hangs => true,
            Self::Stumbles
            | Self::Fails
            | Self::HandsOver
            | Self::Refers
            | Self::LosesRequest
            | Self::Panics => false,
        }
    }
}

/// The agents of one process: one for each effect class, under its name, and one in whose place
/// somebody outside answers.
pub(super) fn agents(world: &Arc<World>, life: &Arc<Life>) -> Agents {
    let schema = world.reply_schema();
    AGENTS.into_iter().fold(Agents::default(), |agents, (name, effect)| {
        let bridged = name == BRIDGED;
        let fake = Fake { world: world.clone(), life: life.clone(), effect, bridged };
        let agent = Agent::new(effect, fake).with_output(schema.clone());
        agents.with(name, agent.with_timeout(world.scene.timeout))
    })
}

const BRIDGED: &str = "bridged";

pub(super) const AGENTS: [(&str, Effect); 5] = [
    ("pure", Effect::Pure),
    ("idempotent", Effect::Idempotent),
    ("keyed", Effect::Keyed),
    ("unsafe", Effect::Unsafe),
    (BRIDGED, Effect::Unsafe),
];

pub(super) fn reply_schema() -> Schema {
    Schema::compile(&reply_contract().tree().expect("a test writes JSON")).expect("it is a schema")
}

fn reply_contract() -> Data {
    Data::of(&json!({"type": "object", "required": ["of", "try"]}))
}

struct Fake {
    world: Arc<World>,
    life: Arc<Life>,
    effect: Effect,
    bridged: bool,
}

#[async_trait]
impl Invoker for Fake {
    fn worst_case(&self, input: &Data) -> Option<Nanos> {
        script(input).worst.map(Nanos::new)
    }

    fn bridge(&self, input: &Data, _settings: &Settings) -> Option<Bridged> {
        let deadline = script(input).deadline.map(Duration::from_millis);
        let prompt = "Answer in its place.".to_owned();
        self.bridged.then(|| Bridged { prompt, schema: reply_contract(), deadline })
    }

    async fn invoke(&self, attempt: Attempt) -> Result<Reply, Failure> {
        let script = script(&attempt.input);
        let tried = attempt.number as usize + self.world.earlier_runs(&attempt) * 2;
        let index = tried.min(script.tries.len()) - 1;
        let Try { before, after, cost, fate } = script.tries[index].clone();
        let cost = Nanos::new(cost);
        self.pass(&attempt, &script, before, cost).await?;
        let mut output = output(&attempt);
        if fate.has_effect() {
            self.life.breathe().await;
            output = self.world.touch(&self.life, &attempt, self.effect, output);
        }
        let after = if fate == Fate::Hangs { u64::from(u32::MAX) } else { after };
        self.pass(&attempt, &script, after, cost).await?;
        self.life.breathe().await;
        match fate {
            Fate::Replies => {
                self.world.replied(&attempt, &output);
                Ok(Reply::new(output, cost))
            }
            Fate::Garbles => Ok(Reply::new(Data::of("?"), cost)),
            Fate::Stumbles => {
                let fault = Fault::transient("STUMBLED", "try again");
                Err(Failure::new(fault, Some(cost)))
            }
            Fate::Fails => {
                let fault = Fault::permanent("FAILED", "it cannot be done");
                Err(Failure::new(fault, Some(cost)))
            }
            Fate::HandsOver => {
                let fault = Fault::transient("HANDED_OVER", "the next one knows more");
                let handed = Onward::HandOver(Data::of(&attempt.number));
                Err(Failure::new(fault, Some(cost)).onward(handed))
            }
            Fate::Refers => {
                let fault = Fault::permanent("REFERRED", "somebody else knows");
                Err(Failure::new(fault, Some(cost)).onward(Onward::Refer))
            }
            Fate::LosesReply | Fate::LosesRequest | Fate::Hangs => {
                let fault = Fault::outcome_unknown("CONNECTION_LOST", "nobody knows");
                Err(Failure::new(fault, None))
            }
            // Without the words that a panic puts on the terminal.
            Fate::Panics => std::panic::resume_unwind(Box::new("an agent panics")),
        }
    }

    async fn probe(&self, attempt: Attempt) -> Probe {
        self.life.breathe().await;
        let script = script(&attempt.input);
        sleep(self.world.random.millis(0, 20)).await;
        self.life.breathe().await;
        if self.world.random.chance(script.forgets) {
            return Probe::Unknown;
        }
        match self.world.remembers(&attempt) {
            Some(output) => {
                self.world.replied(&attempt, &output);
                let cost = script.worst.unwrap_or_default() / 2;
                Probe::Done(Reply::new(output, Nanos::new(cost)))
            }
            None => Probe::NotDone,
        }
    }
}

impl Fake {
    /// Lets time pass, unless it is told to stop and does.
    async fn pass(
        &self,
        attempt: &Attempt,
        script: &Script,
        millis: u64,
        cost: Nanos,
    ) -> Result<(), Failure> {
        tokio::select! {
            biased;
            () = attempt.cancelled() => {}
            () = sleep(Duration::from_millis(millis)) => return Ok(()),
        }
        let Some(stops) = script.stops else { return pending().await };
        sleep(Duration::from_millis(stops)).await;
        let fault = Fault::outcome_unknown("STOPPED", "it was told to stop");
        Err(Failure::new(fault, Some(cost)))
    }
}

/// What a call comes to, so that the attempt shows from which it is.
fn output(attempt: &Attempt) -> Data {
    Data::of(&json!({"of": attempt.key, "try": attempt.number}))
}

fn script(input: &Data) -> Script {
    input.to().expect("a program's calls have scripts")
}

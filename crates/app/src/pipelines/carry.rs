//! Taking an envelope through a pipeline in memory: the envelope is the whole state, in and out.

use std::future::pending;

use consign_contracts::envelope::Envelope;
use consign_engine::{Agents, InMemoryDriver, Limits, Owner, RunId, Settings, SharedBudget};
use consign_pipeline::{
    Does, Journey, Stage, Unfit,
    carry::{carried_name, carry},
};

use sha2::{Digest, Sha256};

use super::Ready;
use crate::machine::now;

/// What every envelope of one caller is taken through a pipeline with.
pub struct EnvelopeRunner {
    pub agents: Agents,
    pub ready: Ready,
    pub limits: Limits,
    pub settings: Settings,
    pub owner: Owner,
    /// Larger envelopes are refused.
    pub max_bytes: usize,
    /// The budget that all envelopes share, where they share one.
    pub budget: Option<SharedBudget>,
}

impl EnvelopeRunner {
    /// Takes an envelope as far as it goes. When `stop` comes back, the agents under way are told to stop, and no
    /// further stage begins; those that have not stopped when `leave` comes back after that are left.
    pub async fn take(
        &self,
        envelope: Envelope,
        until: Option<&str>,
        stop: impl Future<Output = ()>,
        leave: impl Future<Output = ()>,
    ) -> Result<Journey, Unfit> {
        self.take_for(&self.owner, envelope, until, stop, leave).await
    }

    /// Takes an envelope of another owner than the usual one: with that owner's keys, budget and memory.
    pub async fn take_for(
        &self,
        owner: &Owner,
        envelope: Envelope,
        until: Option<&str>,
        stop: impl Future<Output = ()>,
        leave: impl Future<Output = ()>,
    ) -> Result<Journey, Unfit> {
        let name = self.name(owner, &envelope);
        let (pipeline, place) = (&self.ready.pipeline, self.ready.place.clone());
        let mut journey = Journey::begin(pipeline, place, envelope, until, now())?;
        if !journey.has_ended() {
            let carrier = self.carrier(name, owner.clone());
            let telling = async {
                stop.await;
                carrier.stop();
                leave.await;
                carrier.leave();
                pending().await
            };
            tokio::select! {
                biased;
                () = carry(&mut journey, &carrier, |_| {}) => {}
                () = telling => {}
            }
        }
        Ok(journey)
    }

    /// What the work is called for agents that must not do it twice: the same envelope of the same owner has the same
    /// name, and another state of it has another. Agents that do nothing to the world need no such name.
    fn name(&self, owner: &Owner, envelope: &Envelope) -> RunId {
        let outside =
            |stage: &Stage| matches!(stage.does, Does::Agent(_)) && stage.built_in().is_none();
        match self.ready.pipeline.stages.iter().any(outside) {
            true if *owner == self.owner => carried_name(envelope),
            true => {
                let whose = hex::encode(&Sha256::digest(owner.as_str())[..8]);
                RunId::new(format!("{}-{whose}", carried_name(envelope)))
            }
            false => RunId::from(envelope.envelope_id.as_str()),
        }
    }

    fn carrier(&self, name: RunId, owner: Owner) -> InMemoryDriver {
        let mut carrier = InMemoryDriver::new(name, self.agents.clone(), owner, now);
        (carrier.settings, carrier.limits) = (self.settings.clone(), self.limits.clone());
        if let Some(budget) = &self.budget {
            carrier.budget = budget.clone();
        }
        carrier
    }
}

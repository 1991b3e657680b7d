//! What a person does to runs: answers, raises limits, cancels. The person is Ada, unless a test
//! says otherwise.

use consign_engine::{
    Disproof, Error, Fault, Key, Limits, Nanos, Proof, RunId, Speaker,
    journal::{Body, Hash},
};

use super::World;
use crate::draft::json;

impl World {
    /// Answers an ask, in JSON. It is not refused.
    pub async fn answer(&self, run: &RunId, key: &str, value: &str) {
        self.try_answer(run, key, value).await.expect("the answer is taken");
    }

    pub async fn try_answer(&self, run: &RunId, key: &str, value: &str) -> Result<(), Error> {
        self.desk().answer(run, &Key::from(key), &json(value), &ada()).await
    }

    /// Says that no answer will come.
    pub async fn try_decline(&self, run: &RunId, key: &str) -> Result<(), Error> {
        self.desk().decline(run, &Key::from(key), "not today", &ada()).await
    }

    /// Sets higher limits. That is not refused.
    pub async fn raise(&self, run: &RunId, limits: Limits) {
        self.try_raise(run, limits).await.expect("the limits are higher");
    }

    pub async fn try_raise(&self, run: &RunId, limits: Limits) -> Result<(), Error> {
        self.desk().raise(run, &limits, &ada()).await
    }

    pub async fn advise(&self, run: &RunId, text: &str) {
        self.desk().advise(run, text, &ada()).await.expect("the run is open");
    }

    pub async fn cancel(&self, run: &RunId) {
        self.desk().cancel(run, None, &ada()).await.expect("the run is open");
    }

    /// Sets what an owner may spend over all runs.
    pub async fn cap(&self, owner: &str, cap: Nanos) {
        let set = self.desk().store().set_cap(&owner.into(), Some(cap)).await;
        set.expect("the cap is set");
    }

    /// Proves a run.
    pub async fn verify(&self, run: &RunId, head: Option<Hash>) -> Result<Proof, Disproof> {
        self.desk().verify(run, head).await.expect("the store can be read")
    }

    /// The run's chain holds, and its state is what the events come to.
    pub async fn proves(&self, run: &RunId) {
        let proof = self.verify(run, None).await.unwrap_or_else(|why| panic!("run {run}: {why}"));
        assert_eq!(proof.state, Ok(()), "run {run}");
    }

    /// What the last event of a run that succeeded says.
    pub async fn output(&self, run: &RunId) -> String {
        let journal = self.journal(run).await;
        let last = journal.last().expect("a journal is never empty");
        match last.body() {
            Ok(Some(Body::Succeeded(succeeded))) => succeeded.output.as_str().to_owned(),
            Ok(Some(Body::Failed(failed))) => format!("failed: {}", failed.fault),
            other => panic!("run {run} has not come to an end of its own: {other:?}"),
        }
    }
}

/// The fault that something was refused with.
#[must_use]
pub fn refusal<T: std::fmt::Debug>(result: Result<T, Error>) -> Fault {
    match result {
        Err(Error::Fault(fault)) => fault,
        other => panic!("expected a fault, found {other:?}"),
    }
}

fn ada() -> Speaker {
    Speaker::person("ada")
}

//! Asking a question about a code base: a new envelope through a pipeline, in memory.

use consign_engine::{Data, InMemoryDriver, Limits, Owner, RunId, Settings};
use consign_pipeline::{
    Journey,
    carry::{Progress, carry},
    envelope::{Names, Session, fresh},
};

use super::Ready;
use crate::{
    error::{Error, Refused},
    home::Home,
    machine::{now, random},
};

/// A question, and how it is to be answered.
#[derive(Clone, Debug)]
pub struct Ask {
    pub text: String,
    /// The session that it goes on with; a new one if there is none.
    pub session: Option<String>,
    pub owner: Owner,
    pub limits: Limits,
    pub settings: Settings,
}

/// A question on its way to an answer.
pub struct Question {
    pub journey: Journey,
    carrier: InMemoryDriver,
}

/// Begins to ask. [`Question::go_on`] gives the answer.
pub fn ask(home: &Home, ready: &Ready, ask: Ask) -> Result<Question, Error> {
    let session = ask.session.map_or_else(|| Session::New(random()), Session::Known);
    let names = Names { envelope: random(), request: random(), session };
    let envelope = fresh(&ask.text, ask.owner.as_str(), &names, &ready.pipeline.bounds, now());
    let name = RunId::from(envelope.envelope_id.as_str());
    let mut carrier = InMemoryDriver::new(name, home.engine.agents().clone(), ask.owner, now);
    (carrier.settings, carrier.limits) = (ask.settings, ask.limits);
    let begun = Journey::begin(&ready.pipeline, ready.place.clone(), envelope, None, now());
    let journey = begun.map_err(|why| Refused::new("UNKNOWN_STAGE", why.to_string()))?;
    Ok(Question { journey, carrier })
}

impl Question {
    /// Goes on to the answer, or to a question that must be answered first ([`Journey::question`]).
    pub async fn go_on(&mut self, tell: impl FnMut(Progress<'_>)) {
        carry(&mut self.journey, &self.carrier, tell).await;
    }

    /// Answers what was asked back.
    pub fn answered(&mut self, value: &Data, by: &str) {
        self.journey.answered(value, Some(by), now());
    }

    #[must_use]
    pub fn spent(&self) -> consign_engine::Nanos {
        self.carrier.spent()
    }
}

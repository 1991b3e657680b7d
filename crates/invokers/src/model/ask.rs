//! Sends one request to a model: finds its key, waits for its turn, and works out the cost.

use std::{path::Path, sync::Arc, time::Duration};

use consign_contracts::authoring::ErrorCode;
use consign_engine::{Attempt, Data, Failure, Fault, Nanos, Onward, Reply};
use consign_models::{
    Provider, Trouble,
    chat::Answer,
    client::{Charged, Client, Refused, Target},
    record::{Recorder, Replay},
    tokens,
    transport::Transport,
};
use serde_json::{Map, Value, json};

use tokio::time::{Instant, timeout_at};
use tracing::warn;

use super::{ModelAgent, Prepared, climb::ModelAnswer, source::Source};

impl ModelAgent {
    /// Calls a provider.
    pub(super) async fn ask(
        &self,
        attempt: &Attempt,
        prepared: Prepared,
        record: Option<&Path>,
    ) -> Result<Reply, Failure> {
        let unpaid = |fault| Failure::new(fault, Some(Nanos::ZERO));
        let models = &self.models;
        let provider = prepared.name.provider;
        let key = models.keys().key_for(&attempt.owner, provider).await.map_err(unpaid)?;
        let mut transport: Arc<dyn Transport> = models.transport().clone();
        let tape = record.map(|path| models.tape(path)).transpose().map_err(unpaid)?;
        if let Some(tape) = &tape {
            transport = Arc::new(Recorder::new(transport, tape.clone(), &prepared.name));
        }
        let mut note = Map::new();
        if let Some((_, source)) = &key {
            note.insert("key_source".to_owned(), source.as_str().into());
        }
        let target = Target {
            name: prepared.name.clone(),
            base_url: self.own_base_url(provider).or_else(|| models.config().base_url(provider)),
            key: key.map(|(key, _)| key),
        };
        // Counting takes a while in a long prompt, and the first token waits for it.
        let throttle = models.throttle(provider, target.base_url.as_deref());
        let tokens = if throttle.counts_tokens() {
            tokens::worst_input(&prepared.name, &prepared.request).input_tokens
                + u64::from(prepared.request.max_tokens)
        } else {
            0
        };
        // Who watches its own time knows what was sent, and can go on to another model.
        let until = Instant::now() + self.spec.timeout;
        let entered = tokio::select! {
            place = timeout_at(until, throttle.enter(tokens, target.key.as_ref())) => place,
            () = attempt.cancelled() => return Err(unpaid(stopped())),
        };
        let entered =
            entered.unwrap_or_else(|_| Err(self.late("waited for its turn, and nothing was sent")));
        let mut place = match entered {
            Ok(place) => place,
            Err(trouble) => {
                let refused = Refused { trouble, charged: Charged::Nothing };
                // So would every other model of the provider be.
                let last = attempt.last || prepared.stand.elsewhere;
                return Err(self.refused(&prepared, refused, last, note));
            }
        };
        let client = Client::new(transport).with_patience(models.config().patience);
        note.insert("llm_calls".to_owned(), 1.into());
        let mut say = |text: &str| {
            place.answers();
            attempt.says.text(text);
        };
        let asked = tokio::select! {
            asked = timeout_at(until, client.ask(&target, &prepared.request, &mut say)) => asked,
            // The cost is unknown: the provider may have worked on it all the same.
            () = attempt.cancelled() => return Err(Failure::new(stopped(), None)),
        };
        let asked = asked.unwrap_or_else(|_| {
            let trouble = self.late("did not get a complete answer");
            Err(Refused { trouble, charged: Charged::Unknown })
        });
        if let Some(why) = tape.and_then(|tape| tape.failure()) {
            note.insert("unrecorded".to_owned(), why.into());
        }
        match asked {
            Ok(answer) => {
                place.succeeded();
                let (worst, _) = self.price(&prepared.name, &prepared.request);
                let told = self.told(&prepared, answer, worst, note);
                self.judge(&prepared.stand, told)
            }
            Err(refused) => {
                let Refused { trouble, charged } = &refused;
                place.failed(trouble, trouble.status.is_some() || *charged != Charged::Nothing);
                Err(self.refused(&prepared, refused, attempt.last, note))
            }
        }
    }

    /// The base URL of the definition, if it is for this provider. The key of another provider must
    /// not be sent there.
    fn own_base_url(&self, provider: Provider) -> Option<String> {
        let Source::Models(chain) = &self.spec.asking.source else { return None };
        let own = chain.first().is_some_and(|first| first.provider == provider);
        self.spec.asking.base_url.clone().filter(|_| own)
    }

    fn late(&self, what: &str) -> Trouble {
        let what = format!("the call took longer than {:?}: it {what}", self.spec.timeout);
        Trouble::passing(ErrorCode::AiNetworkError, what).late()
    }

    /// Answers from a recording. It costs nothing.
    pub(super) async fn replay(
        &self,
        attempt: &Attempt,
        prepared: Prepared,
        replay: Arc<Replay>,
    ) -> Result<Reply, Failure> {
        // So short that it is taken for no key, and out of no answer.
        let unneeded = || consign_models::transport::Secret::new("-".to_owned());
        // Where it was does not matter, and somewhere it must have been.
        let nowhere = "http://replayed/v1";
        let base_url = prepared.name.provider.base_url().unwrap_or(nowhere).to_owned();
        let name = prepared.name.clone();
        let target = Target { name, base_url: Some(base_url), key: Some(unneeded()) };
        let client = Client::new(replay).with_patience(self.models.config().patience);
        let mut say = |text: &str| attempt.says.text(text);
        let asked = client.ask(&target, &prepared.request, &mut say).await;
        let mut note = Map::new();
        note.insert("replayed".to_owned(), true.into());
        note.insert("llm_calls".to_owned(), 1.into());
        match asked {
            Ok(answer) => {
                let told = self.told(&prepared, answer, None, note);
                self.judge(&prepared.stand, ModelAnswer { cost: Nanos::ZERO, ..told })
            }
            // Only a recording is out of reach for good.
            Err(Refused { trouble, .. })
                if trouble.code == ErrorCode::AiNetworkError && !trouble.passing =>
            {
                let fault = Fault::permanent("RECORDING_MISMATCH", trouble.what);
                Err(Failure::new(fault, Some(Nanos::ZERO)).with_note(Data::of(&note)))
            }
            Err(refused) => {
                let refused = Refused { charged: Charged::Nothing, ..refused };
                Err(self.refused(&prepared, refused, attempt.last, note))
            }
        }
    }

    /// The answer with its cost.
    fn told(
        &self,
        prepared: &Prepared,
        answer: Answer,
        worst: Option<Nanos>,
        mut note: Map<String, Value>,
    ) -> ModelAnswer {
        let price = self.models.prices().of(&prepared.name);
        note.insert("model".to_owned(), prepared.name.to_string().into());
        note.insert("answered_by".to_owned(), answer.model.clone().into());
        let cost = match (price, answer.usage) {
            (Some(price), Some(usage)) => held_to(price.cost(&usage), worst, &mut note),
            // Whoever does not say what was used is paid the most that it can have been.
            (Some(_), None) => worst.unwrap_or_default(),
            (None, _) => {
                note.insert("unmetered".to_owned(), true.into());
                Nanos::ZERO
            }
        };
        match answer.usage {
            Some(usage) => note.insert("usage".to_owned(), json!(usage)),
            None => note.insert("assumed".to_owned(), true.into()),
        };
        ModelAnswer { answer, cost, note }
    }

    /// What follows from a failure: another try, the next model, or the end. `last` says that there
    /// is no other try, or that one would not help yet.
    fn refused(
        &self,
        prepared: &Prepared,
        refused: Refused,
        last: bool,
        mut note: Map<String, Value>,
    ) -> Failure {
        let Refused { trouble, charged } = refused;
        let price = self.models.prices().of(&prepared.name);
        let cost = match charged {
            Charged::Nothing => Some(Nanos::ZERO),
            Charged::Usage(usage) => {
                note.insert("usage".to_owned(), json!(usage));
                let (worst, _) = self.price(&prepared.name, &prepared.request);
                let cost = price.map_or(Nanos::ZERO, |price| price.cost(&usage));
                Some(held_to(cost, worst, &mut note))
            }
            Charged::Unknown => None,
        };
        note.insert("model".to_owned(), prepared.name.to_string().into());
        note.insert("rung".to_owned(), prepared.stand.handed.rung().into());
        let failure = Failure::new(trouble.fault(), cost).with_note(Data::of(&note));
        let stand = &prepared.stand;
        // Somebody else may answer while this one wants to be left alone. A quota is that of the key:
        // there it must be somebody elsewhere.
        let long = trouble.retry_after.is_some_and(|wait| wait > LONG)
            && (trouble.code != ErrorCode::AiRateLimited || stand.elsewhere);
        let gone = last || long || !trouble.passing;
        if gone && stand.others > 0 && self.spec.asking.ladder.fall_back {
            let code = trouble.code.as_str();
            warn!(model = stand.name, code, "the next model is asked");
            let next = stand.handed.fall_back(&stand.name, code);
            return failure.onward(Onward::HandOver(Data::of(&next)));
        }
        failure
    }
}

/// With another model to fall back to, a longer wait is not accepted.
const LONG: Duration = Duration::from_secs(5);

/// Limits a cost to the worst case: a provider that counts more is wrong.
fn held_to(cost: Nanos, worst: Option<Nanos>, note: &mut Map<String, Value>) -> Nanos {
    match worst {
        Some(worst) if cost > worst => {
            note.insert("counted_usd".to_owned(), cost.to_string().into());
            note.insert("over_reservation".to_owned(), true.into());
            worst
        }
        Some(_) | None => cost,
    }
}

fn stopped() -> Fault {
    Fault::permanent("CANCELLED", "the call was cancelled")
}

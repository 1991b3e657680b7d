//! One request to a model: its key, its turn, its cost.

use std::{path::Path, sync::Arc};

use consign_contracts::authoring::ErrorCode;
use consign_engine::{Attempt, Data, Failure, Fault, Nanos, Onward, Reply};
use serde_json::{Map, Value, json};

use super::{ModelAgent, Prepared, climb::Told};
use crate::{
    chat::Answer,
    client::{Charged, Client, Refused, Target},
    record::{Recorder, Replay},
    tokens,
    transport::Transport,
};

impl ModelAgent {
    /// Asks a provider.
    pub(super) async fn ask(
        &self,
        attempt: &Attempt,
        prepared: Prepared,
        record: Option<&Path>,
    ) -> Result<Reply, Failure> {
        let unpaid = |fault| Failure::new(fault, Some(Nanos::ZERO));
        let models = &self.models;
        let provider = prepared.name.provider;
        let key = models.keys.key_for(&attempt.owner, provider).await.map_err(unpaid)?;
        let mut transport: Arc<dyn Transport> = models.transport.clone();
        if let Some(path) = record {
            let tape = models.tape(path).map_err(unpaid)?;
            transport = Arc::new(Recorder::new(transport, tape, &prepared.name));
        }
        let mut note = Map::new();
        if let Some((_, source)) = &key {
            note.insert("key_source".to_owned(), source.as_str().into());
        }
        let target = Target {
            name: prepared.name.clone(),
            base_url: self.spec.base_url.clone().or_else(|| models.base_url(provider)),
            key: key.map(|(key, _)| key),
        };
        let throttle = models.throttle(provider);
        // Counting takes a while in a long prompt, and the first token would wait for it.
        let tokens = match throttle.counts_tokens() {
            true => {
                let input = tokens::worst_input(&prepared.name, &prepared.request).input_tokens;
                input + u64::from(prepared.request.max_tokens)
            }
            false => 0,
        };
        let entered = tokio::select! {
            place = throttle.enter(tokens) => place,
            () = attempt.cancelled() => return Err(unpaid(stopped())),
        };
        let place = match entered {
            Ok(place) => place,
            Err(trouble) => {
                let refused = Refused { trouble, charged: Charged::Nothing };
                return Err(self.refused(&prepared, refused, true, note));
            }
        };
        let client = Client::new(transport).with_patience(models.patience);
        let mut say = |text: &str| attempt.says.text(text);
        let asked = tokio::select! {
            asked = client.ask(&target, &prepared.request, &mut say) => asked,
            // Nobody knows what it came to: the provider may have worked on it all the same.
            () = attempt.cancelled() => return Err(Failure::new(stopped(), None)),
        };
        match asked {
            Ok(answer) => {
                place.succeeded();
                let worst = match answer.usage {
                    Some(_) => None,
                    None => self.price(&prepared.name, &prepared.request).0,
                };
                let told = self.told(&prepared, answer, worst, note);
                self.judge(&prepared.stand, told)
            }
            Err(refused) => {
                place.failed(&refused.trouble);
                Err(self.refused(&prepared, refused, attempt.last, note))
            }
        }
    }

    /// Asks a recording. It costs nothing.
    pub(super) async fn replay(
        &self,
        attempt: &Attempt,
        prepared: Prepared,
        replay: Arc<Replay>,
    ) -> Result<Reply, Failure> {
        let unneeded = || crate::transport::Secret::new("replayed".to_owned());
        let target = Target {
            name: prepared.name.clone(),
            base_url: prepared.name.provider.base_url().map(str::to_owned),
            key: Some(unneeded()),
        };
        let client = Client::new(replay).with_patience(self.models.patience);
        let mut say = |text: &str| attempt.says.text(text);
        let asked = client.ask(&target, &prepared.request, &mut say).await;
        let mut note = Map::new();
        note.insert("replayed".to_owned(), true.into());
        match asked {
            Ok(answer) => {
                let told = self.told(&prepared, answer, Some(Nanos::ZERO), note);
                self.judge(&prepared.stand, Told { cost: Nanos::ZERO, ..told })
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

    /// An answer with what it cost.
    fn told(
        &self,
        prepared: &Prepared,
        answer: Answer,
        worst: Option<Nanos>,
        mut note: Map<String, Value>,
    ) -> Told {
        let price = self.models.prices.of(&prepared.name);
        note.insert("model".to_owned(), prepared.name.to_string().into());
        note.insert("answered_by".to_owned(), answer.model.clone().into());
        let cost = match (price, answer.usage) {
            (Some(price), Some(usage)) => price.cost(&usage),
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
        Told { answer, cost, note }
    }

    /// What follows from trouble: another try, the next model, or the end. `last` says that there is
    /// no other try, or that it would be no use yet.
    fn refused(
        &self,
        prepared: &Prepared,
        refused: Refused,
        last: bool,
        mut note: Map<String, Value>,
    ) -> Failure {
        let Refused { trouble, charged } = refused;
        let price = self.models.prices.of(&prepared.name);
        let cost = match charged {
            Charged::Nothing => Some(Nanos::ZERO),
            Charged::Usage(usage) => {
                note.insert("usage".to_owned(), json!(usage));
                Some(price.map_or(Nanos::ZERO, |price| price.cost(&usage)))
            }
            Charged::Unknown => None,
        };
        note.insert("model".to_owned(), prepared.name.to_string().into());
        note.insert("rung".to_owned(), prepared.stand.handed.rung().into());
        let failure = Failure::new(trouble.fault(), cost).with_note(Data::of(&note));
        // What may not be used is not made good by something else that may.
        let gone = last || !trouble.passing && trouble.code != ErrorCode::ModelNotAllowed;
        let stand = &prepared.stand;
        if gone && stand.others > 0 && self.spec.ladder.fall_back {
            let next = stand.handed.fall_back(&stand.name, trouble.code.as_str());
            return failure.onward(Onward::HandOver(Data::of(&next)));
        }
        failure
    }
}

fn stopped() -> Fault {
    Fault::permanent("CANCELLED", "it was told to stop")
}

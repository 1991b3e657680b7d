//! The answer that an envelope brings back to its run, to the question that was asked where it stands.

use consign_contracts::{envelope::Envelope, json::Json, wire::Nullable};
use consign_engine::{Ask, AskKind, Data, Engine, Error, Key, RunId, Speaker, Status};

use crate::{
    journey::{question_key, turn_key},
    person::from_text,
};

/// What a run asks, or asked once, where an envelope stands.
pub(super) struct Asked {
    key: Key,
    kind: AskKind,
    /// Of the answer.
    schema: Data,
}

impl From<Ask> for Asked {
    fn from(ask: Ask) -> Self {
        Self { key: ask.key, kind: ask.kind, schema: ask.schema }
    }
}

impl Asked {
    /// What a run asked after so many turns: at a pause, or a person in the stage at which the envelope stands.
    pub(super) async fn after(
        engine: &Engine,
        run: &RunId,
        turns: usize,
        stage: &str,
    ) -> Result<Option<Self>, Error> {
        let keys = [
            question_key(AskKind::Clarification, turns),
            question_key(AskKind::Confirmation, turns),
            turn_key(stage, turns + 1),
        ];
        for key in keys {
            let asked = engine.store().interaction(run, &key).await?;
            // What waits for an agent cannot be answered in an envelope.
            if let Some(asked) = asked.filter(|asked| asked.agent.is_none()) {
                return Ok(Some(Self { key, kind: asked.kind, schema: asked.schema }));
            }
        }
        Ok(None)
    }

    /// Hands on what an envelope says to it. One that says nothing only wants to know how things are. Said
    /// again it changes nothing; who says something else than was said first is told so.
    pub(super) async fn hear(
        &self,
        engine: &Engine,
        run: &RunId,
        envelope: &Envelope,
        by: &Speaker,
    ) -> Result<(), Error> {
        let Some(value) = self.said_by(envelope) else { return Ok(()) };
        let fault = match engine.answer(run, &self.key, &value, by).await {
            Err(Error::Fault(fault)) => fault,
            answered => return answered,
        };
        let settled = match fault.code.as_ref() {
            "ALREADY_ANSWERED" => {
                let first = engine.answer_to(run, &self.key).await?;
                first.is_some_and(|first| first.shown() == value.shown())
            }
            // Of a cancelled run the envelope itself says that nothing more is done.
            "WITHDRAWN" => engine.store().row(run).await?.status == Status::Cancelled,
            _ => false,
        };
        if settled { Ok(()) } else { Err(fault.into()) }
    }

    /// Whether it is marked as pending does not matter: the sender may have taken the mark away.
    fn said_by(&self, envelope: &Envelope) -> Option<Data> {
        match (self.kind, &envelope.clarification_response, &envelope.confirmation_response) {
            (AskKind::Clarification, Some(Nullable(Some(said))), _) if !said.trim().is_empty() => {
                let schema = self.schema.tree().unwrap_or(Json::Null);
                Some(Data::from(&from_text(said, &schema)))
            }
            (AskKind::Confirmation | AskKind::Approval, _, Some(Nullable(Some(said)))) => {
                Some(Data::of(said))
            }
            _ => None,
        }
    }
}

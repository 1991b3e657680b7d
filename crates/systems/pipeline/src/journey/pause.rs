//! Waiting for an answer: a clarification goes on at intent, a confirmation at execution. Stages in which a
//! person is asked are in `person`.

use consign_contracts::{
    envelope::TerminalReason,
    json::{Json, Object},
    wire::Nullable,
};
use consign_engine::{Ask, AskKind, At, Data, Key};

use super::{Journey, Stand};
use crate::pipeline::{EXECUTION, INTENT};

impl Journey {
    /// Whether what a stage says lets the journey stand still or end.
    pub(super) fn interrupted(&mut self, stage: usize, output: &Object<'static>, at: At) -> bool {
        let says = |name: &str| output.get(name).and_then(Json::as_bool) == Some(true);
        let text = |name: &str| output.get(name).and_then(Json::as_str).map(str::to_owned);
        // No envelope can stand at a member of a parallel stage.
        let name = self.pipeline.stages[self.pipeline.turn_of(stage)].name.clone();
        match self.pipeline.stages[stage].output_key.as_str() {
            INTENT if says("clarification_needed") => {
                let question = text("clarification_question");
                let question = question.filter(|question| !question.trim().is_empty());
                let question = question.unwrap_or_else(|| "What exactly do you mean?".to_owned());
                let envelope = &mut self.envelope;
                envelope.clarification_pending = Some(true);
                envelope.clarification_question = Some(Nullable(Some(question)));
                envelope.clarification_response = Some(Nullable(None));
                self.pause(name, TerminalReason::ClarificationRequired, Stand::Clarifying);
                true
            }
            EXECUTION if says("denied_by_policy") => {
                self.envelope.current_stage = name;
                let words = "The policy denies every step of the plan".to_owned();
                self.terminate(TerminalReason::DeniedByPolicy, words, at);
                true
            }
            EXECUTION if says("confirmation_needed") => {
                let message = text("confirmation_message");
                let message = message.unwrap_or_else(|| "May the plan be carried out?".to_owned());
                let envelope = &mut self.envelope;
                envelope.confirmation_pending = Some(true);
                envelope.confirmation_id = Some(Nullable(text("confirmation_id")));
                envelope.confirmation_message = Some(Nullable(Some(message)));
                envelope.confirmation_response = Some(Nullable(None));
                self.pause(name, TerminalReason::ConfirmationRequired, Stand::Confirming);
                true
            }
            _ => false,
        }
    }

    /// A pause is no end: it has a reason, and is not terminated. Where it goes on is where it stands.
    fn pause(&mut self, stage: String, reason: TerminalReason, stand: Stand) {
        self.envelope.current_stage = stage;
        self.envelope.terminal_reason = Some(Nullable(Some(reason)));
        self.stand = stand;
    }

    pub(super) fn clarification(&self) -> Ask {
        let question = self.envelope.clarification_question.clone().unwrap_or_default();
        let schema = r#"{"type": "string", "minLength": 1}"#;
        self.ask(AskKind::Clarification, question.0, schema)
    }

    pub(super) fn confirmation(&self) -> Ask {
        let message = self.envelope.confirmation_message.clone().unwrap_or_default();
        self.ask(AskKind::Confirmation, message.0, r#"{"type": "boolean"}"#)
    }

    fn ask(&self, kind: AskKind, prompt: Option<String>, schema: &str) -> Ask {
        Ask {
            key: question_key(kind, self.turns as usize),
            kind,
            prompt: prompt.unwrap_or_default(),
            schema: Data::restore(schema.to_owned()).unwrap_or_else(Data::null),
            deadline: None,
            default: None,
        }
    }

    /// Takes in the answer to [`Journey::question`]. `by` names the person who gave it; it is `None` for
    /// the default answer.
    pub fn answered(&mut self, value: &Data, by: Option<&str>, at: At) {
        // Only what can be read is an answer; the envelope stands where it stood otherwise.
        let Ok(value) = value.tree() else { return };
        if self.asked_person().is_some() {
            self.person_said(&value.into_owned(), by, at);
            return self.end_unfit(at);
        }
        match self.stand {
            Stand::Clarifying => {
                let said = value.as_str().unwrap_or_default().to_owned();
                self.envelope.clarification_response = Some(Nullable(Some(said)));
            }
            Stand::Confirming => {
                self.envelope.confirmation_response = Some(Nullable(value.as_bool()));
            }
            Stand::Working { .. } | Stand::Stopped | Stand::Over => return,
        }
        self.resume(at);
    }

    /// Goes on with whatever answers the envelope holds.
    pub(super) fn resume(&mut self, at: At) {
        self.take_up(at);
        self.end_unfit(at);
    }

    /// Gives the right stage its turn. Without an answer it stands where it stood.
    fn take_up(&mut self, at: At) {
        if let Some(stage) = self.awaited_person() {
            return self.hear_person(stage, at);
        }
        let envelope = &mut self.envelope;
        if envelope.clarification_pending == Some(true) {
            // Empty text is no answer.
            let said = match &envelope.clarification_response {
                Some(Nullable(Some(said))) => !said.trim().is_empty(),
                Some(Nullable(None)) | None => false,
            };
            if !said {
                envelope.terminal_reason =
                    Some(Nullable(Some(TerminalReason::ClarificationRequired)));
                self.stand = Stand::Clarifying;
                return;
            }
            envelope.clarification_pending = Some(false);
            return self.go_on(INTENT, at);
        }
        if envelope.confirmation_pending == Some(true) {
            let Some(Nullable(Some(yes))) = envelope.confirmation_response else {
                envelope.terminal_reason =
                    Some(Nullable(Some(TerminalReason::ConfirmationRequired)));
                self.stand = Stand::Confirming;
                return;
            };
            envelope.confirmation_pending = Some(false);
            if !yes {
                let words = "What was to be confirmed was refused".to_owned();
                return self.terminate(TerminalReason::DeniedByPolicy, words, at);
            }
            return self.go_on(EXECUTION, at);
        }
        envelope.terminal_reason = Some(Nullable(None));
        let stage = self.pipeline.find(&envelope.current_stage).unwrap_or(0);
        self.begin_stage(stage, at);
    }

    fn go_on(&mut self, output_key: &str, at: At) {
        self.envelope.terminal_reason = Some(Nullable(None));
        self.begin_stage(self.resumes_at(output_key), at);
    }

    /// The stage at which an envelope goes on that no journey has taken up yet.
    pub(super) fn due(&self) -> usize {
        let envelope = &self.envelope;
        if let Some(stage) = self.awaited_person() {
            stage
        } else if envelope.clarification_pending == Some(true) {
            self.resumes_at(INTENT)
        } else if envelope.confirmation_pending == Some(true) {
            self.resumes_at(EXECUTION)
        } else {
            self.pipeline.find(&envelope.current_stage).unwrap_or(0)
        }
    }

    /// The stage that has its turn next, whatever is said meanwhile.
    pub(crate) fn next_stage(&self) -> usize {
        match self.stand {
            Stand::Clarifying => self.resumes_at(INTENT),
            Stand::Confirming => self.resumes_at(EXECUTION),
            Stand::Working { stage, .. } => stage,
            Stand::Stopped | Stand::Over => {
                self.pipeline.find(&self.envelope.current_stage).unwrap_or(0)
            }
        }
    }

    /// The stage that writes under a key, else where it stands.
    fn resumes_at(&self, output_key: &str) -> usize {
        let here = || self.pipeline.find(&self.envelope.current_stage);
        let stage = self.pipeline.writer(output_key).or_else(here).unwrap_or(0);
        self.pipeline.turn_of(stage)
    }
}

/// The key of a question that is asked after so many turns.
pub(crate) fn question_key(kind: AskKind, turns: usize) -> Key {
    let what = if kind == AskKind::Confirmation { "confirm" } else { "clarify" };
    // No stage's name has a point: a stage may be called `clarify`.
    Key::new(format!("{what}.{turns}"))
}

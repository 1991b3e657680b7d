//! A stage in which a person is asked.
//!
//! The journey stands at the stage until it is answered. Meanwhile the envelope says what is asked, as it does for a
//! confirmation (an approval) or a clarification (a form), so that it can be answered wherever it is; what those members
//! held before is set aside in the metadata and comes back with the answer, which is among the outputs then.

use consign_contracts::{
    engine::PersonAsk,
    envelope::TerminalReason,
    json::{Json, Object},
    schema::Schema,
    wire::{Nullable, Wire},
};
use consign_engine::{Ask, At, Data, Fault, Work};

use super::{Journey, StageTurn, Stand};
use crate::{
    envelope::{ASKED, error, stamp},
    input,
    person::{APPROVED, BY, Person, WHY, from_text},
    pipeline::Target,
    transitions::verdict_route,
};

/// The `by` of an answer of which nothing is known but what the envelope says.
const ENVELOPE: &str = "envelope";

impl Journey {
    /// The stage at which a person is asked, and its turn.
    pub(super) fn asked_person(&self) -> Option<(usize, &StageTurn, &Person)> {
        let Stand::Working { stage, turns } = &self.stand else { return None };
        let person = self.pipeline.stages[*stage].person()?;
        let turn = turns.first().filter(|turn| turn.ended.is_none() && turn.unfit.is_none())?;
        Some((*stage, turn, person))
    }

    /// The stage whose person has been asked by an envelope that comes in.
    pub(super) fn awaited_person(&self) -> Option<usize> {
        let stage = self.pipeline.find(&self.envelope.current_stage)?;
        let pending = match self.pipeline.stages[stage].person()?.ask {
            PersonAsk::Approval => self.envelope.confirmation_pending,
            PersonAsk::Form => self.envelope.clarification_pending,
        };
        (pending == Some(true)).then_some(stage)
    }

    /// What a person is asked.
    pub(super) fn person_question(&self) -> Option<Ask> {
        let (_, turn, person) = self.asked_person()?;
        let prompt = match person.ask {
            PersonAsk::Approval => &self.envelope.confirmation_message,
            PersonAsk::Form => &self.envelope.clarification_question,
        };
        Some(Ask {
            key: turn.key.clone(),
            kind: person.kind(),
            prompt: prompt.clone().and_then(|prompt| prompt.0).unwrap_or_default(),
            schema: Data::from(&person.answer_schema()),
            deadline: person.deadline,
            default: person.default.as_ref().map(Data::from),
        })
    }

    /// Writes into the envelope what the person of the stage that has its turn is asked. A question for which there
    /// is no room is not asked.
    pub(super) fn ask_person(&mut self, at: At) {
        let Some((stage, turn, person)) = self.asked_person() else { return };
        let (own, key, ask) = (&self.pipeline.stages[stage], turn.key.clone(), person.ask);
        let prompt = input::prompt(own, &person.prompt, &self.envelope);
        let prompt = prompt.map(|prompt| format!("{}\n\n{}", prompt.trim_end(), self.ahead(stage)));
        let prompt = prompt.and_then(|prompt| {
            let what = ("the question of", own.name.as_str());
            self.room.take(what, &self.envelope, prompt.len(), &Json::Null)?;
            Ok(prompt)
        });
        let name = own.name.clone();
        match prompt {
            Ok(prompt) => self.write_question(&name, ask, key.as_str(), prompt, at),
            Err(fault) => {
                if let Stand::Working { turns, .. } = &mut self.stand {
                    turns[0].unfit = Some(fault);
                }
            }
        }
    }

    fn write_question(&mut self, stage: &str, ask: PersonAsk, id: &str, prompt: String, at: At) {
        let text = |text: &Option<Nullable<String>>| {
            text.as_ref()
                .and_then(|text| text.0.clone())
                .map_or(Json::Null, |text| Json::String(text.into()))
        };
        let envelope = &mut self.envelope;
        let mut note = Object::new();
        note.set("stage", Json::String(stage.to_owned().into()));
        note.set("since", Json::String(stamp(at).0.into()));
        let reason = match ask {
            PersonAsk::Approval => {
                if let Some(Nullable(Some(said))) = envelope.confirmation_response {
                    note.set("confirmation_id", text(&envelope.confirmation_id));
                    note.set("confirmation_message", text(&envelope.confirmation_message));
                    note.set("confirmation_response", Json::Bool(said));
                }
                envelope.confirmation_pending = Some(true);
                envelope.confirmation_id = Some(Nullable(Some(id.to_owned())));
                envelope.confirmation_message = Some(Nullable(Some(prompt)));
                envelope.confirmation_response = Some(Nullable(None));
                TerminalReason::ConfirmationRequired
            }
            PersonAsk::Form => {
                if let Some(Nullable(Some(_))) = envelope.clarification_response {
                    note.set("clarification_question", text(&envelope.clarification_question));
                    note.set("clarification_response", text(&envelope.clarification_response));
                }
                envelope.clarification_pending = Some(true);
                envelope.clarification_question = Some(Nullable(Some(prompt)));
                envelope.clarification_response = Some(Nullable(None));
                TerminalReason::ClarificationRequired
            }
        };
        envelope.terminal_reason = Some(Nullable(Some(reason)));
        envelope.metadata.get_or_insert_default().set(ASKED, Json::Object(note));
    }

    /// Takes the question out of the envelope, puts back what stood in its place, and says since when it was asked.
    pub(super) fn withdraw_question(&mut self, stage: usize) -> Option<At> {
        let ask = self.pipeline.stages[stage].person()?.ask;
        let metadata = self.envelope.metadata.get_or_insert_default();
        // What only has its name is not ours.
        let ours = metadata.get(ASKED).is_some_and(|note| note.get("since").is_some());
        let note = if ours { metadata.remove(ASKED) } else { None };
        let text = |name: &str| {
            let text = note.as_ref().and_then(|note| note.get(name)?.as_str().map(str::to_owned));
            Some(Nullable(text))
        };
        let envelope = &mut self.envelope;
        match ask {
            PersonAsk::Approval => {
                let said = note.as_ref().and_then(|note| note.get("confirmation_response"));
                let said = said.and_then(Json::as_bool);
                envelope.confirmation_pending = Some(false);
                envelope.confirmation_id = text("confirmation_id");
                envelope.confirmation_message = text("confirmation_message");
                envelope.confirmation_response = Some(Nullable(said));
            }
            PersonAsk::Form => {
                envelope.clarification_pending = Some(false);
                envelope.clarification_question = text("clarification_question");
                envelope.clarification_response = text("clarification_response");
            }
        }
        envelope.terminal_reason = Some(Nullable(None));
        note.as_ref().and_then(|note| At::from_rfc3339(note.get("since")?.as_str()?))
    }

    /// Takes in what a person said, who may be unknown: then it is what is taken at the deadline.
    pub(super) fn person_said(&mut self, said: &Json<'static>, by: Option<&str>, at: At) {
        let Some((stage, turn, person)) = self.asked_person() else { return };
        let (key, output) = (turn.key.clone(), person.output(said, by));
        let since = self.withdraw_question(stage).unwrap_or(at);
        let work = Work { began: since.min(at), ended: at, ..Work::default() };
        self.end_turn(&key, Ok(&Data::from(&output)), work);
    }

    /// Goes on at a stage whose person was asked before the envelope came in: with the answer that it brings, or
    /// without. An answer that does not fit is told, and the question stays.
    pub(super) fn hear_person(&mut self, stage: usize, at: At) {
        let turn = StageTurn { unfit: None, ..self.take_turn(stage, false) };
        self.stand = Stand::Working { stage, turns: vec![turn] };
        let own = &self.pipeline.stages[stage];
        let Some(person) = own.person() else { return };
        let (envelope, schema) = (&mut self.envelope, person.answer_schema());
        let (said, reason) = match person.ask {
            PersonAsk::Approval => {
                let said = envelope.confirmation_response.as_ref().and_then(|said| said.0);
                (said.map(Json::Bool), TerminalReason::ConfirmationRequired)
            }
            PersonAsk::Form => {
                let said = envelope.clarification_response.as_ref().and_then(|said| said.0.clone());
                let said = said.filter(|said| !said.trim().is_empty());
                let said = said.map(|said| from_text(&said, &schema));
                (said, TerminalReason::ClarificationRequired)
            }
        };
        envelope.terminal_reason = Some(Nullable(Some(reason)));
        let Some(said) = said else { return };
        let verdict = Schema::compile(&schema).map(|schema| schema.check(&said));
        let breach = match verdict {
            Ok(verdict) => verdict.breaches.into_iter().next().map(|breach| breach.to_string()),
            Err(cause) => Some(cause.to_string()),
        };
        match breach {
            None => self.person_said(&said, Some(ENVELOPE), at),
            Some(breach) => {
                let text = format!("the answer does not fit: {breach}");
                let mut fault = Fault::permanent("CONTRACT_BREACH", text);
                fault.recoverable = true;
                let told = error(&own.name, &fault, at).write();
                if let Json::Object(told) = told {
                    envelope.errors.get_or_insert_default().push(told);
                }
                envelope.clarification_response = Some(Nullable(None));
            }
        }
    }

    /// Why a person's answer leads nowhere but to where failures lead: it is a no.
    pub(super) fn rejection(&self, stage: usize, turns: &[StageTurn]) -> Option<String> {
        let person = self.pipeline.stages[stage].person()?;
        let output = turns.first()?.ended.as_ref()?.as_ref().ok()?;
        if !person.is_approval() || output.get(APPROVED).and_then(Json::as_bool) != Some(false) {
            return None;
        }
        let name = &self.pipeline.stages[stage].name;
        let by = match output.get(BY).and_then(Json::as_str) {
            Some(by) => format!("was rejected by {by}"),
            None => "was rejected by default: no answer came before the deadline".to_owned(),
        };
        let why = output.get(WHY).and_then(Json::as_str);
        let why = why.map_or_else(String::new, |why| format!(": {why}"));
        Some(format!("Stage {name} {by}{why}"))
    }

    /// What follows from an answer, in a line for the person who gives it.
    fn ahead(&self, stage: usize) -> String {
        let own = &self.pipeline.stages[stage];
        if own.person().is_some_and(Person::is_approval) {
            let led = |yes: bool| verdict_route(own, yes).map(|route| route.to);
            let yes = self.then(stage, led(true).unwrap_or(own.default_next));
            let no = led(false).or(own.error_next).map(|no| self.then(stage, no));
            let no = no.unwrap_or_else(|| "the run ends as denied".to_owned());
            return format!("If you approve, {yes}. If you reject, {no}.");
        }
        let mut next: Vec<String> = Vec::new();
        for to in own.routes.iter().map(|route| route.to).chain([own.default_next]) {
            let then = self.then(stage, to);
            if !next.contains(&then) {
                next.push(then);
            }
        }
        format!("After your answer, {}.", next.join(", or "))
    }

    fn then(&self, from: usize, to: Target) -> String {
        let Target::Stage(to) = to else { return "the pipeline ends".to_owned() };
        let next = &self.pipeline.stages[to];
        let name = &next.name;
        if self.goes_no_further(from, to) {
            return format!("the run ends here, before `{name}`");
        }
        if next.person().is_some() {
            return format!("a person is asked in `{name}` next");
        }
        let members = self.pipeline.members(to);
        let mut names = members.iter().map(|member| &self.pipeline.stages[*member].name);
        let once = match names.any(|name| self.place.unrepeatable.contains(name)) {
            true => " (unsafe: it cannot be repeated)",
            false => "",
        };
        format!("`{name}` runs next{once}")
    }
}

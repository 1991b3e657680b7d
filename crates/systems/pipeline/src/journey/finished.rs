//! Which members of a parallel stage are done, when the stage was left in the middle or has failed.
//!
//! What they gave is among the outputs, where an earlier time of theirs may have left something as well. So
//! the metadata names the members that are done this time, and how long the history was then: a journey
//! that goes on there calls only the others. Once any other stage has had a turn, the note no longer
//! counts.

use std::collections::BTreeMap;

use consign_contracts::{
    envelope::Envelope,
    json::{Json, Object},
};
use consign_engine::Key;

use super::{Journey, StageTurn, Stand};
use crate::envelope::FINISHED;

impl Journey {
    /// The envelope as it can go on elsewhere: with what is done of a parallel stage of which other members
    /// still work.
    #[must_use]
    pub fn so_far(mut self) -> Envelope {
        if let Stand::Working { stage, turns } = &self.stand {
            let (stage, turns) = (*stage, turns.clone());
            self.keep_all(&turns);
            self.note_finished(stage, &turns);
        }
        self.envelope
    }

    /// Writes down which members are done, for the journey that goes on with the envelope.
    pub(super) fn note_finished(&mut self, stage: usize, turns: &[StageTurn]) {
        let text = |stage: usize| Json::String(self.pipeline.stages[stage].name.clone().into());
        let done = turns.iter().filter(|turn| matches!(turn.ended, Some(Ok(_))));
        let done: Vec<_> = done.map(|turn| text(turn.stage)).collect();
        if done.is_empty() {
            return;
        }
        let mut note = Object::new();
        note.set("stage", text(stage));
        note.set("members", Json::Array(done));
        note.set("records", Json::Number(self.recorded().into()));
        self.envelope.metadata.get_or_insert_default().set(FINISHED, Json::Object(note));
    }

    /// The members of a stage that are done already, with what they gave. A member whose output was removed
    /// is not done.
    pub(super) fn finished(&self, stage: usize) -> BTreeMap<usize, Object<'static>> {
        let metadata = self.envelope.metadata.as_ref();
        let Some(note) = metadata.and_then(|metadata| metadata.get(FINISHED)) else {
            return BTreeMap::new();
        };
        let records = note.get("records").and_then(Json::as_number);
        let this_time = note.get("stage").and_then(Json::as_str)
            == Some(self.pipeline.stages[stage].name.as_str())
            && records.and_then(|records| records.as_i64()) == Some(self.recorded());
        let named = note.get("members").and_then(Json::as_array).unwrap_or_default();
        let is_named = |own: &str| this_time && named.iter().any(|name| name.as_str() == Some(own));
        let members = self.pipeline.members(stage);
        let done = members.iter().filter_map(|member| {
            let own = &self.pipeline.stages[*member];
            let output = self.envelope.outputs.get(&own.output_key).filter(|_| is_named(&own.name));
            Some((*member, output?.clone()))
        });
        let done: BTreeMap<_, _> = done.collect();
        // A note that names all members is not ours: with all of them done, the stage is done.
        if done.len() == members.len() { BTreeMap::new() } else { done }
    }

    pub(super) fn forget_finished(&mut self) {
        let Some(metadata) = &mut self.envelope.metadata else { return };
        // A note without a stage was not written here.
        if metadata.get(FINISHED).is_some_and(|note| note.get("stage").is_some()) {
            metadata.remove(FINISHED);
        }
    }

    /// The turn of a member that is done. It has no number: it is not called.
    pub(super) fn had_turn(&self, stage: usize, output: Object<'static>) -> StageTurn {
        let key = Key::new(format!("{}-0", self.pipeline.stages[stage].name));
        StageTurn { stage, key, thinks: false, unfit: None, ended: Some(Ok(output)) }
    }

    fn recorded(&self) -> i64 {
        let history = self.envelope.processing_history.as_deref().unwrap_or_default();
        i64::try_from(history.len()).unwrap_or(i64::MAX)
    }
}

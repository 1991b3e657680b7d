//! What a turn writes into the envelope: its output, its record, its error.

use consign_contracts::{
    envelope::ProcessingRecord,
    json::{Json, Number, Object},
    wire::{Integer, Nullable, Wire},
};
use consign_engine::{Data, Fault, Work};

use super::{Journey, StageTurn, bounds};
use crate::{
    envelope::{error, stamp},
    pipeline::INTENT,
    result::{OUTPUT_KEY, PARALLEL},
};

impl Journey {
    /// Takes a call's result for a stage's, and writes down how it went.
    pub(super) fn judge(
        &mut self,
        turn: &StageTurn,
        result: Result<&Data, &Fault>,
        work: Work,
    ) -> Result<Object<'static>, Fault> {
        let stage = &self.pipeline.stages[turn.stage];
        let (room, envelope) = (&mut self.room, &self.envelope);
        let output = result.map_err(Clone::clone).and_then(|output| {
            let tree = output.tree()?;
            room.take(("the output of", &stage.name), envelope, output.as_str().len(), &tree)?;
            let output = as_object(tree.into_owned());
            match stage.required.iter().find(|name| output.get(name).is_none()) {
                None => Ok(output),
                Some(missing) => {
                    let text = format!("the output of {} has no `{missing}`", stage.name);
                    Err(Fault::permanent("OUTPUT_MISSING", text))
                }
            }
        });
        let name = stage.name.clone();
        bounds::add(&mut self.envelope.llm_call_count, work.model_calls.into());
        if let Err(fault) = &output {
            let error = error(&name, fault, work.ended);
            if let Json::Object(error) = error.write() {
                self.envelope.errors.get_or_insert_default().push(error);
            }
        }
        let millis = work.ended.since(work.began).as_micros() as f64 / 1000.0;
        let failure = output.as_ref().err();
        let record = ProcessingRecord {
            agent: name,
            stage_order: Integer::from(i64::try_from(turn.stage + 1).unwrap_or(i64::MAX)),
            started_at: stamp(work.began),
            completed_at: Some(Nullable(Some(stamp(work.ended)))),
            duration_ms: Some(Nullable(Number::try_from(millis).ok())),
            status: if failure.is_some() { "error" } else { "success" }.to_owned(),
            error: Some(failure.map_or(Json::Null, |fault| {
                Json::String(format!("{}: {}", fault.code, fault.message).into())
            })),
            llm_calls: Some(Integer::from(i64::from(work.model_calls))),
            extra: self.whereabouts(turn.stage),
        };
        if let Json::Object(record) = record.write() {
            self.envelope.processing_history.get_or_insert_default().push(record);
        }
        output
    }

    /// What an envelope alone could not tell of a turn: whose members ran at once, and an output's
    /// name where it is not the stage's.
    fn whereabouts(&self, stage: usize) -> Object<'static> {
        let text = |text: &str| Json::String(text.to_owned().into());
        let (own, whole) = (&self.pipeline.stages[stage], self.pipeline.turn_of(stage));
        let mut extra = Object::new();
        if whole != stage {
            extra.set(PARALLEL, text(&self.pipeline.stages[whole].name));
        }
        if own.output_key != own.name {
            extra.set(OUTPUT_KEY, text(&own.output_key));
        }
        extra
    }

    /// Keeps a stage's output.
    pub(super) fn keep(&mut self, stage: usize, output: Object<'static>) {
        let key = self.pipeline.stages[stage].output_key.clone();
        if key == INTENT {
            self.set_goals(&output);
        }
        let outputs = &mut self.envelope.outputs.0;
        match outputs.iter_mut().find(|(known, _)| *known == key) {
            Some((_, kept)) => *kept = output,
            None => outputs.push((key, output)),
        }
    }

    /// Outputs of stages that work together stand in their order, also if some were kept before the others came.
    pub(super) fn put_in_order(&mut self, stages: &[usize]) {
        let keys: Vec<_> =
            stages.iter().map(|stage| &self.pipeline.stages[*stage].output_key).collect();
        let outputs = &mut self.envelope.outputs.0;
        let places = (0..outputs.len()).filter(|at| keys.contains(&&outputs[*at].0));
        let places: Vec<_> = places.collect();
        for (nth, key) in keys.into_iter().enumerate() {
            let rest = places.get(nth..).unwrap_or_default();
            if let Some(at) = rest.iter().find(|at| outputs[**at].0 == *key) {
                outputs.swap(rest[0], *at);
            }
        }
    }
}

/// An envelope's outputs are objects; what else an agent says gets a name.
fn as_object(output: Json<'static>) -> Object<'static> {
    let named = |name: &'static str, value| [(name.into(), value)].into_iter().collect();
    match output {
        Json::Object(output) => output,
        Json::String(text) => named("text", Json::String(text)),
        value @ (Json::Null | Json::Bool(_) | Json::Number(_) | Json::Array(_)) => {
            named("value", value)
        }
    }
}

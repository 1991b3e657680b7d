//! The repair ladder: what happens to an answer that breaks its contract.
//!
//! [`ModelAgent::judge`] accepts an answer, or fails the attempt and says which rung comes next:
//! the same model again, another model, a person. It calls nothing itself.

use consign_contracts::authoring::ErrorCode;
use consign_engine::{Attempt, Data, Failure, Fault, Nanos, Onward, Reply};
use consign_models::{
    Trouble,
    chat::{Answer, Stop},
    repair::{self, Expected, Unmendable},
};
use serde_json::{Map, Value, json};
use tracing::warn;

use super::{ModelAgent, handed::Handed};
use crate::script::Line;

/// An answer, its cost, and what the journal keeps of it.
pub(super) struct ModelAnswer {
    pub(super) answer: Answer,
    pub(super) cost: Nanos,
    pub(super) note: Map<String, Value>,
}

/// The position of an attempt on the ladder.
pub(super) struct Stand {
    pub(super) handed: Handed,
    /// The name of the model.
    pub(super) name: String,
    /// How many models come after this one.
    pub(super) others: usize,
    /// Whether one of them is of another provider.
    pub(super) elsewhere: bool,
}

impl ModelAgent {
    /// Accepts an answer, or fails with the next rung.
    pub(super) fn judge(&self, stand: &Stand, told: ModelAnswer) -> Result<Reply, Failure> {
        let ModelAnswer { answer, cost, mut note } = told;
        note.insert("rung".to_owned(), stand.handed.rung().into());
        if !stand.handed.left.is_empty() {
            note.insert("fell_back_from".to_owned(), json!(stand.handed.left));
        }
        if answer.stop == Stop::Length {
            note.insert("cut_off".to_owned(), true.into());
        }
        // Its calls are no output, and the same question would get the same calls again.
        let silent = answer.text.trim().is_empty() && !answer.tool_calls.is_empty();
        if silent && self.spec.output.is_some() {
            note.insert("wrong".to_owned(), "tool_calls".into());
            warn!(model = stand.name, wrong = "tool_calls", "the answer breaks its contract");
            let names: Vec<_> = answer.tool_calls.iter().map(|call| call.name.as_str()).collect();
            let what = format!("the model asked for tools ({}) and gave no output", some(&names));
            let trouble = Trouble::lasting(ErrorCode::AiInvalidResponse, what);
            let failure = Failure::new(trouble.fault(), Some(cost)).with_note(Data::of(&note));
            return Err(failure.onward(self.beyond(stand)));
        }
        match self.read(&answer) {
            Ok((output, repairs)) => {
                if !repairs.is_empty() {
                    note.insert("repairs".to_owned(), json!(repairs));
                }
                Ok(Reply::new(output, cost).with_note(Data::of(&note)))
            }
            Err(wrong) => {
                note.insert("wrong".to_owned(), wrong.code().into());
                if !matches!(wrong, Unmendable::Empty) {
                    warn!(
                        model = stand.name,
                        wrong = wrong.code(),
                        "the answer breaks its contract"
                    );
                }
                let fault = with_answer(trouble(&wrong).fault(), &answer.text);
                let failure = Failure::new(fault, Some(cost));
                let onward = self.next_rung(stand, &answer, &wrong);
                Err(failure.with_note(Data::of(&note)).onward(onward))
            }
        }
    }

    /// Accepts the answer of a script, or fails with the next rung.
    pub(super) fn judge_line(&self, attempt: &Attempt, line: &Line) -> Result<Reply, Failure> {
        let answer = Answer { text: line.response.text().to_owned(), ..Answer::default() };
        let note = line.note.to().unwrap_or_default();
        let handed = Handed::read(attempt.handed.as_ref());
        let name = "scripted".to_owned();
        let stand = Stand { handed, name, others: 0, elsewhere: false };
        self.judge(&stand, ModelAnswer { answer, cost: line.cost, note })
    }

    /// The output in an answer, and how it was mended.
    fn read(&self, answer: &Answer) -> Result<(Data, Vec<&'static str>), Unmendable> {
        let Some(contract) = &self.spec.output else {
            if self.spec.asking.tools.is_empty() {
                return Ok((Data::of(answer.text.as_str()), Vec::new()));
            }
            let calls: Vec<_> = answer
                .tool_calls
                .iter()
                .map(|call| json!({"id": call.id, "name": call.name, "arguments": call.arguments}))
                .collect();
            return Ok((Data::of(&json!({"text": answer.text, "tool_calls": calls})), Vec::new()));
        };
        let expected = Expected { schema: &contract.schema, source: Some(&contract.source) };
        if !self.spec.asking.ladder.mend {
            return Ok((repair::read_strictly(&answer.text, Some(expected))?, Vec::new()));
        }
        let mended = repair::read(&answer.text, Some(expected))?;
        let repairs = mended.repairs.iter().map(|repair| repair.as_str()).collect();
        Ok((mended.output, repairs))
    }

    fn next_rung(&self, stand: &Stand, answer: &Answer, wrong: &Unmendable) -> Onward {
        let (ladder, handed) = (self.spec.asking.ladder, &stand.handed);
        if matches!(wrong, Unmendable::Empty) {
            return Onward::ByClass;
        }
        if ladder.ask_again && !handed.asked_again {
            let mut errors = repair::errors_for_model(wrong);
            if answer.stop == Stop::Length {
                errors.push_str("\nIt was cut off because it was too long: answer in fewer words.");
            }
            return Onward::HandOver(Data::of(&handed.ask_again(&answer.text, &errors)));
        }
        self.beyond(stand)
    }

    /// The next rung that is not this model: another model, a person, or none.
    fn beyond(&self, stand: &Stand) -> Onward {
        let (ladder, handed) = (self.spec.asking.ladder, &stand.handed);
        if ladder.fall_back && stand.others > 0 {
            let code = ErrorCode::AiInvalidResponse.as_str();
            warn!(model = stand.name, code, "the next model is asked");
            return Onward::HandOver(Data::of(&handed.fall_back(&stand.name, code)));
        }
        if ladder.person { Onward::Refer } else { Onward::ByClass }
    }
}

/// The first of these names, as many as fit on a line.
fn some(names: &[&str]) -> String {
    const MOST: usize = 200;
    let mut all = names.join(", ");
    all.truncate(all.floor_char_boundary(MOST));
    all
}

/// The fault with the beginning of the answer, for the person who is asked in the end.
fn with_answer(mut fault: Fault, answer: &str) -> Fault {
    const MOST: usize = 2000;
    let details = fault.details.as_ref().and_then(|details| details.to().ok());
    let mut details: Map<String, Value> = details.unwrap_or_default();
    details.insert("answer".to_owned(), answer[..answer.floor_char_boundary(MOST)].into());
    fault.details = Some(Data::of(&details));
    fault
}

/// The trouble for an answer that cannot be read. An empty one is a failure of the transport, not a
/// bad answer.
fn trouble(wrong: &Unmendable) -> Trouble {
    if matches!(wrong, Unmendable::Empty) {
        Trouble::passing(ErrorCode::AiNetworkError, wrong.to_string()).empty()
    } else {
        Trouble::lasting(ErrorCode::AiInvalidResponse, wrong.to_string())
    }
}

#[cfg(test)]
mod tests {
    use std::{path::Path, sync::Arc, time::Duration};

    use async_trait::async_trait;
    use consign_double::Double;
    use consign_engine::{FaultClass, RunId};
    use consign_models::{Models, chat::ToolCall, config::Config, keys::Keys};
    use consign_testkit::memory::MemoryStore;

    use super::*;
    use crate::{
        define::{Definition, Reached},
        model::{ModelSpec, Output},
        script::{Past, Scripts},
    };

    struct Nobody;

    #[async_trait]
    impl Past for Nobody {
        async fn called(
            &self,
            _run: &RunId,
            _numbers: std::ops::Range<u64>,
        ) -> Result<Vec<String>, String> {
            Ok(Vec::new())
        }
    }

    /// An agent whose answers are objects, with these rungs.
    fn agent(repair: &str) -> ModelAgent {
        let text = format!(
            "name = 'agent'\n[contract]\noutput = {{type = 'object'}}\n\
             [model]\nname = 'openai/gpt-5-mini'\nrepair = {repair}\n"
        );
        let definition = Definition::read(&text, Path::new("/nowhere/agent.toml")).unwrap();
        let Reached::Model(asking) = definition.reached else { panic!("it is a model") };
        let source = definition.output.unwrap();
        let schema = consign_contracts::schema::Schema::compile(&source.tree().unwrap()).unwrap();
        let spec = ModelSpec {
            agent: "agent".into(),
            asking,
            output: Some(Output { schema: Arc::new(schema), source }),
            timeout: Duration::from_secs(60),
        };
        let keys =
            Keys::new(Arc::new(MemoryStore::new()), Path::new("/nowhere"), Arc::new(|_| None));
        let scripts = Arc::new(Scripts::new(Arc::new(Nobody)));
        let config = Config::read("").unwrap();
        let double = Double::new("[]".parse().unwrap());
        ModelAgent::new(Arc::new(Models::new(double, keys, config)), scripts, spec)
    }

    fn judged(agent: &ModelAgent, answer: Answer, others: usize) -> Result<Reply, Failure> {
        let (handed, name) = (Handed::default(), "openai/gpt-5-mini".into());
        let stand = Stand { handed, name, others, elsewhere: false };
        agent.judge(&stand, ModelAnswer { answer, cost: Nanos::new(7), note: Map::new() })
    }

    #[test]
    fn a_model_that_only_asks_for_tools_is_paid_once_and_not_asked_again() {
        let call = ToolCall { id: "1".into(), name: "look".into(), arguments: "{}".into() };
        let answer = Answer {
            text: " \n".into(),
            tool_calls: vec![call],
            stop: Stop::Tools,
            ..Answer::default()
        };
        let check = |repair: &str, others: usize, onward: &str| {
            let failure = judged(&agent(repair), answer.clone(), others).unwrap_err();
            let fault = &failure.fault;
            assert_eq!(
                (fault.code.as_ref(), fault.class),
                ("AI_INVALID_RESPONSE", FaultClass::Permanent)
            );
            let details = fault.details.as_ref().unwrap().as_str();
            assert!(details.contains("asked for tools (look)"), "{details}");
            assert_eq!(failure.cost, Some(Nanos::new(7)));
            let found = match failure.onward {
                Onward::HandOver(_) => "another model",
                Onward::Refer => "a person",
                Onward::ByClass => "nobody",
            };
            assert_eq!(found, onward, "{repair}");
        };
        check("['ask_again']", 0, "nobody");
        check("['ask_again', 'person']", 0, "a person");
        check("['ask_again', 'fallback', 'person']", 1, "another model");
        // Words besides are read as ever.
        let words = Answer { text: "{}".into(), ..answer };
        assert_eq!(judged(&agent("[]"), words, 0).unwrap().output.as_str(), "{}");
    }

    #[test]
    fn without_the_first_rung_a_model_is_told_what_the_strict_reader_says() {
        let check = |text: &str, wrong: &str, told: &str| {
            let answer = Answer { text: text.into(), ..Answer::default() };
            let failure = judged(&agent("['ask_again']"), answer, 0).unwrap_err();
            let note: Value = failure.note.as_ref().unwrap().to().unwrap();
            assert_eq!(note["wrong"], wrong, "{text}");
            let Onward::HandOver(handed) = failure.onward else { panic!("it is asked again") };
            assert!(handed.as_str().contains(told), "{handed:?}");
        };
        check("```json\n{}\n```", "malformed", "at line 1, column 1");
        check("```json\n[]\n```", "malformed", "at line 1, column 1");
        check("{\"a\": 1,}", "malformed", "at line 1, column 9");
        check("{\"a\": 1", "cut_off", "cut off before its JSON was complete");
        check("[]", "breached", "breaks the schema");
    }
}

//! The ladder: what an answer has to go through before it counts.

use consign_contracts::authoring::ErrorCode;
use consign_engine::{Attempt, Data, Failure, Fault, Nanos, Onward, Reply};
use serde_json::{Map, Value, json};

use super::{ModelAgent, handed::Handed};
use crate::{
    Trouble,
    chat::{Answer, Stop},
    repair::{self, Expected, Unmendable},
    script::Line,
};

/// What was said, what it cost, and what the journal keeps of it.
pub(super) struct Told {
    pub(super) answer: Answer,
    pub(super) cost: Nanos,
    pub(super) note: Map<String, Value>,
}

/// Where on the ladder an attempt stands.
pub(super) struct Stand {
    pub(super) handed: Handed,
    /// Who is asked.
    pub(super) name: String,
    /// How many models come after this one.
    pub(super) others: usize,
}

impl ModelAgent {
    /// Takes an answer, or takes it up the ladder.
    pub(super) fn judge(&self, stand: &Stand, told: Told) -> Result<Reply, Failure> {
        let Told { answer, cost, mut note } = told;
        note.insert("rung".to_owned(), stand.handed.rung().into());
        if !stand.handed.left.is_empty() {
            note.insert("fell_back_from".to_owned(), json!(stand.handed.left));
        }
        if answer.stop == Stop::Length {
            note.insert("cut_off".to_owned(), true.into());
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
                let fault = with_answer(trouble(&wrong).fault(), &answer.text);
                let failure = Failure::new(fault, Some(cost));
                let onward = self.next_rung(stand, &answer, &wrong);
                Err(failure.with_note(Data::of(&note)).onward(onward))
            }
        }
    }

    /// The same for what a script says.
    pub(super) fn judge_line(&self, attempt: &Attempt, line: &Line) -> Result<Reply, Failure> {
        let answer = Answer { text: line.response.text().to_owned(), ..Answer::default() };
        let note = line.note.to().unwrap_or_default();
        let handed = Handed::read(attempt.handed.as_ref());
        let stand = Stand { handed, name: "scripted".to_owned(), others: 0 };
        self.judge(&stand, Told { answer, cost: line.cost, note })
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
        let mended = repair::read(&answer.text, Some(expected))?;
        if !self.spec.asking.ladder.mend && !mended.repairs.is_empty() {
            return Err(Unmendable::NoValue);
        }
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
        if ladder.fall_back && stand.others > 0 {
            let code = ErrorCode::AiInvalidResponse.as_str();
            return Onward::HandOver(Data::of(&handed.fall_back(&stand.name, code)));
        }
        if ladder.person { Onward::Refer } else { Onward::ByClass }
    }
}

/// The fault with the beginning of what was said: whoever is asked at last wants to see it.
fn with_answer(mut fault: Fault, answer: &str) -> Fault {
    const MOST: usize = 2000;
    let details = fault.details.as_ref().and_then(|details| details.to().ok());
    let mut details: Map<String, Value> = details.unwrap_or_default();
    details.insert("answer".to_owned(), answer[..answer.floor_char_boundary(MOST)].into());
    fault.details = Some(Data::of(&details));
    fault
}

/// Nothing in it is no bad answer: something went wrong on the way.
fn trouble(wrong: &Unmendable) -> Trouble {
    if matches!(wrong, Unmendable::Empty) {
        Trouble::passing(ErrorCode::AiNetworkError, wrong.to_string())
    } else {
        Trouble::lasting(ErrorCode::AiInvalidResponse, wrong.to_string())
    }
}

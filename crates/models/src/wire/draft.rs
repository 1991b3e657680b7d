//! An answer while it is being read, common to all dialects.

use consign_contracts::authoring::ErrorCode;

use super::anthropic;
use crate::{
    Trouble,
    chat::{Answer, Stop, ToolCall, Usage},
};

/// The most tool calls in one answer.
const MOST_CALLS: usize = 256;

/// What has been read so far, whichever the dialect.
#[derive(Debug, Default)]
pub(super) struct Draft {
    text: String,
    /// The calls, each with the number that the provider gave it.
    calls: Vec<(u64, ToolCall)>,
    pub(super) usage: Option<Usage>,
    /// Anthropic's counts come in two parts.
    pub(super) counts: anthropic::Counts,
    model: String,
    stop: Option<Stop>,
    /// The provider has said that the answer is complete.
    pub(super) complete: bool,
    /// Nothing more is to be read.
    pub(super) over: bool,
}

impl Draft {
    pub(super) fn say(&mut self, text: &str, on_delta: &mut (dyn FnMut(&str) + Send)) {
        if !text.is_empty() {
            self.text.push_str(text);
            on_delta(text);
        }
    }

    /// Keeps the first name that is reported. It is written to journals and printed, so it is made
    /// short and plain.
    pub(super) fn name(&mut self, model: Option<&str>) {
        if self.model.is_empty() {
            let plain = model.unwrap_or_default().chars().filter(|letter| !letter.is_control());
            self.model = plain.take(200).collect();
        }
    }

    pub(super) fn stop(&mut self, stop: Stop) {
        self.stop = Some(stop);
    }

    /// The call with this number, created where it is new.
    pub(super) fn call(&mut self, number: u64) -> Result<&mut ToolCall, Trouble> {
        let known = self.calls.iter().position(|(known, _)| *known == number);
        let at = match known {
            Some(at) => at,
            None if self.calls.len() < MOST_CALLS => {
                let (id, name, arguments) = Default::default();
                self.calls.push((number, ToolCall { id, name, arguments }));
                self.calls.len() - 1
            }
            None => {
                return Err(unreadable(format!(
                    "the answer has more than {MOST_CALLS} tool calls"
                )));
            }
        };
        Ok(&mut self.calls[at].1)
    }

    pub(super) fn calls(&self) -> usize {
        self.calls.len()
    }

    pub(super) fn each_call(&mut self, change: impl Fn(&mut ToolCall)) {
        self.calls.iter_mut().for_each(|(_, call)| change(call));
    }

    /// The answer. `None` if the provider never said that it is complete.
    pub(super) fn finish(self) -> Option<Answer> {
        if !self.complete {
            return None;
        }
        let calls: Vec<ToolCall> = self.calls.into_iter().map(|(_, call)| call).collect();
        let stop = match self.stop.unwrap_or_default() {
            // Some say that they stopped and want tools all the same.
            Stop::End if !calls.is_empty() => Stop::Tools,
            stop @ (Stop::End | Stop::Length | Stop::Tools | Stop::Refused) => stop,
        };
        let (text, usage, model) = (self.text, self.usage, self.model);
        Some(Answer { text, tool_calls: calls, usage, model, stop })
    }
}

/// The error for an answer that cannot be read. Another attempt may bring a better one.
pub(super) fn unreadable(what: impl Into<String>) -> Trouble {
    Trouble::passing(ErrorCode::AiInvalidResponse, what)
}

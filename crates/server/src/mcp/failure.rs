//! What goes wrong with a call, as the caller is told: code, message, details and a hint. The codes are the program's
//! own, as on the command line; only HTTP has broader ones.

use consign_contracts::json::Json;
use consign_engine::{Error, store};
use rmcp::model::CallToolResult;

use crate::{error::Problem, view::object};

#[derive(Debug)]
pub(super) struct Failure {
    code: String,
    problem: Problem,
    /// What to do about it, where that is known better than the code tells.
    hint: Option<String>,
}

impl Failure {
    /// This failure under another code.
    pub(super) fn code(mut self, code: &str) -> Self {
        self.code = code.to_owned();
        self
    }

    /// This failure with what to do about it.
    pub(super) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    pub(super) fn told(&self) -> CallToolResult {
        let mut error = object([
            ("code", Json::from(self.code.as_str())),
            ("message", Json::from(&*self.problem.message)),
        ]);
        if let Some(details) = &self.problem.details {
            error.set("details", details.clone());
        }
        let hint = self.hint.as_deref().or_else(|| hint(&self.code));
        if let Some(hint) = hint {
            error.set("hint", Json::from(hint));
        }
        let told = Json::Object(object([("error", Json::Object(error))])).to_string();
        CallToolResult::structured_error(serde_json::from_str(&told).unwrap_or_default())
    }
}

impl From<Problem> for Failure {
    fn from(problem: Problem) -> Self {
        Self { code: problem.code.to_string(), problem, hint: None }
    }
}

impl From<consign_app::Error> for Failure {
    fn from(error: consign_app::Error) -> Self {
        let hint = match &error {
            consign_app::Error::Refused(refused) => refused.hint.clone(),
            consign_app::Error::Engine(_) => None,
        };
        Self { hint, ..Problem::from(error).into() }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Problem::from(error).into()
    }
}

impl From<store::Error> for Failure {
    fn from(error: store::Error) -> Self {
        Problem::from(error).into()
    }
}

/// What to do about it, in the words of these tools.
fn hint(code: &str) -> Option<&'static str> {
    Some(match code {
        "INVALID_ARGUMENTS" => "the tool's input schema says what it takes",
        "CONTRACT_BREACH" => {
            "`value` must fit the schema that inbox_show gives: JSON itself, not a text that holds JSON. \
             Mend it and answer again"
        }
        "ALREADY_ANSWERED" => "nothing is left to do: the first answer counts",
        "WITHDRAWN" | "DEADLINE_PASSED" | "INTERACTION_NOT_FOUND" => {
            "inbox_list shows what can be answered now"
        }
        "RUN_NOT_FOUND" => {
            "run_list shows which runs there are, and inbox_list what can be answered now"
        }
        "JOB_NOT_FOUND" => "job_list shows which jobs there are",
        "JOB_EXISTS" => "another job has this name: give another one",
        "INVALID_STATE" => {
            "run_show says how the run stands, and inbox_list what can be answered now"
        }
        "RUN_EXISTS" => "another run has this id: give another one, or leave it out",
        "NOT_DECLINABLE" => "a person is asked: leave it to them",
        "PERSON_REQUIRED" => {
            "leave it to a person: they answer on the command line, over HTTP, or with a client that was started as theirs"
        }
        "POINT_NOT_FOUND" | "EVENT_NOT_FOUND" | "FORK_IMPOSSIBLE" => {
            "run_points lists the places from which the run can be forked"
        }
        "NOT_PENDING" => {
            "the project went on without this entry; the inbox follows when its creation is resumed there"
        }
        "PROJECT_UNAVAILABLE" => {
            "the answer goes into the project's folder, which must be writable"
        }
        "ANSWER_TOO_LARGE" => "give a shorter answer",
        "STORE_UNAVAILABLE" => "try again in a moment",
        _ => return None,
    })
}

//! Why there is no envelope to give back, in the document's form of errors.

use consign_contracts::{
    Breach,
    json::{Json, Object},
    wire::Wire,
};
use consign_engine::{At, Data, Fault};
use consign_pipeline::{
    Unfit,
    envelope::{self, NotAnEnvelope},
};

use crate::{
    commands::runs::form,
    error::Error,
    output::{Output, Reader, object},
};

/// Who says so.
const AGENT: &str = "process";

pub(in crate::commands) struct Refusal {
    pub(in crate::commands) code: String,
    pub(in crate::commands) message: String,
    details: Object<'static>,
}

impl Refusal {
    fn new(code: &str, message: impl Into<String>) -> Self {
        Self { code: code.to_owned(), message: message.into(), details: Object::new() }
    }

    /// The same, of a line of a stream: lines without anything have no answer, so answers cannot be counted.
    pub(super) fn of_line(mut self, number: u64) -> Self {
        self.details.set("line", form::number(number));
        self
    }

    /// The same on standard error, in words or for programs.
    pub(super) fn report(&self, line: Option<u64>, output: &Output) {
        let message = match line {
            Some(line) => format!("line {line}: {}", self.message),
            None => self.message.clone(),
        };
        let error = Error::new(self.code.clone(), message).details(self.details.clone());
        error.report(output.reader == Reader::Program, output.color);
    }

    /// `{"errors": […]}` on one line.
    pub(in crate::commands) fn to_json(&self, at: At) -> String {
        let mut fault = Fault::permanent("REFUSED", self.message.clone());
        fault.code = self.code.clone().into();
        if !self.details.is_empty() {
            fault.details = Some(Data::from(&Json::Object(self.details.clone())));
        }
        let error = envelope::error(AGENT, &fault, at).write();
        Json::Object(object([("errors", Json::Array(vec![error]))])).to_string()
    }
}

impl From<NotAnEnvelope> for Refusal {
    fn from(why: NotAnEnvelope) -> Self {
        match why {
            NotAnEnvelope::Malformed(malformed) => Self::new("MALFORMED", malformed.to_string()),
            NotAnEnvelope::Breached(breaches) => {
                let first = breaches.first().map(ToString::to_string).unwrap_or_default();
                let told = format!("the document is no envelope: {first}");
                let mut refusal = Self::new("CONTRACT_BREACH", told);
                let breaches = breaches.iter().map(breach).collect();
                refusal.details.set("breaches", Json::Array(breaches));
                refusal
            }
        }
    }
}

/// `{"pointer", "keyword", "message"}`
pub(in crate::commands) fn breach(breach: &Breach) -> Json<'static> {
    Json::Object(object([
        ("pointer", form::text(&breach.pointer)),
        ("keyword", form::text(&breach.keyword)),
        ("message", form::text(&breach.message)),
    ]))
}

impl From<Unfit> for Refusal {
    fn from(why: Unfit) -> Self {
        Self::new("UNKNOWN_STAGE", why.to_string())
    }
}

impl From<&Error> for Refusal {
    fn from(error: &Error) -> Self {
        let mut refusal = Self::new(&error.code, error.message.clone());
        if !error.lines.is_empty() {
            let lines = error.lines.iter().map(form::text).collect();
            refusal.details.set("lines", Json::Array(lines));
        }
        if let Some(hint) = &error.hint {
            refusal.details.set("hint", form::text(hint));
        }
        refusal
    }
}

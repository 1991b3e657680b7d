//! Why there is no envelope to give back, as an error in the form of the specification.

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
    output::{Audience, Output, object},
};

/// The agent that the error document names.
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

    /// Why a document that begins in this line of the input is no envelope.
    pub(super) fn of(why: NotAnEnvelope, line: u64) -> Self {
        match why {
            NotAnEnvelope::Malformed(mut malformed) => {
                let before = usize::try_from(line).unwrap_or(usize::MAX).saturating_sub(1);
                malformed.line = malformed.line.max(1).saturating_add(before);
                let mut refusal = Self::new("MALFORMED", malformed.to_string());
                refusal.details.set("line", form::number(malformed.line as u64));
                refusal
            }
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

    /// Names the line of the input in which the document begins, unless a line is named already. Lines
    /// without anything have no answer, so that answers cannot be counted.
    pub(super) fn of_line(mut self, number: u64) -> Self {
        if self.details.get("line").is_none() {
            self.details.set("line", form::number(number));
        }
        self
    }

    /// Tells it on standard error, in words or for programs.
    pub(super) fn report(&self, line: u64, output: &Output) {
        let message = format!("{}{}", of_line(line), self.message);
        let error = Error::new(self.code.clone(), message).details(self.details.clone());
        error.report(output.reader == Audience::Program, output.color);
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

/// How words about a document begin that is not the first: only a stream has others.
pub(super) fn of_line(number: u64) -> String {
    if number > 1 { format!("line {number}: ") } else { String::new() }
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

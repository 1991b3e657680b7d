//! A person as a stage: what is asked, what an answer may be, and what becomes of it.
//!
//! An approval is answered with yes or no, a form with any value that fits its schema. Nothing here waits: a journey
//! asks ([`super::Journey::question`]) and takes in what was said.

use std::time::Duration;

use consign_contracts::{
    engine::PersonAsk,
    json::{self, Json, Object},
};
use consign_engine::AskKind;

/// The members of what an approval gives.
pub(super) const APPROVED: &str = "approved";
pub(super) const WHY: &str = "why";
pub(super) const BY: &str = "by";

/// What can be said to an approval: a yes or no, alone or with a reason.
const YES_OR_NO: &str = r#"{"anyOf": [{"type": "object", "required": ["approved"], "additionalProperties": false, "properties": {"approved": {"type": "boolean"}, "why": {"type": "string"}}}, {"type": "boolean"}]}"#;

/// What can be said to a form that names no schema.
const TEXT: &str = r#"{"type": "string", "minLength": 1}"#;

/// A person who is asked in a stage.
#[derive(Clone, Debug, PartialEq)]
pub struct Person {
    pub ask: PersonAsk,
    /// With places, like an agent's input.
    pub prompt: String,
    /// The schema of a form, as the file has it.
    pub schema: Option<Json<'static>>,
    pub deadline: Option<Duration>,
    /// The answer that is taken at the deadline.
    pub default: Option<Json<'static>>,
}

impl Person {
    #[must_use]
    pub fn is_approval(&self) -> bool {
        self.ask == PersonAsk::Approval
    }

    /// What kind of question it is in the inbox.
    #[must_use]
    pub fn kind(&self) -> AskKind {
        match self.ask {
            PersonAsk::Approval => AskKind::Approval,
            PersonAsk::Form => AskKind::Clarification,
        }
    }

    /// The schema of an answer.
    #[must_use]
    pub fn answer_schema(&self) -> Json<'static> {
        let own = |text: &str| {
            json::parse(text.as_bytes()).map(Json::into_owned).expect("our own schemas are JSON")
        };
        match (self.ask, &self.schema) {
            (PersonAsk::Approval, _) => own(YES_OR_NO),
            (PersonAsk::Form, Some(schema)) => schema.clone(),
            (PersonAsk::Form, None) => own(TEXT),
        }
    }

    /// What the stage gives for an answer. `by` names the person who gave it; `None` is the default answer.
    pub(super) fn output(&self, said: &Json<'static>, by: Option<&str>) -> Json<'static> {
        if !self.is_approval() {
            return said.clone();
        }
        let text = |text: &str| Json::String(text.to_owned().into());
        let why = said.get(WHY).and_then(Json::as_str).map_or(Json::Null, text);
        let mut output = Object::new();
        output.set(APPROVED, Json::Bool(is_yes(said)));
        output.set(WHY, why);
        output.set(BY, by.map_or(Json::Null, text));
        Json::Object(output)
    }
}

/// Whether an answer to an approval is a yes.
fn is_yes(said: &Json<'_>) -> bool {
    said.as_bool().or_else(|| said.get(APPROVED).and_then(Json::as_bool)) == Some(true)
}

/// What a text means as an answer to a form: the text itself where that is wanted, else the JSON in it.
pub(super) fn from_text(text: &str, schema: &Json<'_>) -> Json<'static> {
    let plain = || Json::String(text.to_owned().into());
    if schema.get("type").and_then(Json::as_str) == Some("string") {
        return plain();
    }
    json::parse(text.as_bytes()).map_or_else(|_| plain(), Json::into_owned)
}

#[cfg(test)]
mod tests {
    use consign_contracts::schema::Schema;

    use super::*;

    fn json(text: &str) -> Json<'static> {
        json::parse(text.as_bytes()).unwrap().into_owned()
    }

    fn person(ask: PersonAsk) -> Person {
        let prompt = "May it be released?".to_owned();
        Person { ask, prompt, schema: None, deadline: None, default: None }
    }

    #[test]
    fn an_approval_takes_a_yes_or_no_with_or_without_a_reason() {
        let schema = Schema::compile(&person(PersonAsk::Approval).answer_schema()).unwrap();
        for (answer, fits) in [
            ("true", true),
            ("false", true),
            (r#"{"approved": true}"#, true),
            (r#"{"approved": false, "why": "too large"}"#, true),
            (r#"{"approved": "yes"}"#, false),
            (r#"{"why": "too large"}"#, false),
            (r#"{"approved": true, "by": "me"}"#, false),
            (r#""yes""#, false),
            ("null", false),
        ] {
            assert_eq!(schema.is_valid(&json(answer)), fits, "{answer}");
        }
    }

    #[test]
    fn what_an_approval_gives_says_who_and_why() {
        let person = person(PersonAsk::Approval);
        let check = |said: &str, by: Option<&str>, output: &str| {
            assert_eq!(person.output(&json(said), by), json(output), "{said}");
        };
        let (yes, no) = (Some("cli:anna@host"), Some("mcp:desk"));
        check("true", yes, r#"{"approved": true, "why": null, "by": "cli:anna@host"}"#);
        check(
            r#"{"approved": false, "why": "too large"}"#,
            no,
            r#"{"approved": false, "why": "too large", "by": "mcp:desk"}"#,
        );
        check("false", None, r#"{"approved": false, "why": null, "by": null}"#);
    }

    #[test]
    fn a_text_is_taken_as_it_is_where_a_text_is_wanted() {
        let check = |text: &str, schema: &str, means: &str| {
            assert_eq!(from_text(text, &json(schema)), json(means), "{text} {schema}");
        };
        check("5", TEXT, r#""5""#);
        check("5", r#"{"type": "integer"}"#, "5");
        check(r#"{"a": 1}"#, r#"{"type": "object"}"#, r#"{"a": 1}"#);
        check("red", r#"{"enum": ["red", "blue"]}"#, r#""red""#);
        check(r#""red""#, r#"{"enum": ["red", "blue"]}"#, r#""red""#);
        check("{not JSON", r#"{"type": "object"}"#, r#""{not JSON""#);
    }
}

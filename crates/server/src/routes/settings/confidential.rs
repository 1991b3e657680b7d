//! Bodies with a secret in them.
//!
//! What is wrong with one is told by its place and its rule, never by its value. The secret prints as `***`.

use std::fmt;

use axum::{body::Body, http::HeaderMap};
use consign_contracts::{
    Breach,
    json::{Json, Object},
    wire::Wire,
};
use zeroize::Zeroizing;

use crate::{
    endpoint::{BodyForm, Checked, FromBody, Route},
    error::Problem,
    server::App,
};

/// A JSON object that keeps to its contract, one member of which is a secret.
pub(crate) struct Confidential<T>(pub(super) T);

impl<T: Wire + Send> FromBody for Confidential<T> {
    const FORM: BodyForm = BodyForm::Own { schema: T::schema, required: true };

    async fn read(
        route: &'static Route,
        app: &App,
        headers: &HeaderMap,
        body: Body,
    ) -> Result<Self, Problem> {
        let read = Checked::read(route, app, headers, body).await;
        read.map(|Checked(body)| Self(body)).map_err(without_values)
    }
}

/// Messages about a value quote it, so they are replaced by the rule that it breaks.
fn without_values(mut problem: Problem) -> Problem {
    let Some(Json::Object(details)) = &mut problem.details else { return problem };
    let Some(Json::Array(breaches)) = details.get_mut("breaches") else { return problem };
    for breach in breaches {
        let Json::Object(breach) = breach else { continue };
        let keyword = breach.get("keyword").and_then(Json::as_str).unwrap_or("contract");
        let told = format!("it breaks the rule `{keyword}`");
        breach.set("message", Json::String(told.into()));
    }
    problem.message = "the body breaks its contract".into();
    problem
}

/// Text that is never printed.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct SecretText(Zeroizing<String>);

impl SecretText {
    /// The text. Whoever takes it takes care of it.
    pub(super) fn reveal(&self) -> String {
        self.0.to_string()
    }
}

impl fmt::Debug for SecretText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("***")
    }
}

impl Wire for SecretText {
    fn schema() -> Object<'static> {
        let mut schema = String::schema();
        schema.set("format", Json::from("password"));
        schema.set("writeOnly", Json::Bool(true));
        schema
    }

    fn read(json: &Json<'_>) -> Result<Self, Breach> {
        String::read(json).map(|text| Self(Zeroizing::new(text)))
    }

    fn write(&self) -> Json<'static> {
        Json::from("***")
    }
}

#[cfg(test)]
mod tests {
    use consign_contracts::json;

    use super::*;

    #[test]
    fn a_secret_is_neither_printed_nor_written_nor_quoted() {
        let secret = SecretText::read(&Json::from("sk-1234")).unwrap();
        assert_eq!(
            (format!("{secret:?}"), secret.write().to_string()),
            ("***".into(), "\"***\"".into())
        );
        let breach = Breach {
            pointer: "/key".to_owned(),
            keyword: "pattern".to_owned(),
            message: "\"sk-1234\" does not match".to_owned(),
        };
        let problem = without_values(Problem::breached("the body", &[breach], false));
        let told = problem.envelope("id");
        assert!(!told.contains("sk-1234") && told.contains("/key"), "{told}");
        assert!(json::parse(told.as_bytes()).is_ok());
    }
}

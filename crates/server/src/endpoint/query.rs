//! What follows the `?`: an object of parameters, held to its contract.
//!
//! A query is declared like a body, as a closed object whose members are texts, whole numbers or truth values.
//! [`QueryContract`] sorts the decoded texts into these kinds and lets the schema judge; OpenAPI's list of
//! parameters comes from the same schema. Each name may be there once.

use std::borrow::Cow;

use axum::http::Uri;
use consign_contracts::{
    Breach,
    json::{Json, Object},
    schema::Schema,
    wire::{Integer, Wire},
};
use percent_encoding::percent_decode_str;

use super::contract;
use crate::error::{Part, Problem};

/// How many entries a list has if the client does not say.
const PAGE: usize = 50;

/// A query without parameters.
#[derive(Debug)]
pub(crate) struct NoQuery;

/// A query that nothing is read from, whatever it says.
#[derive(Debug)]
pub(crate) struct AnyQuery;

impl Wire for NoQuery {
    fn schema() -> Object<'static> {
        consign_contracts::wire::rules(
            r#"{"type": "object", "properties": {}, "additionalProperties": false}"#,
        )
    }

    fn read(_json: &Json<'_>) -> Result<Self, Breach> {
        Ok(Self)
    }

    fn write(&self) -> Json<'static> {
        Json::Object(Object::new())
    }
}

impl Wire for AnyQuery {
    fn schema() -> Object<'static> {
        consign_contracts::wire::rules(r#"{"type": "object", "properties": {}}"#)
    }

    fn read(_json: &Json<'_>) -> Result<Self, Breach> {
        Ok(Self)
    }

    fn write(&self) -> Json<'static> {
        Json::Object(Object::new())
    }
}

/// The contract of a query, compiled when the first query is read.
pub(crate) struct QueryContract {
    schema: Schema,
    source: Object<'static>,
}

impl QueryContract {
    pub(super) fn of<Q: Wire>() -> Self {
        let source = Q::schema();
        Self { schema: contract::compile(source.clone()), source }
    }

    /// Each parameter with its schema.
    pub(crate) fn parameters(&self) -> impl Iterator<Item = (&str, &Json<'static>)> {
        self.source.get("properties").and_then(Json::as_object).into_iter().flat_map(Object::iter)
    }

    pub(crate) fn is_required(&self, name: &str) -> bool {
        let required = self.source.get("required").and_then(Json::as_array).unwrap_or_default();
        required.iter().any(|known| known.as_str() == Some(name))
    }

    /// Whether parameters that are not known are refused.
    pub(crate) fn is_closed(&self) -> bool {
        self.source.get("additionalProperties").and_then(Json::as_bool) == Some(false)
    }

    /// The query of a request. `this` is not even compiled where there is none: reading finds what is missing.
    pub(super) fn read<Q: Wire>(
        this: &impl std::ops::Deref<Target = Self>,
        uri: &Uri,
    ) -> Result<Q, Problem> {
        let query = uri.query().filter(|query| !query.is_empty() && this.is_closed());
        let checked = match query {
            None => Q::read(&Json::Object(Object::new()))
                .map_err(|breach| Problem::breached("the query", &[breach], false)),
            Some(query) => contract::check(&this.schema, &this.tree(query)?, "the query"),
        };
        checked.map_err(|problem| problem.in_part(Part::Query))
    }

    fn tree<'a>(&self, query: &'a str) -> Result<Json<'a>, Problem> {
        let mut tree = Object::new();
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let (name, value) = (decoded(name)?, decoded(value)?);
            if tree.get(&name).is_some() {
                let name: String = name.chars().take(80).collect();
                let told = format!("the parameter {name:?} is there twice");
                let pointer = format!("/{}", name.replace('~', "~0").replace('/', "~1"));
                return Err(Problem::invalid(Part::Query, pointer, "duplicate", told));
            }
            let value = self.of_its_kind(&name, value);
            tree.set(name, value);
        }
        Ok(Json::Object(tree))
    }

    /// A text that should be a number or a truth value is one, if it can be; if not, the schema refuses the text.
    fn of_its_kind<'a>(&self, name: &str, text: Cow<'a, str>) -> Json<'a> {
        let mut known = self.parameters();
        let schema = known.find_map(|(known, schema)| (known == name).then_some(schema));
        let kind = schema.and_then(|schema| schema.get("type")).and_then(Json::as_str);
        match (kind, &*text) {
            (Some("integer"), number) => match (number.parse::<u64>(), number.parse::<i64>()) {
                (Ok(number), _) => Json::Number(number.into()),
                (_, Ok(number)) => Json::Number(number.into()),
                _ => Json::String(text),
            },
            (Some("boolean"), "true") => Json::Bool(true),
            (Some("boolean"), "false") => Json::Bool(false),
            _ => Json::String(text),
        }
    }
}

/// How many entries a list is to have, by its parameter `limit`.
pub(crate) fn page_size(limit: Option<&Integer>) -> usize {
    let limit = limit.and_then(Integer::as_i64).and_then(|limit| usize::try_from(limit).ok());
    limit.unwrap_or(PAGE)
}

fn decoded(text: &str) -> Result<Cow<'_, str>, Problem> {
    let broken = || {
        let told = "the query is not percent-encoded UTF-8";
        Problem::invalid(Part::Query, "", "encoding", told)
    };
    if text.contains('+') {
        let spaced = text.replace('+', " ");
        let decoded = percent_decode_str(&spaced).decode_utf8().map_err(|_| broken())?;
        return Ok(Cow::Owned(decoded.into_owned()));
    }
    percent_decode_str(text).decode_utf8().map_err(|_| broken())
}

#[cfg(test)]
mod tests {
    use consign_contracts::wire::wire;
    use serde_json::{Value, json};

    use super::*;

    wire! {
        /// A query.
        pub closed struct Sample {
            /// A text.
            name: Option<String> [minLength: 1],
            /// A number.
            limit: Option<Integer> [minimum: 1],
            /// A truth value.
            deep: Option<bool>,
        }
    }

    fn read(query: &str) -> Result<Sample, Value> {
        let uri: Uri = format!("/list{query}").parse().unwrap();
        let contract = Box::new(QueryContract::of::<Sample>());
        QueryContract::read(&contract, &uri).map_err(|problem| {
            let told: Value = serde_json::from_str(&problem.envelope("id")).unwrap();
            assert_eq!(told["error"]["code"], "VALIDATION_ERROR");
            assert_eq!(told["error"]["details"]["in"], "query");
            told["error"]["details"]["breaches"].clone()
        })
    }

    #[test]
    fn a_parameter_is_decoded_and_of_its_kind() {
        let nothing = Sample { name: None, limit: None, deep: None };
        assert_eq!(read(""), Ok(nothing.clone()));
        assert_eq!(read("?"), Ok(nothing.clone()));
        let named = |name: &str| Sample { name: Some(name.to_owned()), ..nothing.clone() };
        assert_eq!(read("?&name=a%2Fb+c%40&"), Ok(named("a/b c@")));
        assert_eq!(read("?n%61me=%C3%A9"), Ok(named("é")));
        assert_eq!(read("?name=7"), Ok(named("7")));
        let (limit, deep) = (Some(Integer::from(7)), Some(true));
        assert_eq!(read("?limit=7&deep=true"), Ok(Sample { name: None, limit, deep }));
    }

    #[test]
    fn all_breaches_are_told_at_once() {
        let told = |query: &str| {
            let breaches = read(query).unwrap_err();
            let told = breaches
                .as_array()
                .unwrap()
                .iter()
                .map(|breach| json!([breach["pointer"], breach["keyword"]]));
            Value::Array(told.collect())
        };
        assert_eq!(told("?nmae=1"), json!([["", "additionalProperties"]]));
        assert_eq!(told("?name"), json!([["/name", "minLength"]]));
        assert_eq!(told("?limit=0&deep=1"), json!([["/deep", "type"], ["/limit", "minimum"]]));
        assert_eq!(told("?limit=1.5"), json!([["/limit", "type"]]));
        assert_eq!(told("?name=1&name=2"), json!([["/name", "duplicate"]]));
        assert_eq!(told("?name=%ff"), json!([["", "encoding"]]));
    }
}

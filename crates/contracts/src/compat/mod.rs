//! Compares two versions of a schema: do documents that were valid stay valid?
//!
//! [`compare`] answers with proof or not at all. [`search`] looks for a document that the old
//! schema takes and the new one refuses; the compiled validators are the judge, so a
//! counter-example is always real. Where none is found, the algebra of the `jsonschema` crate may
//! show that the new schema covers the old one, or where to look again. What neither settles is
//! unknown.

mod candidates;
mod search;

use jsonschema::canonical::{self, CanonicalSchema, Containment};
use serde_json::Value;

use crate::{
    Breach,
    json::Json,
    schema::{NoRetrieval, Schema, SchemaError, draft_of},
};

/// The answer of [`compare`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Compatibility {
    /// Every document that was valid stays valid.
    Compatible,
    Incompatible(Box<CounterExample>),
    /// Neither was shown, for this reason.
    Unknown(String),
}

/// A document that was valid and no longer is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CounterExample {
    pub document: Json<'static>,
    /// Why the new schema refuses it. At least one.
    pub breaches: Vec<Breach>,
}

/// One of the two schemas cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CompatError {
    #[error("the old schema: {0}")]
    Old(#[source] SchemaError),
    #[error("the new schema: {0}")]
    New(#[source] SchemaError),
}

/// Compares two versions of a schema.
pub fn compare(old: &Json<'_>, new: &Json<'_>) -> Result<Compatibility, CompatError> {
    let judge = search::Judge {
        old: Schema::compile(old).map_err(CompatError::Old)?,
        new: Schema::compile(new).map_err(CompatError::New)?,
    };
    let (before, after) = (old.to_serde(), new.to_serde());
    if let Some(document) = judge.find(&before, &before, &after) {
        return Ok(judge.condemn(&document));
    }
    if draft_of(old) != draft_of(new) {
        return Ok(Compatibility::Unknown(
            "no counter-example was found, but schemas of two drafts cannot be proven compatible"
                .to_owned(),
        ));
    }
    let (old, new) = match (canonical(old), canonical(new)) {
        (Ok(old), Ok(new)) => (old, new),
        (Err(reason), _) | (_, Err(reason)) => return Ok(Compatibility::Unknown(reason)),
    };
    let covered = match new.covers(&old) {
        Ok(covered) => covered,
        Err(error) => return Ok(Compatibility::Unknown(error.to_string())),
    };
    if covered == Containment::Yes {
        return Ok(Compatibility::Compatible);
    }
    // A schema of the documents that are lost, where it can be written down, is the best lead.
    let lost = old.subtract(&new).ok().map(|lost| lost.to_json_schema());
    if let Some(document) = lost.and_then(|lost| judge.find(&lost, &before, &after)) {
        return Ok(judge.condemn(&document));
    }
    Ok(Compatibility::Unknown(format!(
        "no counter-example was found, but there may be one; the schemas differ at {}",
        differences(&before, &after).join(", ")
    )))
}

/// Pointers to the first few places at which two schemas differ.
fn differences(old: &Value, new: &Value) -> Vec<String> {
    fn walk(old: &Value, new: &Value, pointer: &str, found: &mut Vec<String>) {
        const MOST: usize = 5;
        if old == new || found.len() >= MOST {
            return;
        }
        let (Value::Object(before), Value::Object(after)) = (old, new) else {
            found.push(if pointer.is_empty() { "the top".to_owned() } else { pointer.to_owned() });
            return;
        };
        let names = before.keys().chain(after.keys().filter(|name| !before.contains_key(*name)));
        for name in names {
            let below = format!("{pointer}/{}", name.replace('~', "~0").replace('/', "~1"));
            walk(&old[name], &new[name], &below, found);
        }
    }
    let mut found = Vec::new();
    walk(old, new, "", &mut found);
    found
}

fn canonical(schema: &Json<'_>) -> Result<CanonicalSchema, String> {
    let draft = draft_of(schema).map_err(|error| error.to_string())?;
    canonical::options()
        .with_retriever(NoRetrieval)
        .with_draft(draft)
        .should_validate_formats(true)
        .canonicalize(&schema.to_serde())
        .map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests;

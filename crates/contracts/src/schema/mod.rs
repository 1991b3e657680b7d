//! JSON Schemas, compiled once and held against documents.
//!
//! [`Schema::compile`] takes drafts 7 (the default) and 2020-12, follows no reference out of the
//! document, and asserts formats. [`Schema::check`] gives a [`Verdict`].

mod breach;
mod budget;
mod format;
mod node;
mod stray;

pub use breach::Breach;
use jsonschema::{Draft, PatternOptions, Validator};
use node::Ours;
pub(crate) use stray::FORMATS;
pub use stray::{Stray, Strays, stray_words};

use crate::json::Json;

/// A compiled schema.
#[derive(Clone, Debug)]
pub struct Schema {
    validator: Validator<Ours>,
}

/// Why a schema cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SchemaError {
    #[error("`$schema` is {0}; only draft-07 and 2020-12 are supported")]
    UnsupportedDraft(String),
    #[error("the reference {0} leads out of the schema; such references are not followed")]
    RemoteReference(String),
    #[error("not a JSON Schema: {0}")]
    Invalid(String),
}

/// What a schema says of a document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verdict {
    /// In the order of their pointers. Empty when the document is valid.
    pub breaches: Vec<Breach>,
    /// There were more breaches than are worth listing.
    pub more: bool,
}

impl Verdict {
    #[must_use]
    pub fn is_valid(&self) -> bool {
        self.breaches.is_empty()
    }
}

/// A hostile document can break a rule a million times.
const MOST_BREACHES: usize = 100;

/// Errors that are gathered, those inside of choices included, before only the first is reported.
const MOST_ERRORS: usize = 10_000;

impl Schema {
    /// Compiles a schema that a user wrote.
    pub fn compile(source: &Json<'_>) -> Result<Self, SchemaError> {
        // Backtracking is bounded: where it runs out, the document is refused.
        Self::build(source, PatternOptions::fancy_regex())
    }

    /// Compiles a schema of ours, whose patterns need no look-around and so match in linear time.
    pub(crate) fn compile_own(source: &Json<'_>) -> Result<Self, SchemaError> {
        Self::build(source, PatternOptions::regex())
    }

    fn build<E>(source: &Json<'_>, patterns: PatternOptions<E>) -> Result<Self, SchemaError> {
        let options = jsonschema::options_for::<Ours>()
            .with_draft(draft_of(source)?)
            .with_retriever(NoRetrieval)
            .should_validate_formats(true)
            .with_pattern_options(patterns);
        let validator = format::register(options)
            .build(&source.to_serde())
            .map_err(|error| explain(&error, source))?;
        Ok(Self { validator })
    }

    /// Whether the document is valid; [`Schema::check`] says why it is not.
    #[must_use]
    pub fn is_valid(&self, document: &Json<'_>) -> bool {
        self.validator.is_valid(document)
    }

    /// The verdict on a document.
    #[must_use]
    pub fn check(&self, document: &Json<'_>) -> Verdict {
        if self.is_valid(document) {
            return Verdict::default();
        }
        let (errors, complete) =
            budget::within(MOST_ERRORS, || self.validator.iter_errors(document));
        if !complete {
            // The list cannot be trusted, but the first error can: it is found before any is kept.
            let (first, _) = budget::within(MOST_ERRORS, || self.validator.validate(document));
            let first = first.err().map(|error| Breach::from_error(&error, document));
            return Verdict { breaches: first.into_iter().collect(), more: true };
        }
        let mut errors = errors.into_iter();
        let mut breaches: Vec<Breach> = errors
            .by_ref()
            .take(MOST_BREACHES)
            .map(|error| Breach::from_error(&error, document))
            .collect();
        breaches.sort();
        breaches.dedup();
        Verdict { breaches, more: errors.next().is_some() }
    }
}

/// The draft that a schema says it is written in.
pub(crate) fn draft_of(source: &Json<'_>) -> Result<Draft, SchemaError> {
    match source.get("$schema") {
        None => Ok(Draft::Draft7),
        Some(Json::String(uri)) => {
            let name = uri.strip_prefix("https:").or_else(|| uri.strip_prefix("http:"));
            match name.map(|name| name.strip_suffix('#').unwrap_or(name)) {
                Some("//json-schema.org/draft-07/schema") => Ok(Draft::Draft7),
                Some("//json-schema.org/draft/2020-12/schema") => Ok(Draft::Draft202012),
                _ => Err(SchemaError::UnsupportedDraft(uri.to_string())),
            }
        }
        Some(other) => Err(SchemaError::UnsupportedDraft(other.kind().to_owned())),
    }
}

/// Refuses to fetch anything from anywhere.
pub(crate) struct NoRetrieval;

impl jsonschema::Retrieve for NoRetrieval {
    fn retrieve(
        &self,
        _: &jsonschema::Uri<String>,
    ) -> Result<serde_json::Value, Box<dyn std::error::Error + Send + Sync>> {
        Err("not followed".into())
    }
}

fn explain(error: &jsonschema::ValidationError<'static>, source: &Json<'_>) -> SchemaError {
    if let jsonschema::error::ValidationErrorKind::Referencing(
        jsonschema::ReferencingError::Unretrievable { uri, .. },
    ) = error.kind()
    {
        return SchemaError::RemoteReference(uri.clone());
    }
    SchemaError::Invalid(Breach::from_error(error, source).to_string())
}

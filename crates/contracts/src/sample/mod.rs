//! A sample value of a schema: a small document that the schema allows.
//!
//! [`least`] takes the smallest choice everywhere, for programs that need any valid answer. [`shown`] is
//! for people who will type over it: defaults where there are some, `true`, and `…` for a text. Both hold
//! what they made against the whole schema, so a sample is always valid. Neither searches: where the
//! first choices are not valid they take the next ones a few times, and then give up and say why.
//!
//! The schema may not be trusted: its size, and the depth, the number of values and the text of what is
//! made are bounded. [`crate::compat`] starts its search from documents that are made here too.

mod build;
mod number;
mod pattern;
mod rules;
mod text;

pub(crate) use build::{Builder, Fill};
pub(crate) use number::tidy;
pub(crate) use pattern::matches;
pub(crate) use rules::Rules;
pub(crate) use text::{formatted, one_of_each_format};

use crate::{
    json::Json,
    schema::{Schema, SchemaError},
};

/// How large a schema may be.
const MOST_BYTES: usize = 1 << 20;

/// How often other choices are taken.
const TRIES: usize = 8;

/// Why there is no sample of a schema.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoSample {
    #[error("it has more than {MOST_BYTES} bytes")]
    TooLarge,
    #[error(transparent)]
    Unusable(#[from] SchemaError),
    /// No valid document was found; there may be one.
    #[error("{0}")]
    NotFound(String),
}

/// The smallest document that is easily found.
///
/// # Errors
/// The schema cannot be used, or no valid document was found.
pub fn least(schema: &Json<'_>) -> Result<Json<'static>, NoSample> {
    find(schema, Builder::least)
}

/// A document to show to a person who is to write one like it: defaults, `true` and `…` stand for what
/// the person will fill in. There is none where `…` is not a valid text.
///
/// # Errors
/// The schema cannot be used, or no valid document was found.
pub fn shown(schema: &Json<'_>) -> Result<Json<'static>, NoSample> {
    find(schema, Builder::shown)
}

fn find(schema: &Json<'_>, builder: impl Fn(usize) -> Builder) -> Result<Json<'static>, NoSample> {
    if schema.to_string().len() > MOST_BYTES {
        return Err(NoSample::TooLarge);
    }
    let compiled = Schema::compile(schema)?;
    let source = schema.to_serde();
    let mut why = None;
    for choice in 0..TRIES {
        let found = builder(choice).build(&Rules::choosing(&source, choice)).and_then(|document| {
            match compiled.check(&document).breaches.first() {
                None => Ok(document),
                Some(breach) => {
                    Err(format!("the closest document that was found is not valid: {breach}"))
                }
            }
        });
        match found {
            Ok(document) => return Ok(document),
            // The first choice is the plainest, and so is what is wrong with it.
            Err(problem) => why = why.or(Some(problem)),
        }
    }
    Err(NoSample::NotFound(why.unwrap_or_default()))
}

#[cfg(test)]
mod tests;

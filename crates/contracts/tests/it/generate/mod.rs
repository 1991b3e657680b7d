//! Documents out of schemas: valid ones, and each way to break one of those in a single place.
//!
//! [`valid`] and [`violations`] know the keywords that our published schemas use, and panic on any
//! other: a new keyword must be taught here before its contract counts as tested. Neither asks a
//! validator, so both can be held against one.

mod document;
mod keywords;
mod scalar;
mod schemas;
mod violation;

pub(crate) use document::valid;
pub(crate) use scalar::anything;
pub(crate) use schemas::{nonsense, schema, small_document, versions};
pub(crate) use violation::violations;

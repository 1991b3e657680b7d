//! How Rust types and JSON documents become each other, and where the schemas come from.
//!
//! [`wire!`] declares a message once, field by field as its document does; out of that come the
//! struct, its JSON Schema and a lossless way in and out. [`words!`] does the same for a closed
//! vocabulary. In a declaration
//!
//! - `T` must be present, `Option<T>` may be absent, [`Nullable<T>`] may be `null`;
//! - `as "name"` gives the name on the wire where it is not the field's own;
//! - `[minimum: 1, …]` adds JSON Schema keywords to the field, under their own names;
//! - `closed` refuses unknown members, `open` keeps them in `extra`;
//! - `= "family/name"` makes it a [`Message`], a contract of its own;
//! - `with …` adds keywords that speak about the whole object.
//!
//! Other crates declare what only they speak (bodies and parameters of requests) with the same macro; only
//! what is published is declared here.
//!
//! Reading here trusts that the schema has been checked: it only sorts values into fields. What
//! comes from outside goes through [`Message::from_json`].

mod declare;
mod field;
mod message;
mod scalar;

pub use declare::wire;
pub(crate) use declare::words;
pub use field::{Map, Nullable, Wire, Written, rules};
#[doc(hidden)]
pub use field::{Members, ObjectSchema, give, put};
pub use message::{Message, Refused};
pub(crate) use scalar::unfit;
pub use scalar::{Integer, Timestamp, Uuid};
#[doc(hidden)]
pub use serde_json::json;

//! Placeholders: replaces the names of a project by placeholders, and fills them in again.
//!
//! A [`Scheme`] is made of what is known of a project: which of its names are replaced, in which
//! casings. [`Scheme::generalise`] turns a file into a template, [`fill`] turns it back. Only our own
//! placeholder names are ever filled in; whatever else has braces (Vue, Jinja, Go templates, GitHub
//! Actions) is left alone, and a source that already has one of our names is escaped. So the original
//! names bring back the original bytes, whatever they were.

mod casing;
mod choose;
mod field;
mod fill;
mod foreign;
mod form;
mod key;
mod plain;
mod scheme;
mod uncommon;
mod words;

#[cfg(test)]
mod round_trip;

pub use self::{
    casing::Casing,
    choose::scheme,
    field::author_email,
    fill::{Values, fill},
    foreign::is_foreign,
    key::{Key, Subject},
    plain::Stack,
    scheme::{Placeholder, Scheme},
    uncommon::{check_name, is_common},
    words::{plural, words},
};

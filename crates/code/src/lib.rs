//! Reads a code repository: search, symbols and history.
//!
//! A [`Repository`] is opened for one question and dropped after it: it lists the files once and
//! remembers the list. Everything is synchronous and uses the machine's cores; callers with a
//! runtime go through `spawn_blocking`.
//!
//! The repository may be hostile. Nothing here writes, runs a program, follows a link out of the root
//! or trusts a size: files are opened beneath the root by handle, reading, parsing and walking are
//! bounded by [`Limits`], and a [`Cancel`] stops all of it. What is hidden ([`Repository::hiding`]) is
//! treated as missing: no count, limit or rank reveals it. Nothing here knows what a question is or
//! who asks it.

mod calls;
mod cancel;
mod census;
mod class;
mod error;
mod files;
mod found;
mod heirs;
mod hidden_paths;
mod history;
mod kind;
mod language;
mod languages;
mod limits;
mod output;
mod parallel;
mod references;
mod repository;
mod root;
mod rules;
mod search;
mod survey;
mod sweep;
mod symbols;
mod syntax;
mod tests;
mod text;
mod tree;
mod walk;
mod wellformed;
mod words;

pub use self::{
    calls::Call,
    cancel::Cancel,
    census::{Census, Row},
    class::Class,
    error::Error,
    files::{File, Files},
    found::Found,
    heirs::Heir,
    hidden_paths::Hides,
    history::{BlameLine, Commit, LogQuery, Origin, check_git_directory},
    kind::Kind,
    language::Language,
    languages::Share,
    limits::Limits,
    references::{Reference, Usage, Uses},
    repository::Repository,
    search::{Hit, Query},
    survey::{FileScore, Line, Term},
    symbols::Symbol,
    tests::Test,
    text::Text,
    tree::{Node, Tree},
    wellformed::is_well_formed,
};

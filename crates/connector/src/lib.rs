//! How a source is fetched: folders, sites and Google Drive, one file after another.
//!
//! A [`Connector`] is made once, from [`Options`] (what the operator allows) and [`Parts`] (the time, the
//! network's names, the credentials). [`Connector::open`] begins a [`Session`] for one [`Fetch`], and
//! [`Session::next`] gives one [`Item`] after another: a file that was copied ([`Fetched`]), one that has not
//! changed ([`Unchanged`]), or one that could not be had ([`Skipped`]), with a code. The copies lie in the
//! caller's [`Destination`].
//!
//! To resume, or to fetch only what has changed, the caller keeps the [`Validators`] of every item and gives
//! them back through [`Known`]. The order of the items depends on nothing but the source and these.
//!
//! What this crate must not do:
//! - reach an address that is not public and not allowed, whatever a redirect, a name server or a link says;
//! - open a local path by its name when it came from a stranger, or follow a link out of a folder that was named;
//! - ask a site for what its robots.txt forbids, or faster than the options say;
//! - read without bounds: each file, each source and each wait has a limit;
//! - send credentials to any other place than the one they are for, or show them;
//! - look into a file to say what it means (`consign-parsers` does), or remember anything from one process to
//!   the next: the caller does, in its journal.

mod connector;
mod credentials;
mod destination;
mod error;
mod fetch;
mod gdrive;
mod http;
mod item;
mod known;
mod local;
mod options;
mod parts;
mod text;
mod web;

pub use consign_models::transport::Secret;

pub use self::{
    connector::{Connector, Session},
    credentials::{Credential, Credentials, NoCredentials},
    destination::Destination,
    error::{Code, Error, Limit},
    fetch::{BadFetch, Fetch, Trust},
    http::allowed::{Allowed, BadAllowed},
    item::{Fetched, Item, KindHint, Skipped, Summary, Unchanged},
    known::{Known, Nothing, Past, Validators},
    options::Options,
    parts::{Lookup, Parts, Sleep, SystemLookup, TokioSleep},
};

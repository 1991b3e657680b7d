//! A stand-in for the providers: it speaks their wire formats, streams, counts tokens, and fails
//! as a script says.
//!
//! [`Double::serve`] answers over HTTP; as a [`Transport`](crate::transport::Transport) it answers
//! inside the process, on tokio's clock. Both give the same [`reply::Reply`], which is worked out
//! once. Every dialect has a folder: `read` holds a request to the provider's rules, `write` says an
//! answer in its form, `error` refuses in its words.
//!
//! It never reaches out, never thinks, and never keeps or shows a key: it remembers a fingerprint.
//!
//! Tokens are o200k's, counted for each text on its own and added up: the texts of the messages, the
//! system prompt, the names and arguments of tool calls, the tools and the schema as they were sent.

mod anthropic;
mod asked;
mod direct;
mod fields;
mod google;
mod http;
mod id;
mod models;
mod openai;
mod refusal;
mod reply;
mod route;
mod said;
mod script;
mod seen;
mod server;
mod spoil;
mod strict;
mod tokens;
mod written;

pub use self::{
    script::{BadScript, Script},
    seen::Seen,
    server::Double,
};

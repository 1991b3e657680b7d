//! A test double for the model providers: it implements their wire formats, streams, counts tokens, and
//! fails as a script says.
//!
//! To use it, read a [`Script`] (`"[]"` is the empty one) and make a [`Double`]. [`Double::serve`] answers
//! over HTTP; as a [`Transport`](consign_models::transport::Transport) it answers inside the process, on
//! tokio's clock. Both give the same `reply::Reply`, which is worked out once. [`Double::seen`] says what
//! it was asked. Every dialect has a folder: `read` holds a request to the provider's rules, `write` says
//! an answer in its form, `error` refuses in its words.
//!
//! Tokens are o200k's, counted for each text on its own and added up: the texts of the messages, the
//! system prompt, the names and arguments of tool calls, the tools and the schema as they were sent.
//!
//! What this crate must not do:
//! - call a model: what no script says is made up from the schema of the request;
//! - keep or show a key: it remembers a fingerprint;
//! - read or write a dialect with the code of `consign-models`. It would share its mistakes, and no test
//!   before the double would find them. Only types are taken from there.

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

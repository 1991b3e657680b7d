//! Sign-in with GitHub and Google: where to send the browser, and who came back.
//!
//! [`OauthClients`] holds the providers that an operator configured. `authorize_url` is where the browser
//! goes, `exchange` takes the code that it brings back. State, browser binding and the PKCE verifier are
//! kept by `consign-accounts`; what a provider says about its user is judged there as well.

mod client;
mod error;
mod github;
mod google;
mod http;
mod settings;

pub use client::{OauthClients, pkce_challenge};
pub use error::Error;
pub use settings::{Endpoints, Problem, ProviderSettings};

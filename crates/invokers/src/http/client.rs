//! The HTTP client, and what its errors mean for an attempt.

use std::time::Duration;

use reqwest::{Client, ClientBuilder, Url, redirect::Policy};

use crate::{
    address::{Reach, Unreachable},
    outside::chain,
};

/// How long a connection may take to come about, TLS included.
const CONNECTING: Duration = Duration::from_secs(10);

/// A client builder for these URLs. Connecting has a shorter limit than the whole attempt: only so
/// is it certain that an unreachable server received nothing.
pub(crate) fn client(urls: &[&Url], reach: Reach, within: Duration) -> ClientBuilder {
    // The first to install one wins, and any will do.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let builder = Client::builder()
        .dns_resolver(reach)
        // A proxy would look up names where nobody checks them.
        .no_proxy()
        .redirect(Policy::none())
        .retry(reqwest::retry::never())
        .referer(false)
        .connect_timeout(CONNECTING.min(within.mul_f64(0.9)))
        .tcp_nodelay(true)
        .user_agent(concat!("consign/", env!("CARGO_PKG_VERSION")));
    match urls.iter().any(|url| url.scheme() == "https") {
        true => builder,
        // No certificate is trusted, so that none has to be read.
        false => builder.tls_certs_only([]),
    }
}

/// Why an exchange failed.
pub(crate) enum Lost {
    /// The address may not be reached.
    Refused(String),
    /// Nothing was sent.
    Unsent(String),
    /// The request was sent, and it is unknown what the server did with it.
    Unknown(String),
}

pub(crate) fn lost(error: reqwest::Error) -> Lost {
    // The query may hold what is nobody's business.
    let error = error.without_url();
    let mut cause: Option<&(dyn std::error::Error + 'static)> = Some(&error);
    while let Some(inner) = cause {
        if let Some(refused) = inner.downcast_ref::<Unreachable>() {
            return Lost::Refused(refused.to_string());
        }
        cause = inner.source();
    }
    match error.is_connect() || error.is_builder() {
        true => Lost::Unsent(chain(&error)),
        false => Lost::Unknown(chain(&error)),
    }
}

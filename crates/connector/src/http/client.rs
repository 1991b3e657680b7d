//! One request, made once.

use std::{
    collections::HashMap,
    error::Error as _,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use consign_invokers::address::Unreachable;
use reqwest::{Client, Method, Response, Url, header::HeaderMap, redirect::Policy};

use super::{
    guard::{self, GuardedLookup},
    pace::Paces,
};
use crate::{Error, Options, Parts};

/// How long a connection may take to come about, TLS included.
const CONNECTING: Duration = Duration::from_secs(10);
/// How long a server may say nothing.
const SILENCE: Duration = Duration::from_secs(30);

/// The clients of all sessions.
pub(crate) struct Http {
    pub(crate) parts: Parts,
    pub(crate) options: Arc<Options>,
    pub(crate) paces: Paces,
    /// One for public addresses, and one for each private place that the operator allows, each with and
    /// without TLS.
    clients: Mutex<HashMap<(bool, Option<String>), Client>>,
}

impl Http {
    pub(crate) fn new(parts: Parts, options: Arc<Options>) -> Self {
        Self { parts, options, paces: Paces::default(), clients: Mutex::default() }
    }

    /// Reads a URL and checks it.
    pub(crate) fn url(&self, text: &str) -> Result<Url, Error> {
        guard::url(text, &self.options.allow_private)
    }

    /// Where a link or a redirect leads from a page.
    pub(crate) fn join(&self, from: &Url, to: &str) -> Result<Url, Error> {
        let to = from.join(to).map_err(|_| Error::unreachable("it leads to no address"))?;
        guard::checked(to, &self.options.allow_private)
    }

    /// Waits for a turn at the host, and makes one request. Nothing is followed and nothing tried twice.
    pub(crate) async fn send(
        &self,
        ask: Ask<'_>,
        interval: Duration,
        allowance: &mut Allowance,
    ) -> Result<Response, Error> {
        let Ask { method, url, headers, body } = ask;
        // It may come from a redirect, a link or a page from before.
        let url = guard::checked(url.clone(), &self.options.allow_private)?;
        self.paces.turn(&self.parts, &place(&url), interval).await;
        let mut request = self.client(&url)?.request(method, url.clone()).headers(headers);
        if let Some(body) = body {
            request = request.body(body);
        }
        let sent = async { request.send().await.map_err(|error| lost(&url, error)) };
        let response = allowance.within(&url, sent).await?;
        if let Some(address) = response.remote_addr() {
            guard::reached(&url, address.ip(), &self.options.allow_private)?;
        }
        Ok(response)
    }

    fn client(&self, url: &Url) -> Result<Client, Error> {
        let secure = url.scheme() == "https";
        let private = self.options.allow_private.has_place(url);
        let key = (secure, private.then(|| place(url)));
        let mut clients = self.clients.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(client) = clients.get(&key) {
            return Ok(client.clone());
        }
        let host = url.host_str().map(str::to_owned);
        let resolver = GuardedLookup {
            lookup: self.parts.lookup.clone(),
            allowed: Arc::new(self.options.allow_private.clone()),
            private: host.filter(|_| private),
        };
        let client = build(secure, resolver)
            .map_err(|error| Error::unreachable(format!("no client could be made: {error}")))?;
        clients.insert(key, client.clone());
        Ok(client)
    }
}

/// The time that is left for one try: for its redirects and its body together. Waiting for a turn is not part
/// of it.
pub(crate) struct Allowance {
    left: Duration,
    whole: Duration,
}

impl Allowance {
    pub(crate) fn new(whole: Duration) -> Self {
        Self { left: whole, whole }
    }

    pub(crate) async fn within<T>(
        &mut self,
        url: &Url,
        work: impl Future<Output = Result<T, Error>>,
    ) -> Result<T, Error> {
        let began = Instant::now();
        let done = tokio::time::timeout(self.left, work).await;
        self.left = self.left.saturating_sub(began.elapsed());
        done.unwrap_or_else(|_| {
            let (place, seconds) = (place(url), self.whole.as_secs_f64());
            Err(Error::timeout(format!(
                "{place} took longer than {seconds} s: raise `max_seconds` in [connector]"
            )))
        })
    }
}

/// One request.
pub(crate) struct Ask<'a> {
    pub(crate) method: Method,
    pub(crate) url: &'a Url,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Option<String>,
}

impl<'a> Ask<'a> {
    pub(crate) fn get(url: &'a Url, headers: HeaderMap) -> Self {
        Self { method: Method::GET, url, headers, body: None }
    }
}

fn build(secure: bool, resolver: GuardedLookup) -> Result<Client, reqwest::Error> {
    // The first to install one wins, and any will do.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let builder = Client::builder()
        .dns_resolver(resolver)
        // A proxy would look up names where nobody checks them.
        .no_proxy()
        .redirect(Policy::none())
        .retry(reqwest::retry::never())
        .referer(false)
        // What is compressed is unpacked by `body`, which counts.
        .no_gzip()
        .no_brotli()
        .no_zstd()
        .no_deflate()
        .connect_timeout(CONNECTING)
        .read_timeout(SILENCE)
        .pool_max_idle_per_host(2)
        .user_agent(concat!("consign/", env!("CARGO_PKG_VERSION")));
    match secure {
        true => builder.build(),
        // No certificate is trusted, so that none has to be read.
        false => builder.tls_certs_only([]).build(),
    }
}

/// Why there is no answer. The address is not told but its host: its query may be secret.
pub(crate) fn lost(url: &Url, error: reqwest::Error) -> Error {
    let error = error.without_url();
    let place = place(url);
    let mut words = match &error {
        _ if error.is_timeout() => "it took too long".to_owned(),
        _ if error.is_connect() => "the connection failed".to_owned(),
        _ if error.is_body() || error.is_decode() => {
            "the connection was lost during the answer".to_owned()
        }
        _ => "the request failed".to_owned(),
    };
    let mut below = error.source();
    while let Some(cause) = below {
        if let Some(refused) = cause.downcast_ref::<Unreachable>() {
            return Error::not_allowed(refused);
        }
        let cause_words = cause.to_string();
        if !words.ends_with(&cause_words) {
            words = format!("{words}: {cause_words}");
        }
        below = cause.source();
    }
    match error.is_timeout() && !error.is_connect() {
        true => Error::timeout(format!("{place}: {words}")),
        false => Error::passing(format!("{place}: {words}")),
    }
}

/// The host and port of a URL, and nothing else of it.
pub(crate) fn place(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    let port = url.port_or_known_default().unwrap_or_default();
    format!("{host}:{port}")
}

/// Scheme, host and port of a URL.
pub(crate) fn origin(url: &Url) -> String {
    format!("{}://{}", url.scheme(), place(url))
}

//! The HTTP call and nothing else: what a call of a model cannot do without.

use std::{
    error::Error,
    time::{Duration, Instant},
};

use consign_models::transport::Outgoing;
use reqwest::{
    Client, Response,
    header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue},
    redirect::Policy,
};
use serde_json::Value;

pub(super) struct Bare {
    client: Client,
    headers: HeaderMap,
    outgoing: Outgoing,
}

impl Bare {
    /// A client with the settings that models are reached with, for a request that is always the same.
    pub(super) fn new(outgoing: Outgoing) -> Result<Self, Box<dyn Error>> {
        // The first to install one wins, and any will do: it is not used.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = Client::builder()
            .no_proxy()
            .tls_certs_only([])
            .redirect(Policy::none())
            .retry(reqwest::retry::never())
            .referer(false)
            .tcp_nodelay(true)
            .pool_max_idle_per_host(64)
            .build()?;
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        let accepted = HeaderValue::from_static("application/json, text/event-stream");
        headers.insert(ACCEPT, accepted);
        for (name, value) in &outgoing.headers {
            headers.insert(HeaderName::from_static(name), HeaderValue::from_str(value)?);
        }
        if let Some((name, secret)) = &outgoing.secret {
            let value = HeaderValue::from_str(secret.reveal())?;
            headers.insert(HeaderName::from_static(name), value);
        }
        Ok(Self { client, headers, outgoing })
    }

    async fn post(&self) -> reqwest::Result<Response> {
        let headers = self.headers.clone();
        let post = self.client.post(self.outgoing.url.as_str()).headers(headers);
        post.body(self.outgoing.body.clone()).send().await?.error_for_status()
    }

    /// Reads the whole answer.
    pub(super) async fn call(&self) -> reqwest::Result<()> {
        self.post().await?.bytes().await.map(drop)
    }

    /// How long it takes until a piece of the text is there. The rest is read too.
    pub(super) async fn first_token(&self) -> reqwest::Result<Option<Duration>> {
        let began = Instant::now();
        let mut response = self.post().await?;
        let (mut first, mut read) = (None, Vec::new());
        while let Some(piece) = response.chunk().await? {
            if first.is_none() {
                read.extend_from_slice(&piece);
                first = has_text(&read).then(|| began.elapsed());
            }
        }
        Ok(first)
    }

    /// The bodies of the last requests that the double got, by any way.
    pub(super) async fn seen(&self, url: &str) -> Result<Vec<Value>, Box<dyn Error>> {
        let seen = self.client.get(format!("{url}/double/seen")).send().await?;
        let mut seen: Value = serde_json::from_slice(&seen.bytes().await?)?;
        let Value::Array(requests) = seen["requests"].take() else { return Err("no list".into()) };
        Ok(requests.into_iter().map(|mut request| request["body"].take()).collect())
    }

    pub(super) fn body(&self) -> &[u8] {
        &self.outgoing.body
    }
}

/// Whether there is more of an answer than its empty beginning.
fn has_text(stream: &[u8]) -> bool {
    const CONTENT: &[u8] = br#""content":""#;
    let begins =
        |place: &[u8]| place.starts_with(CONTENT) && place.get(CONTENT.len()) != Some(&b'"');
    stream.windows(CONTENT.len() + 1).any(begins)
}

//! One request to GitHub: where it may go, how long it may take and how much it may answer.
//!
//! A request is sent once. A redirect is followed only for reading, and only to the same place: it comes
//! from a repository that was renamed. Proxies are not used, as they would look up names where nobody checks
//! the addresses.

use std::{
    fmt,
    net::IpAddr,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use consign_invokers::address::Reach;
use reqwest::{
    Client, Method, Response, StatusCode, Url,
    header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, ETAG, HeaderValue, IF_NONE_MATCH, LOCATION},
    redirect::Policy,
};

use super::{cache::Cache, limits::refusal};
use crate::{Error, OwnerRepo, Secret};

const CONNECTING: Duration = Duration::from_secs(10);
const REDIRECTS: usize = 3;
/// The most that is read of a refusal.
const REFUSAL: u64 = 64 << 10;
/// The most that is read of an answer to a change.
const CHANGED: u64 = 4 << 20;

const JSON: &str = "application/vnd.github+json";
const RAW: &str = "application/vnd.github.raw+json";

/// How GitHub is reached. All of it is the operator's, never a user's.
#[derive(Clone, Debug)]
pub struct Options {
    /// Where the interface is. Plain `http` is only for this machine.
    pub base_url: String,
    /// Whether it may be on this machine or in a private network.
    pub allow_private: bool,
    /// For one request with its answer.
    pub timeout: Duration,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            base_url: "https://api.github.com".to_owned(),
            allow_private: false,
            timeout: Duration::from_secs(30),
        }
    }
}

/// The client of one user, for any number of repositories.
pub struct Rest {
    base: Url,
    http: Client,
    token: Option<Secret>,
    timeout: Duration,
    cache: Mutex<Cache>,
}

impl fmt::Debug for Rest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rest").field("base", &self.base.as_str()).finish_non_exhaustive()
    }
}

impl Rest {
    /// Checks the options. Nothing is sent yet.
    pub fn new(options: &Options, token: Option<Secret>) -> Result<Self, Error> {
        let reach = Reach { private: options.allow_private };
        let base = reach.url(&options.base_url);
        let base = base.map_err(|why| Error::refused(format!("the address of GitHub: {why}")))?;
        if base.scheme() == "http" && !is_this_machine(&base) {
            let why = "the address of GitHub must begin with https: a token would be sent";
            return Err(Error::refused(why));
        }
        if let Some(token) = &token {
            authorization(token)?;
        }
        let http = build(&base, reach).map_err(|_| Error::refused("no client for GitHub"))?;
        Ok(Self { base, http, token, timeout: options.timeout, cache: Mutex::default() })
    }

    /// The address of something in a repository.
    pub(super) fn url<'a>(
        &self,
        of: &OwnerRepo,
        segments: impl IntoIterator<Item = &'a str>,
        query: &[(&str, &str)],
    ) -> Url {
        let mut url = self.base.clone();
        if let Ok(mut path) = url.path_segments_mut() {
            path.pop_if_empty().extend(["repos", of.owner(), of.repo()]).extend(segments);
        }
        if !query.is_empty() {
            url.query_pairs_mut().extend_pairs(query);
        }
        url
    }

    /// Reads a document, or has GitHub confirm that the one from before is still right.
    pub(super) async fn get(&self, url: Url, most: u64) -> Result<Arc<Vec<u8>>, Error> {
        let address = url.to_string();
        let kept = self.cache().get(&address);
        let tag = kept.as_ref().map(|kept| kept.tag.as_str());
        let response = self.follow(url, JSON, tag).await?;
        match (response.status(), kept) {
            (StatusCode::NOT_MODIFIED, Some(kept)) => Ok(kept.body),
            (status, _) if status.is_success() => {
                let tag = response.headers().get(ETAG).and_then(|it| it.to_str().ok());
                let tag = tag.map(str::to_owned);
                let body = Arc::new(whole(response, most).await?);
                if let Some(tag) = tag {
                    self.cache().put(&address, &tag, &body);
                }
                Ok(body)
            }
            _ => Err(self.refusal(response).await),
        }
    }

    /// Reads the bytes of a file.
    pub(super) async fn get_raw(&self, url: Url, most: u64) -> Result<Vec<u8>, Error> {
        let response = self.follow(url, RAW, None).await?;
        match response.status().is_success() {
            true => whole(response, most).await,
            false => Err(self.refusal(response).await),
        }
    }

    /// Changes something, once.
    pub(super) async fn send(
        &self,
        method: Method,
        url: Url,
        body: &serde_json::Value,
    ) -> Result<Vec<u8>, Error> {
        let request = self.http.request(method, url).header(CONTENT_TYPE, "application/json");
        let response = self.perform(request.body(body.to_string()), JSON).await?;
        match response.status().is_success() {
            true => whole(response, CHANGED).await,
            false => Err(self.refusal(response).await),
        }
    }

    async fn follow(&self, url: Url, accept: &str, tag: Option<&str>) -> Result<Response, Error> {
        let mut url = url;
        for _ in 0..=REDIRECTS {
            let mut request = self.http.get(url.clone());
            if let Some(tag) = tag {
                request = request.header(IF_NONE_MATCH, tag);
            }
            let response = self.perform(request, accept).await?;
            if !matches!(response.status().as_u16(), 301 | 302 | 307 | 308) {
                return Ok(response);
            }
            let to = response.headers().get(LOCATION).and_then(|it| it.to_str().ok());
            let to = to.and_then(|to| url.join(to).ok());
            url = to
                .filter(|to| to.origin() == self.base.origin())
                .ok_or_else(|| Error::refused("GitHub sent us to another place"))?;
        }
        Err(Error::refused("GitHub sent us from place to place"))
    }

    async fn perform(
        &self,
        request: reqwest::RequestBuilder,
        accept: &str,
    ) -> Result<Response, Error> {
        let mut request = request
            .header(ACCEPT, accept)
            .header("x-github-api-version", "2022-11-28")
            .timeout(self.timeout);
        if let Some(token) = &self.token {
            request = request.header(AUTHORIZATION, authorization(token)?);
        }
        request.send().await.map_err(lost)
    }

    async fn refusal(&self, response: Response) -> Error {
        let (status, headers) = (response.status(), response.headers().clone());
        let body = whole(response, REFUSAL).await.unwrap_or_default();
        refusal(status, &headers, &body, self.token.as_ref())
    }

    fn cache(&self) -> std::sync::MutexGuard<'_, Cache> {
        self.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A client for this address that follows nothing and tries nothing twice.
pub(in crate::github) fn build(base: &Url, reach: Reach) -> Result<Client, reqwest::Error> {
    // The first to install one wins, and any will do.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let builder = Client::builder()
        .dns_resolver(reach)
        .no_proxy()
        .redirect(Policy::none())
        .retry(reqwest::retry::never())
        .referer(false)
        .connect_timeout(CONNECTING)
        .tcp_nodelay(true)
        .user_agent(concat!("consign/", env!("CARGO_PKG_VERSION")));
    match base.scheme() {
        "https" => builder.build(),
        // No certificate is trusted, so that none has to be read.
        _ => builder.tls_certs_only([]).build(),
    }
}

pub(in crate::github) fn is_this_machine(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|it| it.is_loopback())
}

fn authorization(token: &Secret) -> Result<HeaderValue, Error> {
    let value = HeaderValue::from_str(&format!("Bearer {}", token.reveal()));
    let mut value = value.map_err(|_| Error::BadCredentials)?;
    value.set_sensitive(true);
    Ok(value)
}

pub(in crate::github) async fn whole(response: Response, most: u64) -> Result<Vec<u8>, Error> {
    let mut response = response;
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(lost)? {
        if (body.len() + chunk.len()) as u64 > most {
            return Err(Error::invalid(format!("it is larger than {most} bytes")));
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}

/// Why there is no answer, without the address.
pub(in crate::github) fn lost(error: reqwest::Error) -> Error {
    let error = error.without_url();
    let mut words = match &error {
        _ if error.is_timeout() => "it took too long".to_owned(),
        _ if error.is_connect() => "the connection failed".to_owned(),
        _ => "the connection was lost".to_owned(),
    };
    let mut below = std::error::Error::source(&error);
    while let Some(cause) = below {
        if let Some(refused) = cause.downcast_ref::<consign_invokers::address::Unreachable>() {
            return Error::refused(format!("the address of GitHub: {refused}"));
        }
        words = format!("{words}: {cause}");
        below = cause.source();
    }
    Error::unreachable(words.chars().take(300).collect::<String>())
}

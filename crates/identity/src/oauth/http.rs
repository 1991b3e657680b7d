//! HTTP with a provider: one request, one answer in JSON, no redirect, little time and few bytes.
//!
//! Proxies that the environment names are used for `https`, where they see no more than the host. Plain
//! `http` goes to this machine only (see [`settings`](super::settings)) and uses none.

use std::{pin::Pin, sync::OnceLock, time::Duration};

use oauth2::{AsyncHttpClient, HttpRequest, HttpResponse, http::Response};
use reqwest::{Client, Request, Url, redirect::Policy};

use super::settings::is_safe;

/// How long a connection may take to come about, TLS included.
const CONNECTING: Duration = Duration::from_secs(10);
/// The most bytes of an answer. What we read has a few thousand.
const MOST: usize = 256 << 10;

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Broken {
    #[error("{0}")]
    Unreachable(&'static str),
    #[error("{0}")]
    Answer(&'static str),
}

/// The clients for this machine and for everywhere else. Each is made when it is first used: reading the
/// system's certificates takes a while.
#[derive(Debug, Default)]
pub(super) struct Http {
    near: OnceLock<Client>,
    far: OnceLock<Client>,
}

impl Http {
    pub(super) async fn send(&self, request: HttpRequest) -> Result<HttpResponse, Broken> {
        let request =
            Request::try_from(request).map_err(|_| Broken::Unreachable("its URL is not valid"))?;
        if !is_safe(request.url()) {
            return Err(Broken::Unreachable("its URL is neither https nor of this machine"));
        }
        let mut answer =
            self.client(request.url())?.execute(request).await.map_err(|error| reason(&error))?;
        if answer.status().is_server_error() || answer.status().as_u16() == 429 {
            return Err(Broken::Unreachable("it cannot answer now"));
        }
        if answer.status().is_redirection() {
            return Err(Broken::Answer("it is a redirect, and none is followed"));
        }
        let mut body = Vec::new();
        while let Some(piece) = answer.chunk().await.map_err(|error| reason(&error))? {
            if body.len() + piece.len() > MOST {
                return Err(Broken::Answer("it is too long"));
            }
            body.extend_from_slice(&piece);
        }
        let (status, headers) = (answer.status(), std::mem::take(answer.headers_mut()));
        let mut response = Response::new(body);
        *response.status_mut() = status;
        *response.headers_mut() = headers;
        Ok(response)
    }

    fn client(&self, url: &Url) -> Result<&Client, Broken> {
        let is_far = url.scheme() == "https";
        let made = if is_far { &self.far } else { &self.near };
        if let Some(made) = made.get() {
            return Ok(made);
        }
        // The first to install one wins, and any will do.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let mut builder = Client::builder()
            .redirect(Policy::none())
            .retry(reqwest::retry::never())
            .referer(false)
            .connect_timeout(CONNECTING)
            .user_agent(concat!("consign/", env!("CARGO_PKG_VERSION")));
        if !is_far {
            // No certificate is trusted, so that none has to be read.
            builder = builder.no_proxy().tls_certs_only([]);
        }
        let new = builder.build().map_err(|_| Broken::Unreachable("TLS could not be set up"))?;
        Ok(made.get_or_init(|| new))
    }
}

/// For the library, which asks through this port.
impl<'c> AsyncHttpClient<'c> for Http {
    type Error = Broken;
    type Future = Pin<Box<dyn Future<Output = Result<HttpResponse, Broken>> + Send + 'c>>;

    fn call(&'c self, request: HttpRequest) -> Self::Future {
        Box::pin(self.send(request))
    }
}

/// What went wrong, in our own words: those of the library may name the address with its query.
fn reason(error: &reqwest::Error) -> Broken {
    Broken::Unreachable(match error {
        _ if error.is_timeout() => "it took too long",
        _ if error.is_connect() => "the connection failed",
        _ => "the connection was lost",
    })
}

//! The network itself: [`Transport`] over HTTP.
//!
//! One request is one attempt: nothing is tried twice here, no redirect is followed (it could send a
//! key to another host), and nothing is kept of what passes through. The caller limits the time for an
//! answer; only connecting has a limit of its own.
//!
//! Proxies that the environment names are used for `https`, where they see no more than the host. Plain
//! `http` is for servers nearby, and goes there straight.

use std::{error::Error as _, sync::OnceLock, time::Duration};

use async_trait::async_trait;
use futures_util::StreamExt;
use reqwest::{
    Client, ClientBuilder, Url,
    header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue},
    redirect::Policy,
};

use crate::transport::{Broken, Incoming, Outgoing, Transport};

/// How long a connection may take to come about, TLS included.
const CONNECTING: Duration = Duration::from_secs(10);

/// The transport over the real network.
#[derive(Debug, Default)]
pub struct Web {
    /// Each client is made when it is first used: reading the system's certificates takes a while,
    /// and a machine without any can still reach a server nearby.
    near: OnceLock<Client>,
    far: OnceLock<Client>,
}

impl Web {
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    fn client(&self, url: &Url) -> Result<&Client, Broken> {
        let (made, make): (_, fn() -> ClientBuilder) = match url.scheme() {
            "https" => (&self.far, Client::builder),
            // No certificate is trusted, so that none has to be read.
            _ => (&self.near, || Client::builder().no_proxy().tls_certs_only([])),
        };
        if let Some(made) = made.get() {
            return Ok(made);
        }
        // What cannot be made now may be made later.
        let new =
            build(make()).map_err(|why| Broken::Unreached(format!("{}: {why}", place(url))))?;
        Ok(made.get_or_init(|| new))
    }
}

fn build(builder: ClientBuilder) -> Result<Client, String> {
    // The first to install one wins, and any will do.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let built = builder
        .redirect(Policy::none())
        .retry(reqwest::retry::never())
        .referer(false)
        .connect_timeout(CONNECTING)
        .tcp_nodelay(true)
        .pool_max_idle_per_host(64)
        .pool_idle_timeout(Duration::from_secs(60))
        .user_agent(concat!("consign/", env!("CARGO_PKG_VERSION")))
        .build();
    built.map_err(|error| reasons(&error))
}

#[async_trait]
impl Transport for Web {
    async fn send(&self, request: Outgoing) -> Result<Incoming, Broken> {
        let url = Url::parse(&request.url)
            .ok()
            .filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host())
            .ok_or_else(|| Broken::Unreached("the provider: its URL is not valid".to_owned()))?;
        let place = place(&url);
        let headers = headers(&request).ok_or_else(|| {
            Broken::Unreached(format!("{place}: a header has characters that cannot be sent"))
        })?;
        let sending = self.client(&url)?.post(url).headers(headers).body(request.body);
        let response = sending.send().await.map_err(|error| {
            let why = reasons(&error);
            match error.is_connect() || error.is_builder() {
                true => Broken::Unreached(format!("{place}: {why}")),
                false => Broken::Lost(format!("{place}: {why}")),
            }
        })?;
        let text = |(name, value): (&HeaderName, &HeaderValue)| {
            Some((name.as_str().to_owned(), value.to_str().ok()?.to_owned()))
        };
        Ok(Incoming {
            status: response.status().as_u16(),
            headers: response.headers().iter().filter_map(text).collect(),
            body: response
                .bytes_stream()
                .map(move |piece| {
                    piece.map_err(|error| Broken::Lost(format!("{place}: {}", reasons(&error))))
                })
                .boxed(),
        })
    }
}

fn headers(request: &Outgoing) -> Option<HeaderMap> {
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(ACCEPT, HeaderValue::from_static("application/json, text/event-stream"));
    for (name, value) in &request.headers {
        headers.insert(HeaderName::from_static(name), HeaderValue::from_str(value).ok()?);
    }
    if let Some((name, secret)) = &request.secret {
        let mut value = HeaderValue::from_str(secret.reveal()).ok()?;
        value.set_sensitive(true);
        headers.insert(HeaderName::from_static(name), value);
    }
    Some(headers)
}

/// The host and port of a URL, and nothing else of it.
fn place(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
}

/// What went wrong, without the address: its query and its user may be secret.
fn reasons(error: &reqwest::Error) -> String {
    let mut words = match error {
        _ if error.is_timeout() => "it took too long".to_owned(),
        _ if error.is_connect() => "the connection failed".to_owned(),
        _ if error.is_body() || error.is_decode() => {
            "the connection was lost during the answer".to_owned()
        }
        _ => "the request failed".to_owned(),
    };
    // Those of `reqwest` itself may name the address, those below it do not.
    let mut below = error.source();
    while let Some(cause) = below {
        if cause.downcast_ref::<reqwest::Error>().is_none() {
            let cause = cause.to_string();
            if !words.ends_with(&cause) {
                words = format!("{words}: {cause}");
            }
        }
        below = cause.source();
    }
    words.chars().take(300).collect()
}

#[cfg(test)]
mod tests {
    use tokio::{
        io::{AsyncReadExt, AsyncWriteExt},
        net::TcpListener,
    };

    use super::*;
    use crate::transport::Secret;

    fn to(url: String) -> Outgoing {
        let secret = Some(("x-api-key", Secret::new("key-of-mine".to_owned())));
        let headers = vec![("anthropic-version", "2023-06-01".to_owned())];
        Outgoing { url, headers, secret, body: bytes::Bytes::from_static(b"{}") }
    }

    /// Answers one request with these bytes and tells what it was.
    async fn served(answer: &'static str) -> (String, tokio::task::JoinHandle<String>) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/v1/messages?hush=1", listener.local_addr().unwrap());
        let served = tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut seen = Vec::new();
            while !seen.ends_with(b"{}") {
                let mut some = [0; 1024];
                let read = stream.read(&mut some).await.unwrap();
                assert_ne!(read, 0);
                seen.extend_from_slice(&some[..read]);
            }
            stream.write_all(answer.as_bytes()).await.unwrap();
            String::from_utf8(seen).unwrap()
        });
        (url, served)
    }

    #[tokio::test]
    async fn a_request_goes_out_and_its_answer_comes_in() {
        let (url, served) =
            served("HTTP/1.1 307 No\r\nLocation: http://127.0.0.1:1/\r\nX-Two: b\r\ncontent-length: 2\r\n\r\nok").await;
        let mut incoming = Web::new().send(to(url)).await.unwrap();
        // A redirect is handed on and not followed.
        assert_eq!((incoming.status, incoming.header("x-two")), (307, Some("b")));
        assert_eq!(incoming.body.next().await.unwrap().unwrap(), "ok");
        let seen = served.await.unwrap().to_lowercase();
        assert!(seen.starts_with("post /v1/messages?hush=1 http/1.1\r\n"));
        for header in [
            "x-api-key: key-of-mine",
            "content-type: application/json",
            "anthropic-version: 2023-06-01",
        ] {
            assert!(seen.contains(header), "{seen}");
        }
    }

    #[tokio::test]
    async fn nobody_at_the_address_is_told_apart_from_an_answer_that_broke_off() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let place = listener.local_addr().unwrap();
        drop(listener);
        let broken =
            Web::new().send(to(format!("http://me:hush@{place}/?hush=1"))).await.err().unwrap();
        assert!(
            matches!(&broken, Broken::Unreached(why) if why.contains(&place.to_string())),
            "{broken}"
        );
        assert!(!broken.to_string().contains("hush"), "{broken}");

        let (url, _served) = served("").await;
        let broken = Web::new().send(to(url)).await.err().unwrap();
        assert!(matches!(broken, Broken::Lost(_)), "{broken}");
        assert!(!broken.to_string().contains("hush"), "{broken}");

        let (url, _served) = served("HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhalf").await;
        let incoming = Web::new().send(to(url)).await.unwrap();
        let pieces: Vec<_> = incoming.body.collect().await;
        assert!(matches!(pieces.last(), Some(Err(Broken::Lost(_)))), "{pieces:?}");
    }

    #[tokio::test]
    async fn what_cannot_be_sent_is_not_sent() {
        for url in ["", "nowhere", "ftp://h/", "data:x"] {
            let broken = Web::new().send(to(url.to_owned())).await.err().unwrap();
            assert!(matches!(broken, Broken::Unreached(_)), "{url}");
        }
        let secret = Some(("x-api-key", Secret::new("two\nlines".to_owned())));
        let broken =
            Web::new().send(Outgoing { secret, ..to("http://127.0.0.1:1/".to_owned()) }).await;
        assert!(!broken.err().unwrap().to_string().contains("lines"));
    }

    #[test]
    fn a_client_for_far_away_is_made_without_a_panic() {
        let url = Url::parse("https://h/").unwrap();
        // There may be no certificates on this machine: that is said, not panicked about.
        let _ = Web::new().client(&url);
        assert!(Web::new().client(&Url::parse("http://h/").unwrap()).is_ok());
    }
}

//! The double as a [`Transport`](consign_models::transport::Transport): in the same process,
//! without a network, on tokio's clock.

use async_trait::async_trait;
use consign_models::transport::{Broken, Incoming, Outgoing, Transport};

use super::server::{Double, Exchange, MOST_BODY_BYTES};

#[async_trait]
impl Transport for Double {
    async fn send(&self, request: Outgoing) -> Result<Incoming, Broken> {
        let (path, query) = address(&request.url);
        let mut headers: Vec<(String, String)> = request
            .headers
            .iter()
            .map(|(name, value)| (name.to_ascii_lowercase(), value.clone()))
            .collect();
        headers.push(("content-type".to_owned(), "application/json".to_owned()));
        if let Some((name, secret)) = &request.secret {
            headers.push((name.to_ascii_lowercase(), secret.reveal().to_owned()));
        }
        let body = (request.body.len() <= MOST_BODY_BYTES).then_some(request.body);
        let exchange = Exchange { method: "POST".to_owned(), path, query, headers, body };
        Ok(self.answer(&exchange).send().await)
    }
}

/// The path and the query of a URL, whichever host it names.
fn address(url: &str) -> (String, String) {
    let after_scheme = url.split_once("://").map_or(url, |(_, rest)| rest);
    let path = after_scheme.find('/').map_or("/", |start| &after_scheme[start..]);
    let (path, query) = path.split_once('?').unwrap_or((path, ""));
    (path.to_owned(), query.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_path_and_query_of_a_url_count() {
        let check = |url: &str, path: &str, query: &str| {
            assert_eq!(address(url), (path.to_owned(), query.to_owned()), "{url}");
        };
        check("http://127.0.0.1:1/v1/x?a=b", "/v1/x", "a=b");
        check("https://api.example.com/v1/x", "/v1/x", "");
        check("http://nowhere", "/", "");
        check("/v1/x", "/v1/x", "");
    }
}

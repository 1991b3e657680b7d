//! One exchange with a provider, as a line of a recording has it.

use bytes::Bytes;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Exchange {
    /// `provider/model`.
    pub model: String,
    /// The path of the URL, without the host.
    pub path: String,
    pub request: Body,
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub response: Body,
    /// Why the response ended too early.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub broken: Option<String>,
}

/// Bytes, written as text where they are text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Body {
    Text(String),
    Bytes { hex: String },
}

impl Body {
    #[must_use]
    pub fn new(bytes: &[u8]) -> Self {
        match std::str::from_utf8(bytes) {
            Ok(text) => Self::Text(text.to_owned()),
            Err(_) => Self::Bytes { hex: hex::encode(bytes) },
        }
    }

    /// The bytes; `None` if the recording was edited and they are not valid.
    #[must_use]
    pub fn bytes(&self) -> Option<Bytes> {
        match self {
            Self::Text(text) => Some(Bytes::copy_from_slice(text.as_bytes())),
            Self::Bytes { hex } => hex::decode(hex).ok().map(Bytes::from),
        }
    }
}

/// The path of a URL, without the host: a recording can be replayed for another host.
#[must_use]
pub(super) fn path_of(url: &str) -> String {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let path = rest.find('/').map_or("/", |at| &rest[at..]);
    let from =
        ["/chat/completions", "/messages", "/models/"].iter().find_map(|end| path.rfind(end));
    path[from.unwrap_or(0)..].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_survive() {
        for bytes in [&b"{\"a\": 1}\n"[..], &[0, 255, 16], b""] {
            let body = Body::new(bytes);
            let text = serde_json::to_string(&body).unwrap();
            let back: Body = serde_json::from_str(&text).unwrap();
            assert_eq!(back.bytes().unwrap(), bytes);
        }
        assert_eq!(Body::Bytes { hex: "0g".to_owned() }.bytes(), None);
    }

    #[test]
    fn the_place_is_left_out() {
        assert_eq!(path_of("http://127.0.0.1:80/v1/chat/completions"), "/chat/completions");
        let gemini = "https://host/v1beta/models/gemini:streamGenerateContent?alt=sse";
        assert_eq!(path_of(gemini), "/models/gemini:streamGenerateContent?alt=sse");
        assert_eq!(path_of("http://host/v1/other?x=1"), "/v1/other?x=1");
        assert_eq!(path_of("https://host"), "/");
    }
}

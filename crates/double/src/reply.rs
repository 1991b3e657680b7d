//! A complete response, worked out before any of it is sent: the head, and the parts of its body
//! with the pauses and breaks between them.

use std::{collections::VecDeque, time::Duration};

use bytes::Bytes;
use consign_models::transport::{Broken, Incoming};
use futures_util::{StreamExt, stream::BoxStream};
use serde_json::Value;

/// A response that is ready to be sent.
#[derive(Debug)]
pub(super) struct Reply {
    /// How long to wait before anything is sent.
    pub(super) before: Duration,
    pub(super) status: u16,
    /// Names in lower case.
    pub(super) headers: Vec<(&'static str, String)>,
    pub(super) parts: VecDeque<Part>,
}

/// A part of a body.
#[derive(Debug)]
pub(super) enum Part {
    Bytes(Bytes),
    Wait(Duration),
    /// Nothing more, for ever.
    Stall,
    /// The connection is dropped.
    Cut,
    /// One piece repeated many times, made as it is sent.
    Flood {
        piece: Bytes,
        times: u64,
    },
}

impl Reply {
    /// A whole body whose length is told.
    pub(super) fn whole(status: u16, content_type: &str, body: String) -> Self {
        let headers = vec![
            ("content-type", content_type.to_owned()),
            ("content-length", body.len().to_string()),
        ];
        Self { before: Duration::ZERO, status, headers, parts: [Part::Bytes(body.into())].into() }
    }

    pub(super) fn json(status: u16, body: &Value) -> Self {
        Self::whole(status, "application/json", body.to_string())
    }

    /// A body without a known length.
    pub(super) fn parts(content_type: &str, parts: impl IntoIterator<Item = Part>) -> Self {
        Self {
            before: Duration::ZERO,
            status: 200,
            headers: vec![("content-type", content_type.to_owned())],
            parts: parts.into_iter().collect(),
        }
    }

    pub(super) fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }

    /// Waits, then returns the head, and the body as it is made.
    pub(super) async fn send(self) -> Incoming {
        if !self.before.is_zero() {
            tokio::time::sleep(self.before).await;
        }
        Incoming {
            status: self.status,
            headers: self
                .headers
                .into_iter()
                .map(|(name, value)| (name.to_owned(), value))
                .collect(),
            body: body(self.parts),
        }
    }
}

fn body(parts: VecDeque<Part>) -> BoxStream<'static, Result<Bytes, Broken>> {
    futures_util::stream::unfold(parts, |mut parts| async move {
        loop {
            match parts.pop_front()? {
                Part::Bytes(bytes) => return Some((Ok(bytes), parts)),
                Part::Wait(time) => tokio::time::sleep(time).await,
                Part::Stall => std::future::pending().await,
                Part::Cut => {
                    // What was sent before must be on the wire before the connection is dropped,
                    // and it is put there only when there is nothing more to take at once.
                    tokio::task::yield_now().await;
                    parts.clear();
                    return Some((
                        Err(Broken::Lost("the connection was dropped".to_owned())),
                        parts,
                    ));
                }
                Part::Flood { times: 0, .. } => {}
                Part::Flood { piece, times } => {
                    parts.push_front(Part::Flood { piece: piece.clone(), times: times - 1 });
                    return Some((Ok(piece), parts));
                }
            }
        }
    })
    .boxed()
}

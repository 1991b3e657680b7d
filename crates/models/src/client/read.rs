//! Reads the answer to a request as it arrives, with limits on time and size.

use std::time::Duration;

use bytes::Bytes;
use consign_contracts::authoring::ErrorCode;
use futures_util::{StreamExt, stream::BoxStream};
use tokio::time::{Instant, timeout_at};

use super::{Refused, wait};
use crate::{
    Trouble,
    chat::Answer,
    transport::{Broken, Incoming},
    wire::Reader,
};

/// The most bytes that are read of an error response.
const MOST_OF_AN_ERROR: usize = 64 << 10;

/// What is known of a response before its body.
pub(super) struct Head {
    pub(super) status: u16,
    pub(super) wait: Option<Duration>,
    kind: Option<String>,
}

/// How an answer is sent.
pub(super) enum Kind {
    Whole,
    Stream,
}

impl Head {
    pub(super) fn of(incoming: &Incoming) -> Self {
        let kind = incoming
            .header("content-type")
            .map(|kind| kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase());
        Self { status: incoming.status, wait: wait::retry_after(incoming), kind }
    }

    /// How the answer is sent, if it is one. A stream that was asked for may come as one body, but
    /// an answer that was not to be streamed never comes as a stream. Without a content type, the
    /// answer is taken for what was asked for.
    pub(super) fn kind(&self, stream: bool) -> Result<Kind, Refused> {
        match self.kind.as_deref() {
            None if stream => Ok(Kind::Stream),
            Some("text/event-stream") if stream => Ok(Kind::Stream),
            None => Ok(Kind::Whole),
            Some(kind) if kind == "application/json" || kind.ends_with("+json") => Ok(Kind::Whole),
            Some(kind) => {
                let what = format!("the answer has the content type {kind}");
                Err(Refused::unknown(Trouble::passing(ErrorCode::AiInvalidResponse, what)))
            }
        }
    }
}

pub(super) struct Body {
    pieces: BoxStream<'static, Result<Bytes, Broken>>,
    /// The deadline for the first piece.
    first: Option<Instant>,
    gap: Duration,
    read: usize,
}

impl Body {
    pub(super) fn new(
        pieces: BoxStream<'static, Result<Bytes, Broken>>,
        first: Instant,
        gap: Duration,
    ) -> Self {
        Self { pieces, first: Some(first), gap, read: 0 }
    }

    async fn next(&mut self, most: usize) -> Result<Option<Bytes>, Refused> {
        let gap = Instant::now() + self.gap;
        let until = self.first.take().map_or(gap, |first| first.max(gap));
        let piece = timeout_at(until, self.pieces.next())
            .await
            .map_err(|_| Refused::late("the answer stalled".to_owned()))?
            .transpose()
            .map_err(Refused::broken)?;
        self.read += piece.as_ref().map_or(0, Bytes::len);
        if self.read > most {
            let what = format!("the answer has more than {most} bytes");
            return Err(Refused::unknown(Trouble::lasting(ErrorCode::AiInvalidResponse, what)));
        }
        Ok(piece)
    }

    /// The first bytes of an error response, as far as they arrive.
    pub(super) async fn beginning(&mut self) -> Vec<u8> {
        let mut bytes = Vec::new();
        while let Ok(Some(piece)) = self.next(usize::MAX).await {
            bytes.extend_from_slice(&piece);
            if bytes.len() > MOST_OF_AN_ERROR {
                bytes.truncate(MOST_OF_AN_ERROR);
                break;
            }
        }
        bytes
    }

    pub(super) async fn whole(&mut self, most: usize) -> Result<Vec<u8>, Refused> {
        let mut bytes = Vec::new();
        while let Some(piece) = self.next(most).await? {
            bytes.extend_from_slice(&piece);
        }
        Ok(bytes)
    }

    pub(super) async fn stream(
        &mut self,
        mut reader: Reader,
        most: usize,
        on_delta: &mut (dyn FnMut(&str) + Send),
    ) -> Result<Answer, Refused> {
        while !reader.is_over() {
            match self.next(most).await {
                Ok(Some(piece)) => reader.push(&piece, on_delta).map_err(Refused::unknown)?,
                Ok(None) => break,
                // The answer is there: what is lost is no more than the word that it is.
                Err(_) if reader.is_complete() => break,
                Err(refused) => return Err(refused),
            }
        }
        reader.finish(on_delta).map_err(Refused::unknown)
    }
}

//! Files as `multipart/form-data`, written to the disk as they come.
//!
//! Never more than a piece of the body is in memory: the reader of forms takes whatever there is, so it is given one piece at a
//! time, and no more than [`MOST_UNREAD`] that lead nowhere.

use std::{
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    task::{Context, Poll},
};

use axum::body::{Body, BodyDataStream, HttpBody};
use bytes::Bytes;
use consign_app::documents::{OcrWish, Upload, UploadWishes};
use futures_util::Stream;
use multer::{Field, Multipart};

use crate::{
    error::{Part, Problem},
    server::App,
};

/// Bytes of a form that may come without a part beginning or going on.
const MOST_UNREAD: usize = 1 << 20;
/// Bytes of the parts of a form that are no files, each.
const MOST_TEXT: usize = 64 << 10;
/// What a form may have besides its files: names, boundaries, facts.
const MOST_BESIDES: u64 = 1 << 20;

/// Reads a form, and puts its files into an upload.
pub(super) async fn read(
    app: &App,
    media: &str,
    body: Body,
) -> Result<(Upload, UploadWishes), Problem> {
    let boundary = multer::parse_boundary(media)
        .map_err(|_| invalid("", "multipart", "a form names its boundary in `content-type`"))?;
    let most = app.home.uploads.max_bytes;
    if body.size_hint().lower() > most.saturating_add(MOST_BESIDES) {
        let told = format!("the files of an upload have at most {most} bytes");
        return Err(Problem::new("BODY_TOO_LARGE", told));
    }
    let unread = Arc::new(AtomicUsize::new(0));
    let pieces = Pieces { body: body.into_data_stream(), unread: unread.clone(), pauses: false };
    let mut form = Multipart::new(pieces, boundary);
    let (mut upload, mut wishes) = (Upload::begin(&app.home)?, UploadWishes::default());
    let mut seen: Vec<String> = Vec::new();
    while let Some(mut field) = form.next_field().await.map_err(broken)? {
        unread.store(0, Ordering::Relaxed);
        let name = field.name().unwrap_or_default().to_owned();
        if name == "file" {
            upload.file(field.file_name().unwrap_or_default())?;
            while let Some(bytes) = field.chunk().await.map_err(broken)? {
                unread.store(0, Ordering::Relaxed);
                upload.write(&bytes)?;
            }
            continue;
        }
        let pointer = match &*name {
            "collection" | "metadata" | "credentials_id" | "ocr" => format!("/{name}"),
            _ => {
                let told =
                    "a form has `file`, `collection`, `metadata`, `credentials_id` and `ocr`";
                return Err(invalid("", "additionalProperties", told));
            }
        };
        if seen.contains(&name) {
            return Err(invalid(&pointer, "duplicate", "it is there twice"));
        }
        let text = text(&mut field, &unread, &pointer).await?;
        match &*name {
            "collection" => wishes.collection = text,
            "metadata" => {
                let told = "metadata is an object of JSON";
                let read = serde_json::from_str(&text);
                wishes.metadata = read.map_err(|_| invalid(&pointer, "type", told))?;
            }
            "credentials_id" => wishes.credentials_id = Some(text),
            _ => wishes.ocr = Some(ocr(&text).ok_or_else(|| no_ocr(&pointer))?),
        }
        seen.push(name);
    }
    Ok((upload, wishes))
}

pub(super) fn ocr(word: &str) -> Option<OcrWish> {
    match word {
        "fast" => Some(OcrWish::Fast),
        "best" => Some(OcrWish::Best),
        _ => None,
    }
}

fn no_ocr(pointer: &str) -> Problem {
    invalid(pointer, "enum", "it is one of fast, best")
}

/// A part that is no file, as text.
async fn text(
    field: &mut Field<'_>,
    unread: &AtomicUsize,
    pointer: &str,
) -> Result<String, Problem> {
    let mut text = Vec::new();
    while let Some(bytes) = field.chunk().await.map_err(broken)? {
        unread.store(0, Ordering::Relaxed);
        if text.len() + bytes.len() > MOST_TEXT {
            let told = format!("it has at most {MOST_TEXT} bytes");
            return Err(invalid(pointer, "maxLength", &told));
        }
        text.extend_from_slice(&bytes);
    }
    String::from_utf8(text).map_err(|_| invalid(pointer, "encoding", "it is not UTF-8"))
}

fn invalid(pointer: &str, keyword: &str, told: &str) -> Problem {
    Problem::invalid(Part::Body, pointer, keyword, told)
}

/// What is wrong with a form.
fn broken(error: multer::Error) -> Problem {
    if matches!(error, multer::Error::StreamReadFailed(_)) {
        return invalid("", "unfinished", "the body ended too early, or a part of it has no end");
    }
    invalid("", "multipart", &format!("this is no form: {error}"))
}

/// A body, piece by piece: after each comes a pause, so that a reader that asks until there is nothing left gets one.
struct Pieces {
    body: BodyDataStream,
    /// Bytes that were given since a part began or went on.
    unread: Arc<AtomicUsize>,
    pauses: bool,
}

impl Stream for Pieces {
    type Item = Result<Bytes, Box<dyn std::error::Error + Send + Sync>>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if self.pauses {
            self.pauses = false;
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        let polled = Pin::new(&mut self.body).poll_next(cx);
        if let Poll::Ready(Some(Ok(bytes))) = &polled {
            self.pauses = true;
            let unread = self.unread.fetch_add(bytes.len(), Ordering::Relaxed) + bytes.len();
            if unread > MOST_UNREAD + bytes.len() {
                return Poll::Ready(Some(Err("a part of the form has no end".into())));
            }
        }
        polled.map(|item| item.map(|piece| piece.map_err(Into::into)))
    }
}

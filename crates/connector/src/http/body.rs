//! The body of an answer, within bounds: into a copy, or into memory.

use std::io::{self, Write};

use flate2::write::MultiGzDecoder;
use reqwest::{Response, Url, header::CONTENT_ENCODING};

use super::client::lost;
use crate::{
    Error,
    destination::{Draft, too_large, unwritten},
    error::Limit,
};

/// Compressed bytes may become this many times as many, once they are more than [`FREE`].
const EXPANSION: u64 = 100;
const FREE: u64 = 100 << 10;

/// A copy, and the beginning of its bytes for whom it may concern.
struct Sink<'a> {
    draft: &'a mut Draft,
    start: &'a mut Vec<u8>,
    /// The most bytes of the beginning.
    keep: usize,
}

impl Write for Sink<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let free = self.keep.saturating_sub(self.start.len()).min(bytes.len());
        self.draft.write_all(bytes)?;
        self.start.extend_from_slice(&bytes[..free]);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Writes a body into a copy of at most so many bytes. Answers with up to `keep` bytes of its beginning.
pub(crate) async fn save(
    response: Response,
    url: &Url,
    draft: &mut Draft,
    most: u64,
    keep: usize,
) -> Result<Vec<u8>, Error> {
    if response.content_length().is_some_and(|length| length > most) {
        return Err(too_large(most));
    }
    let mut start = Vec::new();
    let gzip = is_gzip(&response)?;
    let mut response = response;
    let sink = Sink { draft, start: &mut start, keep };
    if !gzip {
        let mut sink = sink;
        while let Some(chunk) = response.chunk().await.map_err(|error| lost(url, error))? {
            sink.write_all(&chunk).map_err(|error| unwritten(&error, most))?;
        }
        return Ok(start);
    }
    let mut unpack = MultiGzDecoder::new(sink);
    let mut packed = 0;
    while let Some(chunk) = response.chunk().await.map_err(|error| lost(url, error))? {
        // Little goes in at a time, so that a bomb is seen before it goes off.
        for piece in chunk.chunks(4 << 10) {
            packed += piece.len() as u64;
            unpack.write_all(piece).map_err(|error| unpacked(&error, most))?;
            let size = unpack.get_ref().draft.size();
            if size > FREE && size > packed * EXPANSION {
                return Err(Error::too_large(
                    Limit::Expansion,
                    format!("the answer unpacks to more than {EXPANSION} times its size"),
                ));
            }
        }
    }
    if packed > 0 {
        unpack.try_finish().map_err(|error| unpacked(&error, most))?;
    }
    drop(unpack);
    Ok(start)
}

fn unpacked(error: &io::Error, most: u64) -> Error {
    let of_data =
        [io::ErrorKind::InvalidInput, io::ErrorKind::InvalidData, io::ErrorKind::UnexpectedEof];
    if of_data.contains(&error.kind()) {
        Error::passing("the answer is compressed, and cannot be unpacked")
    } else {
        unwritten(error, most)
    }
}

fn is_gzip(response: &Response) -> Result<bool, Error> {
    let mut is_gzip = false;
    for value in response.headers().get_all(CONTENT_ENCODING) {
        let value = value.to_str().unwrap_or("?").trim().to_ascii_lowercase();
        match value.as_str() {
            "" | "identity" => {}
            "gzip" | "x-gzip" if !is_gzip => is_gzip = true,
            other => {
                let why =
                    format!("the answer is compressed in a way that was not asked for: {other}");
                return Err(Error::unreachable(why));
            }
        }
    }
    Ok(is_gzip)
}

/// Reads a body into memory, up to so many bytes. What is beyond them is an error, or left.
pub(crate) async fn read(
    response: Response,
    url: &Url,
    most: usize,
    cut: bool,
) -> Result<Vec<u8>, Error> {
    let mut response = response;
    let mut bytes = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(|error| lost(url, error))? {
        let free = (most - bytes.len()).min(chunk.len());
        bytes.extend_from_slice(&chunk[..free]);
        if free < chunk.len() {
            if cut {
                break;
            }
            return Err(Error::too_large(
                Limit::Bytes,
                format!("the answer is larger than {most} bytes"),
            ));
        }
    }
    Ok(bytes)
}

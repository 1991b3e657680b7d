//! Splits an answer into the parts of a response, and adds the delays and faults of the script.

use std::time::Duration;

use bytes::Bytes;

use super::{
    reply::{Part, Reply},
    script::{After, Entry, Fault},
    written::{Frame, Written},
};

/// A mark in an answer for text that is made as it is sent. JSON does not escape it.
pub(super) const FLOOD: &str = "\u{e000}flood\u{e000}";

/// An HTML page, as proxies send them.
pub(super) fn page(status: u16) -> Reply {
    let body = format!(
        "<!doctype html>\n<html><head><title>{status}</title></head>\
         <body><center><h1>{status}</h1></center><hr><center>double</center></body></html>\n"
    );
    Reply::whole(status, "text/html; charset=utf-8", body)
}

/// Makes the response.
pub(super) fn respond(written: Written, entry: Option<&Entry>) -> Reply {
    let fault = entry.and_then(|entry| entry.fault.as_ref());
    match written {
        Written::Whole(value) => whole(value.to_string(), fault),
        Written::Stream { content_type, frames, error } => {
            let pause = entry.map_or(Duration::ZERO, |entry| entry.chunk_delay);
            Reply::parts(content_type, stream(frames, &error, pause, fault))
                .with("cache-control", "no-cache")
        }
    }
}

fn whole(body: String, fault: Option<&Fault>) -> Reply {
    const JSON: &str = "application/json";
    let half = body.len() / 2;
    match fault {
        Some(Fault::BadJson {}) => Reply::whole(200, JSON, beginning(&body, half).to_owned()),
        Some(Fault::Stall { ms, .. }) => {
            let (first, second) = body.split_at(beginning(&body, half).len());
            let parts = [bytes(first), stall(*ms), bytes(second)];
            let length = body.len().to_string();
            Reply::parts(JSON, parts).with("content-length", length)
        }
        Some(Fault::CutOff { after_bytes, .. }) => {
            let kept = after_bytes.unwrap_or(half).min(body.len().saturating_sub(1));
            let first = Bytes::copy_from_slice(&body.as_bytes()[..kept]);
            let length = body.len().to_string();
            Reply::parts(JSON, [Part::Bytes(first), Part::Cut]).with("content-length", length)
        }
        Some(Fault::Huge { megabytes }) => Reply::parts(JSON, flood(&body, *megabytes)),
        _ => Reply::whole(200, JSON, body),
    }
}

fn stream(
    mut frames: Vec<Frame>,
    error: &str,
    pause: Duration,
    fault: Option<&Fault>,
) -> Vec<Part> {
    match due(fault) {
        None => paced(&frames, pause, fault),
        Some(After::Bytes(count)) => {
            let all: String = frames.into_iter().map(|frame| frame.text).collect();
            let kept = count.min(all.len().saturating_sub(1));
            vec![Part::Bytes(Bytes::copy_from_slice(&all.as_bytes()[..kept])), Part::Cut]
        }
        Some(After::Chunks(count)) => {
            let rest = frames.split_off(place(&frames, count));
            let mut parts = paced(&frames, pause, fault);
            match fault {
                Some(Fault::Stall { ms, .. }) => {
                    parts.push(stall(*ms));
                    parts.extend(paced(&rest, pause, fault));
                }
                Some(Fault::StreamError { .. }) => parts.push(bytes(error)),
                _ => parts.push(Part::Cut),
            }
            parts
        }
    }
}

/// The index of the frame after so many chunks; always one before the end.
fn place(frames: &[Frame], chunks: usize) -> usize {
    let places = || frames.iter().enumerate().filter(|(_, frame)| frame.chunk).map(|(at, _)| at);
    match (chunks, places().next(), places().next_back()) {
        (0, Some(first), _) => first,
        (_, _, Some(last)) => places().nth(chunks - 1).unwrap_or(last) + 1,
        (_, _, None) => frames.len().saturating_sub(1),
    }
}

fn paced(frames: &[Frame], pause: Duration, fault: Option<&Fault>) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut is_first = true;
    for Frame { text, chunk } in frames {
        if *chunk && !is_first && !pause.is_zero() {
            parts.push(Part::Wait(pause));
        }
        is_first &= !*chunk;
        parts.push(match fault {
            Some(Fault::Huge { megabytes }) => repeat(text, *megabytes),
            // The line breaks stay: it is the JSON that is bad.
            Some(Fault::BadJson {}) if *chunk => {
                let data = text.trim_end();
                let ending = &text[data.len()..];
                bytes(&format!("{}{ending}", beginning(data, data.len() * 2 / 3)))
            }
            _ => bytes(text),
        });
    }
    parts
}

/// When a fault of a stream happens.
fn due(fault: Option<&Fault>) -> Option<After> {
    match fault {
        Some(Fault::Stall { after_chunks, .. } | Fault::StreamError { after_chunks }) => {
            Some(After::Chunks(*after_chunks))
        }
        Some(Fault::CutOff { after_bytes: Some(count), .. }) => Some(After::Bytes(*count)),
        Some(Fault::CutOff { after_chunks, .. }) => Some(After::Chunks(after_chunks.unwrap_or(1))),
        _ => None,
    }
}

fn bytes(text: &str) -> Part {
    Part::Bytes(Bytes::copy_from_slice(text.as_bytes()))
}

fn stall(ms: Option<u32>) -> Part {
    ms.map_or(Part::Stall, |ms| Part::Wait(Duration::from_millis(ms.into())))
}

/// At most so many bytes from the start, and no half letter.
fn beginning(text: &str, bytes: usize) -> &str {
    &text[..text.floor_char_boundary(bytes)]
}

/// How much of a huge answer is made at once.
const PIECE_BYTES: usize = 64 << 10;

/// How many pieces a huge answer has.
fn pieces(megabytes: u32) -> u64 {
    u64::from(megabytes) * ((1 << 20) / PIECE_BYTES as u64)
}

fn flood(body: &str, megabytes: u32) -> Vec<Part> {
    let (before, after) = body.split_once(FLOOD).unwrap_or((body, ""));
    let piece = Bytes::from(vec![b'a'; PIECE_BYTES]);
    vec![bytes(before), Part::Flood { piece, times: pieces(megabytes) }, bytes(after)]
}

fn repeat(frame: &str, megabytes: u32) -> Part {
    if !frame.contains(FLOOD) {
        return bytes(frame);
    }
    let piece = Bytes::from(frame.replace(FLOOD, &"a".repeat(PIECE_BYTES)));
    Part::Flood { piece, times: pieces(megabytes) }
}

/// The tokens of a huge answer.
pub(super) fn flood_tokens(megabytes: u32) -> u64 {
    super::tokens::count(&"a".repeat(PIECE_BYTES)).saturating_mul(pieces(megabytes))
}

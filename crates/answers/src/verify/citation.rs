//! Whether a citation points to what was given, byte by byte.

use super::Fault;
use crate::passage::{Citation, Passage};

/// The passage that a citation is of.
pub(super) fn check<'a>(
    citation: &Citation,
    passages: &'a [Passage],
) -> Result<&'a Passage, Fault> {
    let passage = passages.iter().find(|passage| passage.chunk_id == citation.chunk_id);
    let passage = passage.ok_or(Fault::ChunkNotGiven)?;
    if passage.source_id != citation.source_id {
        return Err(Fault::OtherSource);
    }
    if passage.source_hash != citation.source_hash {
        return Err(Fault::OtherHash);
    }
    let (start, end) = citation.span;
    let inside = passage.span.start <= start && start < end && end <= passage.span.end;
    if !inside && !citation.text_snippet.is_empty() && (start, end) == (0, 0) {
        // A model's quote that was looked for and not found.
        return Err(Fault::QuoteDiffers);
    }
    if !inside {
        return Err(Fault::SpanOutside);
    }
    match passage.quote(&(start..end)) {
        Some(quote) if quote == citation.text_snippet => Ok(passage),
        Some(_) | None => Err(Fault::QuoteDiffers),
    }
}

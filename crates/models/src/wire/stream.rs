//! Reads a streamed answer, piece by piece.

use consign_contracts::{authoring::ErrorCode, json};

use super::{
    Dialect, anthropic,
    draft::{Draft, unreadable},
    gemini, openai, refusal,
    sse::Sse,
};
use crate::{Provider, Trouble, chat::Answer};

/// Takes the bytes of a stream as they arrive, reports new text, and returns the answer at the end.
/// A stream that stops before it said that it is complete gives no answer.
#[derive(Debug)]
pub struct Reader {
    provider: Provider,
    sse: Sse,
    draft: Draft,
}

impl Reader {
    /// A reader that accepts at most `most_bytes` in a single event.
    #[must_use]
    pub fn new(provider: Provider, most_bytes: usize) -> Self {
        Self { provider, sse: Sse::new(most_bytes), draft: Draft::default() }
    }

    /// Takes a piece of any size. `on_delta` gets each new piece of the text.
    pub fn push(
        &mut self,
        bytes: &[u8],
        on_delta: &mut (dyn FnMut(&str) + Send),
    ) -> Result<(), Trouble> {
        let Self { provider, sse, draft } = self;
        sse.push(bytes, &mut |data| take(*provider, draft, data, on_delta))
    }

    /// Whether the answer is complete, even if more follows, such as the usage.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.draft.complete
    }

    /// Whether no more data is expected.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.draft.over
    }

    /// Ends the reading, when no more bytes come.
    pub fn finish(mut self, on_delta: &mut (dyn FnMut(&str) + Send)) -> Result<Answer, Trouble> {
        let Self { provider, sse, draft } = &mut self;
        // Half an event at the end is one that was cut off, not one that is wrong.
        let cut_off = || Trouble::passing(ErrorCode::AiNetworkError, "the answer was cut off");
        let last = sse.finish(&mut |data| take(*provider, draft, data, on_delta));
        match last {
            Err(trouble) if trouble.code != ErrorCode::AiInvalidResponse => Err(trouble),
            Ok(()) | Err(_) => self.draft.finish().ok_or_else(cut_off),
        }
    }
}

fn take(
    provider: Provider,
    draft: &mut Draft,
    data: &[u8],
    on_delta: &mut (dyn FnMut(&str) + Send),
) -> Result<(), Trouble> {
    if draft.over {
        return Ok(());
    }
    if data.trim_ascii() == b"[DONE]" {
        // It ends OpenAI's streams, and some send it in their stead although they speak otherwise.
        // What was not complete by then is not made so by it, but where nothing else says it.
        draft.complete |= Dialect::of(provider) == Dialect::OpenAi;
        draft.over = true;
        return Ok(());
    }
    let limits = json::Limits { bytes: data.len(), ..json::Limits::default() };
    let event = json::parse_within(data, limits).map_err(|malformed| {
        unreadable(format!("an event of the answer is not JSON: {malformed}"))
    })?;
    if let Some(trouble) = refusal::inside(provider, &event) {
        return Err(trouble);
    }
    match Dialect::of(provider) {
        Dialect::OpenAi => openai::event(provider, &event, draft, on_delta),
        Dialect::Anthropic => anthropic::event(&event, draft, on_delta),
        Dialect::Gemini => gemini::event(&event, draft, on_delta),
    }
}

//! What `/openapi.json` says of a route besides its contracts: plain data, without behaviour.

/// An operation, as OpenAPI calls a method of a path.
#[derive(Clone, Copy)]
pub(crate) struct Operation {
    /// `operationId`. A body that is declared with the route is published under this name, with a capital letter.
    pub(crate) id: &'static str,
    pub(crate) summary: &'static str,
    /// May be empty.
    pub(crate) description: &'static str,
    /// Headers that the handler reads, each with its meaning and its JSON Schema.
    pub(crate) headers: &'static [(&'static str, &'static str, &'static str)],
    pub(crate) answers: &'static [Answer],
}

impl Operation {
    pub(crate) const fn new(
        id: &'static str,
        summary: &'static str,
        answers: &'static [Answer],
    ) -> Self {
        Self { id, summary, description: "", headers: &[], answers }
    }

    pub(crate) const fn description(self, description: &'static str) -> Self {
        Self { description, ..self }
    }

    pub(crate) const fn headers(
        self,
        headers: &'static [(&'static str, &'static str, &'static str)],
    ) -> Self {
        Self { headers, ..self }
    }
}

/// An answer that is no error: every route has the same errors.
#[derive(Clone, Copy)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) description: &'static str,
    /// The name of its schema under `components`; `None` if it has no body, or none in JSON.
    pub(crate) schema: Option<&'static str>,
    /// The media type of a body that is not JSON.
    pub(crate) media: Option<&'static str>,
    /// What comes as a stream of events, where that is asked for.
    pub(crate) stream: Option<&'static str>,
    /// Headers, each with its meaning.
    pub(crate) headers: &'static [(&'static str, &'static str)],
}

impl Answer {
    pub(crate) const fn json(status: u16, schema: &'static str, description: &'static str) -> Self {
        Self { status, description, schema: Some(schema), media: None, stream: None, headers: &[] }
    }

    pub(crate) const fn empty(status: u16, description: &'static str) -> Self {
        Self { status, description, schema: None, media: None, stream: None, headers: &[] }
    }

    /// A body that is not JSON.
    pub(crate) const fn text(status: u16, media: &'static str, description: &'static str) -> Self {
        Self { media: Some(media), ..Self::empty(status, description) }
    }

    /// Or the events of a journal.
    pub(crate) const fn or_stream(self) -> Self {
        self.or_stream_of(
            "Events of the journal; `data` is one of contract engine/event, `id` its seq.",
        )
    }

    pub(crate) const fn or_stream_of(self, events: &'static str) -> Self {
        Self { stream: Some(events), ..self }
    }

    pub(crate) const fn headers(self, headers: &'static [(&'static str, &'static str)]) -> Self {
        Self { headers, ..self }
    }
}

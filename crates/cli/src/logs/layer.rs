//! Events become lines: what the spans around an event say is kept with each span, and put before it.

use jiff::Timestamp;
use tracing::{
    Event, Subscriber,
    span::{Attributes, Id, Record},
};
use tracing_subscriber::{Layer, layer::Context, registry::LookupSpan};

use super::{
    fields::Fields,
    form::{Entry, Form},
};

/// Writes each event that it is given; what it is given is the filter's business.
pub(super) struct LogLayer<W> {
    form: Form,
    write: W,
}

impl<W: Fn(String)> LogLayer<W> {
    pub(super) fn new(form: Form, write: W) -> Self {
        Self { form, write }
    }
}

impl<S, W> Layer<S> for LogLayer<W>
where
    S: Subscriber + for<'span> LookupSpan<'span>,
    W: Fn(String) + 'static,
{
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let Some(span) = context.span(id) else { return };
        let mut fields = Fields::default();
        attributes.record(&mut fields);
        span.extensions_mut().insert(fields);
    }

    fn on_record(&self, id: &Id, values: &Record<'_>, context: Context<'_, S>) {
        let Some(span) = context.span(id) else { return };
        if let Some(fields) = span.extensions_mut().get_mut::<Fields>() {
            values.record(fields);
        }
    }

    fn on_event(&self, event: &Event<'_>, context: Context<'_, S>) {
        let (mut around, mut own) = (Fields::default(), Fields::default());
        for span in context.event_scope(event).into_iter().flat_map(|scope| scope.from_root()) {
            if let Some(fields) = span.extensions().get::<Fields>() {
                fields.iter().for_each(|(name, value)| around.set(name, value.clone()));
            }
        }
        event.record(&mut own);
        let message = own.take_message();
        (self.write)(self.form.line(&Entry {
            time: Timestamp::now(),
            level: *event.metadata().level(),
            target: event.metadata().target(),
            around: &around,
            message: &message,
            own: &own,
        }));
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use tracing::{error_span, field::Empty, info, subscriber::with_default};
    use tracing_subscriber::{Registry, layer::SubscriberExt};

    use super::*;

    #[test]
    fn an_event_has_the_fields_of_all_spans_around_it() {
        let lines = Arc::new(Mutex::new(Vec::new()));
        let heard = lines.clone();
        let layer = LogLayer::new(Form::default(), move |line| heard.lock().unwrap().push(line));
        with_default(Registry::default().with(layer), || {
            let request = error_span!("request", request = "r-1", owner = Empty);
            request.in_scope(|| {
                request.record("owner", "local");
                error_span!("run", run = "2a3g").in_scope(|| info!(events = 3, "step committed"));
            });
            info!("alone");
        });
        let lines = lines.lock().unwrap();
        let ends = [" request=r-1 owner=local run=2a3g: step committed events=3", "tests: alone"];
        assert_eq!(lines.len(), ends.len());
        for (line, end) in lines.iter().zip(ends) {
            assert!(line.ends_with(end), "{line}");
        }
    }
}

//! What an ingest was given, by its journal: an ingest that goes on in another process fetches nothing twice.

use std::sync::Arc;

use async_trait::async_trait;
use consign_connector::Validators;
use consign_conversation::{Given, ingest::given_of};
use consign_engine::{RunId, Seq, journal::Body, store::Store};

use crate::home::{PAGE, PAGE_BYTES};

/// Reads journals of a store.
pub(super) struct JournalGiven(pub(super) Arc<dyn Store>);

#[async_trait]
impl Given for JournalGiven {
    async fn given(&self, run: &RunId) -> Result<Vec<(String, Option<Validators>)>, String> {
        let (mut given, mut from) = (Vec::new(), Seq::default());
        loop {
            let page = self.0.events_within(run, from, PAGE, PAGE_BYTES).await;
            let page = page.map_err(|error| error.to_string())?;
            let Some(last) = page.last() else { return Ok(given) };
            from = last.seq.next();
            for record in &page {
                let body = record.body().map_err(|fault| fault.to_string())?;
                if let Some(Body::CallCompleted(call)) = body {
                    given.extend(given_of(call.key.as_str(), &call.output));
                }
            }
        }
    }
}

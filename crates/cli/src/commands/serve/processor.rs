//! Envelopes that come by HTTP: carried while the request lasts, or made durable runs.

use std::sync::Arc;

use async_trait::async_trait;
use bytes::Bytes;
use consign_app::view;
use consign_contracts::{json::Json, wire::Message};
use consign_engine::{Data, Engine, Fault, Placement};
use consign_pipeline::{
    BUILT_IN, ENVELOPE, Errand, Unfit, adopt,
    adopt::{Standing, Terms},
    envelope::{NotAnEnvelope, WAITS, read},
};
use consign_server::{Ask, Processed, Processor, Refused};

use crate::commands::process::Desk;

pub(super) struct Pipelines {
    pub(super) desk: Desk,
    pub(super) engine: Arc<Engine>,
    /// What this machine is called: repositories and files are where they are.
    pub(super) host: Arc<str>,
}

#[async_trait]
impl Processor for Pipelines {
    async fn process(&self, body: Bytes, ask: Ask) -> Result<Processed, Refused> {
        let desk = &self.desk;
        let envelope = read(&body, desk.max_bytes).map_err(|why| match why {
            NotAnEnvelope::Malformed(malformed) => Refused::Malformed(malformed),
            NotAnEnvelope::Breached(breaches) => Refused::Breached(breaches),
        })?;
        // What is over comes back as it is, and is nobody's run.
        if !ask.durable || envelope.terminated {
            let until = ask.until.as_deref();
            let journey = desk.take(envelope, until, ask.late(), ask.too_late()).await;
            let journey = journey.map_err(unfit)?;
            let (asks, envelope) = (journey.question().is_some(), journey.into_envelope());
            let complete = envelope.terminated || asks || !ask.is_late();
            return Ok(Processed { body: envelope.into_json(), run: None, complete });
        }
        let terms = Terms {
            owner: ask.owner.clone(),
            actor: ask.actor.clone(),
            limits: desk.limits.clone(),
            placement: Placement::Host(self.host.clone()),
            settings: desk.settings.clone(),
        };
        let here = (desk.ready.pipeline.as_ref(), &desk.ready.place);
        let run = adopt::adopt(&self.engine, here, envelope, ask.until.as_deref(), terms).await?;
        let mut standing = adopt::follow(&self.engine, &run, ask.enough()).await?;
        tell_waits(&mut standing);
        let body = standing.envelope.to_json();
        Ok(Processed { body, run: Some(run), complete: standing.still })
    }

    /// Repository, policy and definitions are the server's. Built-in agents look where they are told to, so
    /// nobody outside calls them by themselves.
    fn admit(&self, workflow: &str, input: Data) -> Result<Data, Fault> {
        if workflow == ENVELOPE {
            let mut errand: Errand = input.to().map_err(|cause| {
                Fault::permanent("INVALID_INPUT", format!("the input of {workflow}: {cause}"))
            })?;
            errand.place = self.desk.ready.place.clone();
            return Ok(Data::of(&errand));
        }
        let tree = input.tree()?;
        let agent = tree.get("agent").and_then(Json::as_str).map(str::to_owned);
        let plain = |agent: &String| agent.split(['@', '#']).next().unwrap_or_default().to_owned();
        if let Some(agent) =
            agent.as_ref().map(plain).filter(|agent| BUILT_IN.contains(&agent.as_str()))
        {
            let text = format!("{agent} works in a pipeline only: POST /api/v1/process");
            return Err(Fault::permanent("INVALID_INPUT", text));
        }
        Ok(input)
    }
}

/// Whoever holds the envelope learns that sending it again moves nothing.
fn tell_waits(Standing { envelope, waits, .. }: &mut Standing) {
    if !waits.is_empty() {
        let waits = waits.iter().map(|ask| Json::Object(view::interaction(ask))).collect();
        envelope.metadata.get_or_insert_default().set(WAITS, Json::Array(waits));
    }
}

fn unfit(why: Unfit) -> Refused {
    Fault::permanent("UNKNOWN_STAGE", why.to_string()).into()
}

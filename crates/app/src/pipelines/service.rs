//! Envelopes that come in with a request: carried while the request lasts, or made durable runs.
//!
//! [`Processor`] is the port that a server calls; [`PipelineService`] implements it for the pipeline that
//! the server was started with.

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use bytes::Bytes;
use consign_contracts::{
    Breach,
    json::{Json, Malformed},
    wire::Message,
};
use consign_engine::{
    Data, Engine, Error, Fault, Limits, Owner, Placement, RunId, Settings, Speaker, Submitted,
    store,
};
use consign_pipeline::{
    AgentScope, Unfit, adopt,
    adopt::{Standing, Terms},
    envelope::{NotAnEnvelope, WAITS, read},
};
use tokio::time::{Instant, sleep_until};

use super::{EnvelopeRunner, PipelineStart, Ready, RunPipeline, keys, run_pipeline};
use crate::{
    closing::Closing,
    home::Home,
    machine::host,
    runs::{self, Admission},
    view,
};

/// How long agents of a carried envelope have to stop in order, at most.
const STOPPING: Duration = Duration::from_secs(5);

/// Processes an envelope to its end, a wait, a bound or a stage.
///
/// The body is what came in, unread: a processor refuses what is not JSON and what breaks the contract. The future is
/// dropped when the time is over or the client has gone; a durable run goes on without it. What a carried envelope came
/// to exists nowhere else, so it is left before that: see [`Ask::late`].
#[async_trait]
pub trait Processor: Send + Sync {
    async fn process(&self, body: Bytes, ask: Ask) -> Result<Processed, Refused>;

    /// Starts a run of the pipeline of this name with plain JSON, and leaves it to the workers.
    async fn start(&self, pipeline: &str, _ask: StartAsk) -> Result<Submitted, crate::Error> {
        Err(no_pipeline(pipeline, None).into())
    }

    /// Where the agents of runs may look that are started from outside: that is not the caller's to say.
    fn place(&self) -> AgentScope {
        AgentScope::default()
    }
}

/// Processes envelopes with one pipeline.
pub struct PipelineService {
    pub carrier: EnvelopeRunner,
    pub engine: Arc<Engine>,
}

impl PipelineService {
    /// Processes envelopes with this pipeline, within the standard limits.
    #[must_use]
    pub fn new(
        home: &Home,
        ready: Ready,
        settings: Settings,
        owner: Owner,
        max_bytes: usize,
    ) -> Self {
        let engine = home.engine.clone();
        let agents = engine.agents().clone();
        let limits = Limits::standard();
        let budget = None;
        let carrier = EnvelopeRunner { agents, ready, limits, settings, owner, max_bytes, budget };
        Self { carrier, engine }
    }
}

#[async_trait]
impl Processor for PipelineService {
    async fn process(&self, body: Bytes, ask: Ask) -> Result<Processed, Refused> {
        let carrier = &self.carrier;
        let envelope = read(&body, carrier.max_bytes).map_err(|why| match why {
            NotAnEnvelope::Malformed(malformed) => Refused::Malformed(malformed),
            NotAnEnvelope::Breached(breaches) => Refused::Breached(breaches),
        })?;
        // An envelope that is over comes back as it is, and becomes no run.
        if !ask.durable || envelope.terminated {
            let until = ask.until.as_deref();
            let (late, too_late) = (ask.late(), ask.too_late());
            let journey = carrier.take_for(&ask.owner, envelope, until, late, too_late).await;
            let journey = journey.map_err(unfit)?;
            let (asks, envelope) = (journey.question().is_some(), journey.into_envelope());
            let complete = envelope.terminated || asks || !ask.is_late();
            return Ok(Processed { body: envelope.into_json(), run: None, complete });
        }
        let terms = Terms {
            owner: ask.owner.clone(),
            by: ask.by.clone(),
            limits: carrier.limits.clone(),
            // Repositories and files are on this machine.
            placement: Placement::Host(host()),
            settings: carrier.settings.clone(),
        };
        let here = (carrier.ready.pipeline.as_ref(), &carrier.ready.place);
        let run = adopt::adopt(&self.engine, here, envelope, ask.until.as_deref(), terms).await?;
        let mut standing = adopt::follow(&self.engine, &run, ask.enough()).await?;
        tell_waits(&mut standing);
        let body = standing.envelope.to_json();
        Ok(Processed { body, run: Some(run), complete: standing.still })
    }

    async fn start(&self, pipeline: &str, ask: StartAsk) -> Result<Submitted, crate::Error> {
        let ready = &self.carrier.ready;
        if ready.pipeline.name != pipeline {
            return Err(no_pipeline(pipeline, Some(&ready.pipeline.name)).into());
        }
        let wanted = RunPipeline {
            input: ask.input,
            until: None,
            id: ask.id,
            owner: ask.owner,
            limits: ask.limits,
            // Repositories and files are on this machine.
            placement: Placement::Host(host()),
            priority: 0,
            settings: self.carrier.settings.clone(),
            certified: false,
            actor: ask.by.actor,
        };
        let PipelineStart { start, missing_keys, .. } =
            run_pipeline(&self.engine, ready, wanted).await?;
        keys::refuse(&missing_keys)?;
        runs::start(&self.engine, start, Admission::Trusted).await
    }

    fn place(&self) -> AgentScope {
        self.carrier.ready.place.clone()
    }
}

/// The envelope says what its run waits for: sending it again moves nothing.
fn tell_waits(Standing { envelope, waits, .. }: &mut Standing) {
    if !waits.is_empty() {
        let waits = waits.iter().map(|ask| Json::Object(view::interaction(ask))).collect();
        envelope.metadata.get_or_insert_default().set(WAITS, Json::Array(waits));
    }
}

fn unfit(why: Unfit) -> Refused {
    Fault::permanent("UNKNOWN_STAGE", why.to_string()).into()
}

/// A run of a pipeline that is started from outside.
#[derive(Clone, Debug)]
pub struct StartAsk {
    pub input: Data,
    /// The caller's own name for it.
    pub id: Option<RunId>,
    pub limits: Limits,
    pub owner: Owner,
    pub by: Speaker,
}

fn no_pipeline(name: &str, known: Option<&str>) -> crate::Refused {
    let refused =
        crate::Refused::new("PIPELINE_NOT_FOUND", format!("there is no pipeline {name:?}"));
    match known {
        Some(known) => refused.hint(format!("this server has {known}")),
        None => refused,
    }
}

/// How an envelope is to be processed, and for whom.
#[derive(Clone, Debug)]
pub struct Ask {
    /// Stop after this stage.
    pub until: Option<String>,
    /// Make a run of it that survives this process.
    pub durable: bool,
    pub owner: Owner,
    pub by: Speaker,
    /// How long it may take from when the request came. A durable run that is not over by then is answered as
    /// it stands, not complete. Whatever takes longer is cut off.
    pub within: Duration,
    /// When the request came.
    pub came: Instant,
    pub closing: Option<Closing>,
}

impl Ask {
    /// Returns when a durable run is to be answered as it stands: its time is over, or the server stops and
    /// this process will not drive it any more.
    pub async fn enough(&self) {
        self.passed(self.came + self.within).await;
    }

    /// Returns when the agents at work on a carried envelope are to stop: there is still time to do so in
    /// order, and to answer with what it came to.
    pub async fn late(&self) {
        self.passed(self.last_call()).await;
    }

    #[must_use]
    pub fn is_late(&self) -> bool {
        self.is_closing() || Instant::now() >= self.last_call()
    }

    /// Waited for when it is [late](Self::late): returns when agents that have not stopped by then are
    /// left.
    pub async fn too_late(&self) {
        let until = Instant::now() + self.stopping();
        sleep_until(until.min(self.came + self.within)).await;
    }

    #[must_use]
    pub fn is_closing(&self) -> bool {
        self.closing.as_ref().is_some_and(Closing::is_told)
    }

    fn last_call(&self) -> Instant {
        self.came + self.within - self.stopping()
    }

    fn stopping(&self) -> Duration {
        STOPPING.min(self.within / 4)
    }

    /// Returns at `then`, or when the server stops.
    async fn passed(&self, then: Instant) {
        let closing = async {
            match self.closing.clone() {
                Some(mut closing) => closing.wait().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            () = sleep_until(then) => {}
            () = closing => {}
        }
    }
}

/// An envelope that was processed.
#[derive(Clone, Debug)]
pub struct Processed {
    /// The envelope as JSON.
    pub body: String,
    /// The run, where it is durable.
    pub run: Option<RunId>,
    /// Whether it came as far as it was to: the end, a wait, a bound or the stage. A durable run that did not
    /// goes on; a carried envelope was left, and goes back to its sender.
    pub complete: bool,
}

/// Why an envelope was not processed.
#[derive(Clone, Debug)]
pub enum Refused {
    /// It is not JSON.
    Malformed(Malformed),
    /// It breaks its contract; all that is known of how.
    Breached(Vec<Breach>),
    /// The status follows from the code.
    Engine(Error),
}

impl From<Malformed> for Refused {
    fn from(malformed: Malformed) -> Self {
        Self::Malformed(malformed)
    }
}

impl From<Error> for Refused {
    fn from(error: Error) -> Self {
        Self::Engine(error)
    }
}

impl From<Fault> for Refused {
    fn from(fault: Fault) -> Self {
        Self::Engine(fault.into())
    }
}

impl From<store::Error> for Refused {
    fn from(error: store::Error) -> Self {
        Self::Engine(error.into())
    }
}

#[cfg(test)]
mod tests {
    use tokio::{sync::watch, time::sleep};

    use super::*;

    fn ask(closing: Option<Closing>) -> Ask {
        Ask {
            until: None,
            durable: true,
            owner: Owner::from("local"),
            by: Speaker::person("http:token"),
            within: Duration::from_secs(4),
            came: Instant::now(),
            closing,
        }
    }

    #[tokio::test(start_paused = true)]
    async fn time_counts_from_when_the_request_came() {
        let ask = ask(None);
        // What is read and written before the run is followed takes its time, too.
        sleep(Duration::from_secs(3)).await;
        ask.enough().await;
        assert_eq!(ask.came.elapsed(), ask.within);
    }

    #[tokio::test(start_paused = true)]
    async fn it_is_enough_when_the_server_stops() {
        let (close, closing) = watch::channel(false);
        let ask = ask(Some(Closing::new(closing)));
        assert!(!ask.is_late());
        close.send_replace(true);
        ask.enough().await;
        ask.late().await;
        assert!(ask.came.elapsed() < ask.within && ask.is_late());
        // Agents are not waited for longer than the request has time.
        sleep(Duration::from_millis(3_500)).await;
        ask.too_late().await;
        assert_eq!(ask.came.elapsed(), ask.within);
    }

    #[tokio::test(start_paused = true)]
    async fn there_is_time_to_stop_before_it_is_enough() {
        let ask = ask(None);
        ask.late().await;
        assert_eq!((ask.came.elapsed(), ask.is_late()), (Duration::from_secs(3), true));
        ask.too_late().await;
        assert_eq!(ask.came.elapsed(), ask.within);
        let patient = Ask { within: Duration::from_secs(59), came: Instant::now(), ..ask };
        patient.late().await;
        assert_eq!(patient.came.elapsed(), Duration::from_secs(54));
    }
}

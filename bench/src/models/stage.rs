//! Four ways to put the same question to the same double.

use std::{
    error::Error,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    time::Instant,
};

use async_trait::async_trait;
use consign_basics::agent;
use consign_engine::{
    Agent, Agents, Attempt, Data, Drive, Engine, Invoker, Left, Listening, Placement, Reins, RunId,
    Seat, Status, Stop, Workflows,
};
use consign_invokers::{
    define::Workshop,
    script::{Past, Scripts},
};
use consign_models::{
    ModelName, Models,
    chat::Request,
    client::{Client, Target},
    config::Config,
    keys::Keys,
    transport::Secret,
    web::Web,
    wire,
};
use serde_json::json;
use tokio::sync::watch;

use super::{
    bare::Bare,
    noted::{Call, Noted},
    question::{self, AGENT, MODEL},
    way::Way,
};
use crate::ground;

const KEY: &str = "sk-bench-0123456789";

/// Everything that has to be there before the question can be put.
pub(super) struct Stage {
    pub(super) bare: Bare,
    client: Client,
    target: Target,
    request: Request,
    invoker: Arc<dyn Invoker>,
    /// What the engine gave the invoker once: it can be given again without an engine.
    attempt: Attempt,
    seat: Seat,
    engine: Arc<Engine>,
    newest: Arc<Mutex<Option<Call>>>,
    input: String,
    reins: Reins,
    _keep: watch::Sender<Stop>,
}

impl Stage {
    pub(super) async fn set(
        home: &Path,
        url: &str,
        prompt: &str,
        stream: bool,
    ) -> Result<Self, Box<dyn Error>> {
        let definition = question::definition(url, stream)?;
        let request = question::request(&definition, prompt)?;
        let key = Secret::new(KEY.to_owned());
        let name = MODEL.parse::<ModelName>()?;
        let mut outgoing = wire::request(&name, &format!("{url}/v1"), &request);
        outgoing.secret = Some(wire::secret_header(name.provider, &key));

        let store = ground::open(home)?;
        let environment = Arc::new(|name: &str| (name == "OPENAI_API_KEY").then(|| KEY.into()));
        let keys = Keys::new(store.clone(), home, environment);
        let (web, scripts) = (Arc::new(Web::new()), Arc::new(Scripts::new(Arc::new(Nobody))));
        let models = Arc::new(Models::new(web.clone(), keys, Config::default()));
        let made = Workshop::new(models, scripts, PathBuf::new()).agent(&definition);
        let (invoker, newest) = (made.invoker.clone(), Arc::<Mutex<Option<Call>>>::default());
        let noted = Arc::new(Noted::new(invoker.clone(), newest.clone()));
        let agents = Agents::default().with(AGENT, Agent { invoker: noted, ..made });
        let workflows = agent::workflows(&agents, Workflows::default());
        let engine = ground::engine(store, workflows, agents).await?;
        let seat = engine.enlist().await?;
        let (keep, reins) = ground::reins();
        let input = Data::of(&json!({ "agent": AGENT, "input": prompt })).as_str().to_owned();
        finish(begin(&seat, &input).await?, &reins).await?;
        let stage = Self {
            bare: Bare::new(outgoing)?,
            client: Client::new(web),
            target: Target { name, base_url: Some(url.to_owned()), key: Some(key) },
            request,
            invoker,
            attempt: self::newest(&newest).ok_or("nobody was called")?.attempt,
            seat,
            engine,
            newest,
            input,
            reins,
            _keep: keep,
        };
        stage.check(url).await?;
        Ok(stage)
    }

    /// Puts the question each way once, and wants the same bytes to have been sent each time.
    async fn check(&self, url: &str) -> Result<(), Box<dyn Error>> {
        for way in Way::ALL {
            self.call(way).await?;
        }
        let bare = std::str::from_utf8(self.bare.body())?;
        let seen = self.bare.seen(url).await?;
        match seen.iter().rev().take(Way::ALL.len()).all(|body| body == bare) {
            true => Ok(()),
            false => Err("the ways do not ask the same".into()),
        }
    }

    pub(super) async fn call(&self, way: Way) -> Result<(), String> {
        match way {
            Way::Bare => self.bare.call().await.map_err(|error| error.to_string()),
            Way::Client => self.ask(&mut |_| {}).await,
            Way::Agent => {
                let invoked = self.invoker.invoke(self.attempt.clone()).await;
                invoked.map(drop).map_err(|failure| failure.fault.message)
            }
            Way::Durable => self.finish(self.begin().await?).await,
        }
    }

    pub(super) async fn ask(&self, on_delta: &mut (dyn FnMut(&str) + Send)) -> Result<(), String> {
        let asked = self.client.ask(&self.target, &self.request, on_delta).await;
        asked.map(drop).map_err(|refused| refused.trouble.what)
    }

    /// A run that exists, is held, and has the intent of its call on the disk; but nobody was called.
    pub(super) async fn begin(&self) -> Result<Drive, String> {
        begin(&self.seat, &self.input).await
    }

    /// Calls, and ends the run.
    pub(super) async fn finish(&self, drive: Drive) -> Result<(), String> {
        finish(drive, &self.reins).await
    }

    pub(super) fn listen(&self, run: &RunId) -> Listening {
        self.engine.listen(run)
    }

    /// When the newest run called its agent.
    pub(super) fn called(&self) -> Option<Instant> {
        newest(&self.newest).map(|call| call.at)
    }
}

async fn begin(seat: &Seat, input: &str) -> Result<Drive, String> {
    let wanted = ground::submission(agent::CALL, input.to_owned(), Placement::Foreground);
    let begun = seat.begin(wanted).await.map_err(|error| error.to_string())?;
    Ok(begun.1)
}

async fn finish(drive: Drive, reins: &Reins) -> Result<(), String> {
    match drive.drive(reins.clone()).await {
        Ok(Left::Closed(Status::Succeeded)) => Ok(()),
        Ok(left) => Err(format!("the run did not succeed: {left:?}")),
        Err(error) => Err(error.to_string()),
    }
}

fn newest(newest: &Mutex<Option<Call>>) -> Option<Call> {
    newest.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

/// No run has a past that a script could go on from.
struct Nobody;

#[async_trait]
impl Past for Nobody {
    async fn called(
        &self,
        _run: &RunId,
        _numbers: std::ops::Range<u64>,
    ) -> Result<Vec<String>, String> {
        Ok(Vec::new())
    }
}

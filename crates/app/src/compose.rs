//! Composes what a home holds: its models, its agents, and the workflows that call them.

use std::{
    collections::HashMap,
    ops::Range,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use async_trait::async_trait;
use consign_authoring::publish::OpenRepository;
use consign_basics::{agent, sample};
use consign_conversation::{Library, turn::Turns};
use consign_engine::{
    Agent, Agents, Fault, Key, Owner, RunId, Seq, Workflows,
    journal::Body,
    session_memory::SessionMemory,
    store::{self, Store},
};
use consign_guard::Guard;
use consign_invokers::{
    Scriptable,
    define::{Folder, Workshop},
    script::{Past, Scripts},
};
use consign_knowledge::{Search, conversation::Conversations};
use consign_models::{Models, config::Config, keys::Keys, web::Web};
use consign_pipeline::{Pins, StageDirectory};
use consign_store::{CachedConversations, SqliteStore};
use consign_supervised::sealed::TextKey;
use consign_template::mirror;

use crate::{
    conversations::TurnSettings,
    documents::{DocumentSettings, Vectors},
    error::Refused,
    home::{PAGE, PAGE_BYTES},
    sources::{self, Sources},
};

/// Where a home keeps the definitions of its agents.
pub fn definitions(home: &Path) -> PathBuf {
    home.join("agents")
}

/// Where a home keeps what its pipelines define themselves.
pub fn pinned(home: &Path) -> PathBuf {
    home.join("pipelines")
}

/// The models of a home: its keys, its prices, its limits.
///
/// Fails with the faults of its settings, a line for each.
pub fn models(home: &Path, store: &Arc<SqliteStore>) -> Result<Models, String> {
    let config = Config::load(home)
        .and_then(|config| config.with_environment(|name| std::env::var(name).ok()))?;
    let environment = Arc::new(|name: &str| std::env::var_os(name));
    let keys = Keys::new(store.clone(), home, environment);
    Ok(Models::new(Arc::new(Web::new()), keys, config))
}

/// The repositories that jobs of a home read from and publish to.
///
/// Fails with the faults of its settings, a line for each.
pub(crate) fn sources(home: &Path, models: &Models) -> Result<Sources, Refused> {
    let invalid = |why: String| {
        let mut lines = why.lines().map(str::to_owned);
        Refused::new("CONFIG_INVALID", lines.next().unwrap_or_default())
            .listing(lines)
            .hint("docs/settings.md has the form")
    };
    let config = sources::Config::load(home, |name| std::env::var(name).ok()).map_err(invalid)?;
    Sources::new(&config, models.keys(), home)
}

/// The scripts that runs of a home are answered from, each from where its journal says it is.
pub(crate) fn scripts(store: &Arc<SqliteStore>) -> Arc<Scripts> {
    let (store, read) = (store.clone(), Mutex::default());
    Arc::new(Scripts::new(Arc::new(Journals { store, read })))
}

/// Makes the agents that a home defines.
pub(crate) fn workshop(models: &Arc<Models>, scripts: &Arc<Scripts>) -> Workshop {
    // Without our own path no subprocess can be supervised, and each says so.
    let launcher = std::env::current_exe().unwrap_or_default();
    Workshop::new(models.clone(), scripts.clone(), launcher)
}

/// The workflows and agents of a home.
pub fn workflows_and_agents(
    home: &Path,
    workshop: &Workshop,
    memory: &Arc<dyn SessionMemory>,
    repositories: &Arc<dyn OpenRepository>,
) -> (Workflows, Agents) {
    let own = consign_pipeline::agents(consign_questions::stage_agents(sample::agents()));
    let own = consign_questions::remembering(own, memory);
    let staged = own.known().fold(Agents::default(), |agents, (name, agent)| {
        let (inner, timeout) = (agent.invoker.clone(), agent.timeout);
        let invoker = Scriptable::new(name.clone(), inner, workshop.scripts().clone(), timeout);
        agents.with(name.clone(), Agent { invoker: Arc::new(invoker), ..agent.clone() })
    });
    let folder = Arc::new(Folder::new(definitions(home), workshop.clone()));
    let pins = Arc::new(Pins::new(pinned(home)));
    let thinkers = Arc::new(consign_questions::Thinkers::new(workshop.clone(), memory.clone()));
    let directory = StageDirectory::new(workshop.clone(), pins, thinkers, folder);
    let staged = mirror::model_agents(mirror::agents(staged), workshop);
    let roles = consign_supervised::role::Roles::new(workshop.clone(), home);
    let keys: Arc<dyn consign_supervised::JobKeys> =
        Arc::new(SealedJobKeys(workshop.models().clone()));
    let launcher = workshop.launcher().to_owned();
    let staged = consign_supervised::agents(staged, &roles, &keys, launcher);
    let staged = consign_authoring::agents(staged, workshop, repositories);
    let directory = consign_supervised::RoleDirectory::new(roles, keys, Arc::new(directory));
    let agents = staged.and(Arc::new(directory));
    let workflows = agent::workflows(&agents, sample::workflows());
    let workflows = consign_authoring::workflows(consign_supervised::workflows(workflows));
    (mirror::workflows(consign_pipeline::workflows(&agents, workflows)), agents)
}

/// What turns of conversations work on, and what is set for them.
pub(crate) fn turns(
    home: &Path,
    library: &Arc<Library>,
    vectors: &Arc<Vectors>,
    store: &Arc<SqliteStore>,
) -> Result<(Arc<Turns>, TurnSettings), Refused> {
    let settings = DocumentSettings::load(home)
        .map_err(|why| Refused::new("CONFIG_INVALID", why).hint("docs/settings.md has the form"))?;
    let settings = settings.turns;
    let conversations: Arc<dyn Conversations> = match &settings.cache {
        Some(address) => {
            let cached = CachedConversations::new(store.clone(), address);
            let cached = cached.map_err(|why| {
                let told = format!("conversation.cache of settings.toml: {why}");
                Refused::new("CONFIG_INVALID", told).hint("docs/settings.md has the form")
            })?;
            Arc::new(cached)
        }
        None => store.clone(),
    };
    let (index, vectors) = (library.index.clone(), vectors.clone());
    let turns = Turns {
        library: library.clone(),
        // The model of meanings is loaded when it is first asked.
        search: Arc::new(move || Search::new(index.clone(), vectors.embedder().ok())),
        conversations,
        guard: Arc::new(Guard::new(settings.guard.clone())),
        timeouts: settings.timeouts,
    };
    Ok((Arc::new(turns), settings))
}

/// The keys of sensitive jobs, which are sealed like those of providers.
pub(crate) struct SealedJobKeys(pub(crate) Arc<Models>);

#[async_trait]
impl consign_supervised::JobKeys for SealedJobKeys {
    async fn text_key(&self, owner: &Owner, job: &str) -> Result<TextKey, Fault> {
        let name = job_key_name(job);
        let found = self.0.keys().text_key(owner, &name, None).await;
        let found = found.map_err(|why| {
            let mut fault = Fault::permanent("KEYS_UNAVAILABLE", why.to_string());
            fault.code = why.code().into();
            fault
        })?;
        let read = found.and_then(|key| TextKey::read(key.reveal(), job));
        read.ok_or_else(|| {
            let text = format!("the key of the sensitive job {job} is not in this home");
            Fault::permanent("JOB_KEY_MISSING", text)
        })
    }
}

/// The name under which the key of a job is kept.
pub(crate) fn job_key_name(job: &str) -> String {
    format!("job:{job}")
}

/// What runs have done, by their journals.
struct Journals {
    store: Arc<SqliteStore>,
    /// How far the journals of runs were read.
    read: Mutex<HashMap<RunId, ReadCalls>>,
}

/// Runs whose place is remembered; one that is forgotten is read from its beginning.
const MOST_READ: usize = 1024;

/// The attempts of a run, up to an event.
#[derive(Clone, Default)]
struct ReadCalls {
    next: Seq,
    attempts: u64,
    /// The agents of calls that have not ended: they may be tried again.
    open: HashMap<Key, String>,
}

impl ReadCalls {
    /// The agent of the attempt that an event begins.
    fn take(&mut self, body: Option<Body>) -> Option<String> {
        match body {
            Some(Body::CallStarted(call)) => {
                let agent = String::from(call.agent);
                self.open.insert(call.key, agent.clone());
                Some(agent)
            }
            Some(Body::AttemptStarted(attempt)) => self.open.get(&attempt.key).cloned(),
            Some(Body::CallCompleted(call)) => {
                self.open.remove(&call.key);
                None
            }
            Some(Body::CallFailed(call)) => {
                self.open.remove(&call.key);
                None
            }
            Some(_) | None => None,
        }
    }
}

#[async_trait]
impl Past for Journals {
    async fn called(&self, run: &RunId, numbers: Range<u64>) -> Result<Vec<String>, String> {
        let known = |read: &HashMap<RunId, ReadCalls>| read.get(run).cloned().unwrap_or_default();
        let mut at = known(&self.read.lock().unwrap_or_else(PoisonError::into_inner));
        if at.attempts > numbers.start {
            at = ReadCalls::default();
        }
        let mut called = Vec::new();
        while at.attempts < numbers.end {
            let page = self.store.events_within(run, at.next, PAGE, PAGE_BYTES).await;
            let page = page.map_err(|error: store::Error| error.to_string())?;
            if page.is_empty() {
                break;
            }
            for record in page {
                if at.attempts >= numbers.end {
                    break;
                }
                at.next = record.seq.next();
                let Some(agent) = at.take(record.body().ok().flatten()) else { continue };
                if at.attempts >= numbers.start {
                    called.push(agent);
                }
                at.attempts += 1;
            }
        }
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        if read.len() >= MOST_READ {
            read.clear();
        }
        read.insert(run.clone(), at);
        Ok(called)
    }
}

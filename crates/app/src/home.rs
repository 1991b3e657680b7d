//! The engine of a home: its store, the workflows and agents that come with Consign and those that are defined there.
//!
//! [`Home::open`] is where adapters are chosen. Every surface works on a [`Home`]; one that needs no engine opens none.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use consign_accounts::{AccountStore, SettingsStore};
use consign_authoring::publish::OpenRepository;
use consign_conversation::{FileReader, Library};
use consign_engine::{
    Agents, Engine, Parts, RunId, Seq, Speaker, Workflows, discussion::Discussion, journal::Record,
    session_memory::SessionMemory, store,
};
use consign_invokers::{define::Workshop, script::Scripts};
use consign_models::Models;
use consign_store::{OpenError, Options, SqliteStore};
use consign_supervised::directory::JobFiles;

use crate::{
    compose, conversations, documents,
    error::{Error, Refused},
    jobs,
    machine::{Machine, user},
    sources::Sources,
};

/// How long a store that cannot write just now is waited for.
const PATIENCE: Duration = Duration::from_secs(30);

/// Events that are read at a time, and how large they may be together.
pub(crate) const PAGE: usize = 1000;
pub(crate) const PAGE_BYTES: usize = 4 << 20;

/// An open home, and the speaker on whose behalf this process works on it.
#[derive(Clone)]
pub struct Home {
    pub engine: Arc<Engine>,
    /// Where its users are kept.
    pub account_store: Arc<dyn AccountStore>,
    /// Where what they say about runs is kept.
    pub discussion: Arc<dyn Discussion>,
    /// Where what they have set is kept.
    pub settings_store: Arc<dyn SettingsStore>,
    pub models: Arc<Models>,
    pub scripts: Arc<Scripts>,
    /// Makes the agents of the home.
    pub workshop: Workshop,
    /// Writes the directories of its jobs.
    pub job_files: JobFiles,
    /// Opens the repositories of its jobs.
    pub sources: Arc<Sources>,
    /// Its documents, and what works on them.
    pub library: Arc<Library>,
    /// What may be sent to it.
    pub uploads: documents::UploadRules,
    /// Turns texts into vectors, where there is a model.
    pub vectors: Arc<documents::Vectors>,
    /// What turns of conversations work on.
    pub turns: Arc<conversations::Turns>,
    /// What is set for them.
    pub turn_settings: conversations::TurnSettings,
    /// Who speaks through this process.
    pub user: Speaker,
    pub folder: PathBuf,
    /// Nothing can be written: the home can be looked at, and no more.
    pub is_read_only: bool,
}

impl Home {
    /// Opens the store in a folder, for the workflows and agents that come with Consign and those that are
    /// defined there.
    pub async fn open(folder: PathBuf) -> Result<Self, Error> {
        Self::with(folder, compose::workflows_and_agents).await
    }

    /// Opens the store in a folder with other workflows and agents.
    pub async fn with(
        folder: PathBuf,
        workflows_and_agents: impl FnOnce(
            &Path,
            &Workshop,
            &Arc<dyn SessionMemory>,
            &Arc<dyn OpenRepository>,
        ) -> (Workflows, Agents),
    ) -> Result<Self, Error> {
        Self::with_reader(folder, None, workflows_and_agents).await
    }

    /// Opens the store in a folder with other workflows and agents, and with another reader of documents than the
    /// program itself, started anew as a child: a program that cannot be started so brings its own.
    pub async fn with_reader(
        folder: PathBuf,
        reader: Option<Arc<dyn FileReader>>,
        workflows_and_agents: impl FnOnce(
            &Path,
            &Workshop,
            &Arc<dyn SessionMemory>,
            &Arc<dyn OpenRepository>,
        ) -> (Workflows, Agents),
    ) -> Result<Self, Error> {
        let (opened, is_read_only) = open(&folder)?;
        let opened = Arc::new(opened);
        let models = Arc::new(compose::models(&folder, &opened).map_err(|why| {
            let mut lines = why.lines().map(str::to_owned);
            Refused::new("CONFIG_INVALID", lines.next().unwrap_or_default())
                .listing(lines)
                .hint("docs/settings.md has the form")
        })?);
        let memory: Arc<dyn SessionMemory> = opened.clone();
        let scripts = compose::scripts(&opened);
        let workshop = compose::workshop(&models, &scripts);
        let sources = Arc::new(compose::sources(&folder, &models)?);
        let repositories: Arc<dyn OpenRepository> = sources.clone();
        let (workflows, agents) = workflows_and_agents(&folder, &workshop, &memory, &repositories);
        let (mut library, uploads) =
            documents::library(&folder, &opened, models.keys()).map_err(|why| {
                Refused::new("CONFIG_INVALID", why).hint("docs/settings.md has the form")
            })?;
        if let Some(reader) = reader {
            library.reader = reader;
        }
        let library = Arc::new(library);
        let vectors = Arc::new(documents::Vectors::of_environment());
        let (turns, turn_settings) = compose::turns(&folder, &library, &vectors, &opened)?;
        let agents = consign_conversation::agents(agents, &library);
        let agents = consign_conversation::turn::turn_agents(agents, &turns, &workshop);
        let workflows = consign_conversation::workflows(workflows);
        let job_files = JobFiles::new(jobs::rotate_bytes(&folder)?);
        let engine = Engine::new(Parts {
            store: opened.clone(),
            workflows,
            agents,
            clock: Box::new(Machine::new()),
            entropy: Box::new(Machine::new()),
            patience: PATIENCE,
        })
        .await?
        .with_projection(Arc::new(job_files.clone()));
        // No run may be shown as running that no process runs.
        if !is_read_only {
            engine.store().reclaim().await?;
        }
        let (user, account_store, settings_store) = (user(), opened.clone(), opened.clone());
        let discussion: Arc<dyn Discussion> = opened;
        Ok(Self {
            engine,
            account_store,
            discussion,
            settings_store,
            models,
            scripts,
            workshop,
            job_files,
            sources,
            library,
            uploads,
            vectors,
            turns,
            turn_settings,
            user,
            folder,
            is_read_only,
        })
    }

    #[must_use]
    pub fn store(&self) -> &Arc<dyn store::Store> {
        self.engine.store()
    }

    /// The next events of a run, as many as are read at a time: they may be many, and they may be large.
    pub async fn page(&self, run: &RunId, from: Seq) -> Result<Vec<Record>, store::Error> {
        page(&self.engine, run, from).await
    }
}

/// The next events of a run, as many as are read at a time: they may be many, and they may be large.
pub async fn page(engine: &Engine, run: &RunId, from: Seq) -> Result<Vec<Record>, store::Error> {
    engine.store().events_within(run, from, PAGE, PAGE_BYTES).await
}

/// Opens the store, for reading only where nothing can be written. Says which.
fn open(folder: &Path) -> Result<(SqliteStore, bool), store::Error> {
    let options = Options::default();
    match SqliteStore::open(folder, &options) {
        Ok(store) => Ok((store, false)),
        Err(why @ OpenError::ReadOnly { .. }) => {
            let Ok(store) = SqliteStore::open_to_look(folder, &options) else {
                return Err(why.into());
            };
            Ok((store, true))
        }
        Err(why) => Err(why.into()),
    }
}

//! What a home holds: its models, its agents, the workflows that call them.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use async_trait::async_trait;
use consign_engine::{
    Agent, Agents, RunId, Seq, Workflows,
    journal::Body,
    notebook::Notebook,
    store::{self, Store},
};
use consign_models::{
    Models, Staged,
    config::Config,
    define::{Folder, Workshop},
    keys::Keys,
    script::{Past, Scripts},
    web::Web,
};
use consign_store::SqliteStore;
use consign_workflows::{
    agent,
    pipeline::{self, Outfit, Pins},
    sample,
    template::mirror,
};

use crate::{
    engine::{PAGE, PAGE_BYTES},
    error::Error,
};

/// Where a home keeps the definitions of its agents.
pub(crate) fn definitions(home: &Path) -> PathBuf {
    home.join("agents")
}

/// Where a home keeps what its pipelines define themselves.
pub(crate) fn pinned(home: &Path) -> PathBuf {
    home.join("pipelines")
}

/// The models of a home: its keys, its prices, its limits.
pub(crate) fn models(home: &Path, store: &Arc<SqliteStore>) -> Result<Models, Error> {
    let config = Config::load(home)
        .and_then(|config| config.with_environment(|name| std::env::var(name).ok()))
        .map_err(|why| {
            let mut lines = why.lines().map(str::to_owned);
            Error::new("CONFIG_INVALID", lines.next().unwrap_or_default())
                .listing(lines)
                .hint("docs/models.md has the form")
        })?;
    let environment = Arc::new(|name: &str| std::env::var_os(name));
    let keys = Keys::new(store.clone(), home, environment);
    let scripts = Arc::new(Scripts::new(Arc::new(Journals(store.clone()))));
    Ok(Models::new(Arc::new(Web::new()), keys, scripts, config))
}

/// The workflows and agents of a home.
pub(crate) fn furnish(
    home: &Path,
    models: &Arc<Models>,
    notebook: &Arc<dyn Notebook>,
) -> (Workflows, Agents) {
    let own = pipeline::built_in_agents(sample::agents());
    let own = pipeline::remembering(own, notebook);
    let staged = own.known().fold(Agents::default(), |agents, (name, agent)| {
        let (inner, timeout) = (agent.invoker.clone(), agent.timeout);
        let invoker = Staged::new(name.clone(), inner, models.scripts().clone(), timeout);
        agents.with(name.clone(), Agent { invoker: Arc::new(invoker), ..agent.clone() })
    });
    // Without our own path no subprocess can be supervised, and each says so.
    let launcher = std::env::current_exe().unwrap_or_default();
    let workshop = Workshop::new(models.clone(), launcher);
    let folder = Arc::new(Folder::new(definitions(home), workshop.clone()));
    let pins = Arc::new(Pins::new(pinned(home)));
    let staged = mirror::model_agents(mirror::agents(staged), models);
    let agents = staged.and(Arc::new(Outfit::new(workshop, pins, folder, notebook.clone())));
    let workflows = agent::workflows(&agents, sample::workflows());
    (mirror::workflows(pipeline::workflows(&agents, workflows)), agents)
}

/// What runs have done, by their journals.
struct Journals(Arc<SqliteStore>);

#[async_trait]
impl Past for Journals {
    async fn called(&self, run: &RunId, first: u64) -> Result<Vec<String>, String> {
        let mut called = Vec::new();
        let mut agents = std::collections::HashMap::new();
        let mut from = Seq(0);
        while (called.len() as u64) < first {
            let page = self.0.events_within(run, from, PAGE, PAGE_BYTES).await;
            let page = page.map_err(|error: store::Error| error.to_string())?;
            let Some(last) = page.last() else { break };
            from = last.seq.next();
            for record in &page {
                match record.body() {
                    Ok(Some(Body::CallStarted(call))) => {
                        agents.insert(call.key, call.agent.clone());
                        called.push(call.agent);
                    }
                    Ok(Some(Body::AttemptStarted(attempt))) => {
                        called.extend(agents.get(&attempt.key).cloned());
                    }
                    Ok(_) | Err(_) => {}
                }
            }
        }
        called.truncate(usize::try_from(first).unwrap_or(usize::MAX));
        Ok(called)
    }
}

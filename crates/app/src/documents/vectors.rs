//! Vectors of passages: the model that there is, and the work in the background.
//!
//! The index says what is missing, so the work goes on wherever it stopped: while sources are taken in ([`Filling`]),
//! when a caller waits for the rest ([`finish_vectors`]), and beside servers and workers ([`fill_in_background`]). One
//! process of a home does it at a time, by a lock; the others look again later. Nothing is loaded before there is a
//! passage without a vector, or a question to compare with some.

use std::{convert::Infallible, future::pending, path::PathBuf, sync::Arc, time::Duration};

use consign_embeddings::{EMBEDDINGS, ModelFolder, OnDemand, Options, State};
use consign_engine::Owner;
use consign_files::{Access, Lock};
use consign_knowledge::{Embedder, FillError, Filler, Progress};
use tokio::{task::JoinHandle, time::sleep};
use tracing::warn;

use crate::{
    Home,
    error::{Error, Refused},
    local_models::model_folder,
};

/// What keeps two processes from the same work.
const LOCK: &str = "vectors.lock";
/// How often is looked for passages without a vector.
const LOOK: Duration = Duration::from_secs(2);
/// How long a model that fails is left alone.
const AFTER_FAILURE: Duration = Duration::from_secs(60);
/// How often somebody who waits looks at the work of another process.
const GLANCE: Duration = Duration::from_millis(200);
/// So few passages are a matter of a moment: who took them in waits for them.
const FEW: u64 = 64;

/// The model with which a home searches by meaning.
pub struct Vectors {
    embedder: Option<Arc<dyn Embedder>>,
    /// Where its files must be.
    folder: Option<ModelFolder>,
}

/// Why there is no model.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoModel {
    #[error("the model for searching by meaning is not there")]
    Missing,
    #[error("{} is damaged; `consign models pull embeddings` fetches it anew", .0.display())]
    Damaged(PathBuf),
    #[error("the model cannot be used: {0}")]
    Unusable(String),
}

impl Vectors {
    /// The model of the folder that `CONSIGN_MODELS` names, else of the platform's.
    #[must_use]
    pub fn of_environment() -> Self {
        let folder = model_folder();
        let embedder = folder.clone().and_then(|folder| {
            let on_demand = OnDemand::new(folder, Options::default());
            on_demand.map(|embedder| Arc::new(embedder) as Arc<dyn Embedder>).ok()
        });
        Self { embedder, folder }
    }

    /// A model that needs no file.
    #[must_use]
    pub fn of(embedder: Arc<dyn Embedder>) -> Self {
        Self { embedder: Some(embedder), folder: None }
    }

    /// The model, if it is there now: it may be fetched while a server goes on.
    pub fn embedder(&self) -> Result<Arc<dyn Embedder>, NoModel> {
        let embedder = self.embedder.as_ref().ok_or(NoModel::Missing)?;
        if let (Some(folder), false) = (&self.folder, embedder.is_ready()) {
            match folder.look(&EMBEDDINGS) {
                Ok(State::Present) => {}
                Ok(State::Missing) => return Err(NoModel::Missing),
                Ok(State::Damaged(path)) => return Err(NoModel::Damaged(path)),
                Err(cause) => return Err(NoModel::Unusable(cause.to_string())),
            }
        }
        Ok(embedder.clone())
    }
}

/// How far the vectors of an owner are, and why they go no further.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Vectored {
    Done(Progress),
    Left(Progress),
    NoModel(NoModel),
}

/// Goes on with the vectors of an owner: until all are done, or only if few are left. Tells how far it is.
pub async fn finish_vectors(
    home: &Home,
    owner: &Owner,
    all: bool,
    tell: &mut (dyn FnMut(Progress) + Send),
) -> Result<Vectored, Error> {
    let embedder = match home.vectors.embedder() {
        Ok(embedder) => embedder,
        Err(why) => return Ok(Vectored::NoModel(why)),
    };
    let index = &home.library.index;
    let progress = async || index.progress(owner, &embedder.model().name).await;
    let mut turns = Turns::new(home, Some(owner));
    loop {
        let now = progress().await?;
        tell(now);
        if now.done >= now.total {
            return Ok(Vectored::Done(now));
        }
        if home.is_read_only || !all && now.total - now.done > FEW {
            return Ok(Vectored::Left(now));
        }
        match turns.next().await {
            Ok(Turn::Added) => {}
            Ok(Turn::Done) => return Ok(Vectored::Done(progress().await?)),
            Ok(Turn::NoModel(why)) => return Ok(Vectored::NoModel(why)),
            Ok(Turn::Elsewhere) if !all => return Ok(Vectored::Left(now)),
            Ok(Turn::Elsewhere) => sleep(GLANCE).await,
            Err(FillError::Index(error)) => return Err(error.into()),
            Err(FillError::Embed(error)) => {
                let told = Refused::new("MODEL_UNUSABLE", error.to_string());
                return Err(told.hint("`consign models pull embeddings` checks it").into());
            }
        }
    }
}

/// Vectors in the background of other work; it ends with this.
pub struct Filling(JoinHandle<Infallible>);

impl Filling {
    /// Begins with the passages of an owner. What comes meanwhile is taken up too.
    #[must_use]
    pub fn begin(home: &Home, owner: &Owner) -> Self {
        let (home, owner) = (home.clone(), owner.clone());
        Self(tokio::spawn(async move { fill(&home, Some(&owner)).await }))
    }

    /// Stops at once. What is under way is lost, and nothing that is kept.
    pub async fn end(mut self) {
        self.0.abort();
        // That it was aborted is no news.
        let _ = (&mut self.0).await;
    }
}

impl Drop for Filling {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Goes on with the vectors of all owners for as long as it is let.
pub async fn fill_in_background(home: &Home) -> Infallible {
    fill(home, None).await
}

async fn fill(home: &Home, owner: Option<&Owner>) -> Infallible {
    if home.is_read_only {
        return pending().await;
    }
    let mut turns = Turns::new(home, owner);
    let mut told = String::new();
    loop {
        match turns.next().await {
            Ok(Turn::Added) => {}
            Ok(Turn::Done | Turn::Elsewhere | Turn::NoModel(_)) => sleep(LOOK).await,
            Err(error) => {
                let why = error.to_string();
                if why != told {
                    warn!(why, "vectors of passages do not get on");
                    told = why;
                }
                turns.lock = None;
                sleep(AFTER_FAILURE).await;
            }
        }
    }
}

enum Turn {
    /// Some passages have got a vector.
    Added,
    /// None is without one.
    Done,
    /// Another process is at it.
    Elsewhere,
    NoModel(NoModel),
}

/// The work of this process, a few passages at a time.
struct Turns<'a> {
    home: &'a Home,
    owner: Option<&'a Owner>,
    lock: Option<Lock>,
}

impl<'a> Turns<'a> {
    fn new(home: &'a Home, owner: Option<&'a Owner>) -> Self {
        Self { home, owner, lock: None }
    }

    async fn next(&mut self) -> Result<Turn, FillError> {
        let embedder = match self.home.vectors.embedder() {
            Ok(embedder) => embedder,
            Err(why) => return Ok(Turn::NoModel(why)),
        };
        let index = &self.home.library.index;
        let waiting = index.owners_without_vectors(&embedder.model().name).await?;
        if self.owner.map_or(waiting.is_empty(), |owner| !waiting.contains(owner)) {
            self.lock = None;
            return Ok(Turn::Done);
        }
        if self.lock.is_none() {
            let path = self.home.folder.join(LOCK);
            let lock = Lock::try_file(&path, Access::Private);
            self.lock =
                lock.map_err(|error| consign_engine::store::Error::Unavailable(error.to_string()))?;
            if self.lock.is_none() {
                return Ok(Turn::Elsewhere);
            }
        }
        let filler = Filler::new(index.clone(), embedder);
        let added = match self.owner {
            Some(owner) => filler.step_of(owner).await?,
            None => filler.step().await?,
        };
        Ok(if added > 0 { Turn::Added } else { Turn::Done })
    }
}

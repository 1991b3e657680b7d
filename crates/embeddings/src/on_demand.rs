//! The model of a folder, which takes no memory until it is first asked.

use std::{io, sync::mpsc, thread};

use async_trait::async_trait;
use consign_knowledge::{EmbedError, Embedder, Model, Query, Vector};
use tokio::sync::{OnceCell, oneshot};

use crate::{
    arctic::{Arctic, Options},
    folder::ModelFolder,
};

type Loaded = Result<Arctic, EmbedError>;

/// Loads [`Arctic`] when a text is first to become a vector, and keeps it. What cannot be loaded is tried again with the
/// next text: it may have been fetched anew meanwhile.
pub struct OnDemand {
    model: Model,
    loaded: OnceCell<Arctic>,
    loader: mpsc::Sender<oneshot::Sender<Loaded>>,
}

impl OnDemand {
    /// The threads for questions have the priority of the thread that calls this, whichever one asks first: a worker
    /// with a low priority must not slow the searches of others.
    pub fn new(folder: ModelFolder, options: Options) -> io::Result<Self> {
        let (loader, asked) = mpsc::channel::<oneshot::Sender<Loaded>>();
        thread::Builder::new().name("consign-model".to_owned()).spawn(move || {
            for to in asked {
                // Whoever asked may have stopped waiting.
                let _ = to.send(Arctic::load(&folder, &options));
            }
        })?;
        Ok(Self { model: Arctic::about(), loaded: OnceCell::new(), loader })
    }

    async fn loaded(&self) -> Result<&Arctic, EmbedError> {
        let load = async || {
            let gone = || EmbedError("the thread that loads the model has ended".to_owned());
            let (to, loaded) = oneshot::channel();
            self.loader.send(to).map_err(|_| gone())?;
            loaded.await.map_err(|_| gone())?
        };
        self.loaded.get_or_try_init(load).await
    }
}

#[async_trait]
impl Embedder for OnDemand {
    fn model(&self) -> &Model {
        &self.model
    }

    fn is_ready(&self) -> bool {
        self.loaded.initialized()
    }

    async fn question(&self, text: &str) -> Result<Query, EmbedError> {
        self.loaded().await?.question(text).await
    }

    async fn passages(&self, texts: Vec<String>) -> Result<Vec<Vector>, EmbedError> {
        self.loaded().await?.passages(texts).await
    }
}

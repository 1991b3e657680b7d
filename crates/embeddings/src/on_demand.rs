//! The model of a folder, which takes no memory until it is first asked.

use async_trait::async_trait;
use consign_knowledge::{EmbedError, Embedder, Model, Query, Vector};
use tokio::{sync::OnceCell, task::spawn_blocking};

use crate::{
    arctic::{Arctic, Options},
    folder::ModelFolder,
};

/// Loads [`Arctic`] when a text is first to become a vector, and keeps it. What cannot be loaded is tried again with the
/// next text: it may have been fetched anew meanwhile.
pub struct OnDemand {
    model: Model,
    folder: ModelFolder,
    options: Options,
    loaded: OnceCell<Arctic>,
}

impl OnDemand {
    #[must_use]
    pub fn new(folder: ModelFolder, options: Options) -> Self {
        Self { model: Arctic::about(), folder, options, loaded: OnceCell::new() }
    }

    async fn loaded(&self) -> Result<&Arctic, EmbedError> {
        let load = async || {
            let (folder, options) = (self.folder.clone(), self.options.clone());
            let loading = spawn_blocking(move || Arctic::load(&folder, &options));
            loading.await.map_err(|cause| EmbedError(format!("it was not loaded: {cause}")))?
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

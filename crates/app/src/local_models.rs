//! The models that work on this machine: where they lie, and how they get there.

use std::env;

pub use consign_embeddings::{
    BUNDLES, Bundle, EMBEDDINGS, From, InstallError, ModelFolder, OCR, Progress, State, install,
};

/// Where models lie: the folder that `CONSIGN_MODELS` names, else the platform's. Nothing where a user has none.
#[must_use]
pub fn model_folder() -> Option<ModelFolder> {
    ModelFolder::find(env::var_os("CONSIGN_MODELS").as_deref())
}

//! Whether the models that a pipeline asks have keys: found before its first call, not after hours at its last.
//!
//! Built-in agents are left out: without their model they go on by rules, and say so.

use std::sync::Arc;

use consign_engine::{Owner, Settings};
use consign_invokers::{model::ModelSource, settings::RunSettings};
use consign_models::Models;

use crate::error::Error;

/// The models of the stages whose agents can do nothing without them.
pub struct StageModels {
    pub(super) models: Arc<Models>,
    /// By the stage's name.
    pub(super) stages: Vec<(String, ModelSource)>,
}

impl StageModels {
    /// What to tell the user if a stage would find no key; nothing if all have one. A script may stand in for any
    /// agent, so that with one nothing can be said.
    pub async fn missing_key(
        &self,
        owner: &Owner,
        settings: &Settings,
    ) -> Result<Option<String>, Error> {
        let settings = RunSettings::of(settings)?;
        if settings.script.is_some() {
            return Ok(None);
        }
        let instead = settings.model.and_then(|model| ModelSource::read(&model, &[]).ok());
        for (stage, own) in &self.stages {
            let ModelSource::Models(chain) = instead.as_ref().unwrap_or(own) else { continue };
            let Some(first) = chain.first() else { continue };
            let mut found = false;
            for model in chain {
                found |= self.models.keys().suffice(owner, model.provider).await?;
            }
            if !found {
                let provider = first.provider.as_str();
                return Ok(Some(format!("stage {stage:?} needs a key for {provider}")));
            }
        }
        Ok(None)
    }
}

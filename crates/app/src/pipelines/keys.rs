//! Checks that the models of a pipeline have keys, before its first call and not after hours at its last.
//!
//! Built-in agents are left out: without their model they go on by rules, and say so.

use std::{fmt, sync::Arc};

use consign_engine::{Owner, Settings};
use consign_invokers::{model::ModelSource, settings::RunSettings};
use consign_models::{Models, Provider};

use crate::error::{Error, Refused};

/// The models of the stages whose agents can do nothing without them.
pub struct StageModels {
    pub(super) models: Arc<Models>,
    /// By the stage's name.
    pub(super) stages: Vec<(String, ModelSource)>,
}

impl StageModels {
    /// The stages that would find no key, with the provider that they ask first. A script may stand in for any
    /// agent, so that with one nothing can be said.
    pub async fn missing_keys(
        &self,
        owner: &Owner,
        settings: &Settings,
    ) -> Result<Vec<MissingKey>, Error> {
        let settings = RunSettings::of(settings)?;
        let mut missing = Vec::new();
        if settings.script.is_some() {
            return Ok(missing);
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
                missing.push(MissingKey { stage: stage.clone(), provider: first.provider });
            }
        }
        Ok(missing)
    }
}

/// A stage whose model has no key here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissingKey {
    pub stage: String,
    pub provider: Provider,
}

impl fmt::Display for MissingKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "stage {:?} has no key for {}", self.stage, self.provider)
    }
}

/// Refuses a run that would stop at such stages.
pub(super) fn refuse(missing: &[MissingKey]) -> Result<(), Refused> {
    if missing.is_empty() {
        return Ok(());
    }
    let told: Vec<_> = missing.iter().map(ToString::to_string).collect();
    let mut ways: Vec<_> = missing.iter().map(|missing| way(missing.provider)).collect();
    ways.dedup();
    let hint = format!("{}; nothing was started", ways.join("; "));
    Err(Refused::new("AI_KEY_MISSING", told.join("; ")).hint(hint))
}

fn way(provider: Provider) -> String {
    let variable = provider.key_variables().first().copied().unwrap_or_default();
    format!("set {variable}, or `consign keys set {provider}`")
}

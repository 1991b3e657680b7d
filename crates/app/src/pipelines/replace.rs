//! Retries a run of a pipeline with the pipeline as its file is now.

use std::path::Path;

use consign_engine::{Data, store::Row};
use consign_pipeline::{ENVELOPE, PipelineInput};

use super::{Where, ready};
use crate::{
    error::{Error, Refused},
    home::Home,
    view,
};

/// The input of a fork that takes pipeline and agents from a file as it is now. Repository, policy and envelope stay
/// those of the run.
pub async fn replaced(home: &Home, row: &Row, file: &Path) -> Result<Data, Error> {
    let refused = |told: String| Refused::usage("NOT_A_PIPELINE", told);
    if row.workflow != ENVELOPE {
        let told = format!("run {} is of {}, and of no pipeline", row.id, row.workflow);
        return Err(refused(told).into());
    }
    let created = view::beginning(&home.engine, row).await?;
    let input = created.and_then(|created| created.input.to::<PipelineInput>().ok());
    let mut input =
        input.ok_or_else(|| refused(format!("the input of run {} cannot be read", row.id)))?;
    let at = Where { repo: input.place.repo.as_deref(), policy: None };
    let ready = ready(home, Some(file), at, None)?;
    let written = consign_contracts::json::Json::Object(ready.pipeline.written.clone());
    input.pipeline = Data::from(&written);
    let policy = input.place.policy.take();
    input.place = ready.place;
    input.place.policy = policy;
    Ok(Data::of(&input))
}

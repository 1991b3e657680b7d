//! The exact request that would be sent next. Nothing is sent or spent.

use consign_engine::Data;
use consign_supervised::{prepared, role::Roles};
use serde_json::json;

use super::{open::OpenJob, steward::key};
use crate::{error::Error, home::Home};

/// What the next interaction would say, and to whom.
pub async fn preview(home: &Home, job: &OpenJob) -> Result<Data, Error> {
    if job.look.row.status.is_closed() {
        return Err(super::drive::not_there(job, "previewed").into());
    }
    let turn = job.state.next_turn();
    let role = Roles::new(home.workshop.clone(), &home.folder).find(&turn)?;
    let key = key(home, job).await?;
    let prepared = prepared(&turn, &role, key.as_ref());
    Ok(Data::of(&json!({
        "sequence": turn.sequence,
        "role": turn.role,
        "phase": turn.phase,
        "model": role.model,
        "request": prepared.request,
        "prompt": prepared.prompt,
        "files_context": prepared.files,
    })))
}

//! The names in a path, percent-decoded and typed.
//!
//! A name that cannot be that of a run is answered like one that is not there, with 404: to the client both
//! mean the same. Only bytes that are no text break the contract.

use axum::{extract::FromRequestParts, extract::Path, http::request::Parts};
use consign_engine::{Key, RunId};

use crate::error::{Part, Problem};

/// A name in braces, and what it stands for.
pub(crate) struct PathParameter {
    pub(crate) name: &'static str,
    pub(crate) description: &'static str,
}

/// The names of a path, as a type.
pub(crate) trait FromPath: Sized + Send {
    /// In the order of the path.
    const PARAMETERS: &'static [PathParameter];

    fn read(head: &mut Parts) -> impl Future<Output = Result<Self, Problem>> + Send;
}

/// A path without names.
pub(crate) struct NoPath;

/// `/api/runs/{id}…`
pub(crate) struct RunPath(pub(crate) RunId);

/// `/api/runs/{id}/answers/{key}`
pub(crate) struct InteractionPath(pub(crate) RunId, pub(crate) Key);

/// `/api/pipelines/{name}/runs`
pub(crate) struct PipelinePath(pub(crate) String);

/// `/api/jobs/{id}…`. Whether it can be a name at all, the folder of jobs says.
pub(crate) struct JobPath(pub(crate) String);

/// Keys of workflows have 200 letters at most, and the engine's own contain one.
const MOST_KEY: usize = 256;

const ID: PathParameter = PathParameter { name: "id", description: "The run." };
const KEY: PathParameter =
    PathParameter { name: "key", description: "The interaction, percent-encoded." };

impl FromPath for NoPath {
    const PARAMETERS: &'static [PathParameter] = &[];

    async fn read(_head: &mut Parts) -> Result<Self, Problem> {
        Ok(Self)
    }
}

impl FromPath for RunPath {
    const PARAMETERS: &'static [PathParameter] = &[ID];

    async fn read(head: &mut Parts) -> Result<Self, Problem> {
        run_id(names(head).await?).map(Self)
    }
}

impl FromPath for PipelinePath {
    const PARAMETERS: &'static [PathParameter] =
        &[PathParameter { name: "name", description: "The pipeline, by the name in its file." }];

    async fn read(head: &mut Parts) -> Result<Self, Problem> {
        let name = names::<String>(head).await?;
        let plain = |letter: char| letter.is_ascii_alphanumeric() || "_-".contains(letter);
        if name.is_empty() || name.len() > 64 || !name.chars().all(plain) {
            return Err(Problem::new("PIPELINE_NOT_FOUND", "there is no pipeline of that name"));
        }
        Ok(Self(name))
    }
}

impl FromPath for JobPath {
    const PARAMETERS: &'static [PathParameter] =
        &[PathParameter { name: "id", description: "The job, by its name." }];

    async fn read(head: &mut Parts) -> Result<Self, Problem> {
        names(head).await.map(Self)
    }
}

impl FromPath for InteractionPath {
    const PARAMETERS: &'static [PathParameter] = &[ID, KEY];

    async fn read(head: &mut Parts) -> Result<Self, Problem> {
        let (id, key) = names::<(String, String)>(head).await?;
        let run = run_id(id)?;
        if key.len() > MOST_KEY || key.contains(char::is_control) {
            let told = format!("run {run} never asked this");
            return Err(Problem::new("INTERACTION_NOT_FOUND", told));
        }
        Ok(Self(run, Key::new(key)))
    }
}

async fn names<T: serde::de::DeserializeOwned + Send>(head: &mut Parts) -> Result<T, Problem> {
    let path = Path::<T>::from_request_parts(head, &()).await;
    path.map(|Path(names)| names).map_err(|_| {
        let told = "a name in the path is not percent-encoded UTF-8";
        Problem::invalid(Part::Path, "", "encoding", told)
    })
}

/// The id of a run, if the text can be one. An id has nothing in it that could mean something to a store.
pub(crate) fn run_id(text: String) -> Result<RunId, Problem> {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "._-".contains(letter);
    if text.is_empty() || text.len() > 100 || !text.chars().all(plain) {
        return Err(Problem::new("RUN_NOT_FOUND", "there is no run of that name"));
    }
    Ok(RunId::new(text))
}

//! Names in paths, percent-decoded.

use axum::{
    extract::{FromRequestParts, Path},
    http::request::Parts,
};
use consign_engine::{Key, RunId};

use crate::error::Problem;

/// `/api/runs/{id}…`
pub(crate) struct OfRun(pub(crate) RunId);

/// `/api/runs/{id}/answers/{key}`
pub(crate) struct OfAsk(pub(crate) RunId, pub(crate) Key);

/// Keys of workflows have 200 letters at most, and the engine's own contain one.
const MOST_KEY: usize = 256;

impl<S: Send + Sync> FromRequestParts<S> for OfRun {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        run(read(parts, state).await?).map(Self)
    }
}

impl<S: Send + Sync> FromRequestParts<S> for OfAsk {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let (id, key) = read::<(String, String)>(parts, state).await?;
        let run = run(id)?;
        if key.len() > MOST_KEY || key.contains(char::is_control) {
            let told = format!("run {run} never asked this");
            return Err(Problem::new("INTERACTION_NOT_FOUND", told));
        }
        Ok(Self(run, Key::new(key)))
    }
}

async fn read<T: serde::de::DeserializeOwned + Send>(
    parts: &mut Parts,
    state: &(impl Send + Sync),
) -> Result<T, Problem> {
    let path = Path::<T>::from_request_parts(parts, state).await;
    path.map(|Path(names)| names)
        .map_err(|_| Problem::invalid("a name in the path is not percent-encoded UTF-8"))
}

/// Ids have nothing in them that could mean something to a store.
pub(crate) fn run(id: String) -> Result<RunId, Problem> {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "._-".contains(letter);
    if id.is_empty() || id.len() > 100 || !id.chars().all(plain) {
        return Err(Problem::new("RUN_NOT_FOUND", "there is no run of that name"));
    }
    Ok(RunId::new(id))
}

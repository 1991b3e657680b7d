//! One file that a job made.

use consign_engine::{Owner, Speaker};

use super::{find::find_ends, view::Seen};
use crate::{
    Home,
    error::{Error, Refused},
};

/// The text of a file that a job made. Nothing is read from a disk: the path is looked up among the job's own.
pub async fn artifact(
    home: &Home,
    owner: &Owner,
    _speaker: &Speaker,
    id: &str,
    path: &str,
) -> Result<String, Error> {
    let ends = find_ends(home, owner, id).await?;
    let files = Seen::read(home, ends, true).await?.files();
    let file = files.into_iter().find(|file| file.path == path);
    let missing = || Refused::new("NOT_FOUND", "the job has no such file");
    Ok(file.ok_or_else(missing)?.content)
}

//! The last step of an ingest: the folder of its run goes, and what was sent to it.

use std::{fs, io, path::PathBuf, sync::Arc};

use async_trait::async_trait;
use consign_engine::{Attempt, Data, Failure, Invoker, Nanos, Reply};

use super::passing;
use crate::Library;

pub(super) struct TidierAgent(pub(super) Arc<Library>);

#[async_trait]
impl Invoker for TidierAgent {
    fn worst_case(&self, _: &Data) -> Option<Nanos> {
        Some(Nanos::ZERO)
    }

    async fn invoke(&self, attempt: Attempt) -> Result<Reply, Failure> {
        let folders = [self.0.folder_of(&attempt.run), self.0.sent_to(&attempt.run)];
        let removing = tokio::task::spawn_blocking(move || folders.iter().try_for_each(remove));
        let removed = removing.await.unwrap_or_else(|cause| Err(io::Error::other(cause)));
        removed.map_err(|error| passing("HOME_NOT_WRITABLE", error.to_string()))?;
        Ok(Reply::new(Data::null(), Nanos::ZERO))
    }
}

/// Removes a folder. One that is not there is as good.
fn remove(folder: &PathBuf) -> io::Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        Ok(()) | Err(_) => Ok(()),
    }
}

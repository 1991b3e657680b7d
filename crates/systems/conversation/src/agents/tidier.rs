//! The last step of an ingest: the folder of its run goes.

use std::{io, sync::Arc};

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
        let folder = self.0.folder_of(&attempt.run);
        let removed = tokio::task::spawn_blocking(move || std::fs::remove_dir_all(folder)).await;
        let removed = removed.unwrap_or_else(|cause| Err(io::Error::other(cause)));
        match removed {
            Ok(()) => Ok(Reply::new(Data::null(), Nanos::ZERO)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                Ok(Reply::new(Data::null(), Nanos::ZERO))
            }
            Err(error) => Err(passing("HOME_NOT_WRITABLE", error.to_string())),
        }
    }
}

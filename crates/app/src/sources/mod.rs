//! Opening the repositories that jobs read from and publish to.
//!
//! [`Sources`] is the [`OpenRepository`] of a home. A name `owner/repo` is on GitHub, with the token that the owner of
//! the run has brought, or else with the one of the environment; `local/NAME` is a folder below the one that is
//! [shared](Sources::share). A job that was begun in a terminal may name any git folder of its user's.
//!
//! What this must not do: take an address from anybody but the operator ([`Config`]), or leave the shared folder.

mod clients;
mod config;
mod folders;

use std::{
    path::Path,
    sync::{Arc, OnceLock},
};

use async_trait::async_trait;
use consign_authoring::publish::{OpenRepository, fault_of};
use consign_engine::{Fault, Owner};
use consign_models::keys::Keys;
use consign_repositories::{Local, OwnerRepo, Repository};

pub use self::config::Config;
use self::{clients::Clients, folders::Shared};
use crate::error::Refused;

/// The owner of repositories that are folders of this machine.
pub const LOCAL: &str = "local";

/// The repositories of a home.
pub struct Sources {
    clients: Clients,
    shared: OnceLock<Shared>,
}

impl Sources {
    /// Refuses a configuration that cannot be. Nothing is opened or sent yet.
    pub fn new(config: &Config, keys: &Keys, home: &Path) -> Result<Self, Refused> {
        let sources = Self {
            clients: Clients::new(config.github.clone(), keys.clone()),
            shared: OnceLock::new(),
        };
        if let Some(folder) = &config.repos {
            sources.share(folder, home)?;
        }
        Ok(sources)
    }

    /// Shares the repositories right below a folder, under their names, in place of those that were shared before this
    /// process had opened one.
    pub fn share(&self, folder: &Path, home: &Path) -> Result<(), Refused> {
        let shared = Shared::open(folder, home)?;
        if let Err(shared) = self.shared.set(shared)
            && self.shared.get().is_some_and(|known| *known != shared)
        {
            let told = format!("the repositories of {} are shared already", folder.display());
            return Err(Refused::usage("REPOS_SHARED", told).hint("name one folder only"));
        }
        Ok(())
    }

    async fn shared(&self, place: &OwnerRepo) -> Result<Arc<dyn Repository>, Fault> {
        let Some(shared) = self.shared.get().cloned() else {
            let told =
                format!("{place} cannot be opened: no folder of repositories is shared here");
            return Err(Fault::permanent("REPOSITORY_NOT_CONFIGURED", told));
        };
        let name = place.repo().to_owned();
        let opened = tokio::task::spawn_blocking(move || shared.repository(&name)).await;
        let opened = opened.map_err(|cause| {
            Fault::transient("REPOSITORY_UNREACHABLE", format!("the work stopped: {cause}"))
        })?;
        Ok(Arc::new(opened?))
    }
}

#[async_trait]
impl OpenRepository for Sources {
    async fn open(
        &self,
        owner: &Owner,
        name: &OwnerRepo,
        folder: Option<&Path>,
    ) -> Result<Arc<dyn Repository>, Fault> {
        match (folder, name.owner()) {
            (Some(folder), _) => {
                let local = Local::new(folder);
                // It says now what is wrong with the folder.
                local.describe().await.map_err(|error| fault_of(&error))?;
                Ok(Arc::new(local))
            }
            (None, LOCAL) => self.shared(name).await,
            (None, _) => self.clients.repository(owner, name).await,
        }
    }
}

//! The clients of GitHub: one for each owner, as long as the owner's token stays the same.
//!
//! A client keeps what it has read, and the session with an MCP server, so it serves all repositories of its owner. A
//! token that was replaced or removed takes effect with the next repository that is opened.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use consign_authoring::publish::fault_of;
use consign_engine::{Fault, Owner};
use consign_models::keys::{GITHUB_TOKEN, Keys};
use consign_repositories::{
    OwnerRepo, Repository, Secret,
    github::{GitHub, mcp, rest},
};
use sha2::{Digest, Sha256};

use super::config::GitHubConfig;

/// Owners whose client is kept. Behind one over MCP may be a program.
const MOST: usize = 32;

pub(super) struct Clients {
    config: GitHubConfig,
    keys: Keys,
    kept: Mutex<HashMap<Owner, Kept>>,
}

struct Kept {
    /// The digest of the token.
    token: [u8; 32],
    client: Client,
}

#[derive(Clone)]
enum Client {
    Rest(Arc<rest::Rest>),
    Mcp(Arc<mcp::Server>),
}

impl Clients {
    pub(super) fn new(config: GitHubConfig, keys: Keys) -> Self {
        Self { config, keys, kept: Mutex::default() }
    }

    pub(super) async fn repository(
        &self,
        owner: &Owner,
        name: &OwnerRepo,
    ) -> Result<Arc<dyn Repository>, Fault> {
        let Some((token, _)) = self.keys.github_token(owner).await? else {
            let told = format!(
                "{name} cannot be opened: there is no token for GitHub; add one in Settings → GitHub, or set \
                 {GITHUB_TOKEN}"
            );
            return Err(Fault::permanent("GITHUB_TOKEN_MISSING", told));
        };
        let name = name.clone();
        Ok(match self.client(owner, token)? {
            Client::Rest(client) => Arc::new(GitHub::over_rest(client, name)),
            Client::Mcp(server) => Arc::new(GitHub::over_mcp(server, name)),
        })
    }

    fn client(&self, owner: &Owner, token: Secret) -> Result<Client, Fault> {
        let digest: [u8; 32] = Sha256::digest(token.reveal()).into();
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = kept.get(owner).filter(|known| known.token == digest) {
            return Ok(known.client.clone());
        }
        let refused = |error: consign_repositories::Error| fault_of(&error);
        let client = match &self.config {
            GitHubConfig::Rest(options) => {
                Client::Rest(Arc::new(rest::Rest::new(options, Some(token)).map_err(refused)?))
            }
            GitHubConfig::Mcp(options) => {
                Client::Mcp(Arc::new(mcp::Server::new(options, Some(token)).map_err(refused)?))
            }
        };
        if kept.len() >= MOST {
            kept.clear();
        }
        kept.insert(owner.clone(), Kept { token: digest, client: client.clone() });
        Ok(client)
    }
}

//! What the agents of documents work on, in a home.

use std::{path::Path, sync::Arc};

use async_trait::async_trait;
use consign_connector::{Connector, Credential, Credentials, NoCredentials, Parts};
use consign_conversation::{CredentialsOf, Library};
use consign_engine::Owner;
use consign_knowledge::Index;
use consign_models::keys::Keys;
use consign_store::SqliteStore;

use super::{
    credentials,
    given::JournalGiven,
    reader::ChildReader,
    settings::{DocumentSettings, MOST_SENT},
    upload::UploadRules,
};
use crate::machine::Machine;

/// Puts the library of a home together. The error names the settings and what is wrong with them.
pub(crate) fn library(
    home: &Path,
    store: &Arc<SqliteStore>,
    keys: &Keys,
) -> Result<(Library, UploadRules), String> {
    let settings = DocumentSettings::load(home)?;
    let DocumentSettings { mut connector, limits, tesseract_languages, max_sent, turns: _ } =
        settings;
    let rules = UploadRules {
        max_bytes: max_sent.unwrap_or(MOST_SENT),
        shares_folders: !connector.roots.is_empty(),
    };
    let sent = home.join("uploads");
    // What Consign itself keeps is no document of anybody.
    connector.never = vec![home.to_owned()];
    connector.sent = Some(sent.clone());
    let keys = keys.clone();
    let credentials: CredentialsOf = Arc::new(move |owner| {
        Arc::new(SealedCredentials { keys: keys.clone(), owner: owner.clone() })
    });
    let (clock, entropy) = (Arc::new(Machine::new()), Arc::new(Machine::new()));
    let parts = Parts::new(clock, entropy, Arc::new(NoCredentials));
    // One for all: a host has one pace, however many sources are fetched from it.
    let (connector, of_owner) = (Connector::new(connector, parts), credentials.clone());
    let connectors = Arc::new(move |owner: &Owner| connector.with_credentials(of_owner(owner)));
    let index: Arc<dyn Index> = store.clone();
    let library = Library {
        index,
        connectors,
        credentials,
        reader: Arc::new(ChildReader::new(limits, tesseract_languages)),
        folder: home.join("ingest"),
        sent,
        given: Arc::new(JournalGiven(store.clone())),
        clock: Arc::new(Machine::new()),
    };
    Ok((library, rules))
}

/// Credentials of an owner, sealed beside the keys of models.
struct SealedCredentials {
    keys: Keys,
    owner: Owner,
}

#[async_trait]
impl Credentials for SealedCredentials {
    async fn find(&self, credentials_id: &str) -> Result<Option<Credential>, String> {
        let name = credentials::kept_as(credentials_id);
        let found = self.keys.text_key(&self.owner, &name, None).await;
        let found = found.map_err(|error| error.to_string())?;
        Ok(found.and_then(|secret| credentials::read(secret.reveal())))
    }
}

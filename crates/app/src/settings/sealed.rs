//! Why what is sealed could not be read or kept. What names files of the server goes to its log.

use consign_contracts::authoring::ErrorCode;
use consign_engine::store;
use consign_models::keys::{self, NEW_KEY};

use crate::error::{Error, Refused};

/// Words an error for the owner of what is sealed. `member` is the name of the secret in a request.
pub(crate) fn refused(member: &'static str) -> impl Fn(keys::Error) -> Error {
    move |error| {
        let told = error.to_string();
        match error {
            keys::Error::Store(error) => error.into(),
            keys::Error::NotConfigured { .. } => sealing_key("has no sealing key").into(),
            keys::Error::Refused(_) | keys::Error::NoOldKey | keys::Error::Exists(_) => {
                tracing::warn!(cause = told, "keys of users cannot be sealed");
                sealing_key("has a sealing key that cannot be used").into()
            }
            keys::Error::Duplicate { name, .. } => {
                let told = format!(
                    "you have a {member} for {name} already; replace it, or remove it first"
                );
                Refused::new(ErrorCode::DuplicateKey.as_str(), told).into()
            }
            keys::Error::Locked { name, .. } | keys::Error::Damaged { name, .. } => {
                let told =
                    format!("your {member} for {name} cannot be opened any more; bring it again");
                Refused::new(ErrorCode::AiKeyMissing.as_str(), told).into()
            }
            keys::Error::Unfit { why, .. } => {
                let told = format!("that cannot be a {member}: it {why}");
                super::invalid([(format!("/{member}"), "value".to_owned(), told)]).into()
            }
            keys::Error::Busy | keys::Error::Disk { .. } => store::Error::Unavailable(told).into(),
        }
    }
}

fn sealing_key(what: &str) -> Refused {
    let told = format!(
        "keys cannot be kept: this server {what}; its operator runs `consign keys init` or sets {NEW_KEY}"
    );
    Refused::new(ErrorCode::EncryptionNotConfigured.as_str(), told)
}

//! `accounts.toml` of a home, and the variables that stand for parts of it.

use std::{fs, io::ErrorKind, path::Path};

use consign_accounts::Secret;
use consign_engine::store;
use consign_identity::mail;
use serde::Deserialize;

use super::invalid;
use crate::error::Error;

pub(super) struct AccountSettings {
    /// Public routes answer alike for known and unknown addresses.
    pub(super) discreet: bool,
    pub(super) mail: Option<mail::Settings>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Written {
    discreet: bool,
    mail: Option<WrittenMail>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenMail {
    url: String,
    from: String,
}

/// Reads the settings. The environment counts before the file.
pub(super) fn settings(home: &Path) -> Result<AccountSettings, Error> {
    let path = home.join("accounts.toml");
    let text = match fs::read_to_string(&path) {
        Ok(text) => text,
        Err(cause) if cause.kind() == ErrorKind::NotFound => String::new(),
        Err(cause) => {
            let told = format!("could not read {}: {cause}", path.display());
            return Err(store::Error::Unavailable(told).into());
        }
    };
    // What the parser says may quote a line, and the line may hold the password of the mail server.
    let written: Written = toml::from_str(&text)
        .map_err(|why| invalid(format!("accounts.toml: {}", why.message())))?;
    let from_environment = mail::Settings::from_environment(|name| std::env::var(name).ok());
    let in_file = written
        .mail
        .map(|WrittenMail { url, from }| mail::Settings { url: Secret::new(url), from });
    let mail = from_environment.map_err(invalid)?.or(in_file);
    Ok(AccountSettings { discreet: written.discreet, mail })
}

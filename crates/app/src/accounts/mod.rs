//! The accounts of a home: its users, how they are mailed, and where they can sign in instead.
//!
//! [`open`] composes them of the home's store, this machine's clock and what `accounts.toml` and the environment say.
//! Whether a server has accounts is decided at its start: it does as soon as the home has a user, or when it is told to.

mod settings;

use std::{path::Path, sync::Arc};

use consign_accounts::{Accounts, Options};
pub use consign_identity::oauth::{Error as OauthError, OauthClients, pkce_challenge};
use consign_identity::{mail, oauth};

use self::settings::settings;
use crate::{
    error::{Error, Refused},
    home::Home,
    machine::Machine,
};

/// The accounts of a home.
pub fn open(home: &Home) -> Result<Accounts, Error> {
    let settings = settings(&home.folder)?;
    let mailer = mail::mailer(settings.mail.as_ref()).map_err(invalid)?;
    let store = home.account_store.clone();
    let (clock, entropy) = (Arc::new(Machine::new()), Arc::new(Machine::new()));
    let options = Options { is_discreet: settings.discreet };
    Ok(Accounts::new(store, mailer, clock, entropy, options))
}

/// Whether codes are mailed; if not, they go to the server's log. Fails where the settings cannot be used.
pub fn is_mail_configured(home: &Path) -> Result<bool, Error> {
    let mail = settings(home)?.mail;
    mail::mailer(mail.as_ref()).map_err(invalid)?;
    Ok(mail.is_some())
}

/// The services that users can sign in with, by what the environment says.
pub fn oauth_clients() -> Result<OauthClients, Error> {
    oauth::OauthClients::from_environment(|name| std::env::var(name).ok()).map_err(invalid)
}

/// A refusal of accounts, for a surface that has no form of its own for it.
impl From<consign_accounts::Error> for Error {
    fn from(error: consign_accounts::Error) -> Self {
        if let consign_accounts::Error::Store(error) = error {
            return error.into();
        }
        Refused::new(error.code(), error.to_string()).into()
    }
}

fn invalid(why: impl std::fmt::Display) -> Error {
    Refused::new("CONFIG_INVALID", why.to_string()).hint("docs/settings.md has the form").into()
}

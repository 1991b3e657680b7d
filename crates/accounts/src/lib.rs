//! Who is who: users, sessions, tokens, roles and limits of attempts.
//!
//! [`Accounts`] has every rule: who may sign in, how often anybody may try, how long a code, a session
//! or an attempt at OAuth lasts. It does no I/O. What is kept goes through [`AccountStore`], mail through
//! [`Mailer`], time and randomness through the engine's [`Clock`](consign_engine::Clock) and
//! [`Entropy`](consign_engine::Entropy).
//!
//! - Each change is one write of the store: after a crash it is there whole, or not at all.
//! - Secrets are kept as SHA-256, passwords as Argon2id. Neither is ever printed or logged.
//! - An attempt is counted before anything is compared, by the store, so that a limit holds for many
//!   processes at once and after a restart.
//!
//! It knows no HTTP: cookies, status codes and the OAuth exchange itself are the server's.

mod accounts;
mod client;
mod email;
mod error;
mod identity;
mod limits;
mod mailer;
mod oauth;
mod passwords;
mod scope;
mod secret;
mod settings;
mod store;
mod user;

pub use accounts::{Accounts, Options};
pub use client::Client;
pub use consign_engine::At;
pub use email::Email;
pub use error::Error;
pub use identity::{Identity, SignedIn, TokenInfo, Way};
pub use limits::{Limit, Subject};
pub use mailer::{MailError, Mailer, Purpose};
pub use oauth::{OauthAttempt, OutsideUser, Provider};
pub use passwords::{PasswordHash, Passwords};
pub use scope::{Scope, Scopes};
pub use secret::{Digest, Secret};
pub use settings::{Setting, SettingsStore};
pub use store::{
    AccountStore, Added, CodePut, CodeTry, Counted, KeptAttempt, KeptSession, KeptUser, NewCode,
    NewSession, NewToken, NewUser, OutsideSignIn, PasswordChange, SignedInOutside, Tried,
};
pub use user::{Role, User, UserId};

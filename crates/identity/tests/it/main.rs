//! Mail and sign-in against doubles of a mail server and of both providers, on this machine.

#![expect(clippy::unwrap_used, reason = "a test that unwraps says where it failed")]

mod log;
mod mail;
mod mail_double;
mod oauth;
mod provider_double;

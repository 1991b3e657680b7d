//! How accounts reach other services: mail over SMTP, sign-in with GitHub and Google.
//!
//! These are adapters. [`mail`] sends the codes that accounts make, over the port
//! [`Mailer`](consign_accounts::Mailer); [`oauth`] asks a provider who somebody is and answers with an
//! [`OutsideUser`](consign_accounts::OutsideUser). What follows from either, who may sign in and which
//! account it is, is decided in `consign-accounts` and nowhere here.
//!
//! The caller reads settings and environment and hands them in. No secret is printed, logged or part of an
//! error, and nothing here tries anything twice.

pub mod mail;
pub mod oauth;

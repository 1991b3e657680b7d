//! Who a server lets in: the one user that has its token, or everyone with an account.

use std::sync::Arc;

use axum::http::HeaderMap;
use consign_accounts::Accounts;
use consign_app::accounts::OauthClients;

use crate::{Token, error::Problem};

/// Who a server lets in.
pub enum SignIn {
    /// One user, by the token that the server prints at its start.
    Token(Token),
    /// Users with accounts.
    Accounts(AccountsParts),
}

/// What a server with accounts has besides.
pub struct AccountsParts {
    pub accounts: Accounts,
    /// The services where users can sign in instead.
    pub oauth: Arc<OauthClients>,
    /// Whether the first user of all, who is an admin, may sign up. A server that strangers can reach wants the set-up
    /// link instead.
    pub may_first_sign_up: bool,
    /// How browsers reach this server, without a path: services that users sign in with send them back there.
    pub public_url: String,
}

/// Headers by which a proxy shows.
const FORWARDED: [&str; 5] =
    ["forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-real-ip"];

impl AccountsParts {
    /// Refuses a new account that would be the first one, where that is for the operator to make.
    pub(crate) async fn check_first(&self, headers: &HeaderMap) -> Result<(), Problem> {
        let is_forwarded = FORWARDED.iter().any(|name| headers.contains_key(*name));
        if (self.may_first_sign_up && !is_forwarded) || self.accounts.has_users().await? {
            return Ok(());
        }
        let told = "the first user is made by the link that the server printed at its start";
        Err(Problem::new("FORBIDDEN", told))
    }
}

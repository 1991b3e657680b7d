//! The person or program that makes a request: whose runs it can reach, in whose name it speaks, what it may do.
//!
//! The gate makes a [`Caller`] of the credentials; [`Caller::admit`] is the one rule on who may use a route. A handler
//! finds the caller in its [`Call`](crate::endpoint::Call) and takes owner and speaker from nowhere else.

use std::sync::Arc;

use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use consign_accounts::{Identity, Scope, User, UserId, Way};
use consign_app::Reach;
use consign_engine::{Owner, Speaker};
use subtle::ConstantTimeEq;

use crate::{
    endpoint::{Access, Method},
    error::Problem,
};

/// The header in which a page repeats the secret that it was told at log-in.
pub(crate) const CSRF: HeaderName = HeaderName::from_static("x-csrf-token");

/// The person or program that makes a request.
#[derive(Clone)]
pub(crate) struct Caller {
    /// Who pays for what it starts.
    pub(crate) owner: Owner,
    /// In whose name it speaks: the journal keeps it.
    pub(crate) speaker: Speaker,
    pub(crate) reach: Reach,
    standing: Standing,
}

#[derive(Clone)]
enum Standing {
    /// It showed no credentials.
    Nobody,
    /// The one user of a server without accounts.
    SingleUser,
    User(Arc<Identity>),
}

impl Caller {
    pub(crate) fn nobody() -> Self {
        let owner = Owner::from("nobody");
        let reach = Reach::Only(owner.clone());
        Self { owner, speaker: Speaker::agent("http:nobody"), reach, standing: Standing::Nobody }
    }

    pub(crate) fn single_user(owner: Owner, speaker: Speaker) -> Self {
        Self { owner, speaker, reach: Reach::Everything, standing: Standing::SingleUser }
    }

    pub(crate) fn user(identity: Identity) -> Self {
        let owner = identity.user.id.owner();
        let actor = match &identity.way {
            Way::Session { .. } => format!("http:{owner}"),
            Way::Token { id, .. } => format!("http:{owner}/token:{id}"),
        };
        let (speaker, reach) = (Speaker::person(actor), Reach::Only(owner.clone()));
        Self { owner, speaker, reach, standing: Standing::User(Arc::new(identity)) }
    }

    /// The account; `None` on a server without accounts.
    pub(crate) fn identity(&self) -> Option<&Identity> {
        match &self.standing {
            Standing::User(identity) => Some(identity),
            Standing::Nobody | Standing::SingleUser => None,
        }
    }

    /// The account of a route that only users can ask.
    pub(crate) fn account(&self) -> Result<&Identity, Problem> {
        self.identity().ok_or_else(no_accounts)
    }

    pub(crate) fn account_user(&self) -> Result<&User, Problem> {
        self.account().map(|identity| &identity.user)
    }

    pub(crate) fn user_id(&self) -> Result<&UserId, Problem> {
        self.account_user().map(|user| &user.id)
    }

    /// Whether the credentials allow what this scope covers.
    pub(crate) fn may(&self, scope: Scope) -> bool {
        match &self.standing {
            Standing::Nobody => false,
            Standing::SingleUser => true,
            Standing::User(identity) => identity.may(scope),
        }
    }

    /// Whether the caller may use a route, by its credentials.
    pub(crate) fn admit(
        &self,
        access: Access,
        method: Method,
        headers: &HeaderMap,
    ) -> Result<(), Problem> {
        let identity = match (&self.standing, access) {
            (_, Access::Public) => return Ok(()),
            (Standing::Nobody, _) => return Err(unauthorized(NO_CREDENTIALS, CHALLENGE)),
            // A server for one user has no accounts; its routes on accounts say so themselves.
            (Standing::SingleUser, _) => return Ok(()),
            (Standing::User(identity), _) => identity,
        };
        if let Way::Session { csrf, .. } = &identity.way
            && method.changes()
        {
            has_csrf(headers, csrf)?;
        }
        match access {
            Access::Public | Access::Anyone => Ok(()),
            Access::Scope(scope) if identity.may(scope) => Ok(()),
            Access::Scope(scope) => {
                let told = format!("the token lacks the scope `{}`", scope.as_str());
                Err(Problem::new("FORBIDDEN", told))
            }
            Access::Unscoped if identity.is_whole() => Ok(()),
            Access::Unscoped => {
                let told = "this route wants a session, or a token without scopes";
                Err(Problem::new("FORBIDDEN", told))
            }
            Access::Admin if identity.may(Scope::Admin) => Ok(()),
            Access::Admin => {
                let told =
                    "this route is for admins, by session or by a token with the scope `admin`";
                Err(Problem::new("FORBIDDEN", told))
            }
        }
    }
}

fn has_csrf(headers: &HeaderMap, csrf: &str) -> Result<(), Problem> {
    let mut given = headers.get_all(CSRF).iter();
    let fits = match (given.next(), given.next()) {
        (Some(given), None) => given.as_bytes().ct_eq(csrf.as_bytes()).into(),
        _ => false,
    };
    if fits {
        return Ok(());
    }
    let told =
        "a change by cookie wants the `csrfToken` of the session in the header `X-CSRF-Token`";
    Err(Problem::new("FORBIDDEN", told))
}

const NO_CREDENTIALS: &str = "send a session cookie, or a token as `Authorization: Bearer TOKEN`; a server without accounts prints its token";
pub(crate) const CHALLENGE: &str = "Bearer realm=\"consign\"";
pub(crate) const BAD_CHALLENGE: &str = "Bearer realm=\"consign\", error=\"invalid_token\"";

pub(crate) fn unauthorized(told: &'static str, challenge: &'static str) -> Problem {
    Problem::new("UNAUTHORIZED", told)
        .with_header(header::WWW_AUTHENTICATE, HeaderValue::from_static(challenge))
}

/// A route on accounts, on a server that has none.
pub(crate) fn no_accounts() -> Problem {
    let told = "this server has no accounts; `consign serve --accounts` turns them on";
    Problem::new("NOT_FOUND", told)
}

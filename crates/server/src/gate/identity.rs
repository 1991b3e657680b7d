//! Finds out who makes a request, by its token or its session.
//!
//! A token is taken from `Authorization` only, a session from its cookie only, and neither from an address. Credentials
//! that are wrong are told when the route wants some: a public route does not look at them.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use axum::http::{Extensions, HeaderMap, HeaderValue, header};
use consign_engine::Owner;
use sha2::{Digest, Sha256};

use crate::{
    caller::{BAD_CHALLENGE, CHALLENGE, Caller, unauthorized},
    cookies,
    endpoint::Access,
    error::Problem,
    server::App,
    sign_in::SignIn,
};

/// The gate's finding about a request, on its way to the route.
#[derive(Clone)]
pub(crate) struct Identified(Result<Caller, Arc<Problem>>);

impl Identified {
    /// The caller of a request.
    pub(crate) fn take(extensions: &mut Extensions, access: Access) -> Result<Caller, Problem> {
        match extensions.remove::<Self>() {
            Some(Self(Ok(caller))) => Ok(caller),
            _ if access == Access::Public => Ok(Caller::nobody()),
            Some(Self(Err(problem))) => Err((*problem).clone()),
            None => Ok(Caller::nobody()),
        }
    }

    pub(super) fn caller(&self) -> Option<&Caller> {
        self.0.as_ref().ok()
    }
}

/// The owners of credentials that were seen, by the digest of the token or session. It says in which line a request
/// waits, and nothing else: whether credentials count is looked up for each request.
#[derive(Default)]
pub(crate) struct KnownCredentials(Mutex<HashMap<[u8; 32], Owner>>);

/// Credentials that are remembered; beyond it all are forgotten, and looked up once more.
const REMEMBERED: usize = 4096;

impl KnownCredentials {
    fn owner(&self, digest: &[u8; 32]) -> Option<Owner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(digest).cloned()
    }

    fn remember(&self, digest: [u8; 32], caller: Option<&Caller>) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match caller {
            Some(caller) if known.get(&digest) == Some(&caller.owner) => {}
            Some(caller) => {
                if known.len() >= REMEMBERED {
                    known.clear();
                }
                known.insert(digest, caller.owner.clone());
            }
            None => {
                known.remove(&digest);
            }
        }
    }
}

/// The owner whom the credentials of a request had when they were last looked up.
pub(super) fn expected_owner(app: &App, headers: &HeaderMap) -> Option<Owner> {
    match &app.sign_in {
        SignIn::Token(_) => None,
        SignIn::Accounts(_) => app.known_credentials.owner(&digest_of(headers)?),
    }
}

/// The digest of the one thing that says who makes a request.
fn digest_of(headers: &HeaderMap) -> Option<[u8; 32]> {
    match bearer_of(headers) {
        Err(()) => None,
        Ok(Some(token)) => Some(Sha256::digest(token).into()),
        Ok(None) => cookies::session(headers).map(|session| Sha256::digest(session).into()),
    }
}

/// Whether credentials that were those of an owner still are: what lasts asks again and again.
pub(crate) async fn are_still(app: &App, headers: &HeaderMap, owner: &Owner) -> bool {
    identify(app, headers).await.caller().is_some_and(|caller| caller.owner == *owner)
}

/// Finds out who makes a request.
pub(super) async fn identify(app: &App, headers: &HeaderMap) -> Identified {
    Identified(match &app.sign_in {
        SignIn::Token(token) => match bearer_of(headers) {
            Ok(None) => Err(unauthorized(
                "send the token that the server printed at its start, as `Authorization: Bearer TOKEN`",
                CHALLENGE,
            )
            .into()),
            Ok(Some(given)) if token.is(given) => {
                Ok(Caller::single_user(app.options.owner.clone(), app.options.by.clone()))
            }
            Ok(Some(_)) | Err(()) => {
                Err(unauthorized("this is not the token of this server", BAD_CHALLENGE).into())
            }
        },
        SignIn::Accounts(_) => {
            let found = of_account(app, headers).await.map_err(Arc::new);
            if let Some(digest) = digest_of(headers) {
                app.known_credentials.remember(digest, found.as_ref().ok());
            }
            found
        }
    })
}

async fn of_account(app: &App, headers: &HeaderMap) -> Result<Caller, Problem> {
    let accounts = app.accounts()?;
    let refused =
        || unauthorized("the token is unknown, revoked or of a disabled user", BAD_CHALLENGE);
    let found = match bearer_of(headers) {
        Err(()) => return Err(refused()),
        Ok(Some(given)) => {
            let given = std::str::from_utf8(given).map_err(|_| refused())?;
            accounts.token(given).await?.ok_or_else(refused)?
        }
        Ok(None) => {
            let Some(session) = cookies::session(headers) else { return Ok(Caller::nobody()) };
            let over = || unauthorized("the session is over; log in again", CHALLENGE);
            accounts.session(&session).await?.ok_or_else(over)?
        }
    };
    Ok(Caller::user(found))
}

/// The token in the one `Authorization` header; an error if there is one that is no bearer token, or several.
fn bearer_of(headers: &HeaderMap) -> Result<Option<&[u8]>, ()> {
    let mut given = headers.get_all(header::AUTHORIZATION).iter();
    match (given.next(), given.next()) {
        (None, _) => Ok(None),
        (Some(given), None) => bearer(given).map(Some).ok_or(()),
        (Some(_), Some(_)) => Err(()),
    }
}

fn bearer(value: &HeaderValue) -> Option<&[u8]> {
    let (scheme, token) = value.as_bytes().split_at_checked(7)?;
    scheme.eq_ignore_ascii_case(b"bearer ").then(|| token.trim_ascii())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_one_header_of_one_kind() {
        let check = |given: &[&'static str], found: Result<Option<&[u8]>, ()>| {
            let mut headers = HeaderMap::new();
            for given in given {
                headers.append(header::AUTHORIZATION, HeaderValue::from_static(given));
            }
            assert_eq!(bearer_of(&headers), found, "{given:?}");
        };
        check(&["Bearer correct-horse-battery"], Ok(Some(b"correct-horse-battery")));
        check(&["bearer correct-horse-battery"], Ok(Some(b"correct-horse-battery")));
        check(&[], Ok(None));
        check(&["correct-horse-battery"], Err(()));
        check(&["Basic correct-horse-battery"], Err(()));
        check(&["Bearer"], Err(()));
        check(&["Bearer "], Ok(Some(b"")));
        check(&["Bearer correct-horse-battery", "Bearer correct-horse-battery"], Err(()));
    }
}

//! Who a request comes from, and how that is known.

use consign_engine::At;

use crate::{Role, Scope, Scopes, Secret, User, UserId};

/// The outcome of a log-in: a new session, every time.
#[derive(Clone, Debug)]
pub struct SignedIn {
    pub user: User,
    pub session: Secret,
    pub csrf: String,
}

/// How somebody is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Way {
    Session {
        /// What a change by cookie has to repeat.
        csrf: String,
        id: String,
    },
    Token {
        id: String,
        /// `None`: a token without scopes.
        scopes: Option<Scopes>,
    },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    pub user: User,
    pub way: Way,
}

impl Identity {
    /// Whether this may be used for something. Only administrators may do what `admin` covers, whatever
    /// a token says.
    #[must_use]
    pub fn may(&self, scope: Scope) -> bool {
        let by_role = scope != Scope::Admin || self.user.role == Role::Admin;
        let by_way = match &self.way {
            Way::Session { .. } => true,
            Way::Token { scopes, .. } => scopes.unwrap_or_else(Scopes::default_set).contains(scope),
        };
        by_role && by_way
    }

    /// Whether this may change the account itself: a session, or a token without scopes.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        matches!(self.way, Way::Session { .. } | Way::Token { scopes: None, .. })
    }
}

/// A token without its secret, which nobody can show again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenInfo {
    pub id: String,
    pub user: UserId,
    pub name: Option<String>,
    pub scopes: Option<Scopes>,
    pub created_at: At,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(role: Role, way: Way) -> Identity {
        let id = UserId::from_word("77777777-7777-4777-b777-777777777777").unwrap();
        let email = "ada@example.org".to_owned();
        let user =
            User { id, email, role, is_verified: true, is_disabled: false, created_at: At(0) };
        Identity { user, way }
    }

    #[test]
    fn what_one_may_do_follows_from_role_and_scopes() {
        let session = || Way::Session { csrf: String::new(), id: String::new() };
        let token = |words: Option<&str>| Way::Token {
            id: String::new(),
            scopes: words.and_then(Scopes::from_words),
        };
        let check = |role, way: Way, words: &str, is_whole| {
            let who = known(role, way);
            let may: Scopes = Scope::ALL.into_iter().filter(|scope| who.may(*scope)).collect();
            assert_eq!((may.to_words().as_str(), who.is_whole()), (words, is_whole), "{who:?}");
        };
        check(Role::Admin, session(), "runs jobs answer admin", true);
        check(Role::Member, session(), "runs jobs answer", true);
        check(Role::Admin, token(None), "runs jobs answer", true);
        check(Role::Member, token(None), "runs jobs answer", true);
        check(Role::Admin, token(Some("admin")), "admin", false);
        check(Role::Member, token(Some("jobs admin")), "jobs", false);
        check(Role::Admin, token(Some("")), "", false);
    }
}

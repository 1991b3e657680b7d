//! Users in memory, and what they are known by.

use std::time::Duration;

use async_trait::async_trait;
use consign_accounts::{
    AccountStore, Added, CodePut, CodeTry, Counted, Digest, Email, KeptAttempt, KeptSession,
    KeptUser, Limit, NewCode, NewSession, NewToken, NewUser, OutsideSignIn, PasswordChange,
    PasswordHash, Provider, Role, SignedInOutside, Subject, TokenInfo, Tried, User, UserId,
};
use consign_engine::{At, store::Error};

use super::MemoryStore;

/// Everything that is kept of users, in the order in which it came.
#[derive(Clone, Debug, Default)]
pub struct Users {
    users: Vec<Kept>,
    sessions: Vec<(NewSession, At)>,
    tokens: Vec<NewToken>,
    /// At most one for each user, with the number of tries.
    codes: Vec<(UserId, NewCode, u32)>,
    /// Until when each attempt counts.
    attempts: Vec<(Subject, At)>,
    links: Vec<(Provider, String, UserId)>,
    oauth: Vec<KeptAttempt>,
    setup: Option<Digest>,
}

#[derive(Clone, Debug)]
struct Kept {
    email: Email,
    user: User,
    password: Option<PasswordHash>,
}

impl Users {
    fn find(&mut self, id: UserId) -> Option<&mut Kept> {
        self.users.iter_mut().find(|kept| kept.user.id == id)
    }

    fn by_email(&self, email: &Email) -> Option<&Kept> {
        self.users.iter().find(|kept| kept.email == *email)
    }

    /// How long to wait if there is no room for one more.
    fn full(&self, limit: &Limit, now: At) -> Option<Duration> {
        let of_subject = self.attempts.iter().filter(|(subject, _)| *subject == limit.subject);
        let mut counting: Vec<At> =
            of_subject.map(|(_, until)| *until).filter(|until| *until > now).collect();
        counting.sort_unstable();
        let over = counting.len().checked_sub(limit.most as usize)?;
        Some(limit.retry_after(counting[over], now))
    }

    fn count(&mut self, limit: &Limit, now: At) {
        self.attempts.retain(|(_, until)| *until > now);
        self.attempts.push((limit.subject.clone(), limit.counts_until(now)));
    }

    fn clear(&mut self, subject: &Subject) {
        self.attempts.retain(|(other, _)| other != subject);
    }

    fn keep(&mut self, new: NewUser) -> User {
        let NewUser { id, email, role, is_verified, password, created_at } = new;
        let role = if self.users.is_empty() { Role::Admin } else { role };
        let given = email.as_given().to_owned();
        let user = User { id, email: given, role, is_verified, is_disabled: false, created_at };
        self.users.push(Kept { email, user: user.clone(), password });
        self.setup = None;
        user
    }

    fn keep_code(&mut self, user: UserId, code: NewCode) {
        self.count(&code.limit, code.made_at);
        self.drop_code(user);
        self.codes.push((user, code, 0));
    }

    fn drop_code(&mut self, user: UserId) {
        self.codes.retain(|(other, ..)| *other != user);
    }

    fn keep_session(&mut self, session: NewSession) {
        self.sessions.retain(|(other, _)| other.ends_at > session.made_at);
        let seen_at = session.made_at;
        self.sessions.push((session, seen_at));
    }

    fn end_sessions(&mut self, user: UserId, keep: Option<Digest>) {
        self.sessions.retain(|(session, _)| session.user != user || Some(session.digest) == keep);
    }

    fn open_outside(&mut self, user: User, sign_in: &OutsideSignIn) -> SignedInOutside {
        if user.is_disabled {
            return SignedInOutside::Disabled;
        }
        let OutsideSignIn { session: digest, now: made_at, ends_at, .. } = *sign_in;
        self.keep_session(NewSession { digest, user: user.id, made_at, ends_at });
        SignedInOutside::Done(user)
    }

    fn info(token: &NewToken) -> TokenInfo {
        let NewToken { id, user, name, scopes, made_at, .. } = token.clone();
        TokenInfo { id, user, name, scopes, created_at: made_at }
    }
}

/// Nobody waits for users, so nobody is told of them.
#[async_trait]
impl AccountStore for MemoryStore {
    async fn count(&self, limits: &[Limit], now: At) -> Result<Counted, Error> {
        let users = &mut self.state().users;
        let wait = limits.iter().filter_map(|limit| users.full(limit, now)).max();
        if let Some(retry_after) = wait {
            return Ok(Counted::Limited { retry_after });
        }
        for limit in limits {
            users.count(limit, now);
        }
        Ok(Counted::Done)
    }

    async fn has_users(&self) -> Result<bool, Error> {
        Ok(!self.state().users.users.is_empty())
    }

    async fn users(&self) -> Result<Vec<User>, Error> {
        Ok(self.state().users.users.iter().map(|kept| kept.user.clone()).collect())
    }

    async fn user(&self, id: &UserId) -> Result<Option<KeptUser>, Error> {
        let kept = self.state().users.find(*id).cloned();
        Ok(kept.map(|Kept { user, password, .. }| KeptUser { user, password }))
    }

    async fn user_by_email(&self, email: &Email) -> Result<Option<KeptUser>, Error> {
        let kept = self.state().users.by_email(email).cloned();
        Ok(kept.map(|Kept { user, password, .. }| KeptUser { user, password }))
    }

    async fn add_user(&self, new: NewUser, code: Option<NewCode>) -> Result<Added, Error> {
        let users = &mut self.state().users;
        if users.by_email(&new.email).is_some() {
            return Ok(Added::EmailInUse);
        }
        let wait = code.as_ref().and_then(|code| users.full(&code.limit, code.made_at));
        if let Some(retry_after) = wait {
            return Ok(Added::Limited { retry_after });
        }
        let user = users.keep(new);
        if let Some(code) = code {
            users.keep_code(user.id, code);
        }
        Ok(Added::Done(user))
    }

    async fn put_setup(&self, token: Digest, _now: At) -> Result<bool, Error> {
        let users = &mut self.state().users;
        if users.users.is_empty() {
            users.setup = Some(token);
        }
        Ok(users.users.is_empty())
    }

    async fn set_up(
        &self,
        token: Digest,
        new: NewUser,
        session: NewSession,
    ) -> Result<Option<User>, Error> {
        let users = &mut self.state().users;
        if users.setup != Some(token) || !users.users.is_empty() {
            return Ok(None);
        }
        let user = users.keep(new);
        users.keep_session(session);
        Ok(Some(user))
    }

    async fn put_code(&self, user: &UserId, code: NewCode) -> Result<CodePut, Error> {
        let users = &mut self.state().users;
        if users.find(*user).is_none() {
            return Err(Error::Unavailable(format!("user {user} is no longer there")));
        }
        if let Some(retry_after) = users.full(&code.limit, code.made_at) {
            return Ok(CodePut::Limited { retry_after });
        }
        users.keep_code(*user, code);
        Ok(CodePut::Done)
    }

    async fn try_code(&self, attempt: CodeTry) -> Result<Tried, Error> {
        let users = &mut self.state().users;
        let CodeTry { user, purpose, digest, made_after, most, password } = attempt;
        let kept = users.codes.iter_mut().find(|(other, code, tries)| {
            *other == user && code.purpose == purpose && code.made_at > made_after && *tries < most
        });
        let Some((_, code, tries)) = kept else { return Ok(Tried::Wrong) };
        *tries += 1;
        if code.digest != digest {
            return Ok(Tried::Wrong);
        }
        users.drop_code(user);
        if let Some(kept) = users.find(user) {
            kept.user.is_verified = true;
            if password.is_some() {
                kept.password = password;
                users.end_sessions(user, None);
            }
        }
        Ok(Tried::Done)
    }

    async fn open_session(
        &self,
        session: NewSession,
        seen: &PasswordHash,
        clear: &Subject,
    ) -> Result<bool, Error> {
        let users = &mut self.state().users;
        let may = users
            .find(session.user)
            .is_some_and(|kept| !kept.user.is_disabled && kept.password.as_ref() == Some(seen));
        if may {
            users.keep_session(session);
            users.clear(clear);
        }
        Ok(may)
    }

    async fn session(&self, digest: &Digest) -> Result<Option<(KeptSession, User)>, Error> {
        let users = &mut self.state().users;
        let session = users.sessions.iter().find(|(session, _)| session.digest == *digest);
        let Some((session, seen_at)) = session.cloned() else { return Ok(None) };
        let NewSession { user, made_at, ends_at, .. } = session;
        let kept = KeptSession { made_at, seen_at, ends_at };
        Ok(users.find(user).map(|found| (kept, found.user.clone())))
    }

    async fn touch_session(&self, digest: &Digest, seen_at: At, ends_at: At) -> Result<(), Error> {
        let users = &mut self.state().users;
        for (session, seen) in &mut users.sessions {
            if session.digest == *digest {
                (*seen, session.ends_at) = (seen_at, ends_at);
            }
        }
        Ok(())
    }

    async fn end_session(&self, digest: &Digest) -> Result<bool, Error> {
        let sessions = &mut self.state().users.sessions;
        let before = sessions.len();
        sessions.retain(|(session, _)| session.digest != *digest);
        Ok(sessions.len() < before)
    }

    async fn set_password(&self, change: PasswordChange) -> Result<bool, Error> {
        let users = &mut self.state().users;
        let PasswordChange { user, to, seen, keep, clear } = change;
        let found = users.find(user).filter(|kept| seen.is_none() || kept.password == seen);
        let Some(kept) = found else { return Ok(false) };
        kept.password = Some(to);
        users.end_sessions(user, keep);
        users.drop_code(user);
        if let Some(subject) = &clear {
            users.clear(subject);
        }
        Ok(true)
    }

    async fn set_disabled(&self, id: &UserId, is_disabled: bool) -> Result<Option<User>, Error> {
        let users = &mut self.state().users;
        let Some(kept) = users.find(*id) else { return Ok(None) };
        kept.user.is_disabled = is_disabled;
        let user = kept.user.clone();
        if is_disabled {
            users.end_sessions(*id, None);
            users.drop_code(*id);
            users.tokens.retain(|token| token.user != *id);
        }
        Ok(Some(user))
    }

    async fn add_token(&self, token: NewToken) -> Result<bool, Error> {
        let users = &mut self.state().users;
        let may = users.find(token.user).is_some_and(|kept| !kept.user.is_disabled);
        if may {
            users.tokens.push(token);
        }
        Ok(may)
    }

    async fn token(&self, digest: &Digest) -> Result<Option<(TokenInfo, User)>, Error> {
        let users = &mut self.state().users;
        let token = users.tokens.iter().find(|token| token.digest == *digest).map(Users::info);
        let Some(token) = token else { return Ok(None) };
        Ok(users.find(token.user).map(|kept| (token, kept.user.clone())))
    }

    async fn tokens(&self, user: &UserId) -> Result<Vec<TokenInfo>, Error> {
        let state = self.state();
        let of_user = state.users.tokens.iter().filter(|token| token.user == *user);
        Ok(of_user.map(Users::info).collect())
    }

    async fn revoke_token(&self, user: Option<&UserId>, id: &str) -> Result<bool, Error> {
        let tokens = &mut self.state().users.tokens;
        let before = tokens.len();
        tokens.retain(|token| token.id != id || user.is_some_and(|user| token.user != *user));
        Ok(tokens.len() < before)
    }

    async fn put_oauth(&self, attempt: KeptAttempt, forget: At) -> Result<(), Error> {
        let oauth = &mut self.state().users.oauth;
        oauth.retain(|other| other.made_at > forget);
        oauth.push(attempt);
        Ok(())
    }

    async fn take_oauth(&self, state: &Digest) -> Result<Option<KeptAttempt>, Error> {
        let oauth = &mut self.state().users.oauth;
        let place = oauth.iter().position(|attempt| attempt.state == *state);
        Ok(place.map(|place| oauth.remove(place)))
    }

    async fn sign_in_outside(&self, sign_in: OutsideSignIn) -> Result<SignedInOutside, Error> {
        let users = &mut self.state().users;
        let link = users.links.iter().find(|(provider, outside_id, _)| {
            (*provider, outside_id) == (sign_in.provider, &sign_in.outside_id)
        });
        let linked = link.map(|(.., user)| *user).and_then(|user| users.find(user).cloned());
        if let Some(kept) = linked {
            return Ok(users.open_outside(kept.user, &sign_in));
        }
        let Some(email) = &sign_in.email else { return Ok(SignedInOutside::NotVerified) };
        let user = match users.by_email(email).map(|kept| kept.user.clone()) {
            Some(user) if !user.is_verified => return Ok(SignedInOutside::InUse),
            Some(user) if user.is_disabled => return Ok(SignedInOutside::Disabled),
            Some(user) => user,
            None => users.keep(NewUser {
                id: sign_in.new_id,
                email: email.clone(),
                role: Role::Member,
                is_verified: true,
                password: None,
                created_at: sign_in.now,
            }),
        };
        users.links.push((sign_in.provider, sign_in.outside_id.clone(), user.id));
        Ok(users.open_outside(user, &sign_in))
    }
}

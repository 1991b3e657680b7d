//! The port to what is kept of accounts.
//!
//! Whatever a method has answered `Ok` to is durable. Each method is one change: all of it is there, or
//! nothing. Methods that are called at the same moment, in this process or another, take effect one
//! after the other. The rules are the caller's: the store compares and counts what it is given.

use std::time::Duration;

use async_trait::async_trait;
use consign_engine::{At, store::Error};

use crate::{
    Digest, Email, Limit, PasswordHash, Provider, Purpose, Role, Scopes, Secret, Subject,
    TokenInfo, User, UserId,
};

#[async_trait]
pub trait AccountStore: Send + Sync {
    /// Counts one attempt for every one of these, or for none if any of them has no room.
    ///
    /// An attempt counts until `window` has passed. There is room for another while less than `most`
    /// count.
    async fn count(&self, limits: &[Limit], now: At) -> Result<Counted, Error>;

    async fn has_users(&self) -> Result<bool, Error>;

    /// All of them, the oldest first.
    async fn users(&self) -> Result<Vec<User>, Error>;

    async fn user(&self, id: &UserId) -> Result<Option<KeptUser>, Error>;

    /// The user with an address of this [key](Email::key).
    async fn user_by_email(&self, email: &Email) -> Result<Option<KeptUser>, Error>;

    /// Adds a user together with the first code. The first user of all is an administrator, whatever
    /// `new` says.
    ///
    /// If the address has a user already, nothing is written. If it has none and the code's limit has no
    /// room, neither.
    async fn add_user(&self, new: NewUser, code: Option<NewCode>) -> Result<Added, Error>;

    /// Keeps the token of the set-up in the place of the one before. `false`, and nothing is kept, if
    /// there is a user.
    async fn put_setup(&self, token: Digest, now: At) -> Result<bool, Error>;

    /// Spends the token of the set-up: adds the first user, an administrator, with a session. `None`, and
    /// nothing is changed, if the token is another, or if there is a user.
    async fn set_up(
        &self,
        token: Digest,
        new: NewUser,
        session: NewSession,
    ) -> Result<Option<User>, Error>;

    /// Counts a code and keeps it in the place of the one before, whatever that was for.
    async fn put_code(&self, user: &UserId, code: NewCode) -> Result<CodePut, Error>;

    /// Tries a code. The try is counted before anything is compared.
    ///
    /// [`Tried::Done`] if the user has a code for this purpose that was made after `made_after`, was tried
    /// less than `most` times before, and is the same. It is then used up, the address is verified, and
    /// if there is a password it is set and all sessions end.
    async fn try_code(&self, attempt: CodeTry) -> Result<Tried, Error>;

    /// Opens a session, clears the counts of `clear`, and forgets all sessions that ended. `false`, and
    /// nothing is changed, if the user is disabled, or the password is no longer `seen`.
    async fn open_session(
        &self,
        session: NewSession,
        seen: &PasswordHash,
        clear: &Subject,
    ) -> Result<bool, Error>;

    /// A session with its user, also one that has ended. One read.
    async fn session(&self, digest: &Digest) -> Result<Option<(KeptSession, User)>, Error>;

    /// Notes when a session was last used and when it will end. Nothing if it is gone.
    async fn touch_session(&self, digest: &Digest, seen_at: At, ends_at: At) -> Result<(), Error>;

    /// Says whether there was one.
    async fn end_session(&self, digest: &Digest) -> Result<bool, Error>;

    /// Sets a password, voids the user's code and ends the user's sessions, except for `keep`. `false`,
    /// and nothing is changed, if there is no such user or the password is no longer `seen`.
    async fn set_password(&self, change: PasswordChange) -> Result<bool, Error>;

    /// Disables or enables a user. Disabling ends all sessions, tokens and codes of the user for good.
    async fn set_disabled(&self, id: &UserId, is_disabled: bool) -> Result<Option<User>, Error>;

    /// `false`, and nothing is kept, if there is no such user, or if it is disabled.
    async fn add_token(&self, token: NewToken) -> Result<bool, Error>;

    /// A token with its user. One read.
    async fn token(&self, digest: &Digest) -> Result<Option<(TokenInfo, User)>, Error>;

    /// The oldest first.
    async fn tokens(&self, user: &UserId) -> Result<Vec<TokenInfo>, Error>;

    /// Says whether there was one: of this user, or of anybody if that is `None`.
    async fn revoke_token(&self, user: Option<&UserId>, id: &str) -> Result<bool, Error>;

    /// Keeps an attempt, and forgets all that were made up to `forget`.
    async fn put_oauth(&self, attempt: KeptAttempt, forget: At) -> Result<(), Error>;

    /// Removes an attempt: whoever gets it is the only one.
    async fn take_oauth(&self, state: &Digest) -> Result<Option<KeptAttempt>, Error>;

    /// Signs in who came from outside, and links the account if it is not yet. See [`SignedInOutside`].
    async fn sign_in_outside(&self, sign_in: OutsideSignIn) -> Result<SignedInOutside, Error>;
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counted {
    Done,
    /// After this there is room for one more.
    Limited {
        retry_after: Duration,
    },
}

/// A user with what only the rules may see.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptUser {
    pub user: User,
    /// `None` if the user only signs in from outside.
    pub password: Option<PasswordHash>,
}

#[derive(Clone, Debug)]
pub struct NewUser {
    pub id: UserId,
    pub email: Email,
    pub role: Role,
    pub is_verified: bool,
    pub password: Option<PasswordHash>,
    pub created_at: At,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Added {
    Done(User),
    EmailInUse,
    Limited { retry_after: Duration },
}

/// A code, with the limit that it is counted for.
#[derive(Clone, Debug)]
pub struct NewCode {
    pub digest: Digest,
    pub purpose: Purpose,
    pub made_at: At,
    pub limit: Limit,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CodePut {
    Done,
    /// Nothing was changed: the code before is still valid.
    Limited {
        retry_after: Duration,
    },
}

#[derive(Clone, Debug)]
pub struct CodeTry {
    pub user: UserId,
    pub purpose: Purpose,
    pub digest: Digest,
    pub made_after: At,
    pub most: u32,
    /// For a reset.
    pub password: Option<PasswordHash>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tried {
    Done,
    /// There is none, it is too old, it was tried too often, or it is another. Nobody is told which.
    Wrong,
}

#[derive(Clone, Debug)]
pub struct NewSession {
    pub digest: Digest,
    pub user: UserId,
    pub made_at: At,
    pub ends_at: At,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeptSession {
    pub made_at: At,
    pub seen_at: At,
    pub ends_at: At,
}

#[derive(Clone, Debug)]
pub struct PasswordChange {
    pub user: UserId,
    pub to: PasswordHash,
    /// The password that was checked. `None`: none was.
    pub seen: Option<PasswordHash>,
    pub keep: Option<Digest>,
    /// Its counts are cleared.
    pub clear: Option<Subject>,
}

#[derive(Clone, Debug)]
pub struct NewToken {
    pub digest: Digest,
    pub id: String,
    pub user: UserId,
    pub name: Option<String>,
    pub scopes: Option<Scopes>,
    pub made_at: At,
}

/// An attempt at OAuth as it is kept. The verifier has to be sent, so it cannot be a digest.
#[derive(Clone, Debug)]
pub struct KeptAttempt {
    pub state: Digest,
    pub provider: Provider,
    pub browser: Digest,
    pub verifier: Secret,
    pub made_at: At,
}

#[derive(Clone, Debug)]
pub struct OutsideSignIn {
    pub provider: Provider,
    pub outside_id: String,
    /// `None` if there is no address, or if the provider has not verified it.
    pub email: Option<Email>,
    /// The id of the user, if one has to be made.
    pub new_id: UserId,
    pub session: Digest,
    pub now: At,
    pub ends_at: At,
}

/// In this order: a linked account is signed in. Without a verified address nobody else is. A verified
/// account of this address is linked and signed in, an unverified one is left alone: whoever made it
/// knows its password. Otherwise a verified user without a password is made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SignedInOutside {
    Done(User),
    /// The account is disabled. Nothing was linked.
    Disabled,
    /// The address from outside is not verified there.
    NotVerified,
    /// The account of this address is not verified here.
    InUse,
}

//! Implements the port of accounts, method by method: each is one write, or one read.

use async_trait::async_trait;
use consign_accounts::{
    AccountStore, Added, CodePut, CodeTry, Counted, Digest, Email, KeptAttempt, KeptSession,
    KeptUser, Limit, NewCode, NewSession, NewToken, NewUser, OutsideSignIn, PasswordChange,
    PasswordHash, SignedInOutside, Subject, TokenInfo, Tried, User, UserId,
};
use consign_engine::{At, store::Error};

use super::{
    read,
    store::SqliteStore,
    write::{
        AddToken, AddUser, CountAttempt, EndSession, OpenSession, PutCode, PutOauth, PutSetup,
        RevokeToken, SetDisabled, SetPassword, SetUp, SignInOutside, TakeOauth, TouchSession,
        TryCode,
    },
};

#[async_trait]
impl AccountStore for SqliteStore {
    async fn count(&self, limits: &[Limit], now: At) -> Result<Counted, Error> {
        self.post(CountAttempt { limits: limits.to_vec(), now }).await
    }

    async fn has_users(&self) -> Result<bool, Error> {
        self.read(read::has_users).await
    }

    async fn users(&self) -> Result<Vec<User>, Error> {
        self.read(read::users).await
    }

    async fn user(&self, id: &UserId) -> Result<Option<KeptUser>, Error> {
        let id = *id;
        Ok(self.read(move |db| read::user(db, &id)).await?.map(|found| found.kept))
    }

    async fn user_by_email(&self, email: &Email) -> Result<Option<KeptUser>, Error> {
        let email = email.clone();
        Ok(self.read(move |db| read::user_by_email(db, &email)).await?.map(|found| found.kept))
    }

    async fn add_user(&self, new: NewUser, code: Option<NewCode>) -> Result<Added, Error> {
        self.post(AddUser { new, code }).await
    }

    async fn put_setup(&self, token: Digest, now: At) -> Result<bool, Error> {
        self.post(PutSetup { token, now }).await
    }

    async fn set_up(
        &self,
        token: Digest,
        new: NewUser,
        session: NewSession,
    ) -> Result<Option<User>, Error> {
        self.post(SetUp { token, new, session }).await
    }

    async fn put_code(&self, user: &UserId, code: NewCode) -> Result<CodePut, Error> {
        self.post(PutCode { user: *user, code }).await
    }

    async fn try_code(&self, attempt: CodeTry) -> Result<Tried, Error> {
        self.post(TryCode { attempt }).await
    }

    async fn open_session(
        &self,
        session: NewSession,
        seen: &PasswordHash,
        clear: &Subject,
    ) -> Result<bool, Error> {
        self.post(OpenSession { session, seen: seen.clone(), clear: clear.clone() }).await
    }

    async fn session(&self, digest: &Digest) -> Result<Option<(KeptSession, User)>, Error> {
        let digest = *digest;
        self.read(move |db| read::session(db, &digest)).await
    }

    async fn touch_session(&self, digest: &Digest, seen_at: At, ends_at: At) -> Result<(), Error> {
        self.post(TouchSession { digest: *digest, seen_at, ends_at }).await
    }

    async fn end_session(&self, digest: &Digest) -> Result<bool, Error> {
        self.post(EndSession { digest: *digest }).await
    }

    async fn set_password(&self, change: PasswordChange) -> Result<bool, Error> {
        self.post(SetPassword { change }).await
    }

    async fn set_disabled(&self, id: &UserId, is_disabled: bool) -> Result<Option<User>, Error> {
        self.post(SetDisabled { id: *id, is_disabled }).await
    }

    async fn add_token(&self, token: NewToken) -> Result<bool, Error> {
        self.post(AddToken { token }).await
    }

    async fn token(&self, digest: &Digest) -> Result<Option<(TokenInfo, User)>, Error> {
        let digest = *digest;
        self.read(move |db| read::token(db, &digest)).await
    }

    async fn tokens(&self, user: &UserId) -> Result<Vec<TokenInfo>, Error> {
        let user = *user;
        self.read(move |db| read::tokens(db, &user)).await
    }

    async fn revoke_token(&self, user: Option<&UserId>, id: &str) -> Result<bool, Error> {
        self.post(RevokeToken { user: user.copied(), id: id.to_owned() }).await
    }

    async fn put_oauth(&self, attempt: KeptAttempt, forget: At) -> Result<(), Error> {
        self.post(PutOauth { attempt, forget }).await
    }

    async fn take_oauth(&self, state: &Digest) -> Result<Option<KeptAttempt>, Error> {
        self.post(TakeOauth { state: *state }).await
    }

    async fn sign_in_outside(&self, sign_in: OutsideSignIn) -> Result<SignedInOutside, Error> {
        self.post(SignInOutside { sign_in }).await
    }
}

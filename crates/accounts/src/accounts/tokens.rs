//! Tokens for programs.

use crate::{
    Accounts, Digest, Error, NewToken, Role, Scope, Scopes, Secret, TokenInfo, UserId, secret,
    user::random_uuid,
};

/// In characters.
const LONGEST_NAME: usize = 100;

impl Accounts {
    /// Makes a token. Its secret is shown here and never again. Only an administrator gets one with the
    /// scope `admin`.
    pub async fn create_token(
        &self,
        user: &UserId,
        name: Option<&str>,
        scopes: Option<Scopes>,
    ) -> Result<(TokenInfo, Secret), Error> {
        if name.is_some_and(|name| {
            name.chars().count() > LONGEST_NAME || name.chars().any(char::is_control)
        }) {
            let why = format!("must have at most {LONGEST_NAME} printable characters");
            return Err(Error::Validation { field: "name", why });
        }
        let found = self.store().user(user).await?.ok_or(Error::UserNotFound)?.user;
        let wants_admin = scopes.is_some_and(|scopes| scopes.contains(Scope::Admin));
        if wants_admin && found.role != Role::Admin {
            return Err(Error::Forbidden);
        }
        let (secret, made_at) = (self.random(secret::TOKEN), self.now());
        let id = random_uuid(&*self.parts.entropy).to_string();
        let name = name.map(str::to_owned);
        let digest = Digest::of(secret.reveal());
        let new =
            NewToken { digest, id: id.clone(), user: *user, name: name.clone(), scopes, made_at };
        if !self.store().add_token(new).await? {
            return Err(Error::UserDisabled);
        }
        Ok((TokenInfo { id, user: *user, name, scopes, created_at: made_at }, secret))
    }

    pub async fn tokens(&self, user: &UserId) -> Result<Vec<TokenInfo>, Error> {
        Ok(self.store().tokens(user).await?)
    }

    /// Says whether there was one: of this user, or of anybody if that is `None`.
    pub async fn revoke_token(&self, user: Option<&UserId>, id: &str) -> Result<bool, Error> {
        Ok(self.store().revoke_token(user, id).await?)
    }
}

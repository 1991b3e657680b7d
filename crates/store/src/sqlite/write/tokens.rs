//! Keeps and revokes tokens.

use consign_accounts::{NewToken, Scopes, UserId};
use rusqlite::params;

use crate::sqlite::{
    fail::Halt,
    read,
    writer::{Write, WriteContext},
};

pub(crate) struct AddToken {
    pub(crate) token: NewToken,
}

impl Write for AddToken {
    type Answer = bool;

    fn write(&self, context: &mut WriteContext<'_>) -> Result<bool, Halt> {
        let NewToken { digest, id, user, name, scopes, made_at } = &self.token;
        let found = read::user(context.db, user)?.filter(|found| !found.kept.user.is_disabled);
        let Some(found) = found else { return Ok(false) };
        let sql = "INSERT INTO tokens (digest, id, user, name, scopes, made_at) \
                   VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
        let scopes = scopes.map(Scopes::to_words);
        let values = params![digest.as_bytes(), id, found.key, name, scopes, made_at.0];
        context.db.prepare_cached(sql)?.execute(values)?;
        Ok(true)
    }
}

pub(crate) struct RevokeToken {
    pub(crate) user: Option<UserId>,
    pub(crate) id: String,
}

impl Write for RevokeToken {
    type Answer = bool;

    fn write(&self, context: &mut WriteContext<'_>) -> Result<bool, Halt> {
        let sql = "DELETE FROM tokens WHERE id = ?1 AND \
                   (?2 IS NULL OR user = (SELECT key FROM users WHERE id = ?2))";
        let user = self.user.map(|user| user.to_string());
        Ok(context.db.prepare_cached(sql)?.execute(params![self.id, user])? > 0)
    }
}

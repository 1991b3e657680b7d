//! Adds users, disables them, and keeps the token of the set-up.

use consign_accounts::{Added, Digest, NewCode, NewSession, NewUser, Role, User, UserId};
use consign_engine::At;
use rusqlite::{Connection, OptionalExtension, params};

use super::{
    attempts,
    codes::{drop_code, keep_code},
    sessions::{end_all, keep_session},
};
use crate::sqlite::{
    fail::Halt,
    read,
    writer::{Write, WriteContext},
};

pub(crate) struct AddUser {
    pub(crate) new: NewUser,
    pub(crate) code: Option<NewCode>,
}

impl Write for AddUser {
    type Answer = Added;

    fn write(&self, context: &mut WriteContext<'_>) -> Result<Added, Halt> {
        let db = context.db;
        if read::user_by_email(db, &self.new.email)?.is_some() {
            return Ok(Added::EmailInUse);
        }
        if let Some(code) = &self.code
            && let Some(retry_after) = attempts::full(db, &code.limit, code.made_at)?
        {
            return Ok(Added::Limited { retry_after });
        }
        let (key, user) = keep_user(db, &self.new)?;
        if let Some(code) = &self.code {
            keep_code(db, key, code)?;
        }
        Ok(Added::Done(user))
    }
}

/// Writes a user. The first one is an administrator, and ends the set-up.
pub(super) fn keep_user(db: &Connection, new: &NewUser) -> rusqlite::Result<(i64, User)> {
    let role = if read::has_users(db)? { new.role } else { Role::Admin };
    let sql = "INSERT INTO users (id, email, email_key, password, role, is_verified, created_at) \
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
    db.prepare_cached(sql)?.execute(params![
        new.id.to_string(),
        new.email.as_given(),
        new.email.key(),
        new.password.as_ref().map(|password| password.as_str()),
        role.as_str(),
        new.is_verified,
        new.created_at.0,
    ])?;
    let key = db.last_insert_rowid();
    db.prepare_cached("DELETE FROM setup")?.execute([])?;
    let NewUser { id, is_verified, created_at, .. } = *new;
    let email = new.email.as_given().to_owned();
    Ok((key, User { id, email, role, is_verified, is_disabled: false, created_at }))
}

pub(crate) struct PutSetup {
    pub(crate) token: Digest,
    pub(crate) now: At,
}

impl Write for PutSetup {
    type Answer = bool;

    fn write(&self, context: &mut WriteContext<'_>) -> Result<bool, Halt> {
        if read::has_users(context.db)? {
            return Ok(false);
        }
        let sql = "INSERT INTO setup (one, digest, made_at) VALUES (1, ?1, ?2) \
                   ON CONFLICT DO UPDATE SET digest = excluded.digest, made_at = excluded.made_at";
        context.db.prepare_cached(sql)?.execute(params![self.token.as_bytes(), self.now.0])?;
        Ok(true)
    }
}

pub(crate) struct SetUp {
    pub(crate) token: Digest,
    pub(crate) new: NewUser,
    pub(crate) session: NewSession,
}

impl Write for SetUp {
    type Answer = Option<User>;

    fn write(&self, context: &mut WriteContext<'_>) -> Result<Option<User>, Halt> {
        let db = context.db;
        let mut find = db.prepare_cached("SELECT digest FROM setup")?;
        let kept = find.query_row([], |row| row.get(0)).optional()?.map(Digest::from_bytes);
        if kept != Some(self.token) || read::has_users(db)? {
            return Ok(None);
        }
        let (key, user) = keep_user(db, &self.new)?;
        keep_session(db, key, &self.session)?;
        Ok(Some(user))
    }
}

pub(crate) struct SetDisabled {
    pub(crate) id: UserId,
    pub(crate) is_disabled: bool,
}

impl Write for SetDisabled {
    type Answer = Option<User>;

    fn write(&self, context: &mut WriteContext<'_>) -> Result<Option<User>, Halt> {
        let db = context.db;
        let Some(found) = read::user(db, &self.id)? else { return Ok(None) };
        let sql = "UPDATE users SET is_disabled = ?1 WHERE key = ?2";
        db.prepare_cached(sql)?.execute(params![self.is_disabled, found.key])?;
        if self.is_disabled {
            end_all(db, found.key, None)?;
            drop_code(db, found.key)?;
            db.prepare_cached("DELETE FROM tokens WHERE user = ?1")?.execute([found.key])?;
        }
        Ok(Some(User { is_disabled: self.is_disabled, ..found.kept.user }))
    }
}

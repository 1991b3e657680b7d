//! Opens and ends sessions, and sets passwords, which ends them.

use consign_accounts::{Digest, NewSession, PasswordChange, PasswordHash, Subject};
use consign_engine::At;
use rusqlite::{Connection, params};

use super::{attempts::clear, codes::drop_code};
use crate::sqlite::{
    fail::Halt,
    read,
    writer::{Write, WriteContext},
};

pub(crate) struct OpenSession {
    pub(crate) session: NewSession,
    pub(crate) seen: PasswordHash,
    pub(crate) clear: Subject,
}

impl Write for OpenSession {
    type Answer = bool;

    fn write(&self, context: &mut WriteContext<'_>) -> Result<bool, Halt> {
        let found = read::user(context.db, &self.session.user)?;
        let may = |found: &read::FoundUser| {
            !found.kept.user.is_disabled && found.kept.password.as_ref() == Some(&self.seen)
        };
        let Some(found) = found.filter(may) else { return Ok(false) };
        keep_session(context.db, found.key, &self.session)?;
        clear(context.db, &self.clear)?;
        Ok(true)
    }
}

/// Writes a session, and forgets those that ended.
pub(super) fn keep_session(
    db: &Connection,
    user: i64,
    session: &NewSession,
) -> rusqlite::Result<()> {
    let NewSession { digest, made_at, ends_at, .. } = session;
    db.prepare_cached("DELETE FROM sessions WHERE ends_at <= ?1")?.execute([made_at.0])?;
    let sql = "INSERT INTO sessions (digest, user, made_at, seen_at, ends_at) \
               VALUES (?1, ?2, ?3, ?3, ?4)";
    db.prepare_cached(sql)?.execute(params![digest.as_bytes(), user, made_at.0, ends_at.0])?;
    Ok(())
}

/// Ends all sessions of a user, except for one.
pub(super) fn end_all(db: &Connection, user: i64, keep: Option<&Digest>) -> rusqlite::Result<()> {
    let sql = "DELETE FROM sessions WHERE user = ?1 AND digest IS NOT ?2";
    db.prepare_cached(sql)?.execute(params![user, keep.map(Digest::as_bytes)])?;
    Ok(())
}

pub(crate) struct TouchSession {
    pub(crate) digest: Digest,
    pub(crate) seen_at: At,
    pub(crate) ends_at: At,
}

impl Write for TouchSession {
    type Answer = ();

    fn write(&self, context: &mut WriteContext<'_>) -> Result<(), Halt> {
        let Self { digest, seen_at, ends_at } = self;
        let sql = "UPDATE sessions SET seen_at = ?2, ends_at = ?3 WHERE digest = ?1";
        let values = params![digest.as_bytes(), seen_at.0, ends_at.0];
        context.db.prepare_cached(sql)?.execute(values)?;
        Ok(())
    }
}

pub(crate) struct EndSession {
    pub(crate) digest: Digest,
}

impl Write for EndSession {
    type Answer = bool;

    fn write(&self, context: &mut WriteContext<'_>) -> Result<bool, Halt> {
        let sql = "DELETE FROM sessions WHERE digest = ?1";
        Ok(context.db.prepare_cached(sql)?.execute([self.digest.as_bytes()])? > 0)
    }
}

pub(crate) struct SetPassword {
    pub(crate) change: PasswordChange,
}

impl Write for SetPassword {
    type Answer = bool;

    fn write(&self, context: &mut WriteContext<'_>) -> Result<bool, Halt> {
        let (db, change) = (context.db, &self.change);
        let as_seen =
            |found: &read::FoundUser| change.seen.is_none() || found.kept.password == change.seen;
        let found = read::user(db, &change.user)?.filter(as_seen);
        let Some(found) = found else { return Ok(false) };
        let sql = "UPDATE users SET password = ?1 WHERE key = ?2";
        db.prepare_cached(sql)?.execute(params![change.to.as_str(), found.key])?;
        end_all(db, found.key, change.keep.as_ref())?;
        drop_code(db, found.key)?;
        if let Some(subject) = &change.clear {
            clear(db, subject)?;
        }
        Ok(true)
    }
}

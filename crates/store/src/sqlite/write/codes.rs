//! Keeps codes, and tries them.

use consign_accounts::{CodePut, CodeTry, Digest, NewCode, Purpose, Tried, UserId};
use consign_engine::{At, store::Error};
use rusqlite::{Connection, OptionalExtension, params};

use super::{attempts, sessions::end_all};
use crate::sqlite::{
    fail::Halt,
    read,
    sql::word,
    writer::{Write, WriteContext},
};

pub(crate) struct PutCode {
    pub(crate) user: UserId,
    pub(crate) code: NewCode,
}

impl Write for PutCode {
    type Answer = CodePut;

    fn write(&self, context: &mut WriteContext<'_>) -> Result<CodePut, Halt> {
        let Self { user, code } = self;
        let gone = || Error::Unavailable(format!("user {user} is no longer there"));
        let found = read::user(context.db, user)?.ok_or_else(gone)?;
        if let Some(retry_after) = attempts::full(context.db, &code.limit, code.made_at)? {
            return Ok(CodePut::Limited { retry_after });
        }
        keep_code(context.db, found.key, code)?;
        Ok(CodePut::Done)
    }
}

/// Counts a code, and writes it in the place of the one before.
pub(super) fn keep_code(db: &Connection, user: i64, code: &NewCode) -> rusqlite::Result<()> {
    attempts::count(db, &code.limit, code.made_at)?;
    let sql = "INSERT OR REPLACE INTO codes (user, purpose, digest, made_at, tries) \
               VALUES (?1, ?2, ?3, ?4, 0)";
    let (purpose, digest) = (code.purpose.as_str(), code.digest.as_bytes());
    db.prepare_cached(sql)?.execute(params![user, purpose, digest, code.made_at.0])?;
    Ok(())
}

pub(super) fn drop_code(db: &Connection, user: i64) -> rusqlite::Result<()> {
    db.prepare_cached("DELETE FROM codes WHERE user = ?1")?.execute([user])?;
    Ok(())
}

pub(crate) struct TryCode {
    pub(crate) attempt: CodeTry,
}

struct Kept {
    purpose: Purpose,
    digest: Digest,
    made_at: At,
    tries: u32,
}

impl Write for TryCode {
    type Answer = Tried;

    fn write(&self, context: &mut WriteContext<'_>) -> Result<Tried, Halt> {
        let (db, attempt) = (context.db, &self.attempt);
        let Some(user) = read::user(db, &attempt.user)? else { return Ok(Tried::Wrong) };
        let Some(kept) = kept_code(db, user.key)? else { return Ok(Tried::Wrong) };
        let is_alive = kept.purpose == attempt.purpose
            && kept.made_at > attempt.made_after
            && kept.tries < attempt.most;
        if !is_alive {
            return Ok(Tried::Wrong);
        }
        if kept.digest != attempt.digest {
            let sql = "UPDATE codes SET tries = tries + 1 WHERE user = ?1";
            db.prepare_cached(sql)?.execute([user.key])?;
            return Ok(Tried::Wrong);
        }
        drop_code(db, user.key)?;
        db.prepare_cached("UPDATE users SET is_verified = 1 WHERE key = ?1")?
            .execute([user.key])?;
        if let Some(password) = &attempt.password {
            let sql = "UPDATE users SET password = ?1 WHERE key = ?2";
            db.prepare_cached(sql)?.execute(params![password.as_str(), user.key])?;
            end_all(db, user.key, None)?;
        }
        Ok(Tried::Done)
    }
}

fn kept_code(db: &Connection, user: i64) -> rusqlite::Result<Option<Kept>> {
    let sql = "SELECT purpose, digest, made_at, tries FROM codes WHERE user = ?1";
    let mut find = db.prepare_cached(sql)?;
    let found = find.query_row([user], |row| {
        let purpose = word(row, 0, Purpose::from_word)?;
        let digest = Digest::from_bytes(row.get(1)?);
        Ok(Kept { purpose, digest, made_at: At(row.get(2)?), tries: row.get(3)? })
    });
    found.optional()
}

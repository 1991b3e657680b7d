//! Reads users, and what they are known by.

use consign_accounts::{
    Digest, Email, KeptSession, KeptUser, PasswordHash, Role, Scopes, TokenInfo, User, UserId,
};
use consign_engine::At;
use rusqlite::{Connection, OptionalExtension, Row, params, types::Type};

use crate::sqlite::sql::word;

/// The columns that [`read`] reads, of a table `users`.
const COLUMNS: &str = "users.id, users.email, users.role, users.is_verified, users.is_disabled, \
                       users.created_at";

/// How many columns these are.
const WIDTH: usize = 6;

fn read(row: &Row<'_>) -> rusqlite::Result<User> {
    Ok(User {
        id: word(row, 0, UserId::from_word)?,
        email: row.get(1)?,
        role: word(row, 2, Role::from_word)?,
        is_verified: row.get(3)?,
        is_disabled: row.get(4)?,
        created_at: At(row.get(5)?),
    })
}

/// A user with its key in the tables and its password.
pub(crate) struct FoundUser {
    pub(crate) key: i64,
    pub(crate) kept: KeptUser,
}

fn found(row: &Row<'_>) -> rusqlite::Result<FoundUser> {
    let password = row.get::<_, Option<String>>(WIDTH + 1)?.map(PasswordHash::new);
    Ok(FoundUser { key: row.get(WIDTH)?, kept: KeptUser { user: read(row)?, password } })
}

pub(crate) fn has_users(db: &Connection) -> rusqlite::Result<bool> {
    db.prepare_cached("SELECT EXISTS (SELECT 1 FROM users)")?.query_row([], |row| row.get(0))
}

pub(crate) fn users(db: &Connection) -> rusqlite::Result<Vec<User>> {
    let sql = format!("SELECT {COLUMNS} FROM users ORDER BY key");
    db.prepare_cached(&sql)?.query_map([], read)?.collect()
}

pub(crate) fn user(db: &Connection, id: &UserId) -> rusqlite::Result<Option<FoundUser>> {
    let sql = format!("SELECT {COLUMNS}, key, password FROM users WHERE id = ?1");
    db.prepare_cached(&sql)?.query_row([id.to_string()], found).optional()
}

pub(crate) fn user_by_email(db: &Connection, email: &Email) -> rusqlite::Result<Option<FoundUser>> {
    let sql = format!("SELECT {COLUMNS}, key, password FROM users WHERE email_key = ?1");
    db.prepare_cached(&sql)?.query_row([email.key()], found).optional()
}

pub(crate) fn user_by_link(
    db: &Connection,
    provider: &str,
    outside_id: &str,
) -> rusqlite::Result<Option<FoundUser>> {
    let sql = format!(
        "SELECT {COLUMNS}, users.key, users.password FROM oauth_links \
         JOIN users ON users.key = oauth_links.user WHERE provider = ?1 AND outside_id = ?2"
    );
    db.prepare_cached(&sql)?.query_row(params![provider, outside_id], found).optional()
}

pub(crate) fn session(
    db: &Connection,
    digest: &Digest,
) -> rusqlite::Result<Option<(KeptSession, User)>> {
    let sql = format!(
        "SELECT {COLUMNS}, made_at, seen_at, ends_at FROM sessions \
         JOIN users ON users.key = sessions.user WHERE digest = ?1"
    );
    let read = |row: &Row<'_>| {
        let instant = |column| row.get(column).map(At);
        let (made_at, seen_at) = (instant(WIDTH)?, instant(WIDTH + 1)?);
        Ok((KeptSession { made_at, seen_at, ends_at: instant(WIDTH + 2)? }, read(row)?))
    };
    db.prepare_cached(&sql)?.query_row([digest.as_bytes()], read).optional()
}

/// The columns that [`token_info`] reads after those of its user.
const TOKEN: &str = "tokens.id, tokens.name, tokens.scopes, tokens.made_at";

fn token_info(row: &Row<'_>) -> rusqlite::Result<(TokenInfo, User)> {
    let user = read(row)?;
    let is_scoped = row.get_ref(WIDTH + 2)?.data_type() != Type::Null;
    let scopes = is_scoped.then(|| word(row, WIDTH + 2, Scopes::from_words)).transpose()?;
    let (id, name) = (row.get(WIDTH)?, row.get(WIDTH + 1)?);
    let created_at = At(row.get(WIDTH + 3)?);
    Ok((TokenInfo { id, user: user.id, name, scopes, created_at }, user))
}

pub(crate) fn token(
    db: &Connection,
    digest: &Digest,
) -> rusqlite::Result<Option<(TokenInfo, User)>> {
    let sql = format!(
        "SELECT {COLUMNS}, {TOKEN} FROM tokens JOIN users ON users.key = tokens.user \
         WHERE digest = ?1"
    );
    db.prepare_cached(&sql)?.query_row([digest.as_bytes()], token_info).optional()
}

pub(crate) fn tokens(db: &Connection, user: &UserId) -> rusqlite::Result<Vec<TokenInfo>> {
    let sql = format!(
        "SELECT {COLUMNS}, {TOKEN} FROM users JOIN tokens ON tokens.user = users.key \
         WHERE users.id = ?1 ORDER BY tokens.key"
    );
    let mut find = db.prepare_cached(&sql)?;
    let all = find.query_map([user.to_string()], token_info)?;
    all.map(|found| found.map(|(token, _)| token)).collect()
}

//! Reads what people say about runs.

use consign_engine::{
    Actor, At, Owner, RunId,
    discussion::{Comment, Revised},
};
use rusqlite::{Connection, OptionalExtension, Row, params};

const COMMENT: &str = "SELECT run, id, owner, author, at, text FROM comments";
const REVISION: &str =
    "SELECT run, parent, first, owner, at, instruction, mode, scope FROM revisions";

pub(crate) fn comment(db: &Connection, run: &RunId, id: &str) -> rusqlite::Result<Option<Comment>> {
    let sql = format!("{COMMENT} WHERE run = ?1 AND id = ?2");
    db.prepare_cached(&sql)?.query_row(params![run.as_str(), id], read_comment).optional()
}

pub(crate) fn comments(
    db: &Connection,
    run: &RunId,
    after: Option<&str>,
    most: usize,
) -> rusqlite::Result<Vec<Comment>> {
    let most = i64::try_from(most).unwrap_or(i64::MAX);
    // After an id that is not there the number is null, and nothing is greater.
    let sql = format!(
        "{COMMENT} WHERE run = ?1 AND number > \
         CASE WHEN ?2 IS NULL THEN 0 ELSE (SELECT number FROM comments WHERE run = ?1 AND id = ?2) END \
         ORDER BY number LIMIT ?3"
    );
    db.prepare_cached(&sql)?.query_map(params![run.as_str(), after, most], read_comment)?.collect()
}

pub(crate) fn revision(db: &Connection, run: &RunId) -> rusqlite::Result<Option<Revised>> {
    let sql = format!("{REVISION} WHERE run = ?1");
    db.prepare_cached(&sql)?.query_row(params![run.as_str()], read_revision).optional()
}

pub(crate) fn revisions(db: &Connection, first: &RunId) -> rusqlite::Result<Vec<Revised>> {
    let sql = format!("{REVISION} WHERE first = ?1 ORDER BY number");
    db.prepare_cached(&sql)?.query_map(params![first.as_str()], read_revision)?.collect()
}

fn read_comment(row: &Row<'_>) -> rusqlite::Result<Comment> {
    Ok(Comment {
        run: RunId::new(row.get::<_, String>(0)?),
        id: row.get(1)?,
        owner: Owner::new(row.get::<_, String>(2)?),
        author: Actor::new(row.get::<_, String>(3)?),
        at: At(row.get(4)?),
        text: row.get(5)?,
    })
}

fn read_revision(row: &Row<'_>) -> rusqlite::Result<Revised> {
    Ok(Revised {
        run: RunId::new(row.get::<_, String>(0)?),
        parent: RunId::new(row.get::<_, String>(1)?),
        first: RunId::new(row.get::<_, String>(2)?),
        owner: Owner::new(row.get::<_, String>(3)?),
        at: At(row.get(4)?),
        instruction: row.get(5)?,
        mode: row.get(6)?,
        scope: row.get(7)?,
    })
}

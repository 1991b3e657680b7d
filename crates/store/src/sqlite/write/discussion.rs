//! Writes what people say about runs. Nothing of it is changed afterwards.

use consign_engine::discussion::{Added, Comment, MOST_COMMENTS, MOST_REVISIONS, Revised};
use rusqlite::{Connection, params};

use crate::sqlite::{
    fail::Halt,
    read,
    writer::{Write, WriteContext},
};

pub(crate) struct AddComment(pub(crate) Comment);

impl Write for AddComment {
    type Answer = Added<Comment>;

    fn write(&self, context: &mut WriteContext<'_>) -> Result<Self::Answer, Halt> {
        let Comment { run, id, owner, author, at, text } = &self.0;
        if let Some(there) = read::comment(context.db, run, id)? {
            return Ok(Added::There(there));
        }
        let sql = "SELECT count(*) FROM comments WHERE run = ?1";
        if count(context.db, sql, run.as_str())? >= MOST_COMMENTS {
            return Ok(Added::Full);
        }
        let sql = "INSERT INTO comments (run, id, owner, author, at, text) \
                   VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
        let values = params![run.as_str(), id, owner.as_str(), author.as_str(), at.0, text];
        context.db.prepare_cached(sql)?.execute(values)?;
        Ok(Added::New)
    }
}

pub(crate) struct AddRevision(pub(crate) Revised);

impl Write for AddRevision {
    type Answer = Added<Revised>;

    fn write(&self, context: &mut WriteContext<'_>) -> Result<Self::Answer, Halt> {
        let Revised { run, parent, first, owner, at, instruction, mode, scope } = &self.0;
        if let Some(there) = read::revision(context.db, run)? {
            return Ok(Added::There(there));
        }
        let sql = "SELECT count(*) FROM revisions WHERE first = ?1";
        if count(context.db, sql, first.as_str())? >= MOST_REVISIONS {
            return Ok(Added::Full);
        }
        let sql = "INSERT INTO revisions (run, parent, first, owner, at, instruction, mode, scope) \
                   VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
        let (run, parent, first) = (run.as_str(), parent.as_str(), first.as_str());
        let values = params![run, parent, first, owner.as_str(), at.0, instruction, mode, scope];
        context.db.prepare_cached(sql)?.execute(values)?;
        Ok(Added::New)
    }
}

fn count(db: &Connection, sql: &str, of: &str) -> rusqlite::Result<usize> {
    let found = db.prepare_cached(sql)?.query_row([of], |row| row.get::<_, i64>(0))?;
    Ok(usize::try_from(found).unwrap_or(usize::MAX))
}

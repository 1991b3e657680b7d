//! Writes a note, and removes the oldest notes of its topic.

use consign_engine::{
    Owner,
    session_memory::{MOST_NOTES, Note},
};
use rusqlite::params;

use crate::sqlite::{
    fail::Halt,
    writer::{Write, WriteContext},
};

pub(crate) struct WriteNote {
    pub(crate) owner: Owner,
    pub(crate) topic: String,
    pub(crate) note: Note,
}

impl Write for WriteNote {
    type Answer = ();

    fn write(&self, context: &mut WriteContext<'_>) -> Result<(), Halt> {
        let Self { owner, topic, note } = self;
        let sql = "INSERT INTO notes (owner, topic, name, text, at) VALUES (?1, ?2, ?3, ?4, ?5) \
                   ON CONFLICT DO UPDATE SET text = excluded.text, at = excluded.at";
        let values = params![owner.as_str(), topic, note.name, note.text.as_str(), note.at.0];
        context.db.prepare_cached(sql)?.execute(values)?;
        let sql = "DELETE FROM notes WHERE owner = ?1 AND topic = ?2 AND name IN \
                   (SELECT name FROM notes WHERE owner = ?1 AND topic = ?2 \
                    ORDER BY at DESC, name DESC LIMIT -1 OFFSET ?3)";
        let most = i64::try_from(MOST_NOTES).unwrap_or(i64::MAX);
        context.db.prepare_cached(sql)?.execute(params![owner.as_str(), topic, most])?;
        Ok(())
    }
}

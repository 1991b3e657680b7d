//! Writes conversations: begins them, ends their turns, and removes what was said.

use consign_engine::{At, Owner, RunId, store::Error};
use consign_knowledge::{
    SourceId,
    conversation::{Conversation, Ended, TurnEnd},
};
use rusqlite::{Connection, OptionalExtension, params};
use serde_json::Value;

use crate::sqlite::{
    fail::Halt,
    read,
    writer::{Write, WriteContext},
};

pub(crate) struct OpenConversation {
    pub(crate) owner: Owner,
    pub(crate) session: String,
    pub(crate) id: String,
    pub(crate) at: At,
}

impl Write for OpenConversation {
    type Answer = Conversation;

    fn write(&self, context: &mut WriteContext<'_>) -> Result<Conversation, Halt> {
        let Self { owner, session, id, at } = self;
        let sql = "INSERT INTO conversations \
                   (owner, session, id, turns, began_at, ended_at, plan, context, preferences, marks) \
                   VALUES (?1, ?2, ?3, 0, ?4, ?4, NULL, '[]', '{}', NULL) ON CONFLICT DO NOTHING";
        let values = params![owner.as_str(), session, id, at.0];
        context.db.prepare_cached(sql)?.execute(values)?;
        let made = read::conversation(context.db, owner, session)?;
        Ok(made.ok_or_else(|| Error::Damaged("a conversation is gone at once".to_owned()))?)
    }
}

pub(crate) struct EndTurn {
    pub(crate) owner: Owner,
    pub(crate) session: String,
    pub(crate) turn: TurnEnd,
}

impl Write for EndTurn {
    type Answer = Ended;

    fn write(&self, context: &mut WriteContext<'_>) -> Result<Ended, Halt> {
        let (db, turn) = (context.db, &self.turn);
        let sql = "SELECT key, id, turns FROM conversations WHERE owner = ?1 AND session = ?2";
        let find = |row: &rusqlite::Row<'_>| {
            Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?, row.get::<_, u32>(2)?))
        };
        let values = params![self.owner.as_str(), self.session];
        let Some((key, id, turns)) = db.prepare_cached(sql)?.query_row(values, find).optional()?
        else {
            return Ok(Ended::Gone);
        };
        if id != turn.id {
            return Ok(Ended::Gone);
        }
        if turns != turn.number {
            return Ok(Ended::Before);
        }
        // The passages of the turn before are overwritten: a source that they are of may be removed.
        self.end(db, key)?;
        Ok(Ended::Done)
    }
}

impl EndTurn {
    fn end(&self, db: &Connection, key: i64) -> rusqlite::Result<()> {
        let TurnEnd { number, run, messages, last, preferences, marks, sources, at, .. } =
            &self.turn;
        let sql = "UPDATE conversations SET turns = ?2, ended_at = ?3, plan = ?4, context = ?5, \
                   preferences = ?6, marks = ?7 WHERE key = ?1";
        db.prepare_cached(sql)?.execute(params![
            key,
            number.saturating_add(1),
            at.0,
            last.plan.as_ref().map(consign_engine::Data::as_str),
            last.context.as_str(),
            preferences.as_str(),
            marks.as_ref().map(consign_engine::Data::as_str),
        ])?;
        let sql = "SELECT coalesce(max(number), 0) FROM messages WHERE conversation = ?1";
        let newest: i64 = db.prepare_cached(sql)?.query_row([key], |row| row.get(0))?;
        let sql = "INSERT INTO messages (conversation, number, role, content, at) \
                   VALUES (?1, ?2, ?3, ?4, ?5)";
        let mut add = db.prepare_cached(sql)?;
        for (number, message) in (newest + 1..).zip(messages) {
            add.execute(params![key, number, message.role, message.content, message.at.0])?;
        }
        let Some(run) = run else { return Ok(()) };
        let sql = "INSERT INTO turns (run, conversation, owner) VALUES (?1, ?2, ?3) \
                   ON CONFLICT DO NOTHING";
        db.prepare_cached(sql)?.execute(params![run.as_str(), key, self.owner.as_str()])?;
        let sql = "INSERT INTO turn_sources (owner, source, run) VALUES (?1, ?2, ?3) \
                   ON CONFLICT DO NOTHING";
        let mut note = db.prepare_cached(sql)?;
        for source in sources {
            note.execute(params![self.owner.as_str(), source.as_str(), run.as_str()])?;
        }
        Ok(())
    }
}

pub(crate) struct RemoveConversation {
    pub(crate) owner: Owner,
    pub(crate) session: String,
}

impl Write for RemoveConversation {
    type Answer = bool;

    fn write(&self, context: &mut WriteContext<'_>) -> Result<bool, Halt> {
        let sql = "SELECT key FROM conversations WHERE owner = ?1 AND session = ?2";
        let values = params![self.owner.as_str(), self.session];
        let key = context.db.prepare_cached(sql)?.query_row(values, |row| row.get::<_, i64>(0));
        let Some(key) = key.optional()? else { return Ok(false) };
        for sql in [
            "INSERT INTO redactions (run) SELECT run FROM turns WHERE conversation = ?1 \
             ON CONFLICT DO NOTHING",
            "DELETE FROM turn_sources WHERE run IN \
             (SELECT run FROM turns WHERE conversation = ?1)",
            "DELETE FROM messages WHERE conversation = ?1",
            "DELETE FROM turns WHERE conversation = ?1",
            "DELETE FROM conversations WHERE key = ?1",
        ] {
            context.db.prepare_cached(sql)?.execute([key])?;
        }
        Ok(true)
    }
}

pub(crate) struct ForgetSource {
    pub(crate) owner: Owner,
    pub(crate) source: SourceId,
}

impl Write for ForgetSource {
    /// Whether anything was changed.
    type Answer = bool;

    fn write(&self, context: &mut WriteContext<'_>) -> Result<bool, Halt> {
        let db = context.db;
        let values = params![self.owner.as_str(), self.source.as_str()];
        let sql = "SELECT DISTINCT conversation FROM turns WHERE run IN \
                   (SELECT run FROM turn_sources WHERE owner = ?1 AND source = ?2)";
        let mut find = db.prepare_cached(sql)?;
        let keys = find.query_map(values, |row| row.get::<_, i64>(0))?;
        for key in keys.collect::<rusqlite::Result<Vec<_>>>()? {
            self.thin_out(db, key)?;
        }
        let sql = "INSERT INTO redactions (run) SELECT run FROM turn_sources \
                   WHERE owner = ?1 AND source = ?2 ON CONFLICT DO NOTHING";
        db.prepare_cached(sql)?.execute(values)?;
        let sql = "DELETE FROM turn_sources WHERE owner = ?1 AND source = ?2";
        Ok(db.prepare_cached(sql)?.execute(values)? > 0)
    }
}

impl ForgetSource {
    /// Takes the passages of the source out of the context of a conversation.
    fn thin_out(&self, db: &Connection, key: i64) -> rusqlite::Result<()> {
        let sql = "SELECT context FROM conversations WHERE key = ?1";
        let context: String = db.prepare_cached(sql)?.query_row([key], |row| row.get(0))?;
        let Ok(mut passages) = serde_json::from_str::<Vec<Value>>(&context) else { return Ok(()) };
        passages.retain(|passage| passage["source_id"] != self.source.as_str());
        let sql = "UPDATE conversations SET context = ?2 WHERE key = ?1";
        let context = Value::from(passages).to_string();
        db.prepare_cached(sql)?.execute(params![key, context]).map(drop)
    }
}

pub(crate) struct NoteRedaction {
    pub(crate) run: RunId,
}

impl Write for NoteRedaction {
    type Answer = ();

    fn write(&self, context: &mut WriteContext<'_>) -> Result<(), Halt> {
        let sql = "INSERT INTO redactions (run) VALUES (?1) ON CONFLICT DO NOTHING";
        context.db.prepare_cached(sql)?.execute([self.run.as_str()])?;
        Ok(())
    }
}

pub(crate) struct Redacted {
    pub(crate) run: RunId,
}

impl Write for Redacted {
    type Answer = ();

    fn write(&self, context: &mut WriteContext<'_>) -> Result<(), Halt> {
        for sql in
            ["DELETE FROM redactions WHERE run = ?1", "DELETE FROM turn_sources WHERE run = ?1"]
        {
            context.db.prepare_cached(sql)?.execute([self.run.as_str()])?;
        }
        Ok(())
    }
}

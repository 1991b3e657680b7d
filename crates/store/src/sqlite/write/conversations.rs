//! Writes conversations: begins them, ends their turns, and removes what was said.

use consign_engine::{At, Owner, RunId, store::Error};
use consign_knowledge::{
    SourceId,
    conversation::{Conversation, Ended, TurnEnd, WORKFLOW},
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
        if turn.run.is_none() {
            self.say(db, key)?;
            return Ok(Ended::Done);
        }
        if turns != turn.number {
            // A fork of the run that has ended this turn is forgotten with it.
            self.note(db, key)?;
            return Ok(Ended::Before);
        }
        // The passages of the turn before are overwritten: a source that they are of may be removed.
        self.end(db, key)?;
        Ok(Ended::Done)
    }
}

impl EndTurn {
    fn end(&self, db: &Connection, key: i64) -> rusqlite::Result<()> {
        let TurnEnd { number, last, preferences, marks, at, .. } = &self.turn;
        let context = self.kept(db)?;
        let sql = "UPDATE conversations SET turns = ?2, ended_at = ?3, plan = ?4, context = ?5, \
                   preferences = ?6, marks = ?7 WHERE key = ?1";
        db.prepare_cached(sql)?.execute(params![
            key,
            number.saturating_add(1),
            at.0,
            last.plan.as_ref().map(consign_engine::Data::as_str),
            context,
            preferences.as_str(),
            marks.as_ref().map(consign_engine::Data::as_str),
        ])?;
        self.add_messages(db, key)?;
        self.note(db, key)
    }

    /// What was said without a run, whatever turn another one is at.
    fn say(&self, db: &Connection, key: i64) -> rusqlite::Result<()> {
        let TurnEnd { number, last, at, .. } = &self.turn;
        self.add_messages(db, key)?;
        let sql = "UPDATE conversations SET ended_at = max(ended_at + 1, ?2) WHERE key = ?1";
        db.prepare_cached(sql)?.execute(params![key, at.0])?;
        // One that is under way has begun after what is kept of the last, and replaces it.
        let sql = "UPDATE conversations SET plan = ?3, context = ?4 WHERE key = ?1 AND turns = ?2";
        let plan = last.plan.as_ref().map(consign_engine::Data::as_str);
        let values = params![key, number, plan, last.context.as_str()];
        db.prepare_cached(sql)?.execute(values).map(drop)
    }

    fn add_messages(&self, db: &Connection, key: i64) -> rusqlite::Result<()> {
        let sql = "SELECT coalesce(max(number), 0) FROM messages WHERE conversation = ?1";
        let newest: i64 = db.prepare_cached(sql)?.query_row([key], |row| row.get(0))?;
        let sql = "INSERT INTO messages (conversation, number, role, content, at) \
                   VALUES (?1, ?2, ?3, ?4, ?5)";
        let mut add = db.prepare_cached(sql)?;
        for (number, message) in (newest + 1..).zip(&self.turn.messages) {
            add.execute(params![key, number, message.role, message.content, message.at.0])?;
        }
        Ok(())
    }

    /// The passages, but for those of sources that were removed while the turn was under way.
    fn kept(&self, db: &Connection) -> rusqlite::Result<String> {
        let context = self.turn.last.context.as_str();
        let Some(run) = &self.turn.run else { return Ok(context.to_owned()) };
        let sql = "SELECT source FROM turn_sources WHERE run = ?1 AND \
                   run IN (SELECT run FROM redactions)";
        let mut find = db.prepare_cached(sql)?;
        let gone = find.query_map([run.as_str()], |row| row.get::<_, String>(0))?;
        let gone = gone.collect::<rusqlite::Result<Vec<_>>>()?;
        Ok(without(context, &gone))
    }

    /// Notes which run made the turn, and what it was given.
    fn note(&self, db: &Connection, key: i64) -> rusqlite::Result<()> {
        let TurnEnd { run, sources, .. } = &self.turn;
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
        // Its journal has what was said before, and that may quote what those turns were given.
        let sql = "INSERT INTO turn_sources (owner, source, run) \
                   SELECT DISTINCT owner, source, ?2 FROM turn_sources \
                   WHERE run IN (SELECT run FROM turns WHERE conversation = ?1) \
                   ON CONFLICT DO NOTHING";
        db.prepare_cached(sql)?.execute(params![key, run.as_str()]).map(drop)
    }
}

pub(crate) struct RemoveConversation {
    pub(crate) owner: Owner,
    pub(crate) session: String,
}

impl Write for RemoveConversation {
    type Answer = bool;

    fn write(&self, context: &mut WriteContext<'_>) -> Result<bool, Halt> {
        let found = read::conversation(context.db, &self.owner, &self.session)?;
        let Some(found) = found else { return Ok(false) };
        let sql = "SELECT key FROM conversations WHERE owner = ?1 AND session = ?2";
        let values = params![self.owner.as_str(), self.session];
        let key: i64 = context.db.prepare_cached(sql)?.query_row(values, |row| row.get(0))?;
        // The turn that is under way, or is about to begin.
        let sql = "INSERT INTO redactions (run) VALUES (?1) ON CONFLICT DO NOTHING";
        context.db.prepare_cached(sql)?.execute([found.run(found.turns).as_str()])?;
        // What was said is overwritten where it stands before its rows go: a row that goes may leave a copy.
        for sql in [
            "INSERT INTO redactions (run) SELECT run FROM turns WHERE conversation = ?1 \
             ON CONFLICT DO NOTHING",
            "DELETE FROM turn_sources WHERE run IN \
             (SELECT run FROM turns WHERE conversation = ?1)",
            "UPDATE messages SET content = '' WHERE conversation = ?1",
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
        let forgotten = db.prepare_cached(sql)?.execute(values)?;
        let open = self.note_open(db)?;
        Ok(forgotten + open > 0)
    }
}

/// A list of passages, without those of these sources.
fn without<S: AsRef<str>>(context: &str, gone: &[S]) -> String {
    let is_gone = |passage: &Value| {
        let source = passage.get("source_id").and_then(Value::as_str);
        gone.iter().any(|gone| Some(gone.as_ref()) == source)
    };
    match serde_json::from_str::<Vec<Value>>(context) {
        Ok(mut passages) if passages.iter().any(is_gone) => {
            passages.retain(|passage| !is_gone(passage));
            Value::from(passages).to_string()
        }
        Ok(_) | Err(_) => context.to_owned(),
    }
}

impl ForgetSource {
    /// Notes the runs whose turn has not ended: each is to be redacted, and remembers what is gone until it ends.
    fn note_open(&self, db: &Connection) -> rusqlite::Result<usize> {
        let open = "SELECT id FROM runs WHERE owner = ?1 AND workflow = ?2 AND redacted = 0 \
                    AND NOT EXISTS (SELECT 1 FROM turns WHERE run = id)";
        let values = params![self.owner.as_str(), WORKFLOW];
        let sql = format!("INSERT INTO redactions (run) {open} ON CONFLICT DO NOTHING");
        db.prepare_cached(&sql)?.execute(values)?;
        let open = open.replace("SELECT id", "SELECT owner, ?3, id");
        let sql =
            format!("INSERT INTO turn_sources (owner, source, run) {open} ON CONFLICT DO NOTHING");
        let values = params![self.owner.as_str(), WORKFLOW, self.source.as_str()];
        db.prepare_cached(&sql)?.execute(values)
    }

    /// Takes the passages of the source out of the context of a conversation.
    fn thin_out(&self, db: &Connection, key: i64) -> rusqlite::Result<()> {
        let sql = "SELECT context FROM conversations WHERE key = ?1";
        let context: String = db.prepare_cached(sql)?.query_row([key], |row| row.get(0))?;
        let context = without(&context, &[self.source.as_str()]);
        let sql = "UPDATE conversations SET context = ?2 WHERE key = ?1";
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
        // What its turn keeps of other sources may have to be forgotten later.
        for sql in [
            "DELETE FROM redactions WHERE run = ?1",
            "DELETE FROM turn_sources WHERE run = ?1 AND run NOT IN (SELECT run FROM turns)",
        ] {
            context.db.prepare_cached(sql)?.execute([self.run.as_str()])?;
        }
        Ok(())
    }
}

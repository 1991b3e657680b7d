//! Writes, removes and replaces sealed secrets.
//!
//! What is replaced or removed is overwritten with zeros in its page. The WAL is
//! [emptied](crate::sqlite::wipe) afterwards.

use consign_engine::{
    Owner,
    vault::{Kept, Reseal, Resealed, Sealed},
};
use rusqlite::params;

use crate::sqlite::{
    fail::Halt,
    read,
    writer::{Write, WriteContext},
};

pub(crate) struct Keep {
    pub(crate) secret: Sealed,
    pub(crate) replace: bool,
}

impl Write for Keep {
    type Answer = Kept;

    fn write(&self, context: &mut WriteContext<'_>) -> Result<Kept, Halt> {
        let Sealed { owner, name, bytes, at } = &self.secret;
        let sql = if self.replace {
            "INSERT INTO sealed (owner, name, bytes, at) VALUES (?1, ?2, ?3, ?4) \
             ON CONFLICT DO UPDATE SET bytes = excluded.bytes, at = excluded.at"
        } else {
            "INSERT INTO sealed (owner, name, bytes, at) VALUES (?1, ?2, ?3, ?4) \
             ON CONFLICT DO NOTHING"
        };
        let values = params![owner.as_str(), name, bytes, at.0];
        let written = context.db.prepare_cached(sql)?.execute(values)?;
        Ok(if written > 0 { Kept::Done } else { Kept::Exists })
    }
}

pub(crate) struct DropSealed {
    pub(crate) owner: Owner,
    pub(crate) name: String,
}

impl Write for DropSealed {
    type Answer = bool;

    fn write(&self, context: &mut WriteContext<'_>) -> Result<bool, Halt> {
        let sql = "DELETE FROM sealed WHERE owner = ?1 AND name = ?2";
        let values = params![self.owner.as_str(), self.name];
        Ok(context.db.prepare_cached(sql)?.execute(values)? > 0)
    }
}

pub(crate) struct ResealAll {
    pub(crate) all: Vec<Reseal>,
}

impl Write for ResealAll {
    type Answer = Resealed;

    fn write(&self, context: &mut WriteContext<'_>) -> Result<Resealed, Halt> {
        let there = read::all_sealed(context.db)?;
        let named = |found: &Sealed| {
            let is = |one: &&Reseal| one.owner == found.owner && one.name == found.name;
            self.all.iter().find(is).is_some_and(|one| one.from == found.bytes)
        };
        if there.len() != self.all.len() || !there.iter().all(named) {
            return Ok(Resealed::Moved);
        }
        let sql = "UPDATE sealed SET bytes = ?1 WHERE owner = ?2 AND name = ?3";
        let mut change = context.db.prepare_cached(sql)?;
        for Reseal { owner, name, to, .. } in &self.all {
            change.execute(params![to, owner.as_str(), name])?;
        }
        Ok(Resealed::Done)
    }
}

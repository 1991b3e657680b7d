//! Writes and removes what owners have set.

use consign_accounts::Setting;
use consign_engine::Owner;
use rusqlite::params;

use crate::sqlite::{
    fail::Halt,
    writer::{Write, WriteContext},
};

pub(crate) struct PutSetting {
    pub(crate) owner: Owner,
    pub(crate) setting: Setting,
}

impl Write for PutSetting {
    type Answer = ();

    fn write(&self, context: &mut WriteContext<'_>) -> Result<(), Halt> {
        let Setting { name, value, at } = &self.setting;
        let sql = "INSERT INTO settings (owner, name, value, at) VALUES (?1, ?2, ?3, ?4) \
                   ON CONFLICT DO UPDATE SET value = excluded.value, at = excluded.at";
        let values = params![self.owner.as_str(), name, value.as_str(), at.0];
        context.db.prepare_cached(sql)?.execute(values)?;
        Ok(())
    }
}

pub(crate) struct RemoveSetting {
    pub(crate) owner: Owner,
    pub(crate) name: String,
}

impl Write for RemoveSetting {
    type Answer = bool;

    fn write(&self, context: &mut WriteContext<'_>) -> Result<bool, Halt> {
        let sql = "DELETE FROM settings WHERE owner = ?1 AND name = ?2";
        let removed =
            context.db.prepare_cached(sql)?.execute(params![self.owner.as_str(), self.name])?;
        Ok(removed > 0)
    }
}

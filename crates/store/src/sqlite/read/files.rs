//! Reads values that are kept in files instead of rows.

use consign_engine::{Data, RunId, store::Error};
use rusqlite::{Connection, types::FromSql};

use super::secret_of_run;
use crate::{
    blobs::{Blobs, Name},
    sqlite::{fail::Halt, sql::data},
};

/// The files of one run.
pub(super) struct Files<'a> {
    pub(super) db: &'a Connection,
    pub(super) blobs: &'a Blobs,
    pub(super) run: &'a RunId,
}

impl Files<'_> {
    /// A value that is in the column `text`, or in the file that the column `name` names.
    pub(super) fn data(
        &self,
        row: &rusqlite::Row<'_>,
        text: usize,
        name: usize,
    ) -> Result<Data, Halt> {
        match Option::<[u8; 32]>::column_result(row.get_ref(name)?) {
            Ok(None) => Ok(data(row, text)?),
            Ok(Some(name)) => self.read(&Name::from_bytes(name)),
            Err(_) => Err(self.damaged("has a file name of the wrong length").into()),
        }
    }

    fn read(&self, name: &Name) -> Result<Data, Halt> {
        let secret = secret_of_run(self.db, self.run)?;
        let secret = secret.ok_or_else(|| self.damaged("has an owner without an account"))?;
        let text = self.blobs.get(&secret, name)?;
        Ok(Data::restore(text).ok_or_else(|| self.damaged("has a large value that is not JSON"))?)
    }

    fn damaged(&self, what: &str) -> Error {
        Error::Damaged(format!("run {} {what}", self.run))
    }
}

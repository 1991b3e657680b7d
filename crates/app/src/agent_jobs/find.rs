//! Finding a job by its id.

use consign_authoring::job::kind_of;
use consign_engine::{
    Owner,
    store::{self, Ends, Row},
};

use super::id::read_id;
use crate::{
    Home,
    error::{Error, Refused},
};

/// The row of a job of this owner. Any other id is `NOT_FOUND`: one of another form, of another owner, of a run that is
/// no job.
pub async fn find(home: &Home, owner: &Owner, id: &str) -> Result<Row, Error> {
    let run = read_id(id).ok_or_else(missing)?;
    let found = home.store().row(&run).await;
    checked(found, owner, |row| row)
}

/// A job of this owner with its first and its newest event, found as by [`find`].
pub(super) async fn find_ends(home: &Home, owner: &Owner, id: &str) -> Result<Ends, Error> {
    let run = read_id(id).ok_or_else(missing)?;
    let found = home.store().ends(&run).await;
    checked(found, owner, |ends| &ends.row)
}

fn checked<T>(
    found: Result<T, store::Error>,
    owner: &Owner,
    row: impl FnOnce(&T) -> &Row,
) -> Result<T, Error> {
    let found = match found {
        Err(store::Error::NotFound(_)) => return Err(missing().into()),
        found => found?,
    };
    let row = row(&found);
    let is_job = row.owner == *owner && kind_of(&row.workflow).is_some();
    if is_job { Ok(found) } else { Err(missing().into()) }
}

fn missing() -> Refused {
    Refused::new("NOT_FOUND", "there is no such job")
}

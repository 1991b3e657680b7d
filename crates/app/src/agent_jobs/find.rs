//! Finding a job by its id.

use consign_authoring::job::kind_of;
use consign_engine::{
    Owner,
    store::{self, Row},
};

use super::id::read_id;
use crate::{
    Home,
    error::{Error, Refused},
};

/// The row of a job of this owner. Any other id is `NOT_FOUND`: one of another form, of another owner, of a run that is
/// no job.
pub async fn find(home: &Home, owner: &Owner, id: &str) -> Result<Row, Error> {
    let missing = || Refused::new("NOT_FOUND", "there is no such job");
    let run = read_id(id).ok_or_else(missing)?;
    match home.store().row(&run).await {
        Ok(row) if row.owner == *owner && kind_of(&row.workflow).is_some() => Ok(row),
        Ok(_) | Err(store::Error::NotFound(_)) => Err(missing().into()),
        Err(error) => Err(error.into()),
    }
}

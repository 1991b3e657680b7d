//! Looking at a job: its status, its history, its audit log.

use consign_supervised::{
    audit::{self, AUDIT},
    history,
};
use serde_json::Value;

use super::{
    open::{OpenJob, files_error},
    steward::key,
    view::{JobView, opened},
};
use crate::{
    error::{Error, Refused},
    home::Home,
};

/// How a job stands.
pub async fn status(home: &Home, job: &OpenJob) -> Result<JobView, Error> {
    JobView::of(home, job).await
}

/// Which interactions are wanted, both ends included.
#[derive(Clone, Copy, Debug, Default)]
pub struct HistoryPage {
    pub from: Option<u64>,
    pub to: Option<u64>,
}

/// The interactions of a job, in order. `each` is given one after the other, and says whether it wants more. The texts
/// of a sensitive job are opened where its key is here.
pub async fn history(
    home: &Home,
    job: &OpenJob,
    page: HistoryPage,
    mut each: impl FnMut(Value) -> Result<bool, Error>,
) -> Result<(), Error> {
    let (from, to) = (page.from.unwrap_or(0), page.to.unwrap_or(u64::MAX));
    if from > to {
        return Err(Refused::usage("USAGE", format!("--from {from} is after --to {to}")).into());
    }
    if job.state.job.interactions == 0 {
        return Ok(());
    }
    let key = key(home, job).await.ok().flatten();
    let lines = history::interactions(&job.place.directory, from, to);
    for line in lines {
        let line = line.map_err(|why| files_error(why.into()))?;
        let mut value: Value = line.to().unwrap_or_default();
        if job.state.sensitive {
            open_texts(&mut value, key.as_ref());
        }
        if !each(value)? {
            break;
        }
    }
    Ok(())
}

/// Opens every text of a value that is sealed.
fn open_texts(value: &mut Value, key: Option<&consign_supervised::sealed::TextKey>) {
    match value {
        Value::String(text) => *text = opened(key, text),
        Value::Array(items) => items.iter_mut().for_each(|item| open_texts(item, key)),
        Value::Object(members) => members.values_mut().for_each(|member| open_texts(member, key)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// The lines of the audit log, without its first.
pub async fn audit(home: &Home, job: &OpenJob) -> Result<Vec<Value>, Error> {
    let directory = &job.place.directory;
    let lines = audit::lines(directory);
    let mut lines = lines.map_err(|cause| Refused::unreadable(&directory.join(AUDIT), &cause))?;
    let key = key(home, job).await.ok().flatten();
    if job.state.sensitive {
        lines.iter_mut().for_each(|line| open_texts(line, key.as_ref()));
    }
    Ok(lines)
}

//! Listing jobs, newest first.
//!
//! A list costs what it shows: jobs that are over are found by their owner, open ones by their label, of which there are
//! few. What counts is the state that the job itself would show; the store only narrows.

use consign_authoring::job::{AgentType, JobState, kind_of, workflow_name};
use consign_contracts::json::{Json, Object};
use consign_engine::{
    Owner, Speaker, Status,
    journal::Record,
    store::{Row, RunQuery},
};

use super::{cursor, find, id::read_id, standing, view::item};
use crate::{
    Home,
    error::{Error, Refused},
};

/// Jobs on a page, if no number is given; and the most.
const USUAL: usize = 20;
const MOST: usize = 100;
/// Rows that are looked through at a time, after the first look.
const CHUNK: usize = 500;

/// Which jobs are wanted.
#[derive(Clone, Debug, Default)]
pub struct JobQuery {
    pub kind: Option<AgentType>,
    pub state: Option<JobState>,
    pub limit: Option<u64>,
    pub cursor: Option<String>,
}

/// A page of jobs: contract `authoring/list`.
#[derive(Clone, Debug)]
pub struct JobPage {
    pub items: Vec<Object<'static>>,
    pub next_cursor: Option<String>,
}

impl JobPage {
    /// As the contract has it.
    #[must_use]
    pub fn into_object(self) -> Object<'static> {
        let items = self.items.into_iter().map(Json::Object).collect();
        let next = self.next_cursor.map_or(Json::Null, |next| Json::String(next.into()));
        crate::view::object([("items", Json::Array(items)), ("nextCursor", next)])
    }
}

/// A page of an owner's jobs.
pub async fn list(
    home: &Home,
    owner: &Owner,
    _speaker: &Speaker,
    query: &JobQuery,
) -> Result<JobPage, Error> {
    let limit = match query.limit {
        None => USUAL,
        Some(limit) => match usize::try_from(limit) {
            Ok(limit @ 1..=MOST) => limit,
            Ok(_) | Err(_) => {
                let told = format!("limit: it is 1 to {MOST}");
                return Err(Refused::usage("VALIDATION_ERROR", told).into());
            }
        },
    };
    let mut before = None;
    if let Some(cursor) = &query.cursor {
        let last = cursor::read(owner, query, cursor)?;
        // One that is not there cannot have been given out.
        let there = find(home, owner, last.as_str()).await;
        let bad = |_| Refused::usage("VALIDATION_ERROR", "cursor: it is not one of this list");
        before = Some(there.map_err(bad)?.id);
    }
    let mut found = Vec::new();
    let sources = sources(owner, query);
    let many = sources.len() > 1;
    for source in sources {
        let source = RunQuery { before: before.clone(), ..source };
        found.extend(matching(home, query, source, limit + 1).await?);
    }
    if many {
        found.sort_by_key(|(row, _)| std::cmp::Reverse(row.created_at));
    }
    let is_last = found.len() <= limit;
    found.truncate(limit);
    let next_cursor = match found.last() {
        Some((last, _)) if !is_last => Some(cursor::write(owner, query, &last.id)),
        Some(_) | None => None,
    };
    let items = found
        .iter()
        .map(|(row, newest)| item(row, standing::state(row, newest.as_ref()), newest.as_ref()));
    Ok(JobPage { items: items.collect(), next_cursor })
}

/// What the store is asked: every wanted job is in one of the answers.
fn sources(owner: &Owner, query: &JobQuery) -> Vec<RunQuery> {
    let every = RunQuery {
        owner: Some(owner.clone()),
        workflow: query.kind.map(|kind| workflow_name(kind).to_owned()),
        ..RunQuery::default()
    };
    let labelled =
        |state: JobState| RunQuery { label: Some(state.as_str().to_owned()), ..every.clone() };
    match query.state {
        None | Some(JobState::Failed) => vec![every],
        Some(JobState::Completed) => vec![RunQuery { status: Some(Status::Succeeded), ..every }],
        Some(state @ (JobState::Pending | JobState::AwaitingApproval)) => vec![labelled(state)],
        // While a job is planned its label still says `pending`, and while it is taken up again after an approval
        // `awaiting_approval`.
        Some(JobState::Running) => vec![
            labelled(JobState::Running),
            labelled(JobState::Pending),
            labelled(JobState::AwaitingApproval),
        ],
    }
}

/// The first jobs of a list that are wanted, each with its newest event where that was needed.
async fn matching(
    home: &Home,
    query: &JobQuery,
    mut source: RunQuery,
    most: usize,
) -> Result<Vec<(Row, Option<Record>)>, Error> {
    let mut found = Vec::new();
    source.most = most;
    loop {
        let rows = home.store().runs(&source).await?;
        let is_last = rows.len() < source.most;
        source.before = rows.last().map(|row| row.id.clone()).or(source.before);
        source.most = CHUNK;
        for row in rows {
            let kind = kind_of(&row.workflow);
            // A fork has an id of another form: it is a run, and no job of this API.
            if kind.is_none() || read_id(row.id.as_str()).is_none() {
                continue;
            }
            // How a job completed is not shown here; why one failed, or that it is to be cancelled, is.
            let newest = match row.status {
                Status::Succeeded => None,
                Status::Queued
                | Status::Running
                | Status::Waiting
                | Status::Failed
                | Status::Cancelled => standing::newest(home, &row).await?,
            };
            let state = standing::state(&row, newest.as_ref());
            if query.state.is_none_or(|wanted| wanted == state) {
                found.push((row, newest));
            }
            if found.len() == most {
                return Ok(found);
            }
        }
        if is_last {
            return Ok(found);
        }
    }
}

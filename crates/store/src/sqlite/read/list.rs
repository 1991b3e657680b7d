//! Lists runs, newest first. A page costs what it shows, however long the history is.

use consign_engine::store::{Row, RunQuery};
use rusqlite::{Connection, ToSql, params_from_iter};

use super::{row, row::COLUMNS, row_of};
use crate::sqlite::{fail::Halt, sql::int};

pub(crate) fn runs(db: &Connection, query: &RunQuery) -> Result<Vec<Row>, Halt> {
    let mut filter = Filter::default();
    if let Some(prefix) = query.prefix.as_ref().filter(|prefix| !prefix.is_empty()) {
        filter.add("id >= ?", prefix.clone());
        filter.add("id < ?", format!("{prefix}{}", char::MAX));
    }
    if let Some(owner) = &query.owner {
        filter.add("owner = ?", owner.as_str().to_owned());
    }
    if let Some(status) = query.status {
        filter.add("status = ?", status.as_str());
    }
    if let Some(workflow) = &query.workflow {
        filter.add("workflow = ?", workflow.clone());
    }
    if let Some(label) = &query.label {
        filter.add("label = ?", label.clone());
    }
    if let Some(before) = &query.before {
        filter.add("key < ?", row(db, before)?.0);
    }
    filter.values.push(Box::new(int(query.most as u64)));

    let sql = format!(
        "SELECT {COLUMNS} FROM runs {} {} ORDER BY key DESC LIMIT ?",
        index(query),
        filter.clause
    );
    let mut find = db.prepare_cached(&sql)?;
    let found = find.query_map(params_from_iter(filter.values), row_of)?;
    Ok(found.collect::<rusqlite::Result<_>>()?)
}

/// The index that leaves the fewest rows to look through. SQLite would have to guess.
fn index(query: &RunQuery) -> &'static str {
    if query.prefix.as_ref().is_some_and(|prefix| !prefix.is_empty()) {
        "INDEXED BY runs_by_id"
    } else if query.label.is_some() {
        "INDEXED BY runs_by_label"
    } else if query.owner.is_some() {
        "INDEXED BY runs_by_owner"
    } else if query.status.is_some() {
        "INDEXED BY runs_by_status"
    } else {
        "NOT INDEXED"
    }
}

#[derive(Default)]
struct Filter {
    clause: String,
    values: Vec<Box<dyn ToSql>>,
}

impl Filter {
    fn add(&mut self, condition: &str, value: impl ToSql + 'static) {
        self.clause += if self.values.is_empty() { "WHERE " } else { " AND " };
        self.clause += condition;
        self.values.push(Box::new(value));
    }
}

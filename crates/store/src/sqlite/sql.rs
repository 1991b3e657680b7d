//! Converts the engine's types to SQLite's and back: numbers, words and JSON.

use consign_engine::{Data, Nanos, Status, store::AskState};
use rusqlite::{
    Error, Row,
    types::{FromSqlError, Type},
};

/// Converts a count to SQLite's signed integer. No count of ours exceeds it.
pub(crate) fn int(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

pub(crate) fn count(row: &Row<'_>, column: usize) -> rusqlite::Result<u64> {
    let number: i64 = row.get(column)?;
    u64::try_from(number).map_err(|_| Error::IntegralValueOutOfRange(column, number))
}

pub(crate) fn nanos(row: &Row<'_>, column: usize) -> rusqlite::Result<Nanos> {
    count(row, column).map(Nanos::new)
}

pub(crate) fn nanos_or_none(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<Nanos>> {
    match row.get_ref(column)?.data_type() {
        Type::Null => Ok(None),
        Type::Integer | Type::Real | Type::Text | Type::Blob => nanos(row, column).map(Some),
    }
}

pub(crate) fn status(row: &Row<'_>, column: usize) -> rusqlite::Result<Status> {
    word(row, column, Status::from_word)
}

/// Reads a text column whose value must be one of a known set.
pub(crate) fn word<T>(
    row: &Row<'_>,
    column: usize,
    read: impl FnOnce(&str) -> Option<T>,
) -> rusqlite::Result<T> {
    let text = row.get_ref(column)?;
    text.as_str().and_then(|text| read(text).ok_or(FromSqlError::InvalidType)).map_err(|_| {
        let name = row.as_ref().column_name(column).unwrap_or("?").to_owned();
        Error::InvalidColumnType(column, name, text.data_type())
    })
}

pub(crate) fn data(row: &Row<'_>, column: usize) -> rusqlite::Result<Data> {
    word(row, column, |text| Data::restore(text.to_owned()))
}

pub(crate) fn ask_word(state: AskState) -> &'static str {
    match state {
        AskState::Open => "open",
        AskState::Answered => "answered",
        AskState::Expired => "expired",
        AskState::Withdrawn => "withdrawn",
    }
}

pub(crate) fn ask_state(word: &str) -> Option<AskState> {
    let all = [AskState::Open, AskState::Answered, AskState::Expired, AskState::Withdrawn];
    all.into_iter().find(|state| ask_word(*state) == word)
}

//! Writes the events and the snapshot of a step.

use consign_engine::{
    Seq,
    journal::{Content, Record},
    store::{Error, Snapshot, Standing, Step},
};
use rusqlite::{Connection, params};

use crate::sqlite::{large::Names, sql::int};

pub(super) fn insert_records(
    db: &Connection,
    run: i64,
    records: &[Record],
    names: &Names,
) -> rusqlite::Result<()> {
    let mut insert = db.prepare_cached(
        "INSERT INTO journal (run, seq, at, actor, kind, hash, salt, commitment, body, blob) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
    )?;
    for record in records {
        let (salt, commitment, body, blob) = match &record.content {
            Content::Kept(body, salt) => match names.body(record.seq) {
                None => (Some(&salt.0[..]), None, Some(body.as_str()), None),
                Some(name) => (Some(&salt.0[..]), None, None, Some(name.as_bytes())),
            },
            Content::Redacted(commitment) => (None, Some(&commitment.0[..]), None, None),
        };
        insert.execute(params![
            run,
            int(record.seq.0),
            record.at.0,
            record.actor.as_str(),
            &*record.kind,
            &record.hash.0[..],
            salt,
            commitment,
            body,
            blob,
        ])?;
    }
    Ok(())
}

/// Replaces the snapshot by the newest state.
pub(super) fn replace_snapshot(
    db: &Connection,
    run: i64,
    snapshot: &Snapshot,
    names: &Names,
) -> rusqlite::Result<()> {
    let mut replace = db.prepare_cached(
        "INSERT OR REPLACE INTO snapshots (run, seq, head, digest, state, blob) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
    )?;
    let name = names.state();
    replace.execute(params![
        run,
        int(snapshot.seq.0),
        &snapshot.head.0[..],
        &snapshot.digest.0[..],
        if name.is_none() { Some(snapshot.state.as_str()) } else { None },
        name.map(|name| name.as_bytes()),
    ])?;
    Ok(())
}

/// Refuses steps that only a bug in the caller can make. The link to the previous event is not
/// stored, so events that do not follow each other would otherwise be found only when the journal
/// is verified.
pub(super) fn check(seen: Option<Seq>, step: &Step) -> Result<(), Error> {
    check_chain(seen, &step.records)?;
    match step.standing {
        Standing::Closed(status) if !status.is_closed() => {
            Err(Error::Damaged(format!("a run cannot be closed as {status}")))
        }
        Standing::Held | Standing::Parked { .. } | Standing::Queued | Standing::Closed(_) => Ok(()),
    }
}

pub(super) fn check_chain(seen: Option<Seq>, records: &[Record]) -> Result<(), Error> {
    let mut expected = seen.map_or(Seq(0), Seq::next);
    // Of the event that was seen, only the database knows the hash.
    let mut before = if seen.is_none() { Some(None) } else { None };
    for record in records {
        if record.seq != expected || before.is_some_and(|hash| hash != record.prev) {
            let seq = record.seq;
            return Err(Error::Damaged(format!("event {seq} does not follow the one before it")));
        }
        expected = expected.next();
        before = Some(Some(record.hash));
    }
    Ok(())
}

//! The cursor of a list of jobs: where the next page begins, for this owner and these filters only.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use consign_engine::{Owner, RunId};
use sha2::{Digest, Sha256};

use super::{id::read_id, list::JobQuery};
use crate::error::Refused;

/// Bytes that bind a cursor to its list.
const BINDING: usize = 12;

pub(super) fn write(owner: &Owner, query: &JobQuery, last: &RunId) -> String {
    let mut bytes = binding(owner, query).to_vec();
    bytes.extend_from_slice(last.as_str().as_bytes());
    URL_SAFE_NO_PAD.encode(bytes)
}

/// The job that the next page follows.
pub(super) fn read(owner: &Owner, query: &JobQuery, cursor: &str) -> Result<RunId, Refused> {
    let bad = || Refused::usage("VALIDATION_ERROR", "cursor: it is not one of this list");
    let bytes = URL_SAFE_NO_PAD.decode(cursor).map_err(|_| bad())?;
    let (bound, id) = bytes.split_at_checked(BINDING).ok_or_else(bad)?;
    if bound != binding(owner, query) {
        return Err(bad());
    }
    std::str::from_utf8(id).ok().and_then(read_id).ok_or_else(bad)
}

fn binding(owner: &Owner, query: &JobQuery) -> [u8; BINDING] {
    let kind = query.kind.map_or("", |kind| kind.as_str());
    let state = query.state.map_or("", |state| state.as_str());
    let digest = Sha256::digest(format!("{owner}\n{kind}\n{state}").as_bytes());
    let mut bytes = [0; BINDING];
    bytes.copy_from_slice(&digest[..BINDING]);
    bytes
}

#[cfg(test)]
mod tests {
    use consign_authoring::job::{AgentType, JobState};

    use super::*;
    use crate::agent_jobs::id::random_id;

    #[test]
    fn a_cursor_is_good_for_its_own_list_only() {
        let (ada, ben, id) = (Owner::from("user:a"), Owner::from("user:b"), random_id());
        let all = JobQuery::default();
        let cursor = write(&ada, &all, &id);
        assert_eq!(read(&ada, &all, &cursor).ok(), Some(id));
        assert!(read(&ben, &all, &cursor).is_err());
        let trace = JobQuery { kind: Some(AgentType::Trace), ..JobQuery::default() };
        assert!(read(&ada, &trace, &cursor).is_err());
        let failed = JobQuery { state: Some(JobState::Failed), ..JobQuery::default() };
        assert!(read(&ada, &failed, &cursor).is_err());
        for bad in ["", "x", "!!!!", &cursor[1..], &format!("{cursor}AA")] {
            assert!(read(&ada, &all, bad).is_err(), "{bad}");
        }
    }
}

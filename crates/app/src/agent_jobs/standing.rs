//! The state of a job, from the row of its run and its newest event.

use consign_authoring::job::JobState;
use consign_engine::{
    Seq, Status,
    journal::Record,
    store::{self, Row},
};

use crate::Home;

/// The state of a job. `newest` is its newest event: a wish to cancel that is written down reads as `failed`, also
/// before the run has closed. Waits other than for approval show as `running`.
pub(super) fn state(row: &Row, newest: Option<&Record>) -> JobState {
    match row.status {
        Status::Succeeded => JobState::Completed,
        Status::Failed | Status::Cancelled => JobState::Failed,
        Status::Queued | Status::Running | Status::Waiting => {
            let label = row.label.as_deref().and_then(JobState::from_word);
            match label {
                _ if is_cancel_wish(newest) => JobState::Failed,
                Some(JobState::Pending) if is_untouched(row) => JobState::Pending,
                Some(JobState::AwaitingApproval) if row.status == Status::Waiting => {
                    JobState::AwaitingApproval
                }
                Some(_) | None => JobState::Running,
            }
        }
    }
}

/// Whether nothing has been done for it yet. The label still says `pending` while the plan is made.
fn is_untouched(row: &Row) -> bool {
    row.status == Status::Queued && row.seq == Seq(0)
}

pub(super) fn is_cancel_wish(newest: Option<&Record>) -> bool {
    newest.is_some_and(|newest| newest.kind == "cancel_requested")
}

/// The newest event of a run; for an open run, that its row names.
pub(super) async fn newest(home: &Home, row: &Row) -> Result<Option<Record>, store::Error> {
    Ok(home.store().events(&row.id, row.seq, 1).await?.pop())
}

#[cfg(test)]
mod tests {
    use consign_engine::{
        Actor, At, Epoch, Owner, Placement, RunId,
        journal::{Body, CancelRequested, Hash, Salt},
    };

    use super::*;

    fn row(status: Status, label: &str, seq: u64) -> Row {
        Row {
            id: RunId::from("x"),
            workflow: "authoring/trace".to_owned(),
            version: 1,
            owner: Owner::from("local"),
            placement: Placement::Anywhere,
            priority: 0,
            status,
            seq: Seq(seq),
            head: Hash([0; 32]),
            created_at: At(0),
            at: At(0),
            epoch: Epoch(0),
            worker: None,
            wake_at: None,
            figures: store::Figures::default(),
            label: Some(label.to_owned()),
            interrupted: false,
            redacted: false,
        }
    }

    #[test]
    fn states_follow_from_the_run() {
        let check = |status, label: &str, seq, expected: &str| {
            assert_eq!(
                state(&row(status, label, seq), None).as_str(),
                expected,
                "{status} {label}"
            );
        };
        check(Status::Queued, "pending", 0, "pending");
        check(Status::Running, "pending", 0, "running");
        check(Status::Queued, "pending", 1, "running");
        check(Status::Running, "running", 3, "running");
        check(Status::Waiting, "running", 3, "running");
        check(Status::Waiting, "awaiting_approval", 5, "awaiting_approval");
        check(Status::Queued, "awaiting_approval", 6, "running");
        check(Status::Succeeded, "completed", 6, "completed");
        check(Status::Failed, "failed", 6, "failed");
        check(Status::Cancelled, "running", 6, "failed");
    }

    #[test]
    fn a_wish_to_cancel_that_is_written_down_reads_as_failed() {
        let body = Body::CancelRequested(CancelRequested { reason: None });
        let actor = Actor::from("ada");
        let wish = Record::new(Seq(1), At(0), actor, &body, Salt([0; 16]), None);
        assert_eq!(state(&row(Status::Running, "running", 1), Some(&wish)), JobState::Failed);
    }
}

//! The journal of a job in rows that a person reads.

use consign_contracts::json::{Json, Object};
use consign_engine::{
    Seq,
    journal::{Body, Record},
    store::Row,
};

use crate::{Home, error::Error, view};

/// The audit of a job: `{at, phase, actor, message}` for each event that means something to its user.
pub(super) async fn audit(home: &Home, row: &Row) -> Result<Json<'static>, Error> {
    let (mut rows, mut from) = (Vec::new(), Seq(0));
    loop {
        let page = home.page(&row.id, from).await?;
        let Some(last) = page.last() else { return Ok(Json::Array(rows)) };
        from = last.seq.next();
        rows.extend(page.iter().filter_map(told));
    }
}

fn told(record: &Record) -> Option<Json<'static>> {
    let (phase, message) = match record.body() {
        Ok(Some(body)) => words(&body)?,
        // What was erased is still named.
        Ok(None) | Err(_) => ("redacted".to_owned(), format!("{} (erased)", record.kind)),
    };
    let row: Object<'_> = view::object([
        ("at", view::at(record.at)),
        ("phase", view::text(phase)),
        ("actor", view::text(&record.actor)),
        ("message", view::text(message)),
    ]);
    Some(Json::Object(row))
}

/// The phase of an event and what it says. `None` for what only the engine cares about.
fn words(body: &Body) -> Option<(String, String)> {
    let said = |phase: &str, message: String| Some((phase.to_owned(), message));
    match body {
        Body::Created(_) => said("submitted", "Job submitted".to_owned()),
        Body::CallStarted(call) => {
            said(call.key.as_str(), format!("{} started", call.agent.shown()))
        }
        Body::AttemptStarted(call) => {
            said(call.key.as_str(), format!("attempt {} started", call.attempt))
        }
        Body::AttemptFailed(call) => {
            said(call.key.as_str(), format!("attempt {} failed: {}", call.attempt, call.fault.code))
        }
        Body::AttemptLost(call) => {
            said(call.key.as_str(), format!("attempt {} was lost and is repeated", call.attempt))
        }
        Body::CallCompleted(call) => said(call.key.as_str(), "done".to_owned()),
        Body::CallFailed(call) => said(call.key.as_str(), format!("failed: {}", call.fault.code)),
        Body::CallCancelled(call) => said(call.key.as_str(), "stopped".to_owned()),
        Body::Asked(ask) => said(ask.key.as_str(), format!("waits for {}", ask.kind)),
        Body::Answered(answer) => said(answer.key.as_str(), "answered".to_owned()),
        Body::Declined(answer) => said(answer.key.as_str(), "declined".to_owned()),
        Body::AskExpired(ask) => said(ask.key.as_str(), "the deadline passed".to_owned()),
        Body::AskWithdrawn(ask) => said(ask.key.as_str(), "no longer asked".to_owned()),
        Body::Raised(_) => said("limits", "limits raised".to_owned()),
        Body::CancelRequested(_) => said("cancel", "cancellation requested".to_owned()),
        Body::Forked(from) => said("submitted", format!("continues job {}", from.run)),
        Body::Succeeded(_) => said("completed", "Job completed".to_owned()),
        Body::Failed(end) => said("failed", format!("Job failed: {}", end.fault.code)),
        Body::Cancelled(_) => said("failed", "Job cancelled by user".to_owned()),
        Body::Redacted(_) => said("redacted", "what the job said and heard was erased".to_owned()),
        Body::Advised(_)
        | Body::Signalled(_)
        | Body::TimerSet(_)
        | Body::TimerFired(_)
        | Body::TimerDropped(_)
        | Body::TimeSkipped(_)
        | Body::Upgraded(_)
        | Body::PointReached(_) => None,
    }
}

//! A journal as a test reads it: `created → call_started a → call_completed a ($2) → succeeded`.

use std::fmt::Write;

use consign_engine::journal::{Body, Paid, Record};

/// The whole journal in one line.
#[must_use]
pub(super) fn history(journal: &[Record]) -> String {
    journal.iter().map(told).collect::<Vec<_>>().join(" → ")
}

/// One event: its kind, what it is about, what it cost.
#[must_use]
pub fn told(record: &Record) -> String {
    let mut text = record.kind.to_string();
    match record.body() {
        Ok(Some(body)) => detail(&body, &mut text),
        Ok(None) => text.push_str(" (redacted)"),
        Err(why) => text.push_str(&format!(" ({why})")),
    }
    text
}

fn detail(body: &Body, text: &mut String) {
    let mut add = |what: &dyn std::fmt::Display| {
        write!(text, " {what}").expect("text can always be longer");
    };
    match body {
        Body::Created(_) | Body::Succeeded(_) | Body::CancelRequested(_) | Body::TimeSkipped(_) => {
        }
        Body::CallStarted(call) => add(&call.key),
        Body::AttemptStarted(attempt) => {
            add(&attempt.key);
            add(&format!("#{}", attempt.attempt));
        }
        Body::AttemptFailed(attempt) => {
            add(&attempt.key);
            add(&attempt.fault.code);
            paid(attempt.paid, text);
        }
        Body::AttemptLost(attempt) => {
            add(&attempt.key);
            if let Some(fault) = &attempt.fault {
                add(&fault.code);
            }
            paid(attempt.paid, text);
        }
        Body::CallCompleted(call) => {
            add(&call.key);
            if call.probed {
                add(&"probed");
            }
            paid(call.paid, text);
        }
        Body::CallFailed(call) => {
            add(&call.key);
            add(&call.fault.code);
            paid(call.paid, text);
        }
        Body::CallCancelled(call) => {
            add(&call.key);
            paid(call.paid, text);
        }
        Body::Asked(ask) => {
            add(&ask.key);
            if let Some(fault) = &ask.about {
                add(&fault.code);
            }
        }
        Body::Answered(answer) => {
            add(&answer.key);
            if answer.by_default {
                add(&"by default");
            }
        }
        Body::Declined(answer) => add(&answer.key),
        Body::AskExpired(ask) => add(&ask.key),
        Body::AskWithdrawn(ask) => add(&ask.key),
        Body::TimerSet(timer) => add(&timer.key),
        Body::TimerFired(timer) => add(&timer.key),
        Body::TimerDropped(timer) => add(&timer.key),
        Body::Raised(_) | Body::Redacted(_) => {}
        Body::Advised(advice) => add(&format!("{:?}", advice.text)),
        Body::Signalled(signal) => add(&format!("{} {}", signal.name, signal.value.as_str())),
        Body::PointReached(reached) => add(&reached.point),
        Body::Forked(forked) => add(&format!("at {}", forked.seq)),
        Body::Upgraded(upgraded) => add(&format!("{} to {}", upgraded.from, upgraded.to)),
        Body::Failed(failed) => add(&failed.fault.code),
        Body::Cancelled(cancelled) => add(&format!("by {}", cancelled.by)),
    }
}

fn paid(paid: Paid, text: &mut String) {
    if paid.nanos.is_zero() {
        return;
    }
    let assumed = if paid.assumed { " assumed" } else { "" };
    text.push_str(&format!(" (${}{assumed})", paid.nanos));
}

//! What happened in a run, an event to a line, in words.

use std::time::Duration;

use consign_app::templates::{self, Advice};
use consign_contracts::json::Json;
use consign_engine::{
    Actor, At, Data, Fault, Limits, Nanos,
    journal::{Body, Content, Paid, Record, Signalled},
};

use crate::{
    fault::in_our_words,
    text::{amount, count, one_line, shortened, span},
};

/// When, since the run began, and what.
pub(crate) fn line(record: &Record, began: At) -> String {
    let at = format!("+{}", span(record.at.since(began)));
    format!("{:>5}  {at:>8}  {:<16}  {}", record.seq, record.kind, told(record))
}

/// What an event says, without its kind. It is from outside in parts, so print it as such.
pub(crate) fn told(record: &Record) -> String {
    match record.body() {
        Ok(Some(body)) => in_words(&body, record),
        Ok(None) => "(redacted)".to_owned(),
        Err(_) => match &record.content {
            // A kind that a newer Consign wrote.
            Content::Kept(body, _) => short(body),
            Content::Redacted(_) => "(redacted)".to_owned(),
        },
    }
}

fn in_words(body: &Body, record: &Record) -> String {
    let by = &record.actor;
    match body {
        Body::Created(created) => {
            let (name, version, owner) = (&created.workflow, created.version, &created.owner);
            format!("{name} version {version} for {owner}, {}", created.placement)
        }
        Body::CallStarted(call) => {
            let metered = if call.unmetered { ", unmetered" } else { "" };
            let agent = call.agent.shown();
            format!("{} calls {agent}{}{metered}", call.key, held_back(call.reserved))
        }
        Body::AttemptStarted(attempt) => {
            let reserved = held_back(attempt.reserved);
            format!("{} attempt {}{reserved}", attempt.key, attempt.attempt)
        }
        Body::AttemptFailed(attempt) => {
            let (key, number, fault) = (&attempt.key, attempt.attempt, blame(&attempt.fault));
            let next = if attempt.referred {
                "a person is asked".to_owned()
            } else if attempt.handed.is_some() {
                handed_to(attempt.handed.as_ref())
            } else {
                format!("again in {}", span(attempt.retry_at.since(record.at)))
            };
            let by = asked(attempt.used.as_ref());
            format!("{key} attempt {number}{by}: {fault}{}; {next}", paid(attempt.paid))
        }
        Body::AttemptLost(attempt) => {
            let why = match &attempt.fault {
                Some(fault) => blame(fault),
                None => "the process that made it ended".to_owned(),
            };
            let rests = match attempt.retry_at {
                _ if attempt.unknown => "; what became of it is not known".to_owned(),
                Some(at) => format!("; again in {}", span(at.since(record.at))),
                None => String::new(),
            };
            let paid = paid(attempt.paid);
            format!("{} attempt {}: {why}{paid}{rests}", attempt.key, attempt.attempt)
        }
        Body::CallCompleted(call) => {
            let probed = if call.probed { " (the other side says so)" } else { "" };
            format!("{}{}{probed}  {}", call.key, paid(call.paid), short(&call.output))
        }
        Body::CallFailed(call) => {
            format!("{}: {}{}", call.key, blame(&call.fault), paid(call.paid))
        }
        Body::CallCancelled(call) => {
            let came = match (&call.output, &call.fault) {
                (Some(output), _) => format!("; it had come to {}", short(output)),
                (None, Some(fault)) => format!("; {}", blame(fault)),
                (None, None) => String::new(),
            };
            format!("{}{}{came}", call.key, paid(call.paid))
        }
        Body::Asked(ask) => {
            format!("{} ({}): {}", ask.key, ask.kind, shortened(&one_line(&ask.prompt), 200))
        }
        Body::Answered(answer) if answer.by_default => {
            format!("{} by default: {}", answer.key, short(&answer.value))
        }
        Body::Answered(answer) => format!("{} by {by}: {}", answer.key, short(&answer.value)),
        Body::Declined(answer) => format!("{} by {by}: {}", answer.key, blame(&answer.fault)),
        Body::AskExpired(ask) => format!("{}: no answer came in time", ask.key),
        Body::AskWithdrawn(ask) => format!("{} is no longer asked", ask.key),
        Body::TimerSet(timer) => {
            format!("{} in {}", timer.key, span(timer.fires_at.since(record.at)))
        }
        Body::TimerFired(timer) => timer.key.to_string(),
        Body::TimerDropped(timer) => format!("{} is no longer wanted", timer.key),
        Body::Raised(raised) => format!("by {by}: {}", limits(&raised.limits)),
        Body::Advised(advice) => format!("by {by}: {}", shortened(&one_line(&advice.text), 200)),
        Body::Signalled(signal) => signalled(signal, by),
        Body::PointReached(reached) => reached.point.clone(),
        Body::Forked(forked) => format!("from run {} after event {}", forked.run, forked.seq),
        Body::CancelRequested(wish) => format!("by {by}{}", because(wish.reason.as_deref())),
        Body::TimeSkipped(jump) => {
            format!("{} of the clock alone, not of work", span(Duration::from_micros(jump.by)))
        }
        Body::Upgraded(upgraded) => {
            format!("from version {} to {}", upgraded.from, upgraded.to)
        }
        Body::Succeeded(end) => short(&end.output),
        Body::Failed(end) => blame(&end.fault),
        Body::Cancelled(end) => format!("by {}{}", end.by, because(end.reason.as_deref())),
        Body::Redacted(_) => format!("by {by}: what was said before is erased"),
    }
}

/// The last lines on standard error of the program whose attempt failed, so that its author can fix it.
pub(crate) fn last_words(record: &Record) -> Vec<String> {
    const LINES: usize = 5;
    let used = match record.body() {
        Ok(Some(Body::CallFailed(call))) => call.used,
        Ok(Some(Body::AttemptFailed(attempt))) => attempt.used,
        Ok(Some(Body::AttemptLost(attempt))) => attempt.used,
        Ok(_) | Err(_) => None,
    };
    let Some(used) = used else { return Vec::new() };
    let used = used.shown();
    let said = used.get("stderr").and_then(Json::as_str).unwrap_or_default();
    let lines: Vec<_> = said.lines().filter(|line| !line.trim().is_empty()).collect();
    let last = lines.iter().skip(lines.len().saturating_sub(LINES));
    last.map(|line| format!("stderr: {}", shortened(line, 500))).collect()
}

/// The limits of a run, in words.
pub(crate) fn limits(limits: &Limits) -> String {
    let calls = limits.calls.map_or("any number of calls".to_owned(), |calls| count(calls, "call"));
    let time =
        limits.active.map_or("any time".to_owned(), |active| format!("{} of work", span(active)));
    format!("{}, {calls}, {time}", amount(limits.cost))
}

pub(crate) fn because(reason: Option<&str>) -> String {
    reason.map_or_else(String::new, |reason| format!(": {}", shortened(reason, 200)))
}

fn held_back(reserved: Nanos) -> String {
    if reserved.is_zero() { String::new() } else { format!(", ${reserved} held back") }
}

fn paid(paid: Paid) -> String {
    match (paid.nanos.is_zero(), paid.assumed) {
        (true, _) => String::new(),
        (false, false) => format!(", ${}", paid.nanos),
        (false, true) => format!(", ${} (assumed)", paid.nanos),
    }
}

/// What happened, rather than what that means to a user, where both are told.
fn blame(fault: &Fault) -> String {
    let details = fault.details.as_ref().map(Data::shown);
    let cause = details.as_ref().and_then(|details| details.get("cause")?.as_str());
    let told = cause.map_or_else(|| in_our_words(fault), str::to_owned);
    format!("{}: {}", fault.code, shortened(&one_line(&told), 200))
}

/// The model that was asked in an attempt, and on which rung.
fn asked(used: Option<&Data>) -> String {
    let used = used.map(Data::shown);
    let word = |name: &str| used.as_ref().and_then(|used| used.get(name)?.as_str());
    match (word("model"), word("rung")) {
        (Some(model), Some(rung)) if rung != "first" => format!(" ({model}, {rung})"),
        (Some(model), _) => format!(" ({model})"),
        (None, Some(rung)) if rung != "first" => format!(" ({rung})"),
        (None, _) => String::new(),
    }
}

/// What follows from a hand-over.
fn handed_to(handed: Option<&Data>) -> String {
    let handed = handed.map(Data::shown);
    match handed.as_ref() {
        Some(handed) if handed.get("again").is_some() => "it is asked again with what was wrong",
        Some(handed) if handed.get("left").is_some() => "the next model is asked",
        Some(_) | None => "handed over",
    }
    .to_owned()
}

fn short(data: &Data) -> String {
    shortened(data.as_str(), 80).into_owned()
}

/// A signal in a line. The run of a template creation is told by signals what its state file says.
fn signalled(signal: &Signalled, by: &Actor) -> String {
    let Signalled { name, value } = signal;
    let told = match templates::advice(value.as_str()) {
        None => return format!("{name} by {by}: {}", short(value)),
        Some(Advice::AsksModel { model, request_id }) => format!("asks {model} for {request_id}"),
        Some(Advice::Commit { seq, phase, phase_name, checkpoint }) => {
            format!("commit {seq} of the state file: phase {phase}, {phase_name}, {checkpoint}")
        }
    };
    shortened(&told, 200).into_owned()
}

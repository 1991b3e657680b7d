//! What the engine tells the log: a span around each run and each attempt, and the events that need more than a line.
//!
//! Fields are names, numbers and codes. What may hold a secret is never one: inputs, outputs, prompts, answers, and the
//! messages of faults, which repeat them. No subscriber is set up here: the program that starts the engine does that.

use std::{collections::BTreeMap, fmt, time::Duration};

use tracing::{Level, Span, debug, enabled, error_span, warn};

use crate::{
    AgentName, At, Attempt, Key,
    attempt_task::wanted_calls,
    frame::{Frame, Open},
    journal::{Body, Record},
    run::Run,
};

/// The span around all work on a run. Its level is the highest, so that every event has its fields.
pub(crate) fn run_span(run: &Run) -> Span {
    let Frame { owner, workflow, .. } = &run.frame;
    error_span!("run", run = run.id.as_str(), owner = owner.as_str(), workflow = workflow.as_str())
}

/// The span around one attempt.
pub(crate) fn attempt_span(attempt: &Attempt, agent: &AgentName) -> Span {
    let (activity, number) = (attempt.key.as_str(), attempt.number);
    error_span!("attempt", activity, attempt = number, agent = agent.shown())
}

/// An attempt that came to nothing, after which the call goes on.
pub(crate) struct Setback {
    key: Key,
    attempt: u32,
    /// None if the process that made it ended.
    code: Option<String>,
    /// When it is tried again; none if a person is asked first.
    retry_at: Option<At>,
    /// The invoker has told already why, and what is tried next.
    handed: bool,
}

/// The setbacks among new events. Empty where the log does not want them.
pub(crate) fn setbacks(records: &[Record]) -> Vec<Setback> {
    if !enabled!(Level::WARN) {
        return Vec::new();
    }
    let events = records
        .iter()
        .filter(|record| record.kind == "attempt_failed" || record.kind == "attempt_lost");
    let setbacks = events.filter_map(|record| match record.body() {
        Ok(Some(Body::AttemptFailed(failed))) => Some(Setback {
            key: failed.key,
            attempt: failed.attempt,
            code: Some(failed.fault.code.into_owned()),
            retry_at: (!failed.referred).then_some(failed.retry_at),
            handed: failed.handed.is_some(),
        }),
        Ok(Some(Body::AttemptLost(lost))) => Some(Setback {
            key: lost.key,
            attempt: lost.attempt,
            code: lost.fault.map(|fault| fault.code.into_owned()),
            retry_at: (!lost.unknown).then(|| lost.retry_at.unwrap_or(record.at)),
            handed: false,
        }),
        Ok(_) | Err(_) => None,
    });
    setbacks.collect()
}

/// Tells of setbacks, once they are committed.
pub(crate) fn tell(setbacks: Vec<Setback>, run: &Run, now: At) {
    if setbacks.is_empty() {
        return;
    }
    let calls = wanted_calls(run);
    for Setback { key, attempt, code, retry_at, handed } in setbacks {
        let (activity, code) = (key.as_str(), code.as_deref());
        let call = calls.iter().find(|call| call.key == key);
        let agent = call.map(|call| call.agent.shown());
        match retry_at {
            Some(_) if handed => {
                debug!(activity, attempt, agent, code, "attempt failed and handed over");
            }
            Some(at) => {
                let retry_in_ms = millis(at.since(now));
                match code {
                    Some(code) => warn!(
                        activity,
                        attempt, agent, code, retry_in_ms, "attempt failed and is tried again"
                    ),
                    None => warn!(
                        activity,
                        attempt,
                        agent,
                        retry_in_ms,
                        "attempt was lost with its process and is tried again"
                    ),
                }
            }
            None => warn!(activity, attempt, agent, code, "attempt failed and a person is asked"),
        }
    }
}

/// A span of time as a field.
pub(crate) fn millis(span: Duration) -> u64 {
    u64::try_from(span.as_millis()).unwrap_or(u64::MAX)
}

/// The keys of what is open in a run that waits.
pub(crate) struct WaitsFor<'a>(pub(crate) &'a BTreeMap<Key, Open>);

impl fmt::Display for WaitsFor<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const MOST: usize = 4;
        // The engine's own question is what everything else waits for.
        let own = self.0.keys().filter(|key| key.is_engines());
        let rest = self.0.keys().filter(|key| !key.is_engines());
        for (number, key) in own.chain(rest).take(MOST).enumerate() {
            if number > 0 {
                f.write_str(",")?;
            }
            fmt::Display::fmt(key, f)?;
        }
        match self.0.len().saturating_sub(MOST) {
            0 => Ok(()),
            more => write!(f, ",and {more} more"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_waits_for_the_question_of_the_engine_before_all_else() {
        let check = |keys: &[&str], shown: &str| {
            let timer = || Open::Timer { fires_at: At::default() };
            let open = keys.iter().map(|key| (Key::from(*key), timer())).collect();
            assert_eq!(WaitsFor(&open).to_string(), shown);
        };
        check(&[], "");
        check(&["approve"], "approve");
        check(&["1", "2", "@limit.1"], "@limit.1,1,2");
        check(&["a", "b", "c", "d", "e", "f"], "a,b,c,d,and 2 more");
    }
}

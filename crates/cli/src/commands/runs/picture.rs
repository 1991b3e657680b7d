//! What is going on in a run, put together from its events as they come. For live views only.

use std::collections::BTreeMap;

use consign_engine::{
    At, Key, Nanos,
    journal::{Body, Record},
};

use crate::text::{count, shortened, span};

#[derive(Default)]
pub(crate) struct Picture {
    open: BTreeMap<Key, Doing>,
    done: u64,
    failed: u64,
    spent: Nanos,
}

/// Something that has not ended.
enum Doing {
    Call {
        agent: String,
        attempt: u32,
        since: At,
    },
    /// The next attempt begins then.
    Due {
        agent: String,
        at: At,
    },
    Ask {
        kind: &'static str,
        prompt: String,
        since: At,
    },
    Timer {
        fires_at: At,
    },
}

impl Picture {
    /// Takes in the next event.
    pub(crate) fn take(&mut self, record: &Record) {
        let Ok(Some(body)) = record.body() else { return };
        let since = record.at;
        match body {
            Body::CallStarted(call) => {
                self.open.insert(call.key, Doing::Call { agent: call.agent, attempt: 1, since });
            }
            Body::AttemptStarted(next) => {
                let agent = self.agent(&next.key);
                let attempt = next.attempt;
                self.open.insert(next.key, Doing::Call { agent, attempt, since });
            }
            Body::AttemptFailed(failed) => {
                self.spent = self.spent + failed.paid.nanos;
                let agent = self.agent(&failed.key);
                self.open.insert(failed.key, Doing::Due { agent, at: failed.retry_at });
            }
            Body::AttemptLost(lost) => {
                self.spent = self.spent + lost.paid.nanos;
                let agent = self.agent(&lost.key);
                self.open.insert(lost.key, Doing::Due { agent, at: since });
            }
            Body::CallCompleted(call) => {
                self.spent = self.spent + call.paid.nanos;
                self.done += 1;
                self.open.remove(&call.key);
            }
            Body::CallFailed(call) => {
                self.spent = self.spent + call.paid.nanos;
                self.failed += 1;
                self.open.remove(&call.key);
            }
            Body::CallCancelled(call) => {
                self.spent = self.spent + call.paid.nanos;
                self.open.remove(&call.key);
            }
            Body::Asked(ask) => {
                let (kind, prompt) = (ask.kind.as_str(), ask.prompt);
                self.open.insert(ask.key, Doing::Ask { kind, prompt, since });
            }
            Body::TimerSet(timer) => {
                self.open.insert(timer.key, Doing::Timer { fires_at: timer.fires_at });
            }
            Body::Answered(ask) => drop(self.open.remove(&ask.key)),
            Body::AskExpired(ask) => drop(self.open.remove(&ask.key)),
            Body::AskWithdrawn(ask) => drop(self.open.remove(&ask.key)),
            Body::TimerFired(timer) => drop(self.open.remove(&timer.key)),
            Body::TimerDropped(timer) => drop(self.open.remove(&timer.key)),
            Body::Raised(_) => drop(self.open.remove(&Key::from("@limit"))),
            Body::Succeeded(_) | Body::Failed(_) | Body::Cancelled(_) => self.open.clear(),
            Body::Created(_) | Body::Advised(_) | Body::CancelRequested(_) | Body::Upgraded(_) => {}
        }
    }

    fn agent(&mut self, key: &Key) -> String {
        match self.open.remove(key) {
            Some(Doing::Call { agent, .. } | Doing::Due { agent, .. }) => agent,
            Some(Doing::Ask { .. } | Doing::Timer { .. }) | None => "a call".to_owned(),
        }
    }

    /// `2 steps done, 1 failed, $0.02 spent`
    pub(crate) fn in_short(&self) -> String {
        let failed =
            if self.failed == 0 { String::new() } else { format!(", {} failed", self.failed) };
        format!("{} done{failed}, ${} spent", count(self.done, "step"), self.spent)
    }

    /// What is open, a line each, up to so many.
    pub(crate) fn lines(&self, now: At, most: usize) -> Vec<String> {
        let line = |(key, doing): (&Key, &Doing)| match doing {
            Doing::Call { agent, attempt, since } => {
                let again =
                    if *attempt > 1 { format!(", attempt {attempt}") } else { String::new() };
                format!("{key}: {agent} for {}{again}", span(now.since(*since)))
            }
            Doing::Due { agent, at } => {
                format!("{key}: {agent} again in {}", span(at.since(now)))
            }
            Doing::Ask { kind, prompt, since } => {
                let age = span(now.since(*since));
                format!("{key}: waits for {kind} for {age}: {}", shortened(prompt, 200))
            }
            Doing::Timer { fires_at } => format!("{key}: in {}", span(fires_at.since(now))),
        };
        let mut lines: Vec<_> = self.open.iter().take(most).map(line).collect();
        if self.open.len() > most {
            lines.push(format!("… and {} more", self.open.len() - most));
        }
        lines
    }
}

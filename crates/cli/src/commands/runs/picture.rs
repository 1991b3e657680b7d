//! The current activity of a run, put together from its events as they come. For live views only.

use std::collections::BTreeMap;

use consign_engine::{
    At, Key, Nanos,
    journal::{Body, Record},
};

use crate::text::{count, one_line, shortened, span};

#[derive(Default)]
pub(crate) struct Picture {
    /// With the order in which they were opened.
    open: BTreeMap<Key, (u64, Doing)>,
    opened: u64,
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
    /// It must not be made twice, and what became of it is not known.
    Unknown {
        agent: String,
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
                let agent = call.agent.shown().to_owned();
                self.insert(call.key, Doing::Call { agent, attempt: 1, since });
            }
            Body::AttemptStarted(next) => {
                let agent = self.agent(&next.key);
                let attempt = next.attempt;
                self.insert(next.key, Doing::Call { agent, attempt, since });
            }
            Body::AttemptFailed(failed) => {
                self.spent = self.spent + failed.paid.nanos;
                let agent = self.agent(&failed.key);
                self.insert(failed.key, Doing::Due { agent, at: failed.retry_at });
            }
            Body::AttemptLost(lost) => {
                self.spent = self.spent + lost.paid.nanos;
                let agent = self.agent(&lost.key);
                let doing = match lost.unknown {
                    true => Doing::Unknown { agent },
                    false => Doing::Due { agent, at: lost.retry_at.unwrap_or(since) },
                };
                self.insert(lost.key, doing);
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
                self.insert(ask.key, Doing::Ask { kind, prompt, since });
            }
            Body::TimerSet(timer) => {
                self.insert(timer.key, Doing::Timer { fires_at: timer.fires_at });
            }
            Body::Answered(ask) => drop(self.open.remove(&ask.key)),
            Body::Declined(ask) => drop(self.open.remove(&ask.key)),
            Body::AskExpired(ask) => drop(self.open.remove(&ask.key)),
            Body::AskWithdrawn(ask) => drop(self.open.remove(&ask.key)),
            Body::TimerFired(timer) => drop(self.open.remove(&timer.key)),
            Body::TimerDropped(timer) => drop(self.open.remove(&timer.key)),
            Body::Raised(_) => self.open.retain(|key, _| !key.asks_for_limit()),
            Body::Succeeded(_) | Body::Failed(_) | Body::Cancelled(_) => self.open.clear(),
            Body::Created(_)
            | Body::Advised(_)
            | Body::Signalled(_)
            | Body::PointReached(_)
            | Body::Forked(_)
            | Body::CancelRequested(_)
            | Body::TimeSkipped(_)
            | Body::Upgraded(_)
            | Body::Redacted(_) => {}
        }
    }

    /// What goes on under the same key keeps its place.
    fn insert(&mut self, key: Key, doing: Doing) {
        self.opened += 1;
        let place = self.open.get(&key).map_or(self.opened, |(place, _)| *place);
        self.open.insert(key, (place, doing));
    }

    fn agent(&self, key: &Key) -> String {
        match self.open.get(key) {
            Some((
                _,
                Doing::Call { agent, .. } | Doing::Due { agent, .. } | Doing::Unknown { agent },
            )) => agent.clone(),
            Some((_, Doing::Ask { .. } | Doing::Timer { .. })) | None => "a call".to_owned(),
        }
    }

    /// `2 steps done, 1 failed, $0.02 spent`
    pub(crate) fn in_short(&self) -> String {
        let failed =
            if self.failed == 0 { String::new() } else { format!(", {} failed", self.failed) };
        format!("{} done{failed}, ${} spent", count(self.done, "step"), self.spent)
    }

    /// Whether the run waits for an answer.
    pub(crate) fn asks(&self) -> bool {
        self.open.values().any(|(_, doing)| matches!(doing, Doing::Ask { .. }))
    }

    /// What is open, oldest first, a line each, up to so many.
    pub(crate) fn lines(&self, now: At, most: usize) -> Vec<String> {
        self.some(now, most, |_| true)
    }

    /// The same without what is asked.
    pub(crate) fn work(&self, now: At, most: usize) -> Vec<String> {
        self.some(now, most, |doing| !matches!(doing, Doing::Ask { .. }))
    }

    fn some(&self, now: At, most: usize, wanted: impl Fn(&Doing) -> bool) -> Vec<String> {
        let line = |key: &Key, doing: &Doing| match doing {
            Doing::Call { agent, attempt, since } => {
                let again =
                    if *attempt > 1 { format!(", attempt {attempt}") } else { String::new() };
                format!("{key}: {agent} for {}{again}", span(now.since(*since)))
            }
            Doing::Due { agent, at } => {
                format!("{key}: {agent} again in {}", span(at.since(now)))
            }
            Doing::Unknown { agent } => {
                format!("{key}: {agent} was cut off, and what became of it is not known")
            }
            Doing::Ask { kind, prompt, since } => {
                let age = span(now.since(*since));
                format!("{key}: waits for {kind} for {age}: {}", shortened(&one_line(prompt), 200))
            }
            Doing::Timer { fires_at } => format!("{key}: in {}", span(fires_at.since(now))),
        };
        let mut open: Vec<_> = self.open.iter().filter(|(_, (_, doing))| wanted(doing)).collect();
        open.sort_unstable_by_key(|(_, (place, _))| *place);
        let mut lines: Vec<_> =
            open.iter().take(most).map(|(key, (_, doing))| line(key, doing)).collect();
        if open.len() > most {
            lines.push(format!("… and {} more", open.len() - most));
        }
        lines
    }
}

//! What a fork may not do by itself: decide what a person decided, and repeat what must not be done twice.

use std::collections::BTreeSet;

use super::{Pages, lineage::Resolved};
use crate::{
    AskKind, Effect, Engine, Error, Fault, Key, Role, RunId, Seq,
    journal::{Body, Keeps},
};

impl Engine {
    /// Refuses a fork that begins after `seq` of its parent, whose last event is `last`, where it needs a person or
    /// a word of its own.
    pub(super) async fn allow(
        &self,
        resolved: &Resolved,
        seq: Seq,
        keeps: Keeps,
        last: Seq,
    ) -> Result<(), Error> {
        let Resolved { fork, before, after, .. } = resolved;
        if fork.by.role == Role::Agent {
            if resolved.sets_limits {
                fork.by.as_person("setting other limits")?;
            }
            let kept = if keeps == Keeps::Finished { last } else { seq };
            let mut answered = self.has_persons_answer(&fork.parent, kept, last).await?;
            for section in before {
                answered |=
                    self.has_persons_answer(&section.run, section.kept, section.kept).await?;
            }
            if answered {
                fork.by.as_person("going on from what a person has answered")?;
            }
        }
        let mut repeated = BTreeSet::new();
        if keeps == Keeps::UnderWay {
            repeated.extend(self.unsafe_calls(&fork.parent, seq, last).await?);
            for section in after {
                repeated.extend(self.unsafe_calls(&section.run, Seq(0), section.kept).await?);
            }
        }
        if repeated.is_empty() {
            return Ok(());
        }
        if fork.repeat_unsafe {
            return Ok(fork.by.as_person("repeating an unsafe call")?);
        }
        let calls: Vec<_> = repeated.iter().take(10).map(Key::as_str).collect();
        let text = format!(
            "from there {} would be made again, and must not be made twice: what came after that place is repeated",
            calls.join(", ")
        );
        Err(Fault::permanent("UNSAFE_REPEATED", text).into())
    }

    /// Whether a person has answered something that is for a person, up to the event `kept`; or after it, up to `last`,
    /// what became of a call, which every fork keeps. What cannot be read may be such an answer.
    async fn has_persons_answer(&self, run: &RunId, kept: Seq, last: Seq) -> Result<bool, Error> {
        let mut for_agents = BTreeSet::new();
        let mut journal = Pages::new(self, run, last);
        while let Some(record) = journal.next().await? {
            match (record.kind.as_ref(), record.body()) {
                ("asked", Ok(Some(Body::Asked(ask)))) if ask.kind == AskKind::AgentResponse => {
                    for_agents.insert(ask.key);
                }
                ("answered", Ok(Some(Body::Answered(answer)))) => {
                    let counts = record.seq <= kept || answer.key.asks_outcome_of().is_some();
                    if counts && !answer.by_default && !for_agents.contains(&answer.key) {
                        return Ok(true);
                    }
                }
                ("answered", _) if record.seq <= kept => return Ok(true),
                _ => {}
            }
        }
        Ok(false)
    }

    /// The unsafe calls that a journal began after an event, up to another. What cannot be read may be one.
    async fn unsafe_calls(&self, run: &RunId, after: Seq, last: Seq) -> Result<Vec<Key>, Error> {
        let mut calls = Vec::new();
        let mut journal = Pages::new(self, run, last);
        while let Some(record) = journal.next().await? {
            if record.seq <= after || record.kind != "call_started" {
                continue;
            }
            match record.body() {
                Ok(Some(Body::CallStarted(call))) if call.effect != Effect::Unsafe => {}
                Ok(Some(Body::CallStarted(call))) => calls.push(call.key),
                _ => calls.push(Key::new(format!("event {}", record.seq))),
            }
        }
        Ok(calls)
    }
}

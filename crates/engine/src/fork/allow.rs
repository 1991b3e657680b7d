//! What a fork may not do by itself: decide what a person decided, and repeat what must not be done twice.

use std::collections::BTreeSet;

use super::{
    Pages,
    lineage::{Resolved, Section},
};
use crate::{
    AskKind, Effect, Engine, Error, Fault, Key, Role, Seq,
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
        let Resolved { fork, before, after } = resolved;
        let kept = if keeps == Keeps::Finished { last } else { seq };
        if fork.by.role == Role::Agent {
            let own = Section { run: fork.parent.clone(), until: kept };
            for section in before.iter().chain([&own]) {
                if self.has_persons_answer(section).await? {
                    fork.by.as_person("going on from what a person has answered")?;
                }
            }
        }
        let mut repeated = BTreeSet::new();
        if keeps == Keeps::UnderWay {
            let own = Section { run: fork.parent.clone(), until: last };
            repeated.extend(self.unsafe_calls(&own, seq).await?);
            for section in after {
                repeated.extend(self.unsafe_calls(section, Seq(0)).await?);
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

    /// Whether a person has answered something that is for a person.
    async fn has_persons_answer(&self, section: &Section) -> Result<bool, Error> {
        let mut for_persons = BTreeSet::new();
        let mut journal = Pages::new(self, &section.run, section.until);
        while let Some(record) = journal.next().await? {
            match record.kind.as_ref() {
                "asked" | "answered" => {}
                _ => continue,
            }
            match record.body() {
                Ok(Some(Body::Asked(ask))) if ask.kind != AskKind::AgentResponse => {
                    for_persons.insert(ask.key);
                }
                Ok(Some(Body::Answered(answer))) if !answer.by_default => {
                    if for_persons.contains(&answer.key) {
                        return Ok(true);
                    }
                }
                _ => {}
            }
        }
        Ok(false)
    }

    /// The unsafe calls that a journal began after an event.
    async fn unsafe_calls(&self, section: &Section, after: Seq) -> Result<Vec<Key>, Error> {
        let mut calls = Vec::new();
        let mut journal = Pages::new(self, &section.run, section.until);
        while let Some(record) = journal.next().await? {
            if record.seq <= after || record.kind != "call_started" {
                continue;
            }
            if let Ok(Some(Body::CallStarted(call))) = record.body()
                && call.effect == Effect::Unsafe
            {
                calls.push(call.key);
            }
        }
        Ok(calls)
    }
}

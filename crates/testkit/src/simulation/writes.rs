//! Applies a write at one instant: the contents change, and the model checks them.

use std::sync::Arc;

use consign_engine::{
    At, Epoch, Nanos, Owner, RunId, WorkerId,
    journal::{Content, Record},
    store::{
        AskState, Claim, Claimed, Commit, Delivery, Error, First, Loaded, NewRun, Refusal,
        Store as _, Wanted,
    },
};

use super::{
    life::Life,
    sabotage::{self, Sabotage},
    wire::at_once,
    world::{World, short},
};
use crate::memory::MemoryState;

pub(super) struct Writes {
    pub(super) world: Arc<World>,
    pub(super) life: Arc<Life>,
}

impl Writes {
    pub(super) fn create(&self, run: NewRun, first: First) -> Result<(), Error> {
        let events = events(&first.step.records);
        let answer = at_once(self.world.memory.create(run.clone(), first));
        if answer.is_ok() {
            self.world.model().made(&run);
        }
        self.note(&run.id, &format!("create {events}"), &answer);
        self.stepped(&run.id, &answer);
        answer
    }

    pub(super) fn commit(&self, mut commit: Commit) -> Result<(), Error> {
        let world = &self.world;
        let (run, claim) = (commit.claim.run.clone(), commit.claim.clone());
        let said = format!("{}, then {:?}", events(&commit.step.records), commit.step.standing);
        let before = at_once(world.memory.load(&run))?;
        let (holder, wrote) = (before.claim(), !commit.step.records.is_empty());
        if let Some(bug) = world.sabotage {
            bug.spoil(&world.random, &mut commit.step, &before.row, &before.snapshot);
            if bug == Sabotage::SkippedFence && holder.as_ref() != Some(&claim) {
                commit.claim = self.forged(&before, &claim);
            }
        }
        let mut answer = at_once(world.memory.commit(commit.clone()));
        if world.suffers(Sabotage::IgnoredCap)
            && matches!(answer, Err(Error::Refused(Refusal::OverCap { .. })))
        {
            answer = self.uncapped(&before.row.owner, commit);
        }
        if answer.is_ok() {
            let verdict = world.model().committed(&claim, holder.as_ref());
            world.judge(verdict);
        }
        self.note(&run, &format!("commit {said}"), &answer);
        if wrote {
            self.stepped(&run, &answer);
        }
        answer
    }

    /// The label is that of the last step.
    fn stepped(&self, run: &RunId, answer: &Result<(), Error>) {
        if answer.is_ok() {
            let verdict = self.world.model().stepped(run);
            self.world.judge(verdict);
        }
    }

    pub(super) fn deliver(&self, mut delivery: Delivery) -> Result<(), Error> {
        let world = &self.world;
        let run = delivery.run.clone();
        let said = format!("deliver {}", events(std::slice::from_ref(&delivery.record)));
        if world.suffers(Sabotage::AnsweredTwice)
            && let Some(key) = &delivery.answers
            && let Some(ask) = at_once(world.memory.interaction(&run, key))?
            && ask.state == AskState::Answered
        {
            delivery.answers = None;
        }
        let again = sabotage::again(world, &delivery);
        let answer = at_once(world.memory.deliver(delivery));
        self.note(&run, &said, &answer);
        if let Some(again) = again.filter(|_| answer.is_ok()) {
            let answer = at_once(world.memory.deliver(again));
            self.note(&run, &format!("{said} again"), &answer);
        }
        answer
    }

    pub(super) fn claim(
        &self,
        worker: &WorkerId,
        wanted: &Wanted,
        most: usize,
        now: At,
    ) -> Result<Claimed, Error> {
        let world = &self.world;
        let stolen = match world.sabotage {
            Some(bug) => bug.steals(world, now),
            None => None,
        };
        let Claimed { mut runs, damaged } = match stolen {
            Some(run) => {
                let loaded = at_once(world.memory.claim_run(worker, &run))?;
                Claimed { runs: vec![loaded], damaged: Vec::new() }
            }
            None => at_once(world.memory.claim(worker, wanted, most, now))?,
        };
        runs.iter_mut().for_each(|loaded| self.give(loaded, false));
        if !runs.is_empty() {
            world.wrote();
        }
        Ok(Claimed { runs, damaged })
    }

    pub(super) fn claim_run(&self, worker: &WorkerId, run: &RunId) -> Result<Loaded, Error> {
        let mut loaded = at_once(self.world.memory.claim_run(worker, run))?;
        self.give(&mut loaded, true);
        self.world.wrote();
        Ok(loaded)
    }

    pub(super) fn reclaim(&self) -> Result<u64, Error> {
        if self.world.suffers(Sabotage::LostReclaim) {
            return Ok(0);
        }
        let freed = at_once(self.world.memory.reclaim())?;
        if freed > 0 {
            self.world.trace.line(&self.life.name, format_args!("reclaims {freed} runs"));
            self.world.wrote();
        }
        Ok(freed)
    }

    pub(super) fn set_cap(&self, owner: &Owner, cap: Option<Nanos>) -> Result<(), Error> {
        at_once(self.world.memory.set_cap(owner, cap))?;
        self.world.trace.line(&self.life.name, format_args!("caps {owner} at {cap:?}"));
        self.world.wrote();
        Ok(())
    }

    /// A worker is given a run; by name, if it is a command.
    fn give(&self, loaded: &mut Loaded, by_name: bool) {
        let row = &mut loaded.row;
        if self.world.suffers(Sabotage::OldEpoch) && row.epoch > Epoch(1) {
            row.epoch = Epoch(row.epoch.0 - 1);
        }
        let (run, epoch) = (short(&row.id), row.epoch.0);
        self.world.trace.line(&self.life.name, format_args!("claims {run} in epoch {epoch}"));
        let claimed = |state: &MemoryState| self.world.model().claimed(row, by_name, state);
        let verdict = self.world.memory.look(claimed);
        self.world.judge(verdict);
    }

    /// The claim that would be good now.
    fn forged(&self, before: &Loaded, claim: &Claim) -> Claim {
        let taken = before.claim().or_else(|| {
            let loaded = at_once(self.world.memory.claim_run(&claim.worker, &claim.run));
            loaded.ok().and_then(|loaded| loaded.claim())
        });
        taken.unwrap_or_else(|| claim.clone())
    }

    fn uncapped(&self, owner: &Owner, commit: Commit) -> Result<(), Error> {
        let cap = at_once(self.world.memory.account(owner))?.cap;
        at_once(self.world.memory.set_cap(owner, None))?;
        let answer = at_once(self.world.memory.commit(commit));
        at_once(self.world.memory.set_cap(owner, cap))?;
        answer
    }

    fn note(&self, run: &RunId, said: &str, answer: &Result<(), Error>) {
        let run = short(run);
        match answer {
            Ok(()) => {
                self.world.trace.line(&self.life.name, format_args!("{run} {said}"));
                self.world.wrote();
            }
            Err(error) => {
                self.world.trace.line(&self.life.name, format_args!("{run} {said}: {error}"));
                if let Error::Refused(refusal) = error {
                    self.world.count(match refusal {
                        Refusal::Moved { .. } => "a write is refused: moved",
                        Refusal::Fenced => "a write is refused: fenced",
                        Refusal::OverCap { .. } => "a write is refused: over cap",
                        Refusal::NotOpen => "a write is refused: not open",
                        Refusal::Closed => "a write is refused: closed",
                        Refusal::Open => "a write is refused: not over",
                        Refusal::Held { .. } => "a write is refused: held",
                    });
                }
            }
        }
    }
}

fn events(records: &[Record]) -> String {
    let mut words = String::new();
    for record in records {
        let Content::Kept(body, _) = &record.content else { continue };
        let tree = body.shown();
        let key = tree.get("key").and_then(|key| key.as_str()).unwrap_or_default();
        let comma = if words.is_empty() { "" } else { ", " };
        let gap = if key.is_empty() { "" } else { " " };
        words += &format!("{comma}{} {}{gap}{key}", record.seq, record.kind);
    }
    words
}

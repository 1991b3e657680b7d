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
    sabotage::Sabotage,
    wire::at_once,
    world::{World, short},
};

pub(super) struct Writes {
    pub(super) world: Arc<World>,
    pub(super) life: Arc<Life>,
}

impl Writes {
    pub(super) fn create(&self, run: NewRun, first: First) -> Result<(), Error> {
        let (id, events) = (run.id.clone(), events(&first.step.records));
        let answer = at_once(self.world.memory.create(run, first));
        self.note(&id, &format!("create {events}"), &answer);
        answer
    }

    pub(super) fn commit(&self, mut commit: Commit) -> Result<(), Error> {
        let world = &self.world;
        let (run, claim) = (commit.claim.run.clone(), commit.claim.clone());
        let said = format!("{}, then {:?}", events(&commit.step.records), commit.step.standing);
        let before = at_once(world.memory.load(&run))?;
        let holder = before.claim();
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
        answer
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
        let answer = at_once(world.memory.deliver(delivery));
        self.note(&run, &said, &answer);
        answer
    }

    pub(super) fn claim(
        &self,
        worker: &WorkerId,
        wanted: &Wanted,
        most: usize,
        now: At,
    ) -> Result<Claimed, Error> {
        let Claimed { runs, damaged } =
            at_once(self.world.memory.claim(worker, wanted, most, now))?;
        let runs = runs.into_iter().map(|loaded| self.given(loaded)).collect();
        Ok(Claimed { runs, damaged })
    }

    pub(super) fn claim_run(&self, worker: &WorkerId, run: &RunId) -> Result<Loaded, Error> {
        Ok(self.given(at_once(self.world.memory.claim_run(worker, run))?))
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

    fn given(&self, mut loaded: Loaded) -> Loaded {
        let row = &mut loaded.row;
        if self.world.suffers(Sabotage::OldEpoch) && row.epoch > Epoch(1) {
            row.epoch = Epoch(row.epoch.0 - 1);
        }
        let (run, epoch) = (short(&row.id), row.epoch.0);
        self.world.trace.line(&self.life.name, format_args!("claims {run} in epoch {epoch}"));
        let verdict = self.world.model().claimed(row);
        self.world.judge(verdict);
        self.world.wrote();
        loaded
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

//! Forks and retries: of runs that are over, and of those that are not, at any event or point, twice under one name.

use consign_engine::{
    Actor, Error, Fault, Fork, ForkAt, Placement, RunId, Seq, Speaker, Status,
    journal::{Body, Record},
    store::Row,
};

use super::People;
use crate::memory::MemoryState;
use crate::simulation::{
    model::{About, ForkWish},
    scene::HOST,
    world::short,
};

/// What became of the wish for a fork.
pub(in crate::simulation) enum Forking {
    /// There is nothing to fork, or there were enough forks.
    Nothing,
    /// Somebody wants it, and leaves it to the workers.
    Sent,
    /// A command is to fork it, and to go on with it.
    ByCommand(ForkWish),
}

impl People {
    /// Somebody forks or retries a run.
    pub(in crate::simulation) fn fork(&self) -> Forking {
        let world = &self.world;
        let runs: Vec<_> = world.memory.look(|state| state.runs().keys().cloned().collect());
        let failed = self.failed();
        let parents = if world.random.chance(500) && !failed.is_empty() { &failed } else { &runs };
        self.fork_one_of(parents, &runs)
    }

    /// Somebody retries a run that failed or was cancelled.
    pub(in crate::simulation) fn retry(&self) -> Forking {
        let failed = self.failed();
        self.fork_one_of(&failed, &failed)
    }

    fn failed(&self) -> Vec<RunId> {
        self.world.memory.look(|state| {
            let failed = |row: &Row| matches!(row.status, Status::Failed | Status::Cancelled);
            let failed = state.runs().values().filter(|run| failed(&run.row));
            failed.map(|run| run.row.id.clone()).collect()
        })
    }

    fn fork_one_of(&self, parents: &[RunId], runs: &[RunId]) -> Forking {
        let world = &self.world;
        let random = &world.random;
        if parents.is_empty() || !world.may_fork() {
            return Forking::Nothing;
        }
        let parent = random.pick(parents).clone();
        let at = self.place(&parent);
        let id = random.chance(500).then(|| RunId::new(world.name("fork-")));
        let limits = random.chance(200).then(|| self.higher(&parent)).flatten().unwrap_or_default();
        let wish = ForkWish { parent, at, id, limits };
        if random.chance(200) {
            self.send_wrong_fork(wish.clone(), runs);
        }
        if random.chance(250) {
            return Forking::ByCommand(wish);
        }
        let times = if wish.id.is_some() { random.between(1, 3) } else { 1 };
        for _ in 0..times {
            self.send_fork(wish.clone(), false);
        }
        Forking::Sent
    }

    fn send_fork(&self, wish: ForkWish, wrong: bool) {
        let what = format!("forks {} at {:?} as {:?}", short(&wish.parent), wish.at, wish.id);
        let random = &self.world.random;
        let here = random.chance(100).then(|| Placement::Host(HOST.into()));
        let placement = here.unwrap_or(Placement::Anywhere);
        self.say(what, (About::Fork(wish.clone()), wrong), |engine, who| async move {
            let fork = Fork { placement, ..fork_of(&wish, &who) };
            let forked = engine.fork(fork).await?;
            // Then it was another word that made the run.
            match forked.repeated {
                true => Err::<(), Error>(Fault::permanent("REPEATED", "the run is there").into()),
                false => Ok(()),
            }
        });
    }

    /// A fork that must not be made: at no event, at no point, or under the name of another run.
    fn send_wrong_fork(&self, wish: ForkWish, runs: &[RunId]) {
        let random = &self.world.random;
        let wish = match random.below(3) {
            0 => ForkWish { at: ForkAt::Event(Seq(1 << 40)), id: None, ..wish },
            1 => ForkWish { at: ForkAt::Point("nowhere".to_owned()), id: None, ..wish },
            _ => {
                // Only what is no fork of the same run is another one for sure.
                let id = random.pick(runs).clone();
                let parents = self.world.model().parents(&wish.parent);
                let of = self.world.model().parents(&id).first().cloned();
                if of.is_some_and(|of| of == wish.parent || parents.contains(&of)) {
                    return;
                }
                ForkWish { id: Some(id), ..wish }
            }
        };
        self.send_fork(wish, true);
    }

    /// Where a run is forked.
    fn place(&self, run: &RunId) -> ForkAt {
        let random = &self.world.random;
        self.world.memory.look(|state| {
            let Ok(kept) = state.run(run) else { return ForkAt::Failure };
            let mut points: Vec<_> = kept.journal.iter().filter_map(point).collect();
            points.extend(earlier_points(state, &kept.journal));
            let failed = matches!(kept.row.status, Status::Failed | Status::Cancelled);
            let retries = random.chance(if failed { 800 } else { 50 });
            match random.below(10) {
                _ if retries => ForkAt::Failure,
                0 => ForkAt::Point("start".to_owned()),
                1..=4 if !points.is_empty() => ForkAt::Point(random.pick(&points).clone()),
                _ => ForkAt::Event(Seq(random.below(kept.row.seq.0 + 1))),
            }
        })
    }
}

/// The points that were reached before a run was forked.
fn earlier_points(state: &MemoryState, journal: &[Record]) -> Vec<String> {
    let forked = journal.get(1).and_then(|record| record.body().ok().flatten());
    let Some(Body::Forked(forked)) = forked else { return Vec::new() };
    let Ok(parent) = state.run(&forked.run) else { return Vec::new() };
    let before = parent.journal.iter().filter(|record| record.seq <= forked.seq);
    before.filter_map(point).collect()
}

fn point(record: &Record) -> Option<String> {
    match record.body() {
        Ok(Some(Body::PointReached(reached))) => Some(reached.point),
        Ok(_) | Err(_) => None,
    }
}

pub(in crate::simulation) fn fork_of(wish: &ForkWish, who: &Actor) -> Fork {
    Fork {
        parent: wish.parent.clone(),
        at: wish.at.clone(),
        id: wish.id.clone(),
        limits: wish.limits.clone(),
        placement: Placement::Anywhere,
        settings: None,
        input: None,
        repeat_unsafe: true,
        by: Speaker::person(who.clone()),
    }
}

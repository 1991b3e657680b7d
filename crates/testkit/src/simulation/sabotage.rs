//! Planted bugs: ways for a store to break its promise, or to hide that the engine broke its own. Each must be found.

use consign_engine::{
    At, Data, Nanos, RunId, Status,
    journal::{Body, Content, Forked, Hash, Record, Salt},
    store::{Delivery, Placement, Row, Snapshot, Standing, Step},
};
use serde_json::Value;

use super::{random::Random, world::World};

/// A bug in the store, or in what is written to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sabotage {
    /// A worker that lost its run can still write.
    SkippedFence,
    /// A run that is taken over keeps its epoch.
    OldEpoch,
    /// What is no longer held back stays in the owner's account.
    LostRelease,
    /// What was spent is missing from the owner's account.
    LostSpend,
    /// The run's own figures stay behind.
    StaleFigures,
    /// An ask looks open after it was answered, and takes another answer.
    AnsweredTwice,
    /// A step is acknowledged before it is durable: its effects come first.
    EarlyAck,
    /// A step is acknowledged and never written.
    LostCommit,
    /// Nobody looks at the owner's cap.
    IgnoredCap,
    /// A run that waits for an instant is never woken.
    LostWake,
    /// The holder of a run is not told of what is delivered to it.
    LostPoke,
    /// Runs of dead workers stay theirs.
    LostReclaim,
    /// The last snapshot of a run is of an earlier state.
    StaleSnapshot,
    /// An event is written with another body than its hash is of.
    GarbledEvent,
    /// A fork has forgotten a result of its parent.
    ForgottenResult,
    /// A fork makes the calls that its parent began under its own idempotency key.
    OwnKey,
    /// A worker takes a foreground run whose command lives.
    StolenRun,
    /// A worker takes a foreground run that its command left in the middle.
    RashTakeover,
    /// A signal is written twice.
    HeardTwice,
    /// The label of a run stays behind.
    StaleLabel,
}

impl Sabotage {
    pub const ALL: [Self; 20] = [
        Self::SkippedFence,
        Self::OldEpoch,
        Self::LostRelease,
        Self::LostSpend,
        Self::StaleFigures,
        Self::AnsweredTwice,
        Self::EarlyAck,
        Self::LostCommit,
        Self::IgnoredCap,
        Self::LostWake,
        Self::LostPoke,
        Self::LostReclaim,
        Self::StaleSnapshot,
        Self::GarbledEvent,
        Self::ForgottenResult,
        Self::OwnKey,
        Self::StolenRun,
        Self::RashTakeover,
        Self::HeardTwice,
        Self::StaleLabel,
    ];

    /// Spoils a step on its way to the store, now and then.
    pub(super) fn spoil(self, random: &Random, step: &mut Step, before: &Row, kept: &Snapshot) {
        if !random.chance(100) {
            return;
        }
        match self {
            Self::LostRelease => step.ledger.release = Nanos::ZERO,
            Self::LostSpend => step.ledger.spend = Nanos::ZERO,
            Self::StaleFigures => step.figures = before.figures,
            Self::LostWake => {
                if let Standing::Parked { wake_at } = &mut step.standing {
                    *wake_at = None;
                }
            }
            Self::StaleSnapshot => {
                if let (Some(snapshot), Standing::Closed(_)) = (&mut step.snapshot, step.standing) {
                    snapshot.state = kept.state.clone();
                    snapshot.digest = Hash::of(kept.state.as_str().as_bytes());
                }
            }
            Self::GarbledEvent => {
                if let Some(record) = step.records.first_mut()
                    && let Content::Kept(body, _) = &mut record.content
                {
                    *body = Data::of("garbled");
                }
            }
            Self::StaleLabel => step.label = None,
            Self::SkippedFence
            | Self::OldEpoch
            | Self::AnsweredTwice
            | Self::EarlyAck
            | Self::LostCommit
            | Self::IgnoredCap
            | Self::LostPoke
            | Self::LostReclaim
            | Self::ForgottenResult
            | Self::OwnKey
            | Self::StolenRun
            | Self::RashTakeover
            | Self::HeardTwice => {}
        }
    }

    /// Spoils what a fork begins with, on its way to the store.
    pub(super) fn spoil_fork(self, run: &RunId, step: &mut Step) {
        let [_, record] = step.records.as_mut_slice() else { return };
        let Ok(Some(Body::Forked(mut forked))) = record.body() else { return };
        let Some(snapshot) = &mut step.snapshot else { return };
        let mut saved: Value = snapshot.state.to().expect("a snapshot is JSON");
        if self == Self::ForgottenResult && forget_result(&mut forked) {
            saved["state"] = forked.state.to().expect("a state is JSON");
        } else if self == Self::OwnKey && !forked.calls.is_empty() {
            for (key, call) in &mut forked.calls {
                call.origin = run.clone();
                saved["frame"]["origins"][key.as_str()] = Value::from(run.as_str());
            }
        } else {
            return;
        }
        let (seq, at, actor) = (record.seq, record.at, record.actor.clone());
        *record = Record::new(seq, at, actor, &Body::Forked(forked), Salt([7; 16]), record.prev);
        snapshot.state = Data::of(&saved);
        snapshot.digest = Hash::of(snapshot.state.as_str().as_bytes());
        snapshot.head = record.hash;
    }

    /// A foreground run that a worker takes and must not.
    pub(super) fn steals(self, world: &World, now: At) -> Option<RunId> {
        world.memory.look(|state| {
            let mut runs = state.runs().values();
            let run = runs.find(|run| {
                let row = &run.row;
                let lives = run.keeper.as_ref().is_some_and(|keeper| state.is_alive(keeper));
                let ready = row.status == Status::Queued || row.wake_at.is_some_and(|at| at <= now);
                let stolen = self == Self::StolenRun && ready && lives;
                let rash = self == Self::RashTakeover && row.interrupted && !lives;
                row.placement == Placement::Foreground && (stolen || rash)
            });
            run.map(|run| run.row.id.clone())
        })
    }
}

/// Takes one result out of the state of a fork.
fn forget_result(forked: &mut Forked) -> bool {
    let mut state: Value = forked.state.to().expect("a state is JSON");
    let Some(ended) = state["ended"].as_object_mut() else { return false };
    let result =
        ended.iter().find(|(key, value)| key.starts_with("call") && value["of"].is_string());
    let Some(key) = result.map(|(key, _)| key.clone()) else { return false };
    ended.remove(&key);
    forked.state = Data::of(&state);
    true
}

/// A signal once more, where that is the bug.
pub(super) fn again(world: &World, delivery: &Delivery) -> Option<Delivery> {
    let signalled = delivery.record.kind == "signalled";
    if !signalled || !world.suffers(Sabotage::HeardTwice) {
        return None;
    }
    let (first, body) = (&delivery.record, delivery.record.body().ok().flatten()?);
    let (seq, at, actor) = (first.seq.next(), first.at, first.actor.clone());
    let record = Record::new(seq, at, actor, &body, Salt([7; 16]), Some(first.hash));
    Some(Delivery { seen: first.seq, record, ..delivery.clone() })
}

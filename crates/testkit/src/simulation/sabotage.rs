//! Planted bugs: ways for a store to break its promise. Each must be found.

use consign_engine::{
    Data, Nanos,
    journal::{Content, Hash},
    store::{Row, Snapshot, Standing, Step},
};

use super::random::Random;

/// A bug in the store.
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
}

impl Sabotage {
    pub const ALL: [Self; 14] = [
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
            Self::SkippedFence
            | Self::OldEpoch
            | Self::AnsweredTwice
            | Self::EarlyAck
            | Self::LostCommit
            | Self::IgnoredCap
            | Self::LostPoke
            | Self::LostReclaim => {}
        }
    }
}

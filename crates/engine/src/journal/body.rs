//! What an event says, by its kind. These are written to disk: fields may be added, never changed.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize};

use super::Hash;
use crate::{
    Actor, AgentName, AskKind, At, Certificate, Data, Effect, Fault, Key, Limits, Nanos, Owner,
    Placement, Role, RunId, Seq, Settings, Version,
};

macro_rules! bodies {
    ($($(#[$doc:meta])* $kind:literal => $variant:ident),* $(,)?) => {
        /// Something that happened in a run.
        #[derive(Clone, Debug, PartialEq)]
        pub enum Body {
            $($(#[$doc])* $variant($variant),)*
        }

        impl Body {
            /// The word for its kind.
            #[must_use]
            pub fn kind(&self) -> &'static str {
                match self {
                    $(Self::$variant(_) => $kind,)*
                }
            }

            #[must_use]
            pub fn to_data(&self) -> Data {
                match self {
                    $(Self::$variant(body) => Data::of(body),)*
                }
            }

            /// Reads an event back. The error says what is wrong with it.
            pub fn read(kind: &str, body: &Data) -> Result<Self, String> {
                match kind {
                    $($kind => body.to().map(Self::$variant).map_err(|cause| cause.to_string()),)*
                    _ => Err(format!("there is no kind of event {kind}")),
                }
            }
        }

        $(impl From<$variant> for Body {
            fn from(body: $variant) -> Self {
                Self::$variant(body)
            }
        })*
    };
}

bodies! {
    "created" => Created,
    /// A call opens and its first attempt begins.
    "call_started" => CallStarted,
    "attempt_started" => AttemptStarted,
    /// An attempt failed and there will be another.
    "attempt_failed" => AttemptFailed,
    /// The process that made an attempt died before it could say how it went.
    "attempt_lost" => AttemptLost,
    "call_completed" => CallCompleted,
    "call_failed" => CallFailed,
    /// The workflow no longer wants the result, or the run closes.
    "call_cancelled" => CallCancelled,
    "asked" => Asked,
    "answered" => Answered,
    /// The person or program that was asked to answer for an agent refuses to.
    "declined" => Declined,
    /// The deadline passed and there was no default.
    "ask_expired" => AskExpired,
    "ask_withdrawn" => AskWithdrawn,
    "timer_set" => TimerSet,
    "timer_fired" => TimerFired,
    "timer_dropped" => TimerDropped,
    "raised" => Raised,
    "advised" => Advised,
    /// A signal that the workflow has declared.
    "signalled" => Signalled,
    "cancel_requested" => CancelRequested,
    /// Time that passed only on the clock, and does not count as work.
    "time_skipped" => TimeSkipped,
    /// The run goes on under a newer version of its workflow.
    "upgraded" => Upgraded,
    /// The workflow stands at a place from which the run can be forked.
    "point_reached" => PointReached,
    /// The run begins where another one stood.
    "forked" => Forked,
    "succeeded" => Succeeded,
    "failed" => Failed,
    "cancelled" => Cancelled,
    /// What the events before it said is erased. It alone can follow the end of a run.
    "redacted" => Redacted,
}

impl Body {
    /// Whether it is a delivery from outside, and not written by the holder of the run.
    #[must_use]
    pub fn is_delivered(&self) -> bool {
        match self {
            Self::Answered(answered) => !answered.by_default,
            Self::Declined(_)
            | Self::Raised(_)
            | Self::Advised(_)
            | Self::Signalled(_)
            | Self::CancelRequested(_)
            | Self::Redacted(_) => true,
            Self::Created(_)
            | Self::CallStarted(_)
            | Self::AttemptStarted(_)
            | Self::AttemptFailed(_)
            | Self::AttemptLost(_)
            | Self::CallCompleted(_)
            | Self::CallFailed(_)
            | Self::CallCancelled(_)
            | Self::Asked(_)
            | Self::AskExpired(_)
            | Self::AskWithdrawn(_)
            | Self::TimerSet(_)
            | Self::TimerFired(_)
            | Self::TimerDropped(_)
            | Self::TimeSkipped(_)
            | Self::Upgraded(_)
            | Self::PointReached(_)
            | Self::Forked(_)
            | Self::Succeeded(_)
            | Self::Failed(_)
            | Self::Cancelled(_) => false,
        }
    }
}

/// What an attempt cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Paid {
    pub nanos: Nanos,
    /// The cost is not known, so the whole reservation counts as spent.
    #[serde(default, skip_serializing_if = "is_false")]
    pub assumed: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_false(flag: &bool) -> bool {
    !flag
}

/// Reads a field that is present, also if it is null.
fn given<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Data>, D::Error> {
    Data::deserialize(from).map(Some)
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Created {
    pub run: RunId,
    pub workflow: String,
    pub version: Version,
    pub owner: Owner,
    pub placement: Placement,
    pub input: Data,
    pub limits: Limits,
    pub certificate: Certificate,
    #[serde(default, skip_serializing_if = "Settings::is_none")]
    pub settings: Settings,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CallStarted {
    pub key: Key,
    pub agent: AgentName,
    pub effect: Effect,
    pub input: Data,
    pub reserved: Nanos,
    /// Nothing could be reserved: the agent cannot say what it costs at most.
    #[serde(default, skip_serializing_if = "is_false")]
    pub unmetered: bool,
    /// How the reservation was worked out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub estimate: Option<Data>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AttemptStarted {
    pub key: Key,
    pub attempt: u32,
    pub reserved: Nanos,
    /// Nothing could be reserved.
    #[serde(default, skip_serializing_if = "is_false")]
    pub unmetered: bool,
    /// How the reservation was worked out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub estimate: Option<Data>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AttemptFailed {
    pub key: Key,
    pub attempt: u32,
    pub fault: Fault,
    pub paid: Paid,
    pub retry_at: At,
    /// It counts against the tries of the call.
    pub counts: bool,
    /// What it leaves for the next attempt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub handed: Option<Data>,
    /// A person is asked before the next attempt.
    #[serde(default, skip_serializing_if = "is_false")]
    pub referred: bool,
    /// What was handed over before no longer counts against the call. Journals from before this field
    /// existed go on counting.
    #[serde(default, skip_serializing_if = "is_false")]
    pub afresh: bool,
    /// What it used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub used: Option<Data>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AttemptLost {
    pub key: Key,
    pub attempt: u32,
    pub paid: Paid,
    /// Why the outcome is unknown, if that is known. Without it, the process that made the attempt ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<Fault>,
    /// When it may be tried again, if not at once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_at: Option<At>,
    /// Another attempt would do harm if this one had its effect, so a person is asked.
    #[serde(default, skip_serializing_if = "is_false")]
    pub unknown: bool,
    /// What it used, where something is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub used: Option<Data>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CallCompleted {
    pub key: Key,
    pub attempt: u32,
    pub output: Data,
    pub paid: Paid,
    /// The other side said so when it was asked after a crash.
    #[serde(default, skip_serializing_if = "is_false")]
    pub probed: bool,
    /// What it used, and what was done to get there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub used: Option<Data>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CallFailed {
    pub key: Key,
    /// 0 if there never was one.
    pub attempt: u32,
    pub fault: Fault,
    pub paid: Paid,
    /// What the last attempt used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub used: Option<Data>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CallCancelled {
    pub key: Key,
    pub attempt: u32,
    pub paid: Paid,
    /// What the attempt had come to all the same.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    pub output: Option<Data>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<Fault>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Asked {
    pub key: Key,
    pub kind: AskKind,
    pub prompt: String,
    pub schema: Data,
    pub deadline: Option<At>,
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    pub default: Option<Data>,
    /// What made the engine ask.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub about: Option<Fault>,
    /// The agent whose output the answer stands in for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<AgentName>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Answered {
    pub key: Key,
    pub value: Data,
    /// The deadline passed, and this is the default.
    #[serde(default, skip_serializing_if = "is_false")]
    pub by_default: bool,
    /// The role of the actor. Journals that were written before this was kept do not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<Role>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Declined {
    pub key: Key,
    pub fault: Fault,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AskExpired {
    pub key: Key,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AskWithdrawn {
    pub key: Key,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TimerSet {
    pub key: Key,
    pub fires_at: At,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TimerFired {
    pub key: Key,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TimerDropped {
    pub key: Key,
}

/// The limits from now on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Raised {
    pub limits: Limits,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Advised {
    pub text: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Signalled {
    pub name: String,
    pub value: Data,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PointReached {
    pub point: String,
}

/// Where a fork begins. It follows `created`, and takes the place of what the workflow made of its input.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Forked {
    /// The run that it was forked from.
    pub run: RunId,
    /// The event of that run after which it begins, and its hash.
    pub seq: Seq,
    pub head: Hash,
    /// The newest event of that run when it was forked. Results between the two are kept as `keeps` says.
    pub until: Seq,
    pub keeps: Keeps,
    /// Results, answers and signals that are not kept: the workflow failed because of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub without: Vec<Seq>,
    /// It has another input than its parent, and the state was fitted to it.
    #[serde(default, skip_serializing_if = "is_false")]
    pub refitted: bool,
    /// The state of the workflow.
    pub state: Data,
    /// Calls that the other run began and did not finish.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub calls: BTreeMap<Key, BegunCall>,
}

/// Which results that came after the event of a fork are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Keeps {
    /// Only results of calls that were under way at the event.
    UnderWay,
    /// All: only what failed, or was not finished, is done again.
    Finished,
}

/// A call that another run began.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BegunCall {
    pub effect: Effect,
    /// The run under whose name the other side knows the call.
    pub origin: RunId,
    /// What became of it is unknown and it must not be done twice: a person is asked before it is called again.
    #[serde(default, skip_serializing_if = "is_false")]
    pub unknown: bool,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CancelRequested {
    pub reason: Option<String>,
}

/// Time that passed on the clock alone: it was set, the machine slept, or the holder could not write.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TimeSkipped {
    /// In microseconds.
    pub by: u64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Upgraded {
    pub from: Version,
    pub to: Version,
    /// The event up to which the old version counts.
    pub since: Seq,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Succeeded {
    pub output: Data,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Failed {
    pub fault: Fault,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cancelled {
    pub by: Actor,
    pub reason: Option<String>,
}

/// Who erased it, and when, is said by the event itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Redacted {}

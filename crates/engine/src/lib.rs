//! What happens: runs, activities, journal, limits, waits and workers.
//!
//! A run is data. A [`Workflow`] says what should be open; the engine compares that with what is open,
//! writes one commit per step to its [`Store`](store::Store), and only then calls an [`Agent`].
//! Nothing here knows a protocol, a database or a model, reads the clock past its [`Clock`] or takes
//! randomness past its [`Entropy`].

mod activity;
mod agent;
mod agent_name;
mod attempt_task;
mod contract;
mod data;
mod deliver;
pub mod discussion;
mod drive;
mod duration;
mod engine;
mod external_home;
mod fault;
mod fork;
mod frame;
mod id;
mod in_memory;
pub mod journal;
mod limits;
mod logs;
mod money;
mod plan;
mod projection;
mod redact;
mod refold;
mod run;
mod says;
pub mod session_memory;
mod signal;
mod speaker;
mod status;
pub mod store;
mod submit;
mod time;
pub mod vault;
mod verify;
mod worker;
mod workflow;

pub use activity::{Activity, Ask, AskKind, Call, Retry, RetryOn, Timer};
pub use agent::{
    Agent, Agents, Attempt, Bridged, Directory, Effect, Failure, Invoker, Onward, Order, Probe,
    Quote, Reply, Settings,
};
pub use agent_name::AgentName;
pub use contract::OutputContract;
pub use data::{Data, Unreadable};
pub use drive::{Drive, Left, Reins, Stop};
pub use duration::parse_duration;
pub use engine::{Engine, Error, Look, Parts, Seat};
pub use external_home::{Answer, ExternalHome, News};
pub use fault::{Fault, FaultClass, TIMEOUT};
pub use fork::{Fork, ForkAt, RecoveryPoint};
pub use id::{Actor, Epoch, Key, Owner, RunId, Seq, Version, WorkerId};
pub use in_memory::{InMemoryDriver, InMemoryResult, SharedBudget};
pub use limits::{Bound, BoundedBy, Certificate, Limits, Usage};
pub use money::Nanos;
pub use projection::Projection;
pub use redact::Redaction;
pub use says::{Listening, Piece, Says};
pub use signal::SignalContract;
pub use speaker::{Role, Speaker};
pub use status::{Status, StatusChange};
pub use store::Placement;
pub use submit::{Submission, Submitted};
pub use time::{At, Clock, Time};
pub use verify::{Disproof, Parent, Proof};
pub use worker::{Report, Worker};
pub use workflow::{Happened, Next, Outcome, Signal, Work, Workflow, Workflows};

/// Where randomness comes from: ids, salts, the spread of retries.
pub trait Entropy: Send + Sync {
    fn fill(&self, bytes: &mut [u8]);
}

//! A turn of a conversation as a durable run, `conversation/turn`.
//!
//! [`TurnInput`] is what it is given: a message that the guard has let through. [`TurnProgress`] is what it has come to, and
//! [`TurnOutcome`] what it ends with. Its calls are searches (`memory-N`, one for each part of what is asked), the answer
//! (`tailor-N`), its verification (`verifier-N`), the guard (`guardrails-N`) and the record of the turn (`save`); N is the
//! step of the plan. [`TurnProgress`] calls nothing, so a killed turn goes on from its journal and no answer of a model is
//! paid for twice. The guard of the message comes before the run: what was said in the open is in no journal.

mod agents;
mod input;
mod progress;
mod prompt;
mod steps;
mod watch;
pub(crate) mod workflow;

pub(crate) use self::agents::is_agent;

/// Text of strangers, and answers, in Markdown.
pub use consign_answers::{escaped, markdown};

pub use self::{
    agents::{GUARDRAILS, TAILOR, Timeouts, Turns, guard_agent, turn_agents},
    input::{HistoryMessage, TurnInput, TurnOutcome},
    progress::{TurnProgress, warning},
    steps::{PlanStep, StepStatus, blocked_plan},
    watch::{Heard, Tokens, Watch},
    workflow::WORKFLOW,
};

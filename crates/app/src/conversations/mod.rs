//! Conversations over documents: a turn asked and answered, conversations listed, shown and removed, texts guarded.
//!
//! [`prepare`] looks at a message with the guard and gives the run of its turn, or says that it was blocked; [`begin`] and
//! [`start`] make that run, here or for the workers, and [`Watching`] follows it. Every function takes the owner, and nothing
//! of another owner is seen. A turn whose process died is finished by the next turn of its session.

mod blocked;
mod drafts;
mod find;
mod forget;
mod given;
mod guard;
mod settings;
mod state;
mod turn;
mod unfinished;
mod watching;

pub use consign_contracts::crew::Persona;
pub use consign_conversation::turn::{
    Heard, PlanStep, StepStatus, Timeouts, TurnInput, TurnOutcome, Turns, WORKFLOW, Watch, escaped,
    markdown,
};
pub use consign_knowledge::conversation::{Conversation, Listed, Message, SessionQuery};

pub use self::{
    blocked::Blocked,
    drafts::{Drafts, Released},
    find::{WhichTurn, session_name, turn},
    forget::redact_forgotten,
    guard::{Checked, guard, named_entities},
    settings::TurnSettings,
    state::{list, remove, show},
    turn::{Ask, Prepared, begin, new_session, prepare, start},
    watching::{Watching, orchestrator_output},
};
pub(crate) use self::{
    forget::forget_source,
    settings::{ConversationFile, GuardFile},
};

//! Template creation as the inbox sees it: a run that mirrors the state file.
//!
//! The state file in the project's root is the home of a template creation; renaming it into place is
//! the commit. [`sync`] brings the run in the store to what that file says, so that lists, the inbox, HTTP
//! and MCP know of it. While a request is pending, the run has a bridged call open, and whoever answers
//! it there is heard by the project's folder first ([`Home`]). Only the command that has the files goes on
//! with the run.
//!
//! That command may have a model asked ([`ask_model`]): a call of the same run, beside the bridged one, with
//! its reservation, its retries and its answer in the journal. The answer is put into the project's folder
//! by whoever has the files, now or after a crash ([`model_answer`]).

mod agent;
mod asked;
mod home;
mod model;
mod sync;
mod view;
mod workflow;

pub use agent::{PIN, agents};
pub use asked::{AskModel, Asked, ModelAnswer, ModelCall, ask_model, model_answer};
pub use home::Home;
pub use model::{check_model, model_agents};
pub use sync::{Answered, is_of, open, sync};
pub use view::{Completed, Ended, Pending, View};
pub use workflow::{CREATE, Mirror};

use std::sync::Arc;

use consign_engine::Workflows;

/// `template/create`, whose runs are at home in their projects.
#[must_use]
pub fn workflows(workflows: Workflows) -> Workflows {
    workflows.with_home(workflow::Create, Arc::new(Home))
}

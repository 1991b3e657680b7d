//! Template creation as the inbox sees it: a run that mirrors the state file.
//!
//! The state file in the project's root is the home of a template creation; renaming it into place is
//! the commit. [`sync`] brings the run in the store to what that file says, so that lists, the inbox, HTTP
//! and MCP know of it. While a request is pending, the run has a bridged call open, and whoever answers
//! it there is heard by the project's folder first ([`Home`]). Only the command that has the files goes on
//! with the run.

mod agent;
mod home;
mod sync;
mod view;
mod workflow;

pub use agent::{PIN, agents};
pub use home::Home;
pub use sync::{Answered, is_of, sync};
pub use view::{Completed, Ended, Pending, View};
pub use workflow::{CREATE, Mirror};

use std::sync::Arc;

use consign_engine::Workflows;

/// `template/create`, whose runs are at home in their projects.
#[must_use]
pub fn workflows(workflows: Workflows) -> Workflows {
    workflows.with_home(workflow::Create, Arc::new(Home))
}

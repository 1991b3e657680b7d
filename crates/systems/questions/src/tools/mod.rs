//! The tools of the built-in agents: what can be asked of a repository, under a policy.
//!
//! [`table`] lists them; a plan's steps name them, and [`Tool::run`] carries one out on a [`View`], which
//! is the repository as the [`Policy`] lets it be seen. Every tool reads and none writes, starts a
//! program or leaves the repository. Wrong parameters, missing files and denied paths are answers,
//! never panics.

mod code_search;
mod entry_points;
mod evidence;
mod find_references;
mod find_symbol;
mod git_blame;
mod git_log;
mod glob;
mod list_tree;
mod outline;
mod params;
mod policy;
mod read_file;
mod table;
mod tests_of;
mod view;

pub(super) use evidence::place;
pub use evidence::{Evidence, Role};
pub(super) use find_symbol::{full_name, of_symbol};
pub use policy::{NotAPolicy, Policy, Rule};
pub use table::{Broken, Tool, Yield, find, table};
pub use view::View;

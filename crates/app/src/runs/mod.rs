//! What can be done with runs: find and list them, start one, answer or signal it, raise its limits, cancel it,
//! fork it, retry it, redact it.
//!
//! One function for each, called by every surface. What a surface adds is how it reads its arguments and how it shows
//! the outcome.

mod answer;
mod approve;
mod cancel;
mod find;
mod fork;
mod limits;
mod list;
mod raise;
mod redact;
mod signal;
mod start;
mod wait;

pub use answer::{Reply, Taken, answer};
pub use approve::{Verdict, decide};
pub use cancel::{cancel, cancel_unattended, close};
pub use find::find;
pub(crate) use fork::begin_fork_of_any;
pub use fork::{ForkRequest, begin_fork, detached, fork, place, points, retry_at};
pub use limits::{LimitNumbers, TooLarge};
pub use list::list;
pub use raise::raise;
pub use redact::{Redacted, redact};
pub use signal::signal;
pub(crate) use start::is_file;
pub use start::{Admission, Start, begin, is_repeated, start};
pub use wait::wait;

//! What can be done with runs: find and list them, start one, answer it, raise its limits, cancel it.
//!
//! One function for each, called by every surface. What a surface adds is how it reads its arguments and how it shows
//! the outcome.

mod answer;
mod cancel;
mod find;
mod limits;
mod list;
mod raise;
mod start;

pub use answer::{Reply, Taken, answer};
pub use cancel::{cancel, cancel_unattended, close};
pub use find::find;
pub use limits::{LimitNumbers, TooLarge};
pub use list::list;
pub use raise::raise;
pub use start::{Admission, Start, begin, is_repeated, start};

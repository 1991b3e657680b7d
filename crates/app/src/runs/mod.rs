//! What can be done with a run: find it, start it, answer it, raise its limits, cancel it.
//!
//! One function for each, called by every surface. What a surface adds is how it reads its arguments and how it shows
//! the outcome.

mod answer;
mod cancel;
mod find;
mod raise;
mod start;

pub use answer::{Reply, Taken, answer};
pub use cancel::{cancel, close};
pub use find::find;
pub use raise::raise;
pub use start::{Admission, Start, begin, is_repeated, start};

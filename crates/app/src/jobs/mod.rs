//! Supervised jobs: making one, driving it, helping it on, looking at it. Each is a function; every surface calls these.
//!
//! A job is a run with a directory. The journal decides; the directory is written from it, and looked at first: a
//! manifest that was edited by hand is refused by everything that changes the job, until it is adopted.

mod add;
mod adopt;
mod drive;
mod list;
mod look;
mod new;
mod open;
mod outside;
mod place;
mod preview;
mod replay;
mod restore;
mod settings;
mod steward;
mod view;

pub use add::{AddFiles, add};
pub use adopt::adopt;
pub use drive::{Activate, AgentSource, Pace, activate, begin_drive, pause, settle};
pub use list::{JobLine, ListJobs, list};
pub use look::{HistoryPage, audit, history, status};
pub use new::{NewJob, new};
pub use open::{OpenJob, Purpose, open};
pub use outside::{
    Change, HistoryRead, JOBS_DIR, MOST_INTERACTIONS, OutsideJob, OutsideJobs, OutsideList,
    OutsidePhase, OutsideSupervisor, OutsideThresholds, UnfitThreshold, job_line, job_metrics,
    jobs_dir,
};
pub use place::{JobPlace, default_jobs_dir, place};
pub use preview::preview;
pub use replay::{Replayed, replay};
pub use restore::{Restored, rerun, restore};
pub(crate) use settings::rotate_bytes;
pub use steward::{Advice, Raise, advise, approve, cancel, halt, raise, reject};
pub use view::JobView;

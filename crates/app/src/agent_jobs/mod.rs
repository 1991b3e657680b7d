//! What one can do with agent jobs (Scribe, Trace, Proto): one file per use case, the same for every surface.
//!
//! A job is a run of `authoring/…` with a UUID for its id. Every use case takes the [`Owner`](consign_engine::Owner) on
//! whose behalf it acts: a job of another owner is answered exactly like one that is not there, `NOT_FOUND`. Codes are
//! those of the document (docs/spec/authoring.md); nothing here knows a route.

mod archive;
mod artifact;
mod audit;
mod cancel;
mod changes;
mod comments;
mod cursor;
mod decide;
mod find;
mod get;
mod id;
mod include;
mod list;
mod revise;
mod standing;
mod submit;
mod view;

pub use self::{
    archive::archive,
    artifact::artifact,
    cancel::{Cancelled, cancel},
    changes::{ChangedFile, base_branch, changes},
    comments::{CommentPage, comment, comments},
    decide::{Asked, Decided, approve, asked, decide_here, reject},
    find::find,
    get::get,
    include::Include,
    list::{JobPage, JobQuery, list},
    revise::{JobRevision, RevisionMode, RevisionScope, Wish, begin_revision, revise, revisions},
    submit::{JobSubmission, Submitted, begin, submission, submit},
};
pub use consign_authoring::job::{AgentType, JobSettings, JobState};

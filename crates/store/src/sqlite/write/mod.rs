//! Everything that is written, one kind of request per file.
//!
//! A request is posted to the [writer](super::writer), which runs it in a transaction that it
//! shares with others. It must refuse before it writes its first row.

mod claim;
mod claim_run;
mod commit;
mod create;
mod create_account;
mod deliver;
mod inbox;
mod ledger;
mod note;
mod put_back;
mod release_dead;
mod seal;
mod set_cap;
mod step;

pub(super) use self::{
    claim::{Claim, Taken},
    claim_run::ClaimRun,
    commit::WriteCommit,
    create::Create,
    create_account::CreateAccount,
    deliver::Deliver,
    note::WriteNote,
    put_back::PutBack,
    release_dead::ReleaseDead,
    seal::{DropSealed, Keep, ResealAll},
    set_cap::SetCap,
};

/// The outcome of a write that names files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WriteOutcome {
    Done,
    /// A sweep removed a file that the write names. Nothing was written: put the file again, then
    /// try again.
    FileGone,
}

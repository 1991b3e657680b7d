//! What is written, one kind of request per file.

mod bury;
mod claim;
mod claim_run;
mod commit;
mod create;
mod deliver;
mod inbox;
mod ledger;
mod meet;
mod note;
mod put_back;
mod seal;
mod set_cap;
mod step;

pub(super) use self::{
    bury::Bury,
    claim::{Claim, Taken},
    claim_run::ClaimRun,
    commit::WriteCommit,
    create::Create,
    deliver::Deliver,
    meet::Meet,
    note::WriteNote,
    put_back::PutBack,
    seal::{DropSealed, Keep, ResealAll},
    set_cap::SetCap,
};

/// What came of a write that names files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Written {
    Done,
    /// A sweep took a file that it names. Nothing was written: put it again, then try again.
    FileGone,
}

//! Everything that is written, one kind of request per file.
//!
//! A request is posted to the [writer](super::writer), which runs it in a transaction that it
//! shares with others. It must refuse before it writes its first row.

mod attempts;
mod claim;
mod claim_run;
mod codes;
mod commit;
mod conversations;
mod create;
mod create_account;
mod deliver;
mod discussion;
mod documents;
mod inbox;
mod ledger;
mod note;
mod oauth;
mod put_back;
mod redact;
mod release_dead;
mod seal;
mod sessions;
mod set_cap;
mod settings;
mod step;
mod tokens;
mod users;

pub(super) use self::{
    attempts::CountAttempt,
    claim::{Claim, Taken},
    claim_run::ClaimRun,
    codes::{PutCode, TryCode},
    commit::WriteCommit,
    conversations::{
        EndTurn, ForgetSource, NoteRedaction, OpenConversation, Redacted, RemoveConversation,
    },
    create::Create,
    create_account::CreateAccount,
    deliver::Deliver,
    discussion::{AddComment, AddRevision},
    documents::{AddVectors, MakeShelf, PutVersions, RemoveSource, SetMissing},
    note::WriteNote,
    oauth::{PutOauth, SignInOutside, TakeOauth},
    put_back::PutBack,
    redact::Redact,
    release_dead::ReleaseDead,
    seal::{DropSealed, Keep, ResealAll},
    sessions::{EndSession, OpenSession, SetPassword, TouchSession},
    set_cap::SetCap,
    settings::{PutSetting, RemoveSetting},
    tokens::{AddToken, RevokeToken},
    users::{AddUser, PutSetup, SetDisabled, SetUp},
};

/// The outcome of a write that names files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WriteOutcome {
    Done,
    /// A sweep removed a file that the write names. Nothing was written: put the file again, then
    /// try again.
    FileGone,
}

//! Everything that is read. Each function is given a connection that is in a transaction, and
//! writes nothing.

mod accounts;
mod conversations;
mod discussion;
mod files;
mod inbox;
mod journal;
mod list;
mod load;
mod notes;
mod queue;
mod row;
mod sealed;
mod settings;
mod users;

pub(super) use self::{
    accounts::{account, accounts, secret, secret_of_run},
    conversations::{conversation, conversations, messages, runs_of_conversation, to_redact},
    discussion::{comment, comments, revision, revisions},
    inbox::{inbox, interaction},
    journal::{Most, ends, events, newest},
    list::runs,
    load::load,
    notes::notes,
    queue::{held_by, is_ready, next_wake, poked, ready},
    row::{row, row_of},
    sealed::{all_sealed, sealed},
    settings::{setting, settings},
    users::{
        FoundUser, has_users, session, token, tokens, user, user_by_email, user_by_link, users,
    },
};

//! `consign users list`: who has an account.

use consign_accounts::User;
use consign_contracts::json::Json;

use super::{super::runs::form, accounts, refused};
use crate::{
    engine::session,
    error::{Error, Exit},
    output::{Audience, FAINT, Output, object, styled},
};

pub(super) const HELP: &str = "\
In a pipe the fields are email, role, state, time and id, separated by tabs.

Examples:
  consign users list
  consign users list --json | jq -r 'select(.disabled) | .email'";

pub(super) fn run(output: &mut Output) -> Result<Exit, Error> {
    session(async |session| {
        let users = accounts(session)?.users().await.map_err(refused)?;
        print(&users, output)?;
        Ok(Exit::Done)
    })
}

/// Users as a table, as lines with tabs, or as objects.
pub(super) fn print(users: &[User], output: &mut Output) -> Result<(), Error> {
    match output.reader {
        Audience::Program => {
            for user in users {
                output.object(object([
                    ("id", form::text(user.id)),
                    ("email", form::text(&user.email)),
                    ("role", Json::from(user.role.as_str())),
                    ("verified", Json::Bool(user.is_verified)),
                    ("disabled", Json::Bool(user.is_disabled)),
                    ("created_at", form::at(user.created_at)),
                ]))?;
            }
        }
        Audience::Person if users.is_empty() => {
            output.line(styled(FAINT, "no users; `consign users add EMAIL` adds the first"))?;
        }
        Audience::Person | Audience::Pipe => {
            let row = |user: &User| {
                let state = match (user.is_disabled, user.is_verified) {
                    (true, _) => "disabled",
                    (false, true) => "active",
                    (false, false) => "not verified",
                };
                let (id, at) = (user.id.to_string(), user.created_at.to_string());
                vec![user.email.clone(), user.role.as_str().to_owned(), state.to_owned(), at, id]
            };
            let head = ["email", "role", "state", "since", "id"];
            let head: &[&str] = if output.reader == Audience::Pipe { &[] } else { &head };
            output.rows(head, users.iter().map(row).collect())?;
        }
    }
    Ok(())
}

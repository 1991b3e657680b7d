//! Accounts: whether the home has users, and whether codes can be mailed to them.

use std::path::Path;

use consign_contracts::json::{Json, Object};

use crate::{
    error::Error,
    output::{BAD, GOOD, Output, WARN, object, printable, styled},
    text::count,
};

pub(super) struct AccountsFound {
    users: u64,
    /// Whether mail is configured, or why its settings cannot be used.
    mail: Result<bool, String>,
}

/// `users` is how many the database has.
pub(super) fn look(home: Option<&Path>, users: u64) -> AccountsFound {
    let mail = home.map_or(Ok(false), |home| {
        consign_app::accounts::is_mail_configured(home).map_err(|error| error.to_string())
    });
    AccountsFound { users, mail }
}

impl AccountsFound {
    /// Nothing is said where there are no users and nothing is wrong.
    pub(super) fn describe(&self, output: &mut Output) -> Result<(), Error> {
        let users = count(self.users, "user");
        match &self.mail {
            Err(why) => {
                output.line(format!("accounts   {} {}", styled(BAD, "bad"), printable(why)))?;
            }
            Ok(_) if self.users == 0 => {}
            Ok(true) => {
                output.line(format!("accounts   {} {users}; codes are mailed", styled(GOOD, "ok")))?;
            }
            Ok(false) => output.line(format!(
                "accounts   {users}; {}: codes to verify addresses and reset passwords go to the server's log",
                styled(WARN, "mail is not configured")
            ))?,
        }
        Ok(())
    }

    pub(super) fn object(&self) -> Object<'static> {
        let (mail, problem) = match &self.mail {
            Ok(true) => ("smtp", Json::Null),
            Ok(false) => ("log", Json::Null),
            Err(why) => ("invalid", Json::String(why.clone().into())),
        };
        object([
            ("users", Json::Number(self.users.into())),
            ("mail", Json::from(mail)),
            ("problem", problem),
        ])
    }
}

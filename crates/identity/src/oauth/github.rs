//! Who a user is on GitHub.
//!
//! The address on a profile is whatever its owner typed. Only `/user/emails` says which one is the
//! primary address and whether GitHub checked it; nothing but a primary and verified one is taken.

use consign_accounts::OutsideUser;
use serde::Deserialize;

/// What to ask for: reading the addresses. The name and number of a user need no scope.
pub(super) const SCOPES: &[&str] = &["user:email"];

/// `GET /user`. The number stays when a user changes the name; another user may take the old name.
#[derive(Deserialize)]
pub(super) struct User {
    id: u64,
}

/// One of `GET /user/emails`.
#[derive(Deserialize)]
pub(super) struct Email {
    email: String,
    primary: bool,
    verified: bool,
}

pub(super) fn outside(user: &User, emails: Vec<Email>) -> OutsideUser {
    let email = emails.into_iter().find(|email| email.primary && email.verified);
    OutsideUser {
        id: user.id.to_string(),
        is_email_verified: email.is_some(),
        email: email.map(|email| email.email),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_primary_and_verified_address_is_taken() {
        let check = |emails: &[(&str, bool, bool)], expected: Option<&str>| {
            let emails = emails.iter().map(|&(email, primary, verified)| Email {
                email: email.to_owned(),
                primary,
                verified,
            });
            let outside = outside(&User { id: 7 }, emails.collect());
            assert_eq!(outside.id, "7");
            assert_eq!(outside.email.as_deref(), expected);
            assert_eq!(outside.is_email_verified, expected.is_some());
        };
        check(&[("a@x", false, true), ("b@x", true, true)], Some("b@x"));
        check(&[("a@x", false, true), ("b@x", true, false)], None);
        check(&[("a@x", false, true)], None);
        check(&[], None);
    }
}

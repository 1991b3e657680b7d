//! Who a user is at Google.

use consign_accounts::OutsideUser;
use serde::Deserialize;
use serde_json::Value;

/// What to ask for: the identity and the address.
pub(super) const SCOPES: &[&str] = &["openid", "email"];

/// `GET /v1/userinfo`. `sub` stays when a user changes the address.
#[derive(Deserialize)]
pub(super) struct User {
    sub: String,
    email: Option<String>,
    /// A boolean; some of Google's older answers have it as text.
    #[serde(default)]
    email_verified: Value,
}

pub(super) fn outside(user: User) -> OutsideUser {
    let is_verified = user.email_verified == true || user.email_verified == "true";
    OutsideUser {
        id: user.sub,
        is_email_verified: is_verified && user.email.is_some(),
        email: user.email,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_verified_when_google_says_so_and_not_otherwise() {
        let check = |rest: &str, verified: bool| {
            let user = serde_json::from_str(&format!(r#"{{"sub":"1","email":"a@x"{rest}}}"#));
            assert_eq!(outside(user.unwrap()).is_email_verified, verified, "{rest}");
        };
        check(r#","email_verified":true"#, true);
        check(r#","email_verified":"true""#, true);
        for rest in ["", r#","email_verified":false"#, r#","email_verified":"false""#] {
            check(rest, false);
        }
        check(r#","email_verified":1"#, false);
        check(r#","email_verified":null"#, false);
        let without: User = serde_json::from_str(r#"{"sub":"1","email_verified":true}"#).unwrap();
        assert!(!outside(without).is_email_verified);
    }
}

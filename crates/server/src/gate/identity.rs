//! Checks that a client has the token. There are no accounts yet, so every client is the same actor.

use axum::http::{HeaderMap, HeaderValue, header};

use crate::{Token, error::Problem};

pub(super) fn check(headers: &HeaderMap, token: &Token) -> Result<(), Problem> {
    let mut given = headers.get_all(header::AUTHORIZATION).iter();
    let refused = |told: &'static str, challenge: &'static str| {
        Problem::new("UNAUTHORIZED", told)
            .with_header(header::WWW_AUTHENTICATE, HeaderValue::from_static(challenge))
    };
    match (given.next(), given.next()) {
        (None, _) => Err(refused(
            "send the token that the server printed at its start, as `Authorization: Bearer TOKEN`",
            "Bearer realm=\"consign\"",
        )),
        (Some(given), None) if bearer(given).is_some_and(|given| token.is(given)) => Ok(()),
        (Some(_), _) => Err(refused(
            "this is not the token of this server",
            "Bearer realm=\"consign\", error=\"invalid_token\"",
        )),
    }
}

fn bearer(value: &HeaderValue) -> Option<&[u8]> {
    let (scheme, token) = value.as_bytes().split_at_checked(7)?;
    scheme.eq_ignore_ascii_case(b"bearer ").then(|| token.trim_ascii())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_token_is_let_in() {
        let token = Token::chosen("correct-horse-battery").unwrap();
        let check = |given: &[&'static str], may: bool| {
            let mut headers = HeaderMap::new();
            for given in given {
                headers.append(header::AUTHORIZATION, HeaderValue::from_static(given));
            }
            assert_eq!(check(&headers, &token).is_ok(), may, "{given:?}");
        };
        check(&["Bearer correct-horse-battery"], true);
        check(&["bearer correct-horse-battery"], true);
        check(&[], false);
        check(&["correct-horse-battery"], false);
        check(&["Basic correct-horse-battery"], false);
        check(&["Bearer"], false);
        check(&["Bearer "], false);
        check(&["Bearer correct-horse-batter"], false);
        check(&["Bearer correct-horse-battery2"], false);
        check(&["Bearer correct-horse-battery", "Bearer correct-horse-battery"], false);
    }
}

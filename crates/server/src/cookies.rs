//! The cookies of this server: the session of a user, and the browser that began to sign in elsewhere.
//!
//! Both are HttpOnly and SameSite=Lax. Over TLS they are Secure and carry the prefix `__Host-`, so that no other
//! host of the same site can set them.

use axum::http::{HeaderMap, HeaderValue, header};
use cookie::{Cookie, SameSite, time::Duration};

const SESSION: &str = "consign_session";
const BROWSER: &str = "consign_oauth";

/// How long a browser keeps the session's cookie: as long as a session can last at all.
const SESSION_DAYS: i64 = 90;
const BROWSER_MINUTES: i64 = 10;

/// The session that a request names.
pub(crate) fn session(headers: &HeaderMap) -> Option<String> {
    read(headers, SESSION)
}

/// The browser's half of a sign-in that was begun.
pub(crate) fn browser(headers: &HeaderMap) -> Option<String> {
    read(headers, BROWSER)
}

pub(crate) fn set_session(secret: &str, is_secure: bool) -> HeaderValue {
    written(SESSION, secret, Duration::days(SESSION_DAYS), is_secure)
}

pub(crate) fn end_session(is_secure: bool) -> HeaderValue {
    written(SESSION, "", Duration::ZERO, is_secure)
}

pub(crate) fn set_browser(secret: &str, is_secure: bool) -> HeaderValue {
    written(BROWSER, secret, Duration::minutes(BROWSER_MINUTES), is_secure)
}

pub(crate) fn end_browser(is_secure: bool) -> HeaderValue {
    written(BROWSER, "", Duration::ZERO, is_secure)
}

/// Where there are several of a name, the one with the prefix counts; two of the same name are none.
fn read(headers: &HeaderMap, name: &str) -> Option<String> {
    let prefixed = format!("__Host-{name}");
    for wanted in [prefixed.as_str(), name] {
        let lines = headers.get_all(header::COOKIE).iter().filter_map(|line| line.to_str().ok());
        let mut found = lines
            .flat_map(Cookie::split_parse)
            .filter_map(Result::ok)
            .filter(|cookie| cookie.name() == wanted);
        match (found.next(), found.next()) {
            (Some(cookie), None) => return Some(cookie.value().to_owned()),
            (Some(_), Some(_)) => return None,
            (None, _) => {}
        }
    }
    None
}

fn written(name: &str, value: &str, age: Duration, is_secure: bool) -> HeaderValue {
    let name = if is_secure { format!("__Host-{name}") } else { name.to_owned() };
    let cookie = Cookie::build((name, value))
        .path("/")
        .http_only(true)
        .secure(is_secure)
        .same_site(SameSite::Lax)
        .max_age(age);
    HeaderValue::try_from(cookie.build().to_string())
        .expect("our secrets are letters and digits, and fit into a header")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cookie_is_closed_to_pages_and_other_sites() {
        let plain = set_session("cs_abc", false);
        assert_eq!(
            plain,
            "consign_session=cs_abc; HttpOnly; SameSite=Lax; Path=/; Max-Age=7776000"
        );
        let secure = set_session("cs_abc", true);
        assert_eq!(
            secure,
            "__Host-consign_session=cs_abc; HttpOnly; SameSite=Lax; Secure; Path=/; Max-Age=7776000"
        );
    }

    #[test]
    fn one_cookie_of_a_name_is_read_and_the_safer_name_first() {
        let check = |lines: &[&'static str], found: Option<&str>| {
            let mut headers = HeaderMap::new();
            for line in lines {
                headers.append(header::COOKIE, HeaderValue::from_static(line));
            }
            assert_eq!(session(&headers).as_deref(), found, "{lines:?}");
        };
        check(&["consign_session=a"], Some("a"));
        check(&["other=1; consign_session=a; x=2"], Some("a"));
        check(&["consign_session=a; __Host-consign_session=b"], Some("b"));
        check(&["consign_session=a", "consign_session=b"], None);
        check(&["session=a"], None);
        check(&[], None);
    }
}

//! Refuses requests that a page of another site makes, by their `Origin` header. There is no CORS, so such a
//! page cannot even read the refusal.

use axum::http::{HeaderMap, header};

use crate::error::Problem;

pub(super) fn check(headers: &HeaderMap, host: &str) -> Result<(), Problem> {
    // Programs have no origin.
    for origin in headers.get_all(header::ORIGIN) {
        let page = origin.to_str().ok().and_then(|origin| origin.split_once("://"));
        // A proxy before us may speak TLS: then the page has another scheme than we know of.
        let same = page.is_some_and(|(scheme, page)| {
            ["http", "https"].contains(&scheme) && page.eq_ignore_ascii_case(host)
        });
        if !same {
            return Err(Problem::new("FORBIDDEN", "pages of other sites may not ask here"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    #[test]
    fn only_a_page_of_ours_may_ask() {
        let check = |origin: &'static str, may: bool| {
            let mut headers = HeaderMap::new();
            headers.insert(header::ORIGIN, HeaderValue::from_static(origin));
            assert_eq!(check(&headers, "localhost:80").is_ok(), may, "{origin}");
        };
        check("http://localhost:80", true);
        check("https://LOCALHOST:80", true);
        check("http://localhost:81", false);
        check("http://localhost", false);
        check("http://evil.example", false);
        check("http://localhost:80.evil.example", false);
        check("file://", false);
        check("null", false);
        check("", false);
    }
}

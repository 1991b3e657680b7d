//! Which addresses belong to the part of a site that is fetched, and one spelling for each of them.

use percent_encoding::{AsciiSet, CONTROLS, percent_decode_str, utf8_percent_encode};
use reqwest::Url;

/// A segment that comes more often in one path is a sign of links that grow for ever.
const MOST_REPEATED: usize = 3;
const MOST_SEGMENTS: usize = 40;

/// What stays encoded in a path: everything that has a meaning there, and everything that URLs never have bare.
const KEPT: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'#')
    .add(b'%')
    .add(b'/')
    .add(b'<')
    .add(b'>')
    .add(b'?')
    .add(b'\\')
    .add(b'^')
    .add(b'`')
    .add(b'{')
    .add(b'|')
    .add(b'}');

/// A part of a site: a host, and a path with everything below it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Scope {
    host: String,
    port: Port,
    path: String,
}

/// The usual port of http and of https are the same site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Port {
    Usual,
    Other(u16),
}

impl Scope {
    /// The part that a page is at the top of. `/docs/` and `/docs/index.html` are everything below `/docs/`;
    /// `/docs` is itself and everything below it.
    pub(super) fn of(url: &Url) -> Self {
        let path = url.path();
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let path = match name.contains('.') || name.is_empty() {
            true => format!("{folder}/"),
            false => path.to_owned(),
        };
        Self { host: host(url), port: port(url), path }
    }

    pub(super) fn has(&self, url: &Url) -> bool {
        let below = match url.path().strip_prefix(self.path.as_str()) {
            Some(rest) => self.path.ends_with('/') || rest.is_empty() || rest.starts_with('/'),
            None => false,
        };
        below && self.has_site_of(url)
    }

    /// Whether an address is of the same host, wherever it leads there.
    pub(super) fn has_site_of(&self, url: &Url) -> bool {
        self.host == host(url) && self.port == port(url)
    }
}

fn host(url: &Url) -> String {
    url.host_str().unwrap_or_default().trim_end_matches('.').to_owned()
}

fn port(url: &Url) -> Port {
    url.port().map_or(Port::Usual, Port::Other)
}

/// One spelling for all addresses of a page: no fragment, no empty query, and in the path only those octets
/// encoded that have to be.
pub(super) fn normal(url: &Url) -> Url {
    let mut url = url.clone();
    url.set_fragment(None);
    if url.query() == Some("") {
        url.set_query(None);
    }
    let path: Vec<String> = url.path().split('/').map(segment).collect();
    let path = path.join("/");
    if path != url.path() {
        url.set_path(&path);
    }
    url
}

fn segment(segment: &str) -> String {
    if !segment.contains('%') {
        return segment.to_owned();
    }
    match percent_decode_str(segment).decode_utf8() {
        // A dot that was encoded is no way up.
        Ok(text) if !matches!(text.as_ref(), "." | "..") => {
            utf8_percent_encode(&text, KEPT).to_string()
        }
        Ok(_) | Err(_) => segment.to_owned(),
    }
}

/// Whether a link looks like one of those that grow with every page.
pub(super) fn is_endless(url: &Url) -> bool {
    let segments: Vec<&str> = url.path().split('/').filter(|part| !part.is_empty()).collect();
    let repeated = |part: &str| segments.iter().filter(|other| **other == part).count();
    segments.len() > MOST_SEGMENTS || segments.iter().any(|part| repeated(part) > MOST_REPEATED)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> Url {
        Url::parse(text).unwrap()
    }

    #[test]
    fn a_scope_is_a_host_and_what_lies_below_a_path() {
        let check = |top: &str, page: &str, has: bool| {
            assert_eq!(Scope::of(&url(top)).has(&url(page)), has, "{top} {page}");
        };
        check("https://a.example", "https://a.example/x/y", true);
        check("https://a.example", "http://a.example/x/y", true);
        check("https://a.example", "https://a.example:8443/", false);
        check("https://a.example", "https://b.a.example/", false);
        check("https://a.example/docs/", "https://a.example/docs/x?y", true);
        check("https://a.example/docs/", "https://a.example/docs", false);
        check("https://a.example/docs/index.html", "https://a.example/docs/x", true);
        check("https://a.example/docs/index.html", "https://a.example/x", false);
        check("https://a.example/docs", "https://a.example/docs/x", true);
        check("https://a.example/docs", "https://a.example/docs", true);
        check("https://a.example/docs", "https://a.example/docs-old/x", false);
        check("https://a.example/docs/", "https://a.example/docs/../x", false);
    }

    #[test]
    fn an_address_has_one_spelling() {
        let check = |text: &str, expected: &str| {
            let one = normal(&url(text));
            assert_eq!(one.as_str(), expected, "{text}");
            assert_eq!(normal(&one), one, "{text}");
        };
        check("HTTPS://A.Example:443/a/./b/../c?#x", "https://a.example/a/c");
        check("https://a.example/%7euser/%c3%a9", "https://a.example/~user/%C3%A9");
        check("https://a.example/é", "https://a.example/%C3%A9");
        check("https://a.example/a%2fb", "https://a.example/a%2Fb");
        check("https://a.example/a%20b?q=a%20b", "https://a.example/a%20b?q=a%20b");
        check("https://a.example/%ff", "https://a.example/%ff");
    }

    #[test]
    fn links_that_grow_are_seen() {
        assert!(!is_endless(&url("https://a.example/a/b/a/b/a/b")));
        assert!(is_endless(&url("https://a.example/a/b/a/b/a/b/a")));
        assert!(is_endless(&url(&format!("https://a.example/{}", many()))));
    }

    fn many() -> String {
        (0..50).map(|number| format!("{number}/")).collect()
    }
}

//! Fetches one page: robots.txt, redirects one by one, and the body into a copy.

use std::time::Duration;

use consign_contracts::crew::SourceType;
use percent_encoding::percent_decode_str;
use reqwest::{
    Response, Url,
    header::{
        ACCEPT, ACCEPT_ENCODING, AUTHORIZATION, CONTENT_DISPOSITION, CONTENT_LANGUAGE,
        CONTENT_TYPE, ETAG, HeaderMap, HeaderValue, IF_MODIFIED_SINCE, IF_NONE_MATCH,
        LAST_MODIFIED, LOCATION,
    },
};
use serde_json::{Map, Value, json};

use super::{
    links::{Links, links},
    robots::Rules,
    scope::{Scope, normal},
};
use crate::{
    Destination, Error, Fetched, KindHint, Secret, Validators,
    error::Limit,
    http::{
        Http, Tries, Trouble, body,
        client::{Allowance, Ask, origin},
        refused,
    },
    known::{Of, WebStamp},
};

const REDIRECTS: usize = 10;
/// So much of a page is looked through for links.
const LOOKED_AT: usize = 4 << 20;
/// So many bytes of the links of a page are kept: they lie in the caller's journal.
const MOST_OF_LINKS: usize = 256 << 10;
const ACCEPTED: &str =
    "text/html,application/xhtml+xml,application/pdf;q=0.9,text/*;q=0.8,*/*;q=0.5";

/// What fetching a page needs.
pub(super) struct Fetcher<'a> {
    pub(super) http: &'a Http,
    pub(super) rules: &'a mut Rules,
    pub(super) into: &'a Destination,
    /// Sent to this origin and no other.
    pub(super) bearer: Option<&'a (String, Secret)>,
    /// Whether the links of the page are wanted.
    pub(super) with_links: bool,
    /// Redirects that leave it are not followed, nor taken. `None` for the first page, which may be anywhere.
    pub(super) scope: Option<&'a Scope>,
    /// Only documents are wanted: this page was not named, but linked to.
    pub(super) only_documents: bool,
    /// The most bytes that may still be fetched.
    pub(super) most: u64,
    pub(super) until: Duration,
}

/// What became of a page.
pub(super) enum Visit {
    Fetched(Box<Fetched>, WebStamp),
    /// The stamp of before, and where it was reached.
    Unchanged(Validators),
    /// A redirect leads out of the scope.
    Outside,
    /// It is a picture, a script or the like.
    NotADocument,
}

impl Fetcher<'_> {
    /// Fetches a page, with as many tries as it takes.
    pub(super) async fn visit(
        &mut self,
        url: &Url,
        before: Option<&Validators>,
    ) -> Result<Visit, Error> {
        let (http, until) = (self.http, self.until);
        // It has tries and a time of its own.
        self.rules.check(http, url, until).await?;
        let mut tries = Tries::new(http, url, until);
        loop {
            match self.once(url, before).await {
                Ok(done) => return Ok(done),
                Err(trouble) => tries.failed(trouble).await?,
            }
        }
    }

    async fn once(&mut self, first: &Url, before: Option<&Validators>) -> Result<Visit, Trouble> {
        let mut url = first.clone();
        let mut allowance = Allowance::new(self.http.options.max_time);
        for _ in 0..=REDIRECTS {
            let interval = self.rules.check(self.http, &url, self.until).await;
            let interval = interval.map_err(Trouble::lasting)?;
            let headers = self.headers(&url, before);
            let response =
                self.http.send(Ask::get(&url, headers), interval, &mut allowance).await?;
            let status = response.status();
            match status.as_u16() {
                200 => return self.take(first, &url, response, &mut allowance).await,
                304 => {
                    let Some(before) = before else {
                        let why = "the server says that a page has not changed which it never gave";
                        return Err(Trouble::lasting(Error::unreachable(why).with_status(304)));
                    };
                    return Ok(Visit::Unchanged(before.clone()));
                }
                301 | 302 | 303 | 307 | 308 => {
                    let to = response.headers().get(LOCATION).and_then(|to| to.to_str().ok());
                    let to = to.ok_or_else(|| {
                        let why = "the server redirects and does not say where to";
                        Trouble::lasting(Error::unreachable(why).with_status(status.as_u16()))
                    })?;
                    let to = self.http.join(&url, to).map_err(Trouble::lasting)?;
                    let to = normal(&to);
                    if self.scope.is_some_and(|scope| !scope.has(&to)) {
                        return Ok(Visit::Outside);
                    }
                    url = to;
                }
                _ => {
                    let now = self.http.parts.clock.wall();
                    return Err(refused(&url, status, response.headers(), now));
                }
            }
        }
        let why = format!("the server redirects more than {REDIRECTS} times");
        Err(Trouble::lasting(Error::unreachable(why)))
    }

    fn headers(&self, url: &Url, before: Option<&Validators>) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert(ACCEPT, HeaderValue::from_static(ACCEPTED));
        headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("gzip"));
        if let Some((site, secret)) = self.bearer
            && *site == origin(url)
            && let Ok(mut value) = HeaderValue::from_str(&format!("Bearer {}", secret.reveal()))
        {
            value.set_sensitive(true);
            headers.insert(AUTHORIZATION, value);
        }
        let stamp = before.and_then(|before| match &before.of {
            Of::Web(stamp) => Some(stamp),
            Of::Local(_) | Of::Gdrive(_) => None,
        });
        // They are those of the page where redirects ended, and mean nothing to another one.
        let Some(stamp) = stamp.filter(|stamp| stamp.url == url.as_str()) else { return headers };
        if self.with_links && stamp.links.is_none() {
            return headers;
        }
        let mut add = |name, value: &Option<String>| {
            let value = value.as_deref().and_then(|value| HeaderValue::from_str(value).ok());
            value.map(|value| headers.insert(name, value)).is_some()
        };
        if !add(IF_NONE_MATCH, &stamp.etag) {
            add(IF_MODIFIED_SINCE, &stamp.last_modified);
        }
        headers
    }

    async fn take(
        &self,
        first: &Url,
        url: &Url,
        response: Response,
        allowance: &mut Allowance,
    ) -> Result<Visit, Trouble> {
        let headers = response.headers().clone();
        let text = |name| headers.get(name).and_then(|value: &HeaderValue| value.to_str().ok());
        let mut hint = KindHint::of_content_type(text(CONTENT_TYPE));
        hint.file_name = file_name(text(CONTENT_DISPOSITION), url);
        if self.only_documents && !is_document(&hint) {
            return Ok(Visit::NotADocument);
        }
        let identifier = first.as_str();
        let limit = self.http.options.max_bytes;
        let most = limit.min(self.most);
        let mut draft = self.into.draft(identifier, most)?;
        let keep = if self.with_links { LOOKED_AT } else { 0 };
        let saved = body::save(response, url, &mut draft, most, keep);
        let saved = allowance.within(url, saved).await;
        let start = saved.map_err(|error| match error.limit {
            Some(Limit::Bytes) if most < limit => total(self.http.options.max_total_bytes),
            _ => error,
        })?;
        let is_html = hint.is_html() || (hint.content_type.is_none() && looks_like_html(&start));
        let found = match self.with_links && is_html {
            true => tokio::task::spawn_blocking(move || links(&start)).await.unwrap_or_default(),
            false => Links::default(),
        };
        let links = self.with_links.then(|| self.followed(url, found));
        let stamp = WebStamp {
            url: url.as_str().to_owned(),
            etag: text(ETAG).map(str::to_owned),
            last_modified: text(LAST_MODIFIED).map(str::to_owned),
            links,
        };
        let mut metadata = Map::new();
        metadata.insert("url".to_owned(), url.as_str().into());
        if first != url {
            metadata.insert("requested_url".to_owned(), first.as_str().into());
        }
        metadata.insert("status".to_owned(), 200.into());
        let named = [CONTENT_TYPE, CONTENT_LANGUAGE, LAST_MODIFIED, ETAG];
        let named = named.iter().filter_map(|name| Some((name.as_str(), text(name.clone())?)));
        let named: Map<String, Value> =
            named.map(|(name, value)| (name.to_owned(), json!(value))).collect();
        metadata.insert("headers".to_owned(), named.into());
        let ending = match (&hint.file_name, is_html) {
            (Some(name), _) if crate::text::extension(name).is_some() => Some(name.clone()),
            (_, true) => Some("page.html".to_owned()),
            (name, false) => name.clone(),
        };
        let copy = draft.finish(ending.as_deref())?;
        let fetched = Fetched {
            source_type: SourceType::Web,
            identifier: identifier.to_owned(),
            file: copy.file,
            size: copy.size,
            checksum: copy.checksum.clone(),
            source_metadata: metadata,
            source_url: Some(url.as_str().to_owned()),
            hint,
            validators: Validators { checksum: copy.checksum, of: Of::Web(stamp.clone()) },
        };
        Ok(Visit::Fetched(Box::new(fetched), stamp))
    }

    /// The links of a page to its own site, each once.
    fn followed(&self, url: &Url, found: Links) -> Vec<String> {
        let site = Scope::of(url);
        let base = found.base.and_then(|base| url.join(&base).ok());
        let base = base.unwrap_or_else(|| url.clone());
        let mut seen = std::collections::HashSet::new();
        let to = found.to.iter().filter_map(|to| self.http.join(&base, to).ok());
        let to = to.map(|to| normal(&to)).filter(|to| site.has_site_of(to));
        let to = to.map(String::from).filter(|to| seen.insert(to.clone()));
        let mut left = MOST_OF_LINKS;
        let fits = |to: &String| {
            let fits = to.len() <= left;
            left = left.saturating_sub(to.len());
            fits
        };
        to.take_while(fits).collect()
    }
}

/// All files of the source together are too many bytes.
pub(crate) fn total(most: u64) -> Error {
    let why =
        format!("the files of this source are more than {most} bytes together: fetch it in parts");
    Error::too_large(Limit::TotalBytes, why)
}

/// Endings of documents that servers send under no media type of their own.
const DOCUMENTS: [&str; 12] = [
    ".pdf", ".docx", ".pptx", ".xlsx", ".odt", ".txt", ".md", ".csv", ".html", ".htm", ".eml",
    ".rst",
];

/// Whether what a page links to may be something to read.
fn is_document(hint: &KindHint) -> bool {
    let Some(kind) = hint.content_type.as_deref() else { return true };
    if kind == "application/octet-stream" {
        let ending = hint.file_name.as_deref().and_then(crate::text::extension);
        return ending.is_some_and(|ending| DOCUMENTS.contains(&ending.as_str()));
    }
    let (class, name) = kind.split_once('/').unwrap_or((kind, ""));
    match class {
        "image" | "audio" | "video" | "font" => false,
        "text" => !matches!(name, "css" | "javascript" | "ecmascript" | "event-stream"),
        _ => !matches!(
            name,
            "javascript"
                | "x-javascript"
                | "ecmascript"
                | "wasm"
                | "zip"
                | "gzip"
                | "x-gzip"
                | "x-tar"
                | "x-bzip2"
                | "x-xz"
                | "x-7z-compressed"
                | "vnd.rar"
                | "x-msdownload"
                | "manifest+json"
                | "rss+xml"
                | "atom+xml"
        ),
    }
}

fn looks_like_html(start: &[u8]) -> bool {
    let start = start.trim_ascii_start();
    let starts =
        |with: &[u8]| start.get(..with.len()).is_some_and(|start| start.eq_ignore_ascii_case(with));
    starts(b"<!doctype html") || starts(b"<html") || starts(b"<head") || starts(b"<body")
}

/// What the server calls the file, or the last name of the address.
fn file_name(disposition: Option<&str>, url: &Url) -> Option<String> {
    let named = disposition.and_then(|value| {
        let parts = value.split(';').skip(1);
        let parts: Vec<(String, &str)> = parts
            .filter_map(|part| part.split_once('='))
            .map(|(name, value)| (name.trim().to_ascii_lowercase(), value.trim()))
            .collect();
        let find = |name: &str| parts.iter().find(|(known, _)| known == name).map(|part| part.1);
        let extended = find("filename*").and_then(|value| value.splitn(3, '\'').nth(2));
        let extended = extended.map(|value| percent_decode_str(value).decode_utf8_lossy());
        let plain = || find("filename").map(|value| value.trim_matches('"').into());
        extended.or_else(plain)
    });
    let name = match named {
        Some(name) => name.into_owned(),
        None => {
            let last = url.path_segments()?.next_back()?;
            percent_decode_str(last).decode_utf8_lossy().into_owned()
        }
    };
    let name = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let name = crate::text::one_line(name);
    (!name.is_empty()).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_has_the_name_that_the_server_gives_it() {
        let url = Url::parse("https://a.example/x/a%20b.pdf?q=1").unwrap();
        let check = |disposition: Option<&str>, name: &str| {
            assert_eq!(file_name(disposition, &url).as_deref(), Some(name));
        };
        check(None, "a b.pdf");
        check(Some("inline"), "a b.pdf");
        check(Some("attachment; filename=\"r.docx\""), "r.docx");
        check(Some("attachment; filename=r.docx; filename*=UTF-8''%c3%a9.docx"), "é.docx");
        check(Some("attachment; filename=\"../../etc/passwd\""), "passwd");
        check(Some("attachment; filename=\"a\u{7f}b.pdf\""), "a b.pdf");
        assert_eq!(file_name(None, &Url::parse("https://a.example/").unwrap()), None);
    }

    #[test]
    fn only_documents_are_taken_from_links() {
        let check = |kind: Option<&str>, name: Option<&str>, taken: bool| {
            let file_name = name.map(str::to_owned);
            let hint = KindHint { file_name, ..KindHint::of_content_type(kind) };
            assert_eq!(is_document(&hint), taken, "{hint:?}");
        };
        for kind in ["text/html", "application/pdf", "text/plain", "application/msword"] {
            check(Some(kind), None, true);
        }
        for kind in ["image/png", "text/css", "application/zip", "video/mp4", "font/woff2"] {
            check(Some(kind), Some("a.pdf"), false);
        }
        check(None, None, true);
        check(Some("application/octet-stream"), Some("a.pdf"), true);
        check(Some("application/octet-stream"), Some("setup.exe"), false);
        check(Some("application/octet-stream"), None, false);
    }
}

//! The calls of the Drive API, version 3.

use std::{sync::Arc, time::Duration};

use reqwest::{
    Response, StatusCode, Url,
    header::{ACCEPT_ENCODING, HeaderMap, HeaderValue},
};
use serde_json::{Map, Value};

use super::{
    answer::{Export, FIELDS, File, Page, Refusal},
    token::{HEADER, Tokens},
};
use crate::{
    Credential, Destination, Error,
    destination::{Copy, Draft},
    error::Limit,
    http::{
        Http, Tries, Trouble, body,
        client::{Allowance, Ask},
        refused,
    },
};

/// The least time between two requests: Google counts by the minute, and allows far more.
pub(super) const INTERVAL: Duration = Duration::from_millis(100);
/// The most that is read of a list or a file's metadata.
const ANSWER: usize = 16 << 20;
const REFUSAL: usize = 64 << 10;
const PAGE: &str = "1000";
/// Pages of one folder: an endless list ends here.
const MOST_PAGES: usize = 1_000;

pub(super) struct Api {
    http: Arc<Http>,
    tokens: Tokens,
    base: Url,
    until: Duration,
}

impl Api {
    pub(super) fn new(
        http: Arc<Http>,
        credential: Option<Credential>,
        until: Duration,
    ) -> Result<Self, Error> {
        let tokens = Tokens::new(&http, credential)?;
        let mut base = http.url(&http.options.gdrive_base_url)?;
        if base.path() == "/" {
            base.set_path("/drive/v3");
        }
        if base.scheme() == "http" && !http.options.allow_private.has_place(&base) {
            let why = "`gdrive_base_url` must begin with https: a token would be sent";
            return Err(Error::not_allowed(why));
        }
        Ok(Self { http, tokens, base, until })
    }

    fn url<'a>(&self, segments: impl IntoIterator<Item = &'a str>, query: &[(&str, &str)]) -> Url {
        let mut url = self.base.clone();
        if let Ok(mut path) = url.path_segments_mut() {
            path.pop_if_empty().push("files").extend(segments);
        }
        url.query_pairs_mut().extend_pairs(query).append_pair("supportsAllDrives", "true");
        url
    }

    /// What Drive says about a file or folder.
    pub(super) async fn file(&mut self, id: &str) -> Result<File, Error> {
        let url = self.url([id], &[("fields", FIELDS)]);
        let bytes = self.read(&url, "the file").await?;
        let said: Option<Map<String, Value>> = serde_json::from_slice(&bytes).ok();
        said.and_then(File::read)
            .ok_or_else(|| Error::unreachable("Google Drive's answer is not about a file"))
    }

    /// The files and folders in a folder, and whether some were left out.
    pub(super) async fn list(
        &mut self,
        folder: &str,
        drive: Option<&str>,
        most: u64,
    ) -> Result<(Vec<File>, bool), Error> {
        let wanted = format!("'{folder}' in parents and trashed = false");
        let fields = format!("nextPageToken,incompleteSearch,files({FIELDS})");
        let (mut files, mut is_cut) = (Vec::new(), false);
        let mut token: Option<String> = None;
        for _ in 0..MOST_PAGES {
            let mut query = vec![
                ("q", wanted.as_str()),
                ("fields", fields.as_str()),
                ("pageSize", PAGE),
                ("orderBy", "name"),
                ("includeItemsFromAllDrives", "true"),
            ];
            if let Some(drive) = drive {
                query.extend([("corpora", "drive"), ("driveId", drive)]);
            }
            if let Some(token) = &token {
                query.push(("pageToken", token));
            }
            let url = self.url([], &query);
            let bytes = self.read(&url, "the folder").await?;
            let page: Page = serde_json::from_slice(&bytes)
                .map_err(|_| Error::unreachable("Google Drive's answer is no list of files"))?;
            is_cut |= page.incomplete_search;
            files.extend(page.files.into_iter().filter_map(File::read));
            token = page.next_page_token.filter(|token| !token.is_empty());
            if token.is_none() {
                return Ok((files, is_cut));
            }
            if files.len() as u64 > most {
                break;
            }
        }
        Ok((files, true))
    }

    /// Copies the bytes of a file, or of its export.
    pub(super) async fn download(
        &mut self,
        file: &File,
        export: Option<Export>,
        into: &Destination,
        most: u64,
    ) -> Result<Copy, Error> {
        let url = match export {
            Some(export) => self.url([&file.id, "export"], &[("mimeType", export.mime_type)]),
            None => self.url([file.id.as_str()], &[("alt", "media")]),
        };
        let called = match export {
            Some(export) => format!("{}.{}", file.name, export.ending),
            None => file.name.clone(),
        };
        let subject = format!("{:?}", file.name);
        let (http, until) = (self.http.clone(), self.until);
        let mut tries = Tries::new(&http, &url, until);
        loop {
            match self.copy(&url, &subject, &file.id, into, most).await {
                Ok(draft) => return draft.finish(Some(&called)),
                Err(trouble) => tries.failed(trouble).await?,
            }
        }
    }

    async fn copy(
        &mut self,
        url: &Url,
        subject: &str,
        id: &str,
        into: &Destination,
        most: u64,
    ) -> Result<Draft, Trouble> {
        let mut allowance = Allowance::new(self.http.options.max_time);
        let response = self.once(url, subject, &mut allowance).await?;
        let mut draft = into.draft(id, most)?;
        allowance.within(url, body::save(response, url, &mut draft, most, 0)).await?;
        Ok(draft)
    }

    async fn read(&mut self, url: &Url, subject: &str) -> Result<Vec<u8>, Error> {
        let (http, until) = (self.http.clone(), self.until);
        let mut tries = Tries::new(&http, url, until);
        loop {
            match self.answer(url, subject).await {
                Ok(answer) => return Ok(answer),
                Err(trouble) => tries.failed(trouble).await?,
            }
        }
    }

    async fn answer(&mut self, url: &Url, subject: &str) -> Result<Vec<u8>, Trouble> {
        let mut allowance = Allowance::new(self.http.options.max_time);
        let response = self.once(url, subject, &mut allowance).await?;
        Ok(allowance.within(url, body::read(response, url, ANSWER, false)).await?)
    }

    /// One request, and one more if the token was too old for it.
    async fn once(
        &mut self,
        url: &Url,
        subject: &str,
        allowance: &mut Allowance,
    ) -> Result<Response, Trouble> {
        let mut renewed = false;
        loop {
            let token = self.tokens.get(&self.http, self.until).await.map_err(Trouble::lasting)?;
            let plain = HeaderValue::from_static("identity");
            let headers = HeaderMap::from_iter([(HEADER, token), (ACCEPT_ENCODING, plain)]);
            let response = self.http.send(Ask::get(url, headers), INTERVAL, allowance).await?;
            let status = response.status();
            if status == StatusCode::OK {
                return Ok(response);
            }
            if status == StatusCode::UNAUTHORIZED && !renewed && self.tokens.drop_refused() {
                renewed = true;
                continue;
            }
            return Err(self.refusal(url, subject, response, allowance).await);
        }
    }

    async fn refusal(
        &self,
        url: &Url,
        subject: &str,
        response: Response,
        allowance: &mut Allowance,
    ) -> Trouble {
        let (status, headers) = (response.status(), response.headers().clone());
        let said = body::read(response, url, REFUSAL, true);
        let said = allowance.within(url, said).await.unwrap_or_default();
        let said: Refusal = serde_json::from_slice(&said).unwrap_or_default();
        let why = &said.error.message;
        let code = status.as_u16();
        let error = match code {
            401 => Error::auth(format!("Google Drive does not take the token: {why}")),
            403 if said.is_limit() => {
                let now = self.http.parts.clock.wall();
                return refused(url, StatusCode::TOO_MANY_REQUESTS, &headers, now);
            }
            403 if said.is_too_large() => {
                let why = format!("{subject} is too large for Google Drive to export");
                Error::too_large(Limit::Bytes, why)
            }
            403 => Error::auth(format!("Google Drive does not give {subject}: {why}")),
            404 => {
                let what =
                    format!("{subject} is not in Google Drive, or not shared with this account");
                Error::not_found(what)
            }
            _ => return refused(url, status, &headers, self.http.parts.clock.wall()),
        };
        Trouble::lasting(error.with_status(code))
    }
}

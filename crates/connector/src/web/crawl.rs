//! The pages of a source, one after another.

use std::{
    collections::{HashSet, VecDeque},
    sync::Arc,
    time::Duration,
};

use reqwest::Url;

use super::{
    page::{Fetcher, Visit, total},
    robots::Rules,
    scope::{Scope, is_endless, normal},
};
use crate::{
    Destination, Error, Fetch, Item, Known, Past, Secret, Skipped, Summary, Unchanged, Validators,
    error::Limit,
    http::{Http, LONGEST_TOGETHER, origin},
    item::PATIENCE,
    known::{Of, WebStamp},
};

/// Pages that wait for their turn, at most.
const MOST_WAITING: usize = 100_000;

/// One page, or the pages of a part of a site.
pub(crate) struct Crawl {
    http: Arc<Http>,
    into: Destination,
    bearer: Option<(String, Secret)>,
    recursive: bool,
    rules: Rules,
    start: Url,
    /// Known once the first page is there: it may be somewhere else than asked.
    scope: Option<Scope>,
    waiting: VecDeque<(Url, u32)>,
    /// Every address that was asked for, waits, or was reached by a redirect.
    seen: HashSet<String>,
    /// Checksums of the pages that were taken.
    taken: HashSet<String>,
    asked: u64,
    until: Duration,
    /// Limits that were reached, to be told at the end.
    cut: Vec<Limit>,
}

impl Crawl {
    pub(crate) fn new(
        http: Arc<Http>,
        fetch: &Fetch,
        into: Destination,
        bearer: Option<Secret>,
    ) -> Result<Self, Error> {
        let start = normal(&http.url(&fetch.identifier)?);
        let until = http.parts.clock.ticks() + http.options.max_total_time;
        Ok(Self {
            bearer: bearer.map(|secret| (origin(&start), secret)),
            recursive: fetch.recursive,
            rules: Rules::default(),
            scope: None,
            waiting: VecDeque::from([(start.clone(), 0)]),
            seen: HashSet::from([start.as_str().to_owned()]),
            taken: HashSet::new(),
            asked: 0,
            until,
            cut: Vec::new(),
            http,
            into,
            start,
        })
    }

    pub(crate) async fn next(
        &mut self,
        known: &dyn Known,
        summary: &mut Summary,
    ) -> Result<Option<Item>, Error> {
        let began = self.http.parts.clock.ticks();
        loop {
            if self.http.parts.clock.ticks().saturating_sub(began) >= PATIENCE {
                return Ok(Some(Item::NotYet));
            }
            let Some((url, depth)) = self.waiting.front().cloned() else {
                return Ok(self.cut.pop().map(|limit| self.told(limit)));
            };
            if let Some(limit) = self.over(summary) {
                self.waiting.clear();
                self.cut.push(limit);
                continue;
            }
            let identifier = url.as_str();
            let before = match known.past(identifier) {
                Some(Past::Done(validators)) => {
                    summary.done_before += 1;
                    if let Some(validators) = validators {
                        self.taken.insert(validators.checksum.clone());
                        self.follow(&url, &validators, depth, summary);
                    }
                    self.waiting.pop_front();
                    continue;
                }
                Some(Past::Before(validators)) => Some(validators),
                None => None,
            };
            let visited = self.visit(&url, depth, before.as_ref(), summary).await;
            // Only now: a caller that gives up in the middle and goes on asks for this page again.
            self.waiting.pop_front();
            self.asked += 1;
            match visited {
                Ok(Visit::Fetched(page, stamp)) => {
                    let is_new =
                        self.reach(&url, &stamp) && self.taken.insert(page.checksum.clone());
                    if !is_new {
                        // Its bytes are there already, or will be, under another address.
                        self.into.discard(&page.file)?;
                        summary.duplicates += 1;
                        continue;
                    }
                    self.follow(&url, &page.validators, depth, summary);
                    if let Some(before) = before.filter(|it| it.checksum == page.checksum) {
                        self.into.discard(&page.file)?;
                        let (checksum, validators) = (before.checksum, page.validators);
                        let identifier = page.identifier;
                        return Ok(Some(Item::Unchanged(Unchanged {
                            identifier,
                            checksum,
                            validators,
                        })));
                    }
                    return Ok(Some(Item::Fetched(page)));
                }
                Ok(Visit::Unchanged(validators)) => {
                    self.taken.insert(validators.checksum.clone());
                    self.follow(&url, &validators, depth, summary);
                    let identifier = identifier.to_owned();
                    let checksum = validators.checksum.clone();
                    return Ok(Some(Item::Unchanged(Unchanged {
                        identifier,
                        checksum,
                        validators,
                    })));
                }
                Ok(Visit::Outside) => summary.outside += 1,
                Ok(Visit::NotADocument) => summary.not_documents += 1,
                Err(error) if error.code == crate::Code::Home => return Err(error),
                Err(error) => {
                    let identifier = identifier.to_owned();
                    return Ok(Some(Item::Skipped(Skipped { identifier, error })));
                }
            }
        }
    }

    async fn visit(
        &mut self,
        url: &Url,
        depth: u32,
        before: Option<&Validators>,
        summary: &Summary,
    ) -> Result<Visit, Error> {
        let is_start = depth == 0;
        let mut fetcher = Fetcher {
            http: &self.http,
            rules: &mut self.rules,
            into: &self.into,
            bearer: self.bearer.as_ref(),
            with_links: self.recursive,
            scope: if is_start { None } else { self.scope.as_ref() },
            only_documents: !is_start,
            most: self.http.options.max_total_bytes.saturating_sub(summary.bytes),
            until: self.until.min(self.http.parts.clock.ticks() + LONGEST_TOGETHER),
        };
        fetcher.visit(url, before).await
    }

    /// Takes down where a page was reached. Says whether it is a page that was not seen before.
    fn reach(&mut self, asked: &Url, stamp: &WebStamp) -> bool {
        stamp.url == asked.as_str() || self.seen.insert(stamp.url.clone())
    }

    /// Has the links of a page wait for their turn.
    fn follow(&mut self, asked: &Url, validators: &Validators, depth: u32, summary: &mut Summary) {
        let Of::Web(stamp) = &validators.of else { return };
        let reached = Url::parse(&stamp.url).unwrap_or_else(|_| asked.clone());
        self.seen.insert(stamp.url.clone());
        let scope = self.scope.get_or_insert_with(|| Scope::of(&reached)).clone();
        if !self.recursive {
            return;
        }
        for link in stamp.links.iter().flatten() {
            let Ok(link) = self.http.url(link) else { continue };
            if !scope.has(&link) {
                summary.outside += 1;
            } else if self.seen.contains(link.as_str()) {
                // It has its turn already.
            } else if is_endless(&link) {
                summary.endless_links += 1;
            } else if depth >= self.http.options.max_depth {
                self.reached(Limit::Depth);
            } else if self.waiting.len() >= MOST_WAITING {
                self.reached(Limit::Files);
            } else {
                self.seen.insert(link.as_str().to_owned());
                self.waiting.push_back((link, depth + 1));
            }
        }
    }

    fn reached(&mut self, limit: Limit) {
        if !self.cut.contains(&limit) {
            self.cut.push(limit);
        }
    }

    /// Which limit of the whole source is reached.
    fn over(&self, summary: &Summary) -> Option<Limit> {
        let options = &self.http.options;
        if self.asked >= options.max_files {
            Some(Limit::Files)
        } else if summary.bytes >= options.max_total_bytes {
            Some(Limit::TotalBytes)
        } else if self.http.parts.clock.ticks() >= self.until {
            Some(Limit::Seconds)
        } else {
            None
        }
    }

    /// That a part of the site was left out.
    fn told(&self, limit: Limit) -> Item {
        let options = &self.http.options;
        let error = match limit {
            Limit::Seconds => {
                let seconds = options.max_total_time.as_secs_f64();
                let why =
                    format!("the site took longer than {seconds} s: its other pages are left out");
                Error { limit: Some(limit), ..Error::timeout(why) }
            }
            Limit::Depth => {
                let why = format!("links after more than {} links are left out", options.max_depth);
                Error::too_large(limit, why)
            }
            Limit::Files => {
                let why = format!("pages after the first {} are left out", options.max_files);
                Error::too_large(limit, why)
            }
            Limit::TotalBytes | Limit::Bytes | Limit::Expansion => total(options.max_total_bytes),
        };
        Item::Skipped(Skipped { identifier: self.start.as_str().to_owned(), error })
    }
}

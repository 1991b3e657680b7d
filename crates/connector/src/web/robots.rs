//! What the robots.txt of a site says to us, as RFC 9309 has it.
//!
//! A site without one, or that refuses it, allows everything. Where it cannot be read for the moment, nothing
//! is fetched from that site.

use std::{collections::HashMap, io::Read as _, time::Duration};

use flate2::read::MultiGzDecoder;
use reqwest::{
    Url,
    header::{CONTENT_ENCODING, HeaderMap, LOCATION},
};
use robotxt::{AccessResult, Robots};

use crate::{
    Code, Error,
    http::{
        Http, Tries, Trouble, body,
        client::{Allowance, Ask, origin},
        refused,
    },
};

/// The name that a robots.txt calls us by.
const NAME: &str = "consign";
/// As many as RFC 9309 asks for at least.
const REDIRECTS: usize = 5;
/// As many as RFC 9309 asks for at least; what is beyond them is not read.
const MOST: usize = robotxt::BYTE_LIMIT;
/// A longer `Crawl-delay` is taken for this.
const LONGEST_DELAY: Duration = Duration::from_secs(60);
const LONGEST: Duration = Duration::from_secs(60);

/// The robots.txt of each site that a session came to.
#[derive(Default)]
pub(super) struct Rules(HashMap<String, Robots>);

impl Rules {
    /// Whether a page may be fetched, and the least time between two requests to its site.
    pub(super) async fn check(
        &mut self,
        http: &Http,
        url: &Url,
        until: Duration,
    ) -> Result<Duration, Error> {
        let site = origin(url);
        if !self.0.contains_key(&site) {
            let robots = fetch(http, url, until).await?;
            self.0.insert(site.clone(), robots);
        }
        let Some(robots) = self.0.get(&site) else { return Ok(http.options.interval()) };
        if !robots.is_url_allowed(url) {
            let why = format!("the robots.txt of {site} forbids {}", url.path());
            return Err(Error::new(Code::RobotsForbidden, why));
        }
        let delay = robots.crawl_delay().unwrap_or_default().min(LONGEST_DELAY);
        Ok(delay.max(http.options.interval()))
    }
}

async fn fetch(http: &Http, url: &Url, until: Duration) -> Result<Robots, Error> {
    let first = http.join(url, "/robots.txt")?;
    let mut tries = Tries::new(http, &first, until);
    let read = loop {
        match once(http, &first).await {
            Ok(read) => break Ok(read),
            Err(trouble) => {
                if let Err(error) = tries.failed(trouble).await {
                    break Err(error);
                }
            }
        }
    };
    let unread = |error: Error| {
        // The site leads us somewhere else, or its name does: nothing of it is to be had.
        if error.code == Code::AddressNotAllowed {
            return error;
        }
        let message = format!("its robots.txt cannot be read, so nothing is fetched: {error}");
        Error { message: crate::text::one_line(&message), ..error }
    };
    read.map_err(unread)
}

async fn once(http: &Http, first: &Url) -> Result<Robots, Trouble> {
    let mut url = first.clone();
    let mut allowance = Allowance::new(LONGEST.min(http.options.max_time));
    for _ in 0..=REDIRECTS {
        let ask = Ask::get(&url, HeaderMap::new());
        let response = http.send(ask, http.options.interval(), &mut allowance).await?;
        let status = response.status();
        match status.as_u16() {
            300..=399 => {
                let to = response.headers().get(LOCATION).and_then(|to| to.to_str().ok());
                let Some(to) = to else { return Ok(Robots::allow_all()) };
                url = http.join(&url, to).map_err(Trouble::lasting)?;
            }
            200..=299 => {
                let is_packed = response.headers().contains_key(CONTENT_ENCODING);
                let read = body::read(response, &url, MOST + 1, true);
                let bytes = allowance.within(&url, read).await?;
                let bytes = if is_packed { unpacked(&bytes) } else { bytes };
                return Ok(Robots::from_access(AccessResult::Successful(&bytes), NAME));
            }
            // Too many requests is no answer about the rules.
            429 | 500..=599 | 100..=199 => {
                let now = http.parts.clock.wall();
                return Err(refused(&url, status, response.headers(), now));
            }
            _ => return Ok(Robots::from_access(AccessResult::Unavailable, NAME)),
        }
    }
    Ok(Robots::from_access(AccessResult::TooManyRedirects, NAME))
}

/// We ask for no compression, and some servers compress all the same.
fn unpacked(bytes: &[u8]) -> Vec<u8> {
    let mut unpacked = Vec::new();
    let most = u64::try_from(MOST).unwrap_or(u64::MAX) + 1;
    // What can be had of it counts.
    let _ = MultiGzDecoder::new(bytes).take(most).read_to_end(&mut unpacked);
    unpacked
}

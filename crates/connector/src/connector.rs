//! The connector, and one source being fetched.

use std::{sync::Arc, time::Duration};

use consign_contracts::crew::SourceType;

use crate::{
    Code, Credential, Credentials, Destination, Error, Fetch, Item, Known, Options, Parts, Skipped,
    Summary, credentials::named, gdrive::Drive, http::Http, local::Local, web::crawl::Crawl,
};

/// What a step may take beside the one request whose time is an option: tries, turns and what gives no item.
const BESIDE_REQUEST: Duration = Duration::from_secs(480);

/// Fetches sources. One serves all sessions of a process, so that hosts have one pace.
#[derive(Clone)]
pub struct Connector {
    http: Arc<Http>,
    credentials: Arc<dyn Credentials>,
}

impl Connector {
    #[must_use]
    pub fn new(options: Options, parts: Parts) -> Self {
        let credentials = parts.credentials.clone();
        Self { http: Arc::new(Http::new(parts, Arc::new(options))), credentials }
    }

    /// The same one for somebody else's credentials: hosts keep their pace.
    #[must_use]
    pub fn with_credentials(&self, credentials: Arc<dyn Credentials>) -> Self {
        Self { http: self.http.clone(), credentials }
    }

    /// A call of [`Session::next`] that takes longer hangs.
    #[must_use]
    pub fn longest_step(&self) -> Duration {
        self.http.options.max_time + BESIDE_REQUEST
    }

    /// Begins to fetch a source. Nothing is asked for yet; what is wrong with the source itself is told by the
    /// first item.
    #[must_use]
    pub fn open(&self, fetch: Fetch, into: Destination) -> Session {
        Session {
            http: self.http.clone(),
            credentials: self.credentials.clone(),
            fetch,
            into,
            state: State::Fresh,
            summary: Summary::default(),
        }
    }
}

/// A source that is being fetched.
///
/// A call of [`next`](Self::next) may be dropped: the next one begins with the same file again.
pub struct Session {
    http: Arc<Http>,
    credentials: Arc<dyn Credentials>,
    fetch: Fetch,
    into: Destination,
    state: State,
    summary: Summary,
}

enum State {
    Fresh,
    Local(Box<Local>),
    Web(Box<Crawl>),
    Drive(Box<Drive>),
    Over,
}

impl Session {
    /// The next file or page, or `None` after the last one.
    ///
    /// # Errors
    /// [`Code::Home`]: our own folder cannot be written. Everything that is wrong with the source is an item.
    pub async fn next(&mut self, known: &dyn Known) -> Result<Option<Item>, Error> {
        if matches!(self.state, State::Fresh) {
            match self.begin().await {
                Ok(begun) => self.state = begun,
                Err(error) if error.code == Code::Home => return Err(error),
                Err(error) => {
                    self.state = State::Over;
                    let identifier = self.fetch.identifier.clone();
                    self.summary.skipped += 1;
                    return Ok(Some(Item::Skipped(Skipped { identifier, error })));
                }
            }
        }
        let item = match &mut self.state {
            State::Local(local) => local.next(known, &mut self.summary).await?,
            State::Web(crawl) => crawl.next(known, &mut self.summary).await?,
            State::Drive(drive) => drive.next(known, &mut self.summary).await?,
            State::Fresh | State::Over => None,
        };
        match &item {
            Some(Item::Fetched(fetched)) => {
                self.summary.fetched += 1;
                self.summary.bytes += fetched.size;
            }
            Some(Item::Unchanged(_)) => self.summary.unchanged += 1,
            Some(Item::Skipped(_)) => self.summary.skipped += 1,
            Some(Item::NotYet) => {}
            None => self.state = State::Over,
        }
        Ok(item)
    }

    /// What was come across so far.
    #[must_use]
    pub fn summary(&self) -> &Summary {
        &self.summary
    }

    async fn begin(&self) -> Result<State, Error> {
        let (http, fetch, into) = (&self.http, &self.fetch, self.into.clone());
        let credentials = named(&*self.credentials, fetch.credentials_id.as_deref());
        match fetch.source_type {
            SourceType::Local => {
                let local = Local::open(http.clone(), fetch.clone(), into).await?;
                Ok(State::Local(Box::new(local)))
            }
            SourceType::Web => {
                let bearer = match credentials.await? {
                    Some(Credential::Bearer(secret)) => Some(secret),
                    Some(Credential::OAuth { .. }) => {
                        let why = "a site takes credentials of the kind `bearer`, not `oauth`";
                        return Err(Error::auth(why));
                    }
                    // It is for the files that are fetched.
                    Some(Credential::Password(_)) | None => None,
                };
                let crawl = Crawl::new(http.clone(), fetch, into, bearer)?;
                Ok(State::Web(Box::new(crawl)))
            }
            SourceType::Gdrive => {
                let drive = Drive::new(http.clone(), fetch, into, credentials.await?)?;
                Ok(State::Drive(Box::new(drive)))
            }
        }
    }
}

//! A connector whose time passes only when it waits, whose names lead where a test says, and a home for it.

use std::{
    collections::HashMap,
    io,
    net::IpAddr,
    sync::{Arc, Mutex},
    time::Duration,
};

use async_trait::async_trait;
use consign_connector::{
    Connector, Credential, Credentials, Destination, Error, Fetch, Fetched, Item, Known, Lookup,
    Options, Parts, Past, Secret, Skipped, Sleep, Summary, Unchanged, Validators,
};
use consign_engine::{At, Clock, Entropy};
use tempfile::TempDir;

pub(crate) struct World {
    pub(crate) home: TempDir,
    pub(crate) options: Options,
    pub(crate) time: Arc<Time>,
    pub(crate) names: Arc<Names>,
    pub(crate) credentials: Arc<Keys>,
}

/// Everything that a session gave.
pub(crate) struct Got {
    pub(crate) items: Vec<Item>,
    /// How often there was nothing yet.
    pub(crate) waits: u32,
    pub(crate) summary: Summary,
}

#[derive(Default)]
pub(crate) struct Time {
    passed: Mutex<Duration>,
    waits: Mutex<Vec<Duration>>,
}

impl Time {
    pub(crate) fn waits(&self) -> Vec<Duration> {
        self.waits.lock().unwrap().clone()
    }

    pub(crate) fn passed(&self) -> Duration {
        *self.passed.lock().unwrap()
    }
}

impl Clock for Time {
    fn wall(&self) -> At {
        // Late enough that files which a test just wrote are old.
        At(4_000_000_000_000_000) + self.passed()
    }

    fn ticks(&self) -> Duration {
        self.passed()
    }
}

#[async_trait]
impl Sleep for Time {
    async fn sleep(&self, span: Duration) {
        self.waits.lock().unwrap().push(span);
        *self.passed.lock().unwrap() += span;
        tokio::task::yield_now().await;
    }
}

/// Every wait is as long as it can be.
struct Sevens;

impl Entropy for Sevens {
    fn fill(&self, bytes: &mut [u8]) {
        bytes.fill(0xff);
    }
}

/// What each name is answered with, one answer after another; the last one stays.
#[derive(Default)]
pub(crate) struct Names(Mutex<HashMap<String, Vec<Vec<IpAddr>>>>);

impl Names {
    pub(crate) fn set(&self, name: &str, answers: &[&[&str]]) {
        let answers = answers.iter().map(|answer| answer.iter().map(|it| it.parse().unwrap()));
        let answers = answers.map(Iterator::collect).collect();
        self.0.lock().unwrap().insert(name.to_owned(), answers);
    }
}

#[async_trait]
impl Lookup for Names {
    async fn lookup(&self, name: &str) -> io::Result<Vec<IpAddr>> {
        let mut names = self.0.lock().unwrap();
        let answers = names.get_mut(name).ok_or_else(|| io::Error::other("no such name"))?;
        let answer = if answers.len() > 1 { answers.remove(0) } else { answers[0].clone() };
        Ok(answer)
    }
}

#[derive(Default)]
pub(crate) struct Keys(pub(crate) Mutex<HashMap<String, Credential>>);

#[async_trait]
impl Credentials for Keys {
    async fn find(&self, credentials_id: &str) -> Result<Option<Credential>, String> {
        Ok(self.0.lock().unwrap().get(credentials_id).cloned())
    }
}

impl World {
    pub(crate) fn new() -> Self {
        Self {
            home: TempDir::new().unwrap(),
            options: Options { max_time: Duration::from_secs(20), ..Options::default() },
            time: Arc::default(),
            names: Arc::default(),
            credentials: Arc::default(),
        }
    }

    /// Allows these places and networks.
    pub(crate) fn allow(&mut self, entries: &[&str]) {
        self.options.allow_private = consign_connector::Allowed::read(entries).unwrap();
    }

    pub(crate) fn bearer(&self, name: &str, token: &str) {
        let bearer = Credential::Bearer(Secret::new(token.to_owned()));
        self.credentials.0.lock().unwrap().insert(name.to_owned(), bearer);
    }

    pub(crate) fn connector(&self) -> Connector {
        let parts = Parts {
            clock: self.time.clone(),
            entropy: Arc::new(Sevens),
            sleep: self.time.clone(),
            lookup: self.names.clone(),
            credentials: self.credentials.clone(),
        };
        Connector::new(self.options.clone(), parts)
    }

    pub(crate) fn destination(&self) -> Destination {
        Destination::open(&self.home.path().join("copies")).unwrap()
    }

    pub(crate) async fn get(&self, fetch: Fetch) -> Got {
        self.get_knowing(fetch, &consign_connector::Nothing).await
    }

    pub(crate) async fn get_knowing(&self, fetch: Fetch, known: &dyn Known) -> Got {
        self.try_knowing(fetch, known).await.unwrap()
    }

    pub(crate) async fn try_knowing(&self, fetch: Fetch, known: &dyn Known) -> Result<Got, Error> {
        let mut session = self.connector().open(fetch, self.destination());
        let mut items = Vec::new();
        let mut waits = 0;
        while let Some(item) = session.next(known).await? {
            assert!(items.len() < 10_000 && waits < 10_000, "it never ends");
            match item {
                Item::NotYet => waits += 1,
                Item::Fetched(_) | Item::Unchanged(_) | Item::Skipped(_) => items.push(item),
            }
        }
        assert_eq!(session.next(known).await?, None, "it stays over");
        Ok(Got { items, waits, summary: *session.summary() })
    }

    /// Names of the copies that are there.
    pub(crate) fn copies(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.home.path().join("copies")).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }
}

impl Got {
    pub(crate) fn fetched(&self) -> Vec<&Fetched> {
        let mut found = Vec::new();
        for item in &self.items {
            if let Item::Fetched(fetched) = item {
                found.push(&**fetched);
            }
        }
        found
    }

    pub(crate) fn one(&self) -> &Fetched {
        let [Item::Fetched(fetched)] = &self.items[..] else { panic!("{:?}", self.items) };
        fetched
    }

    pub(crate) fn skipped(&self) -> Vec<&Skipped> {
        let mut found = Vec::new();
        for item in &self.items {
            if let Item::Skipped(skipped) = item {
                found.push(skipped);
            }
        }
        found
    }

    pub(crate) fn unchanged(&self) -> Vec<&Unchanged> {
        let mut found = Vec::new();
        for item in &self.items {
            if let Item::Unchanged(unchanged) = item {
                found.push(unchanged);
            }
        }
        found
    }

    /// The code of the one thing that was skipped.
    pub(crate) fn code(&self) -> &'static str {
        let [Item::Skipped(skipped)] = &self.items[..] else { panic!("{:?}", self.items) };
        skipped.error.code.as_str()
    }

    /// The last part of every identifier, in order, with a mark for what became of it.
    pub(crate) fn story(&self) -> Vec<String> {
        let last = |identifier: &str| identifier.rsplit('/').next().unwrap().to_owned();
        let told = |item: &Item| match item {
            Item::Fetched(fetched) => last(&fetched.identifier),
            Item::Unchanged(unchanged) => format!("={}", last(&unchanged.identifier)),
            Item::Skipped(skipped) => {
                format!("!{} {}", last(&skipped.identifier), skipped.error.code.as_str())
            }
            Item::NotYet => unreachable!("they are counted"),
        };
        self.items.iter().map(told).collect()
    }

    /// What a caller knows afterwards.
    pub(crate) fn known(&self, past: fn(Validators) -> Past) -> HashMap<String, Past> {
        let known = |item: &Item| match item {
            Item::Fetched(fetched) => (fetched.identifier.clone(), past(kept(&fetched.validators))),
            Item::Unchanged(unchanged) => {
                (unchanged.identifier.clone(), past(kept(&unchanged.validators)))
            }
            Item::Skipped(skipped) => (skipped.identifier.clone(), Past::Done(None)),
            Item::NotYet => unreachable!("they are counted"),
        };
        self.items.iter().map(known).collect()
    }
}

/// As a caller keeps them: as text.
fn kept(validators: &Validators) -> Validators {
    serde_json::from_str(&serde_json::to_string(validators).unwrap()).unwrap()
}

pub(crate) fn done(validators: Validators) -> Past {
    Past::Done(Some(validators))
}

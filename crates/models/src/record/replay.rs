//! Answers requests from a recording: a [`Transport`] without a network.
//!
//! Only a request that is equal to a recorded one is answered. Any other is refused, and the error
//! names the first difference.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError, Weak},
    time::SystemTime,
};

use async_trait::async_trait;
use bytes::Bytes;
use consign_engine::RunId;
use futures_util::{StreamExt, stream};

use super::{
    difference::difference,
    exchange::{Exchange, path_of},
};
use crate::{
    ModelName,
    file::read_text,
    transport::{Broken, Incoming, Outgoing, Transport},
};

const MOST_BYTES: u64 = 256 << 20;
/// How many runs are remembered. A worker runs for long, and sees many.
const MOST_RUNS: usize = 256;

/// The recordings that this process replays. Each file is in memory once, however many runs use it.
#[derive(Default)]
pub(crate) struct Replays {
    runs: Mutex<BTreeMap<(PathBuf, RunId), Arc<Replay>>>,
    read: Mutex<Read>,
}

/// Time and size of a file when it was read.
type Stamp = (Option<SystemTime>, u64);
type Read = BTreeMap<PathBuf, (Stamp, Weak<[Exchange]>)>;

impl Replays {
    /// The recording in a file, from its beginning for each run.
    pub(crate) fn of(&self, path: &Path, run: &RunId) -> Result<Arc<Replay>, String> {
        let key = (path.to_owned(), run.clone());
        let known = |runs: &BTreeMap<_, Arc<Replay>>| runs.get(&key).cloned();
        let found = known(&self.runs.lock().unwrap_or_else(PoisonError::into_inner));
        if let Some(replay) = found {
            return Ok(replay);
        }
        // Others may have theirs while this one is read.
        let opened = Arc::new(Replay::new(path, self.exchanges(path)?));
        let mut runs = self.runs.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(replay) = known(&runs) {
            return Ok(replay);
        }
        if runs.len() >= MOST_RUNS {
            runs.pop_first();
        }
        runs.insert(key, opened.clone());
        Ok(opened)
    }

    /// The exchanges of a file. It is read again when its stamp differs, or when it is no longer in
    /// memory.
    fn exchanges(&self, path: &Path) -> Result<Arc<[Exchange]>, String> {
        let stamp = fs::metadata(path).map(|meta| (meta.modified().ok(), meta.len()));
        // Reading says better what is wrong.
        let Ok(stamp) = stamp else { return read(path) };
        let known = |read: &Read| {
            let (was, exchanges) = read.get(path)?;
            exchanges.upgrade().filter(|_| *was == stamp)
        };
        let found = known(&self.read.lock().unwrap_or_else(PoisonError::into_inner));
        if let Some(exchanges) = found {
            return Ok(exchanges);
        }
        let exchanges = read(path)?;
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(exchanges) = known(&read) {
            return Ok(exchanges);
        }
        read.retain(|_, (_, exchanges)| exchanges.strong_count() > 0);
        read.insert(path.to_owned(), (stamp, Arc::downgrade(&exchanges)));
        Ok(exchanges)
    }
}

/// A transport that answers from a recording.
pub struct Replay {
    path: PathBuf,
    exchanges: Arc<[Exchange]>,
    /// Which exchanges were already used.
    used: Mutex<Vec<bool>>,
}

impl Replay {
    pub fn open(path: &Path) -> Result<Self, String> {
        read(path).map(|exchanges| Self::new(path, exchanges))
    }

    fn new(path: &Path, exchanges: Arc<[Exchange]>) -> Self {
        let used = Mutex::new(vec![false; exchanges.len()]);
        Self { path: path.to_owned(), exchanges, used }
    }

    /// The models that were recorded, in the order in which they were asked first.
    pub fn models(&self) -> Result<Vec<ModelName>, String> {
        let mut models = Vec::new();
        for exchange in self.exchanges.iter() {
            let model: ModelName = exchange.model.parse()?;
            if !models.contains(&model) {
                models.push(model);
            }
        }
        Ok(models)
    }

    /// The exchange for a request: the first equal one that was not used yet. When all were, the
    /// last of them again, for a run that continues in another process.
    fn find(&self, path: &str, body: &[u8]) -> Result<&Exchange, String> {
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        let fits = |exchange: &Exchange| {
            exchange.path == path && exchange.request.bytes().is_some_and(|known| known == body)
        };
        let fitting = || (0..self.exchanges.len()).filter(|index| fits(&self.exchanges[*index]));
        let found = fitting().find(|index| !used[*index]).or_else(|| fitting().last());
        if let Some(index) = found {
            used[index] = true;
            return Ok(&self.exchanges[index]);
        }
        let nearest = (0..used.len()).find(|index| !used[*index]).unwrap_or(0);
        let (nearest, number) = (&self.exchanges[nearest], nearest + 1);
        let file = self.path.display();
        if nearest.path != path {
            return Err(format!(
                "the request is not in {file}: exchange {number} went to {}, this one goes to {path}",
                nearest.path
            ));
        }
        let known = nearest.request.bytes().unwrap_or_default();
        let first = difference(&known, body);
        Err(format!("the request is not in {file}: it differs from exchange {number} at {first}"))
    }
}

#[async_trait]
impl Transport for Replay {
    async fn send(&self, request: Outgoing) -> Result<Incoming, Broken> {
        let found = self.find(&path_of(&request.url), &request.body);
        let exchange = found.map_err(Broken::Unrecorded)?;
        let Some(bytes) = exchange.response.bytes() else {
            return Err(Broken::Unrecorded("the recorded response is not hexadecimal".to_owned()));
        };
        let chunks = bytes.chunks(16 << 10).map(Bytes::copy_from_slice).map(Ok).collect::<Vec<_>>();
        let broken = exchange.broken.clone().map(|why| Err(Broken::Lost(why)));
        let body = stream::iter(chunks.into_iter().chain(broken)).boxed();
        Ok(Incoming { status: exchange.status, headers: exchange.headers.clone(), body })
    }
}

fn read(path: &Path) -> Result<Arc<[Exchange]>, String> {
    let named = |why: String| format!("the recording {}: {why}", path.display());
    let text = read_text(path, MOST_BYTES).map_err(named)?;
    let exchanges: Arc<[Exchange]> = text
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty())
        .map(|(number, line)| {
            let read = serde_json::from_str(line);
            read.map_err(|cause| named(format!("line {}: {cause}", number + 1)))
        })
        .collect::<Result<_, _>>()?;
    if exchanges.is_empty() {
        return Err(named("nothing was recorded".to_owned()));
    }
    Ok(exchanges)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &str = r#"{"model":"openai/a","path":"/chat/completions","request":"{}","status":200,"headers":[],"response":"1"}"#;

    fn run(number: u32) -> RunId {
        RunId::from(format!("run-{number}").as_str())
    }

    #[test]
    fn runs_share_what_was_read_and_not_how_far_they_are() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tape.jsonl");
        let second = LINE.replace("\"1\"", "\"2\"");
        fs::write(&path, format!("{LINE}\n{second}\n")).unwrap();
        let replays = Replays::default();
        let (one, two) = (replays.of(&path, &run(1)).unwrap(), replays.of(&path, &run(2)).unwrap());
        assert!(Arc::ptr_eq(&one.exchanges, &two.exchanges), "it is in memory once");
        assert!(
            Arc::ptr_eq(&one, &replays.of(&path, &run(1)).unwrap()),
            "a run goes on in its own"
        );
        let next = |replay: &Replay| {
            replay.find("/chat/completions", b"{}").unwrap().response.bytes().unwrap()
        };
        assert_eq!([next(&one), next(&one), next(&two), next(&one)], ["1", "2", "1", "2"]);
        // What is recorded anew counts for runs that begin then.
        fs::write(&path, format!("{LINE}\n{second}\n{second}\n")).unwrap();
        assert_eq!(replays.of(&path, &run(3)).unwrap().exchanges.len(), 3);
        assert_eq!(replays.of(&path, &run(1)).unwrap().exchanges.len(), 2);
    }

    #[test]
    fn what_nobody_has_any_more_is_not_kept() {
        let folder = tempfile::tempdir().unwrap();
        let replays = Replays::default();
        let most = u32::try_from(MOST_RUNS).unwrap();
        for number in 0..2 * most {
            let path = folder.path().join(format!("tape-{number}.jsonl"));
            fs::write(&path, LINE).unwrap();
            replays.of(&path, &run(number)).unwrap();
        }
        assert_eq!(replays.runs.lock().unwrap().len(), MOST_RUNS);
        assert!(replays.read.lock().unwrap().len() <= MOST_RUNS + 1);
        let missing = replays.of(Path::new("/nowhere/at/all"), &run(1));
        assert!(missing.err().is_some_and(|why| why.contains("/nowhere/at/all")));
    }
}

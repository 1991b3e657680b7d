//! Answers from a recording.

use std::{
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use async_trait::async_trait;
use bytes::Bytes;
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

/// A transport that has heard it all before.
pub struct Replay {
    path: PathBuf,
    exchanges: Vec<Exchange>,
    /// Which of them were given out.
    used: Mutex<Vec<bool>>,
}

impl Replay {
    pub fn open(path: &Path) -> Result<Self, String> {
        let named = |why: String| format!("the recording {}: {why}", path.display());
        let text = read_text(path, MOST_BYTES).map_err(named)?;
        let exchanges: Vec<Exchange> = text
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
        let used = Mutex::new(vec![false; exchanges.len()]);
        Ok(Self { path: path.to_owned(), exchanges, used })
    }

    /// The models that were recorded, in the order in which they were asked first.
    pub fn models(&self) -> Result<Vec<ModelName>, String> {
        let mut models = Vec::new();
        for exchange in &self.exchanges {
            let model: ModelName = exchange.model.parse()?;
            if !models.contains(&model) {
                models.push(model);
            }
        }
        Ok(models)
    }

    /// The exchange for a request: the first of its kind that was not given out; when all were, the
    /// last of them again, for a run that goes on in another process.
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

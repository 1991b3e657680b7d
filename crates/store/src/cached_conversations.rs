//! Conversations with a cache in front: the newest messages of each lie in a Redis.
//!
//! The database stays the only judge. What the cache holds is named by the conversation's id, and taken only if it was kept
//! at the very turn that the database says; that text never changes, so it cannot be stale. It is written with the end of each
//! turn and whenever it was missing. A cache that is slow, gone or full of nonsense is passed over for a while: answers come
//! from the database then, and nothing is lost. What nobody asks for is gone from it after [`KEPT_FOR`].

use std::{
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
    time::{Duration, Instant},
};

use async_trait::async_trait;
use consign_engine::{At, Owner, RunId};
use consign_knowledge::{
    Error, SourceId,
    conversation::{Conversation, Conversations, Ended, Listed, Message, SessionQuery, TurnEnd},
};
use redis::{
    AsyncCommands, Client, RedisError,
    aio::{ConnectionManager, ConnectionManagerConfig},
};
use serde::{Deserialize, Serialize};
use tokio::sync::OnceCell;
use tracing::warn;

/// Messages that are kept of a conversation; a turn knows no more.
const NEWEST: usize = 40;
const KEPT_FOR: Duration = Duration::from_secs(3_600);
/// A cache that takes longer is no help.
const PATIENCE: Duration = Duration::from_millis(250);
/// How long a cache that failed is left alone.
const PAUSE: Duration = Duration::from_secs(2);
/// Larger values are not kept, nor read.
const MOST_BYTES: usize = 4 << 20;

/// Keeps conversations in another place, and their newest messages in a Redis too.
pub struct CachedConversations {
    inner: Arc<dyn Conversations>,
    client: Client,
    connection: OnceCell<ConnectionManager>,
    began: Instant,
    /// Milliseconds since `began` until which the cache is left alone.
    paused_until: AtomicI64,
}

/// What the cache holds of a conversation.
#[derive(Serialize, Deserialize)]
struct Kept {
    turns: u32,
    ended_at: i64,
    /// Whether there are no older messages.
    is_all: bool,
    messages: Vec<KeptMessage>,
}

#[derive(Serialize, Deserialize)]
struct KeptMessage {
    role: String,
    content: String,
    at: i64,
}

impl CachedConversations {
    /// Nothing is connected yet. The error says what is wrong with the address, without the password in it.
    pub fn new(inner: Arc<dyn Conversations>, address: &str) -> Result<Self, String> {
        let client = Client::open(address).map_err(|error| {
            let why = error.detail().unwrap_or("it is not understood");
            format!("the address of the cache: {why}")
        })?;
        Ok(Self {
            inner,
            client,
            connection: OnceCell::new(),
            began: Instant::now(),
            paused_until: AtomicI64::new(0),
        })
    }

    /// Runs commands. Nothing, if the cache is of no help now.
    async fn ask<T>(
        &self,
        commands: impl AsyncFnOnce(ConnectionManager) -> Result<T, RedisError>,
    ) -> Option<T> {
        let now = i64::try_from(self.began.elapsed().as_millis()).unwrap_or(i64::MAX);
        if now < self.paused_until.load(Ordering::Relaxed) {
            return None;
        }
        let asked = async {
            let connect = async || {
                let config = ConnectionManagerConfig::new()
                    .set_number_of_retries(1)
                    .set_connection_timeout(Some(PATIENCE))
                    .set_response_timeout(Some(PATIENCE));
                ConnectionManager::new_with_config(self.client.clone(), config).await
            };
            commands(self.connection.get_or_try_init(connect).await?.clone()).await
        };
        let why = match tokio::time::timeout(PATIENCE, asked).await {
            Ok(Ok(answer)) => return Some(answer),
            // The text of a connection's error names host and port, never a password.
            Ok(Err(error)) => error.to_string(),
            Err(_) => "it does not answer".to_owned(),
        };
        warn!(%why, "the cache of conversations is not used: the database answers");
        let pause = i64::try_from(PAUSE.as_millis()).unwrap_or(0);
        self.paused_until.store(now.saturating_add(pause), Ordering::Relaxed);
        None
    }

    async fn kept(&self, of: &Conversation) -> Option<Kept> {
        let key = key(of);
        let found =
            self.ask(async |mut redis| redis.get::<_, Option<Vec<u8>>>(key).await).await??;
        let kept: Kept =
            (found.len() <= MOST_BYTES).then(|| serde_json::from_slice(&found).ok()).flatten()?;
        (kept.turns == of.turns && kept.ended_at == of.ended_at.0).then_some(kept)
    }

    /// The newest messages by the database, which the cache gets.
    async fn keep(&self, of: &Conversation) -> Result<Vec<Message>, Error> {
        let messages = self.inner.messages(of, NEWEST).await?;
        let kept = Kept {
            turns: of.turns,
            ended_at: of.ended_at.0,
            is_all: messages.len() < NEWEST,
            messages: messages
                .iter()
                .map(|message| KeptMessage {
                    role: message.role.clone(),
                    content: message.content.clone(),
                    at: message.at.0,
                })
                .collect(),
        };
        let text = serde_json::to_vec(&kept).unwrap_or_default();
        if !text.is_empty() && text.len() <= MOST_BYTES {
            let (key, seconds) = (key(of), KEPT_FOR.as_secs());
            self.ask(async |mut redis| redis.set_ex::<_, _, ()>(key, text, seconds).await).await;
        }
        Ok(messages)
    }

    /// Nothing, if there is no such conversation.
    async fn keep_newest(&self, owner: &Owner, session: &str) -> Result<(), Error> {
        if let Some(of) = self.inner.conversation(owner, session).await? {
            self.keep(&of).await?;
        }
        Ok(())
    }
}

/// The id is drawn at random, so nobody meets a conversation of another home or owner.
fn key(of: &Conversation) -> String {
    format!("consign:conversation:{}", of.id)
}

/// The newest of messages that come in their order.
fn newest(mut messages: Vec<Message>, most: usize) -> Vec<Message> {
    messages.drain(..messages.len().saturating_sub(most));
    messages
}

#[async_trait]
impl Conversations for CachedConversations {
    async fn open(
        &self,
        owner: &Owner,
        session: &str,
        id: &str,
        at: At,
    ) -> Result<Conversation, Error> {
        self.inner.open(owner, session, id, at).await
    }

    async fn conversation(
        &self,
        owner: &Owner,
        session: &str,
    ) -> Result<Option<Conversation>, Error> {
        self.inner.conversation(owner, session).await
    }

    async fn messages(&self, of: &Conversation, most: usize) -> Result<Vec<Message>, Error> {
        let kept = self.kept(of).await;
        if let Some(kept) = kept.filter(|kept| kept.is_all || kept.messages.len() >= most) {
            let messages = kept.messages.into_iter().map(|kept| Message {
                role: kept.role,
                content: kept.content,
                at: At(kept.at),
            });
            return Ok(newest(messages.collect(), most));
        }
        if most > NEWEST {
            return self.inner.messages(of, most).await;
        }
        Ok(newest(self.keep(of).await?, most))
    }

    async fn end_turn(&self, owner: &Owner, session: &str, turn: TurnEnd) -> Result<Ended, Error> {
        let ended = self.inner.end_turn(owner, session, turn).await?;
        // The turn has ended, whatever becomes of the cache.
        if ended == Ended::Done
            && let Err(error) = self.keep_newest(owner, session).await
        {
            warn!(%error, "a turn was kept, and could not be read for the cache");
        }
        Ok(ended)
    }

    async fn list(&self, owner: &Owner, query: &SessionQuery) -> Result<Vec<Listed>, Error> {
        self.inner.list(owner, query).await
    }

    async fn runs(&self, owner: &Owner, session: &str) -> Result<Vec<RunId>, Error> {
        self.inner.runs(owner, session).await
    }

    async fn remove(&self, owner: &Owner, session: &str) -> Result<bool, Error> {
        let of = self.inner.conversation(owner, session).await?;
        let removed = self.inner.remove(owner, session).await?;
        if let Some(of) = of.filter(|_| removed) {
            let key = key(&of);
            let gone = self.ask(async |mut redis| redis.del::<_, ()>(key).await).await;
            if gone.is_none() {
                warn!("a removed conversation may be in the cache for another hour");
            }
        }
        Ok(removed)
    }

    async fn forget_source(&self, owner: &Owner, source: &SourceId) -> Result<(), Error> {
        self.inner.forget_source(owner, source).await
    }

    async fn to_redact(&self, most: usize) -> Result<Vec<RunId>, Error> {
        self.inner.to_redact(most).await
    }

    async fn redact_later(&self, run: &RunId) -> Result<(), Error> {
        self.inner.redact_later(run).await
    }

    async fn redacted(&self, run: &RunId) -> Result<(), Error> {
        self.inner.redacted(run).await
    }
}

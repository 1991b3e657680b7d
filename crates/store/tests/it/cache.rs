//! Conversations with a real Redis in front, which is started for each test.

use std::{
    net::TcpListener,
    path::Path,
    process::{Child, Command, Stdio},
    sync::Arc,
    time::Duration,
};

use async_trait::async_trait;
use consign_engine::{At, Data, Owner};
use consign_knowledge::conversation::{
    Conversation, Conversations, Ended, LastTurn, Message, TurnEnd,
};
use consign_store::{CachedConversations, Options, SqliteStore};
use consign_testkit::conformance::conversing::ConversationPlace;
use redis::Commands as _;
use serde_json::json;

struct Redis {
    child: Child,
    port: u16,
    _folder: tempfile::TempDir,
}

impl Redis {
    fn start() -> Self {
        let free = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = free.local_addr().expect("an address").port();
        drop(free);
        Self::start_on(port)
    }

    fn start_on(port: u16) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let child = Command::new("redis-server")
            .args(["--port", &port.to_string(), "--bind", "127.0.0.1"])
            .args(["--save", "", "--appendonly", "no", "--dir"])
            .arg(folder.path())
            .stdout(Stdio::null())
            .spawn()
            .expect("redis-server is installed: ./test does it");
        let redis = Self { child, port, _folder: folder };
        for _ in 0..500 {
            let answers = redis.connect().and_then(|mut it| redis::cmd("PING").query(&mut it));
            if answers.is_ok_and(|pong: String| pong == "PONG") {
                return redis;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        panic!("redis-server does not answer");
    }

    fn address(&self) -> String {
        format!("redis://127.0.0.1:{}", self.port)
    }

    fn connect(&self) -> redis::RedisResult<redis::Connection> {
        redis::Client::open(self.address())?.get_connection()
    }

    /// All keys with their values.
    fn content(&self) -> Vec<(String, String)> {
        let mut redis = self.connect().expect("a connection");
        let keys: Vec<String> = redis.keys("*").expect("the keys");
        let value = |key: String| {
            let value: String = redis.get(&key).expect("a value");
            (key, value)
        };
        keys.into_iter().map(value).collect()
    }
}

impl Drop for Redis {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

struct Place {
    folder: tempfile::TempDir,
    redis: Redis,
}

impl Place {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().expect("a folder"), redis: Redis::start() }
    }
}

#[async_trait]
impl ConversationPlace for Place {
    async fn open_conversations(&self) -> Arc<dyn Conversations> {
        Arc::new(
            CachedConversations::new(stored(self.folder.path()), &self.redis.address())
                .expect("a cache"),
        )
    }
}

consign_testkit::conversation_conformance!(Place::new());

fn stored(folder: &Path) -> Arc<SqliteStore> {
    Arc::new(SqliteStore::open(folder, &Options::default()).expect("a store"))
}

fn ada() -> Owner {
    Owner::from("user:ada")
}

async fn begin(of: &dyn Conversations) -> Conversation {
    of.open(&ada(), "s", "drawn", At(0)).await.expect("it begins")
}

async fn say(of: &dyn Conversations, text: &str) {
    let now = of.conversation(&ada(), "s").await.expect("an answer").expect("it is there");
    let turn = TurnEnd {
        id: now.id.clone(),
        number: now.turns,
        run: Some(now.run(now.turns)),
        messages: vec![Message { role: "user".to_owned(), content: text.to_owned(), at: At(5) }],
        last: LastTurn { plan: None, context: Data::of(&json!([])) },
        preferences: Data::of(&json!({})),
        marks: None,
        sources: Vec::new(),
        at: At(i64::from(now.turns) + 10),
    };
    let ended = of.end_turn(&ada(), "s", turn).await.expect("an answer");
    assert_eq!(ended, Ended::Done);
}

async fn heard(of: &dyn Conversations, most: usize) -> Vec<String> {
    let now = of.conversation(&ada(), "s").await.expect("an answer").expect("it is there");
    let said = of.messages(&now, most).await.expect("an answer");
    said.into_iter().map(|message| message.content).collect()
}

#[tokio::test]
async fn messages_come_from_the_cache_once_a_turn_has_ended() {
    let place = Place::new();
    let conversations = place.open_conversations().await;
    begin(&*conversations).await;
    say(&*conversations, "one").await;
    let (key, value) = place.redis.content().pop().expect("it is kept");
    assert_eq!(key, "consign:conversation:drawn");
    let other = value.replace("one", "from the cache");
    let _: () = place.redis.connect().unwrap().set(&key, other).unwrap();
    assert_eq!(heard(&*conversations, 9).await, ["from the cache"]);
    let lives: i64 = place.redis.connect().unwrap().ttl(&key).unwrap();
    assert_eq!(lives, -1, "the test has set it without an end");
    say(&*conversations, "two").await;
    assert_eq!(heard(&*conversations, 9).await, ["one", "two"]);
    let lives: i64 = place.redis.connect().unwrap().ttl(&key).unwrap();
    assert!((1..=3_600).contains(&lives), "{lives}");
}

#[tokio::test]
async fn what_does_not_fit_the_database_is_not_believed() {
    let place = Place::new();
    let conversations = place.open_conversations().await;
    begin(&*conversations).await;
    say(&*conversations, "one").await;
    let (key, old) = place.redis.content().pop().expect("it is kept");
    say(&*conversations, "two").await;
    for forged in [old, "{".to_owned(), "null".to_owned(), "x".repeat(5 << 20)] {
        let _: () = place.redis.connect().unwrap().set(&key, forged).unwrap();
        assert_eq!(heard(&*conversations, 9).await, ["one", "two"]);
    }
}

#[tokio::test]
async fn more_than_is_kept_comes_from_the_database() {
    let place = Place::new();
    let conversations = place.open_conversations().await;
    begin(&*conversations).await;
    for number in 0..50 {
        say(&*conversations, &number.to_string()).await;
    }
    let all: Vec<_> = (0..50).map(|number: u32| number.to_string()).collect();
    assert_eq!(heard(&*conversations, 1_000).await, all);
    assert_eq!(heard(&*conversations, 40).await, all[10..]);
    assert_eq!(heard(&*conversations, 3).await, all[47..]);
}

#[tokio::test]
async fn its_loss_loses_nothing() {
    let mut place = Place::new();
    let conversations = place.open_conversations().await;
    begin(&*conversations).await;
    say(&*conversations, "one").await;
    let port = place.redis.port;
    place.redis.child.kill().expect("it ends");
    place.redis.child.wait().expect("it ended");
    say(&*conversations, "two").await;
    assert_eq!(heard(&*conversations, 9).await, ["one", "two"]);
    place.redis = Redis::start_on(port);
    // A while later it is asked again.
    for _ in 0..500 {
        assert_eq!(heard(&*conversations, 9).await, ["one", "two"]);
        if !place.redis.content().is_empty() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("the cache is not used again");
}

#[tokio::test]
async fn one_that_never_answers_holds_nobody_up() {
    let silent = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = format!("redis://{}", silent.local_addr().expect("an address"));
    let folder = tempfile::tempdir().expect("a folder");
    let conversations = CachedConversations::new(stored(folder.path()), &address).expect("a cache");
    begin(&conversations).await;
    for number in 0..20 {
        say(&conversations, &number.to_string()).await;
    }
    assert_eq!(heard(&conversations, 99).await.len(), 20);
}

#[tokio::test]
async fn a_removed_conversation_is_removed_from_it_too() {
    let place = Place::new();
    let conversations = place.open_conversations().await;
    begin(&*conversations).await;
    say(&*conversations, "one").await;
    assert_eq!(place.redis.content().len(), 1);
    assert!(conversations.remove(&ada(), "s").await.expect("an answer"));
    assert_eq!(place.redis.content(), []);
}

#[test]
fn an_address_that_is_none_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    for address in ["http://x", "redis://", "redis://host:port", ""] {
        let refused = CachedConversations::new(stored(folder.path()), address).err();
        assert!(
            refused.is_some_and(|why| why.starts_with("the address of the cache: ")),
            "{address}"
        );
    }
}

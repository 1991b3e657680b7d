//! A server on a free port, an engine on SQLite in a directory of its own, and a worker.

use std::{
    net::SocketAddr,
    sync::{Arc, Condvar, Mutex},
};

use async_trait::async_trait;
use consign_app::{Home, compose};
use consign_basics::agent;
use consign_contracts::{Breach, Contract, json};
use consign_conversation::{FileReader, Reading};
use consign_engine::{
    Agent, Attempt, Bridged, Data, Effect, Engine, Failure, Invoker, Nanos, Reply, RunId, Settings,
    Status, Stop, Worker,
    store::{self, Row, Tick},
};
use consign_parsers::{Document, ParseError, parse};
use consign_server::{
    Ask, Incident, Options, Processed, Processor, Refused, Report, Server, SignIn, Token, Wire,
    serve_within,
};
use http_body_util::Full;
use hyper::{Request, body::Bytes, http::request};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::{
    net::TcpListener,
    sync::{Notify, mpsc, oneshot, watch},
    task::JoinHandle,
};

use crate::client::{self, Answer, Events};

pub(crate) struct World {
    pub(crate) home: TempDir,
    pub(crate) opened: Home,
    pub(crate) engine: Arc<Engine>,
    pub(crate) address: SocketAddr,
    pub(crate) token: Token,
    pub(crate) processor: Arc<TestProcessor>,
    /// What the agent `talker` says; it is done when it is told nothing more.
    pub(crate) cues: mpsc::UnboundedSender<String>,
    pub(crate) incidents: Arc<Mutex<Vec<Incident>>>,
    stop: Option<oneshot::Sender<()>>,
    server: JoinHandle<std::io::Result<()>>,
    stop_worker: watch::Sender<Stop>,
}

impl World {
    pub(crate) async fn new() -> Self {
        Self::with(Options::default(), Wire::default()).await
    }

    pub(crate) async fn with(options: Options, wire: Wire) -> Self {
        let token = Token::random();
        let sign_in = SignIn::Token(token.clone());
        Self::made(options, wire, token, |_, _| sign_in).await
    }

    /// A server whose users log in, or with `token` where that is a user's.
    pub(crate) async fn made(
        options: Options,
        wire: Wire,
        token: Token,
        sign_in: impl FnOnce(&Home, SocketAddr) -> SignIn,
    ) -> Self {
        Self::in_home(TempDir::new().unwrap(), options, wire, token, sign_in).await
    }

    /// A server on a home with this file in it.
    pub(crate) async fn with_file(name: &str, text: &str) -> Self {
        let (home, token) = (TempDir::new().unwrap(), Token::random());
        std::fs::write(home.path().join(name), text).unwrap();
        let sign_in = SignIn::Token(token.clone());
        Self::in_home(home, Options::default(), Wire::default(), token, |_, _| sign_in).await
    }

    async fn in_home(
        home: TempDir,
        mut options: Options,
        wire: Wire,
        token: Token,
        sign_in: impl FnOnce(&Home, SocketAddr) -> SignIn,
    ) -> Self {
        let (cues, said) = mpsc::unbounded_channel();
        // The program of a test cannot be started as the child that reads files.
        let reader: Option<Arc<dyn FileReader>> = Some(Arc::new(ReadsHere));
        let opened = Home::with_reader(
            home.path().to_owned(),
            reader,
            |folder, workshop, memory, repositories| {
                let (workflows, agents) =
                    compose::workflows_and_agents(folder, workshop, memory, repositories);
                let agents = agents.with("outside", Agent::new(Effect::Pure, Outside)).with(
                    "talker",
                    Agent::new(Effect::Pure, Talker(tokio::sync::Mutex::new(said))),
                );
                (agent::workflows(&agents, workflows), agents)
            },
        );
        let opened = opened.await.unwrap();
        let engine = opened.engine.clone();
        let (stop_worker, stop) = watch::channel(Stop::GoOn);
        let worker =
            Worker::new(engine.enlist().await.unwrap(), Some(consign_app::machine::host()), 100);
        tokio::spawn(worker.work(stop, |_| ()));

        let incidents = Arc::new(Mutex::new(Vec::new()));
        let heard = incidents.clone();
        options.report = Report::to(move |incident| heard.lock().unwrap().push(incident));
        let test_processor = Arc::new(TestProcessor::default());
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let router = Server::new(consign_server::Parts {
            home: opened.clone(),
            jobs_dir: home.path().join("jobs"),
            sign_in: sign_in(&opened, address),
            processor: test_processor.clone(),
            options,
        });
        let (stop, stopped) = oneshot::channel::<()>();
        let server = tokio::spawn(async move {
            serve_within(listener, router, &wire, async { drop(stopped.await) }).await
        });
        Self {
            home,
            opened,
            engine,
            address,
            token,
            processor: test_processor,
            cues,
            incidents,
            stop: Some(stop),
            server,
            stop_worker,
        }
    }

    pub(crate) fn request(&self, method: &str, target: &str) -> request::Builder {
        Request::builder()
            .method(method)
            .uri(target)
            .header("host", self.address.to_string())
            .header("authorization", format!("Bearer {}", self.token.reveal()))
    }

    pub(crate) async fn ask(&self, request: request::Builder, body: impl Into<Bytes>) -> Answer {
        client::ask(self.address, request.body(Full::new(body.into())).unwrap()).await
    }

    pub(crate) async fn get(&self, target: &str) -> Answer {
        self.ask(self.request("GET", target), "").await
    }

    pub(crate) async fn post(&self, target: &str, body: &Value) -> Answer {
        self.post_text(target, body.to_string()).await
    }

    pub(crate) async fn post_text(&self, target: &str, body: impl Into<Bytes>) -> Answer {
        let request = self.request("POST", target).header("content-type", "application/json");
        self.ask(request, body).await
    }

    /// A run of a workflow, by its id.
    pub(crate) async fn start(&self, workflow: &str, input: Value) -> String {
        let answer = self.post("/api/runs", &json!({"workflow": workflow, "input": input})).await;
        assert_eq!(answer.status, 201, "{}", answer.text);
        answer.json()["id"].as_str().unwrap().to_owned()
    }

    pub(crate) async fn events(&self, target: &str, last: Option<u64>) -> Events {
        let mut request = self.request("GET", target).header("accept", "text/event-stream");
        if let Some(last) = last {
            request = request.header("last-event-id", last);
        }
        Events::of(self.address, request.body(Full::default()).unwrap()).await
    }

    /// Waits until a run stands so.
    pub(crate) async fn until(&self, run: &str, stands: impl Fn(&Row) -> bool) -> Row {
        let (store, run) = (self.engine.store(), RunId::from(run));
        let mut tick = Tick::default();
        loop {
            let row = store.row(&run).await.unwrap();
            if stands(&row) {
                return row;
            }
            assert!(!row.status.is_closed(), "{run} is {}", row.status);
            tick = store.changed(tick).await;
        }
    }

    pub(crate) async fn until_waiting(&self, run: &str) -> Row {
        self.until(run, |row| row.status == Status::Waiting).await
    }

    pub(crate) async fn until_closed(&self, run: &str) -> Row {
        self.until(run, |row| row.status.is_closed()).await
    }

    /// Stops the server and waits until it has.
    pub(crate) async fn stop(mut self) {
        drop(self.stop.take());
        (&mut self.server).await.unwrap().unwrap();
    }

    pub(crate) fn tell_to_stop(&mut self) {
        drop(self.stop.take());
    }

    /// Whoever drops it tells the server to stop.
    pub(crate) fn take_stop(&mut self) -> impl Sized + use<> {
        self.stop.take()
    }
}

impl Drop for World {
    fn drop(&mut self) {
        self.stop_worker.send_replace(Stop::Now);
        self.server.abort();
    }
}

/// Reads documents in this process.
struct ReadsHere;

#[async_trait]
impl FileReader for ReadsHere {
    async fn read(
        &self,
        bytes: Vec<u8>,
        reading: Reading,
        _stopped: Box<dyn Fn() -> bool + Send + Sync>,
    ) -> Result<Document, ParseError> {
        let Reading { name, password, .. } = reading;
        parse(&bytes, &consign_parsers::Options { name, password, ..Default::default() })
    }
}

/// Nobody is called: whoever is outside answers.
struct Outside;

#[async_trait]
impl Invoker for Outside {
    fn worst_case(&self, _input: &Data) -> Option<Nanos> {
        Some(Nanos::ZERO)
    }

    fn bridge(&self, _input: &Data, _settings: &Settings) -> Option<Bridged> {
        let schema = Data::parse(r#"{"type": "string"}"#).unwrap();
        Some(Bridged { prompt: "What is it?".to_owned(), schema, deadline: None })
    }

    async fn invoke(&self, _attempt: Attempt) -> Result<Reply, Failure> {
        unreachable!("nobody is called")
    }
}

/// Says what it is told to, and is done at an empty word.
struct Talker(tokio::sync::Mutex<mpsc::UnboundedReceiver<String>>);

#[async_trait]
impl Invoker for Talker {
    fn worst_case(&self, _input: &Data) -> Option<Nanos> {
        Some(Nanos::ZERO)
    }

    async fn invoke(&self, attempt: Attempt) -> Result<Reply, Failure> {
        let mut said = self.0.lock().await;
        while let Some(word) = said.recv().await {
            if word.is_empty() {
                break;
            }
            attempt.says.text(&word);
        }
        Ok(Reply::new(Data::of("done"), Nanos::ZERO))
    }
}

/// Does with an envelope what its `metadata` says; without a word it comes back as it is.
#[derive(Default)]
pub(crate) struct TestProcessor {
    pub(crate) asked: Mutex<Vec<Ask>>,
    /// Somebody has come who will stay.
    pub(crate) stays: Notify,
    /// Whoever stayed is gone.
    pub(crate) gone: Arc<Notify>,
    /// Somebody computes, and lets go of its thread for nothing until there is a result.
    pub(crate) computes: Notify,
    pub(crate) result: (Mutex<bool>, Condvar),
}

impl TestProcessor {
    /// Lets all who compute be done.
    pub(crate) fn has_result(&self) {
        *self.result.0.lock().unwrap() = true;
        self.result.1.notify_all();
    }
}

struct Gone(Arc<Notify>);

impl Drop for Gone {
    fn drop(&mut self) {
        self.0.notify_one();
    }
}

pub(crate) const SECRET: &str = "/home/somebody/secret.db";

#[async_trait]
impl Processor for TestProcessor {
    async fn process(&self, body: Bytes, ask: Ask) -> Result<Processed, Refused> {
        let durable = ask.durable;
        self.asked.lock().unwrap().push(ask.clone());
        let tree = json::parse(&body)?;
        let wish = tree.get("do").and_then(json::Json::as_str).unwrap_or_default();
        match wish {
            "compute" => {
                self.computes.notify_one();
                let waiting = self.result.0.lock().unwrap();
                let _done = self.result.1.wait_while(waiting, |done| !*done).unwrap();
            }
            "stay" => {
                let _gone = Gone(self.gone.clone());
                self.stays.notify_one();
                std::future::pending::<()>().await;
            }
            "carry" => {
                self.stays.notify_one();
                ask.late().await;
            }
            "panic" => panic!("{SECRET}"),
            "damaged" => return Err(store::Error::Damaged(SECRET.to_owned()).into()),
            "unavailable" => return Err(store::Error::Unavailable(SECRET.to_owned()).into()),
            "check" => {
                let schema = Contract::find("envelope/envelope").unwrap().schema();
                let breaches: Vec<Breach> = schema.check(&tree).breaches;
                return Err(Refused::Breached(breaches));
            }
            _ => {}
        }
        let run = durable.then(|| RunId::from("durable-1"));
        Ok(Processed { body: tree.to_string(), run, complete: !matches!(wish, "later" | "carry") })
    }
}

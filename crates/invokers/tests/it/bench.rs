//! An engine with one agent, and what its attempts came to.

use std::{
    fs,
    path::PathBuf,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use async_trait::async_trait;
use consign_engine::{
    Agent, Agents, Attempt, Data, Drive, Effect, Engine, Failure, Invoker, Left, Nanos, Parts,
    Probe, Reply, RunId, Seat, Stop, Workflows,
};
use consign_testkit::{
    memory::MemoryStore,
    programs::{Order, Programs, call},
    world::clock::{Dice, FakeClock},
};
use tokio::sync::watch;

/// The program that has the keeper in it: built with the tests, beside them.
pub(crate) fn helper() -> PathBuf {
    let tests = std::env::current_exe().expect("this is a program");
    let built = tests.parent().and_then(|deps| deps.parent()).expect("it is in target/…/deps");
    let helper = built.join("examples/invokers_helper");
    assert!(helper.exists(), "{} is not built: run the tests of the package", helper.display());
    helper
}

pub(crate) struct Bench {
    engine: Arc<Engine>,
    seat: Seat,
    came: Arc<Mutex<Vec<Result<Reply, Failure>>>>,
}

impl Bench {
    pub(crate) async fn new(effect: Effect, invoker: impl Invoker + 'static) -> Self {
        let came = Arc::default();
        let tapped = Tapped { invoker: Box::new(invoker), came: Arc::clone(&came) };
        let agent = Agent::new(effect, tapped).with_timeout(Duration::from_secs(120));
        let parts = Parts {
            store: Arc::new(MemoryStore::new()),
            workflows: Workflows::default().with(Programs::default()),
            agents: Agents::default().with("outside", agent),
            clock: Box::new(FakeClock::new()),
            entropy: Box::new(Dice::new(7)),
            patience: Duration::ZERO,
        };
        let engine = Engine::new(parts).await.unwrap();
        let seat = engine.enlist().await.unwrap();
        Self { engine, seat, came }
    }

    pub(crate) async fn begin(&self, input: &str) -> (RunId, Drive) {
        let order = Order::from(call("step", "outside").given(input));
        let (submitted, drive) = self.seat.begin(order.submission()).await.unwrap();
        (submitted.run, drive)
    }

    pub(crate) async fn attend(&self, drive: Drive) -> Left {
        let (_stop, stopped) = watch::channel(Stop::GoOn);
        self.seat.attend(drive, stopped).await.unwrap()
    }

    pub(crate) async fn cancel(&self, run: &RunId) {
        self.engine.cancel(run, None, &consign_engine::Speaker::person("ada")).await.unwrap();
    }

    /// Calls the agent once.
    pub(crate) async fn call(&self, input: &str) -> Came {
        let (run, drive) = self.begin(input).await;
        self.attend(drive).await;
        self.came(&run).await
    }

    pub(crate) async fn came(&self, run: &RunId) -> Came {
        let events = self.engine.store().events(run, consign_engine::Seq(0), 100).await.unwrap();
        let journal: Vec<String> =
            events.iter().map(|event| format!("{:?}", event.body())).collect();
        let result = self.came.lock().unwrap().pop().expect("the agent came to an end");
        Came { result, journal: journal.join("\n") }
    }
}

/// What an attempt came to, and what the journal has of it.
pub(crate) struct Came {
    pub(crate) result: Result<Reply, Failure>,
    pub(crate) journal: String,
}

impl Came {
    pub(crate) fn output(&self) -> &str {
        match &self.result {
            Ok(reply) => reply.output.as_str(),
            Err(failure) => panic!("{} {:?}", failure.fault, failure.note),
        }
    }

    pub(crate) fn failure(&self) -> &Failure {
        self.result.as_ref().expect_err("it fails")
    }

    pub(crate) fn code(&self) -> &str {
        &self.failure().fault.code
    }

    pub(crate) fn note(&self) -> serde_json::Value {
        let note = match &self.result {
            Ok(reply) => reply.note.as_ref(),
            Err(failure) => failure.note.as_ref(),
        };
        note.expect("there is a note").to().unwrap()
    }
}

struct Tapped {
    invoker: Box<dyn Invoker>,
    came: Arc<Mutex<Vec<Result<Reply, Failure>>>>,
}

#[async_trait]
impl Invoker for Tapped {
    fn worst_case(&self, input: &Data) -> Option<Nanos> {
        self.invoker.worst_case(input)
    }

    async fn invoke(&self, attempt: Attempt) -> Result<Reply, Failure> {
        let result = self.invoker.invoke(attempt).await;
        self.came.lock().unwrap().push(result.clone());
        result
    }

    async fn probe(&self, attempt: Attempt) -> Probe {
        self.invoker.probe(attempt).await
    }
}

/// Something in the command line of all processes of one test.
pub(crate) fn marker() -> String {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    format!("marker-{}-{count}-of-a-test", std::process::id())
}

/// The processes that have the marker in their command line or their environment.
pub(crate) fn marked(marker: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir("/proc").unwrap().flatten() {
        let pid = entry.file_name().to_string_lossy().into_owned();
        if pid == std::process::id().to_string() || !pid.bytes().all(|byte| byte.is_ascii_digit()) {
            continue;
        }
        let has = |file: &str| {
            let bytes = fs::read(entry.path().join(file)).unwrap_or_default();
            String::from_utf8_lossy(&bytes).replace('\0', " ").contains(marker)
        };
        if has("cmdline") || has("environ") {
            let line = fs::read(entry.path().join("cmdline")).unwrap_or_default();
            found.push(format!("{pid}: {}", String::from_utf8_lossy(&line).replace('\0', " ")));
        }
    }
    found
}

/// Waits until something is so, and fails if that takes far too long.
pub(crate) async fn until(what: &str, is: impl Fn() -> bool) {
    let wait = async {
        while !is() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    let waited = tokio::time::timeout(Duration::from_secs(60), wait).await;
    assert!(waited.is_ok(), "waited in vain until {what}");
}

//! A project in which a template creation waits for an answer, and a home that mirrors it.
//!
//! The files are written by hand as their contracts say, and the mirror is brought up to date as the
//! command does that has the files: here alone the crates behind the binary are known.

use std::{
    fs,
    sync::Arc,
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use consign_engine::{
    Actor, Agents, At, Clock, Data, Engine, Entropy, Owner, Parts, RunId, Workflows,
};
use consign_store::{Options, SqliteStore};
use consign_template::mirror::{self, Answered, Pending, View};
use serde_json::{Value, json};

use crate::{
    home::Home,
    support::{Folder, Outcome, text},
};

pub(crate) const REQUEST: &str = ".agent-request.json";
pub(crate) const RESPONSE: &str = ".agent-response.json";
pub(crate) const STATE: &str = ".template-create-state.json";

pub(crate) const RUN: &str = "tmpl-0123456789";
pub(crate) const FIRST: &str = "550e8400-e29b-41d4-a716-446655440000";
pub(crate) const SECOND: &str = "650e8400-e29b-41d4-a716-446655440000";
const NOW: &str = "2025-11-18T10:30:00Z";

pub(crate) struct Project {
    pub(crate) home: Home,
    pub(crate) folder: Folder,
}

impl Project {
    /// A project whose first request is pending and in the inbox.
    pub(crate) fn asking() -> Self {
        let project = Self { home: Home::new(), folder: Folder::new() };
        project.ask(1, FIRST, None);
        project
    }

    pub(crate) fn run(&self, args: &[&str]) -> Outcome {
        self.home.run(args)
    }

    pub(crate) fn path(&self) -> String {
        self.folder.path().to_str().expect("temporary folders have plain names").to_owned()
    }

    /// Saves the state, writes this request, and tells the mirror; with what was answered before.
    pub(crate) fn ask(&self, seq: u64, request: &str, answered: Option<&Value>) {
        let prompt = format!("# Codebase analysis\n\n{}", "Say what this is made of.\n".repeat(5));
        let context = json!({"project_path": self.path(), "output_path": "/tmp/my out",
            "template_name": "web-api"});
        let state = json!({"version": "1.0", "phase": 1, "phase_name": "codebase_analysis",
            "checkpoint_name": "before_agent_invocation", "created_at": NOW,
            "output_path": "/tmp/my out", "project_path": self.path(),
            "template_name": "web-api", "phase_data": {"consign": {"run": RUN, "seq": seq}},
            "completed_phases": [], "agent_requests": [{"request_id": request,
                "agent_name": "architectural-reviewer", "phase": 1, "status": "pending"}]});
        let asked = json!({"request_id": request, "version": "1.0", "phase": 1,
            "phase_name": "codebase_analysis", "agent_name": "architectural-reviewer",
            "prompt": prompt, "context": context, "timeout_seconds": 120, "created_at": NOW,
            "retry_count": 0});
        for (name, contract, document) in [
            (STATE, "bridge/template-create-state", &state),
            (REQUEST, "bridge/agent-request", &asked),
        ] {
            crate::home::keeps(contract, &format!("{document}\n"));
            self.folder.file(name, document.to_string());
        }
        let pending = Pending {
            request_id: request.to_owned(),
            agent_name: "architectural-reviewer".to_owned(),
            phase_name: "codebase_analysis".to_owned(),
            prompt,
            retry_count: 0,
            schema: Data::of(&json!({"type": "object", "required": ["primary_language"]})),
        };
        let view = View {
            run: RunId::from(RUN),
            seq,
            project_path: self.path(),
            output_path: "/tmp/my out".to_owned(),
            template_name: "web-api".to_owned(),
            phase: 1,
            phase_name: "codebase_analysis".to_owned(),
            checkpoint: "before_agent_invocation".to_owned(),
            completed: Vec::new(),
            pending: Some(pending),
            ended: None,
        };
        let answered = answered
            .map(|value| Answered { request_id: FIRST.to_owned(), came: Ok(Data::of(value)) });
        self.sync(&view, answered.as_ref());
    }

    /// Tells the mirror what the file says.
    pub(crate) fn sync(&self, view: &View, answered: Option<&Answered>) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        runtime.expect("a runtime can be made").block_on(async {
            let store = SqliteStore::open(&self.home.path(), &Options::default());
            let parts = Parts {
                store: Arc::new(store.expect("the home can be opened")),
                workflows: mirror::workflows(Workflows::default()),
                agents: mirror::agents(Agents::default()),
                clock: Box::new(Machine(Instant::now())),
                entropy: Box::new(Machine(Instant::now())),
                patience: Duration::from_secs(30),
            };
            let engine = Engine::new(parts).await.expect("the store can be read");
            let (owner, actor) = (Owner::from("local"), Actor::from("user:test"));
            let synced = mirror::sync(&engine, view, answered, (&owner, &actor)).await;
            synced.expect("the mirror follows");
        });
    }

    /// The response that was put into the project, without what differs from one time to the next.
    #[track_caller]
    pub(crate) fn response(&self) -> Value {
        let bytes = fs::read_to_string(self.folder.path().join(RESPONSE)).expect("it is there");
        let mut response: Value = serde_json::from_str(&bytes).expect("it is JSON");
        crate::home::keeps("bridge/agent-response", &format!("{response}\n"));
        let members = response.as_object_mut().expect("it is an object");
        assert!(members.remove("created_at").is_some());
        assert!(members.remove("duration_seconds").is_some());
        response
    }

    /// The journal by kinds and keys.
    pub(crate) fn journal(&self) -> Vec<String> {
        let events = self.run(&["runs", "show", RUN, "--events", "--json"]).exits(0).json_lines();
        let told = |event: &Value| {
            let key = event["body"]["key"].as_str().unwrap_or_default();
            format!("{} {key}", text(event, "kind"))
        };
        events.iter().map(told).collect()
    }

    /// The command that goes on with it.
    pub(crate) fn go_on(&self) -> String {
        let path = self.path();
        format!(
            "consign template create --path {path} --name web-api --output '/tmp/my out' --resume"
        )
    }
}

/// What the machine has to say of time and chance.
struct Machine(Instant);

impl Clock for Machine {
    fn wall(&self) -> At {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).expect("it is after 1970");
        At(i64::try_from(since.as_micros()).expect("it is before the year 292277"))
    }

    fn ticks(&self) -> Duration {
        self.0.elapsed()
    }
}

impl Entropy for Machine {
    fn fill(&self, bytes: &mut [u8]) {
        getrandom::fill(bytes).expect("there is randomness");
    }
}

//! A home and a folder in which jobs are done from the command line.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::{
    harness::Server,
    home::until,
    pipelines::yard::Yard,
    support::{Consign, Outcome, text},
};

/// The document's example.
pub(super) const LOGIN: &str = "Scenario: User login\nGiven a registered user\nWhen they enter valid credentials\nThen they see the dashboard\n\nScenario: Invalid password\nGiven a registered user\nWhen they enter wrong password\nThen they see an error message";

pub(super) struct Workbench(pub(super) Yard);

impl Workbench {
    pub(super) fn new() -> Self {
        Self(Yard::new())
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.0.path(name)
    }

    pub(super) fn file(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        self.0.file(name, content)
    }

    /// A file of the home.
    pub(super) fn home_file(&self, name: &str, content: &str) {
        std::fs::create_dir_all(self.0.home.path()).expect("a folder");
        std::fs::write(self.0.home.path().join(name), content).expect("a file");
    }

    pub(super) fn consign(&self, args: &[&str]) -> Consign {
        self.0.consign(args)
    }

    pub(super) fn run(&self, args: &[&str]) -> Outcome {
        self.0.run(args)
    }

    /// The result of a job over HTTP.
    pub(super) fn over_http(&self, kind: &str, payload: &Value) -> Value {
        let server: Server = self.0.serve(&[]);
        let taken = server.post("/api/agents/jobs", &json!({"type": kind, "payload": payload}));
        let place = format!("/api/agents/jobs/{}", text(&taken.is(201).json(), "jobId"));
        let job = until("the job is over", || {
            let job = server.get(&place).is(200).json();
            ["completed", "failed"].contains(&text(&job, "state")).then_some(job)
        });
        assert_eq!(text(&job, "state"), "completed", "{job:#}");
        job["result"].clone()
    }

    /// A command that is killed while its model thinks; the run that it leaves. The script makes the first try last, and
    /// answers the second.
    pub(super) fn killed(&self, args: &[&str]) -> String {
        let process = self.0.home.let_go_on(self.consign(args));
        let run = until("the run is told", || run_of(&process.stderr()));
        until("the model is asked", || {
            let events = self.0.events(&run);
            let is_asked = |event: &Value| event.to_string().contains("\"think\"");
            events.iter().any(is_asked).then_some(())
        });
        process.kill();
        assert_ne!(self.0.home.status(&run), "succeeded");
        run
    }

    /// Demands that the journal of a run proves what it did.
    pub(super) fn verified(&self, run: &str) {
        self.run(&["runs", "verify", run]).exits(0);
    }
}

/// The run that a command names on standard error.
pub(super) fn run_of(stderr: &str) -> Option<String> {
    let line = stderr.lines().find_map(|line| line.strip_prefix("run "))?;
    (line.len() == 36).then(|| line.to_owned())
}

/// What lies below a folder, in order.
pub(super) fn tree(folder: &Path) -> Vec<String> {
    let (mut found, mut ahead) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(next) = ahead.pop() {
        for entry in std::fs::read_dir(next).expect("it can be listed") {
            let path = entry.expect("it is listed").path();
            match path.is_dir() && !path.is_symlink() {
                true => ahead.push(path),
                false => {
                    let name = path.strip_prefix(folder).expect("it is below");
                    found.push(name.display().to_string());
                }
            }
        }
    }
    found.sort();
    found
}

/// A script whose first answer takes minutes and whose second comes at once.
pub(super) fn slow_then(agent: &str, response: &Value) -> String {
    let slow = json!({"agent": agent, "response": response, "delay_ms": 200_000});
    json!([slow, {"agent": agent, "response": response}]).to_string()
}

/// A script that answers at once.
pub(super) fn at_once(agent: &str, response: &Value) -> String {
    json!([{"agent": agent, "response": response}]).to_string()
}

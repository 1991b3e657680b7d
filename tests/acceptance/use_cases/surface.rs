//! The three surfaces as one trait, and the home that they share.

use std::cell::RefCell;

use serde_json::{Value, json};

use crate::{
    home::until,
    mcp::Conversation,
    pipelines::{
        three_ways::repository,
        yard::{Server, Yard, run_of},
    },
    support::{Outcome, text},
};

/// A home with a server, whose worker drives the detached runs of every surface.
pub(super) struct World {
    pub(super) yard: Yard,
    server: Server,
    /// The repository that questions are about.
    repo: String,
    /// The pipeline of the server, as a file.
    pipeline: String,
}

impl World {
    pub(super) fn new() -> Self {
        let yard = Yard::new();
        let repo = repository(&yard);
        let server = yard.serve(&["--repo", &repo]);
        let pipeline = yard.file(
            "default.toml",
            include_str!("../../../crates/systems/pipeline/src/file/default.toml"),
        );
        Self { yard, server, repo, pipeline }
    }

    pub(super) fn run(&self, args: &[&str]) -> Outcome {
        self.yard.run(args)
    }

    pub(super) fn file(&self, name: &str, content: &str) -> String {
        self.yard.file(name, content)
    }

    /// Waits until a run has this status.
    #[track_caller]
    pub(super) fn until(&self, run: &str, status: &str) {
        until(&format!("{run} is {status}"), || {
            (self.yard.home.status(run) == status).then_some(())
        });
    }

    /// Waits until a run has this label.
    #[track_caller]
    pub(super) fn until_label(&self, run: &str, label: &str) {
        until(&format!("{run} is {label}"), || {
            (self.yard.home.show(run)["label"] == label).then_some(())
        });
    }

    #[track_caller]
    pub(super) fn until_over(&self, run: &str) {
        self.yard.until_over(run);
    }

    /// A detached run that waits, and what it asks.
    #[track_caller]
    pub(super) fn waiting(
        &self,
        workflow: &str,
        input: &Value,
        limits: Option<&Value>,
    ) -> (String, String) {
        let run = Cli(self).start(workflow, input, None, limits);
        self.until(&run, "waiting");
        let asked = &self.yard.home.show(&run)["waits"][0];
        (run, text(asked, "interaction").to_owned())
    }
}

/// What can be done, whichever way. What is refused gives its code.
pub(super) trait Surface {
    fn name(&self) -> &'static str;

    /// Starts a detached run, and gives its id.
    fn start(
        &self,
        workflow: &str,
        input: &Value,
        id: Option<&str>,
        limits: Option<&Value>,
    ) -> String;

    /// The code of the refusal.
    fn start_refused(&self, workflow: &str, input: &Value, id: &str) -> String;

    fn answer(&self, run: &str, key: &str, value: &Value) -> Result<(), String>;

    fn decline(&self, run: &str, key: &str, why: &str) -> Result<(), String>;

    fn raise_calls(&self, run: &str, calls: u64);

    fn cancel(&self, run: &str, reason: &str);

    fn reject(&self, run: &str, key: &str, why: &str) -> Result<(), String>;

    fn signal(&self, run: &str, name: &str, value: &Value) -> Result<(), String>;

    /// Retries a run under a name for the new one.
    fn retry(&self, run: &str, id: &str) -> Result<(), String>;

    /// Forks a run under a name for the new one.
    fn fork(&self, run: &str, at: &Value, id: &str) -> Result<(), String>;

    /// Makes a durable run of an envelope: its id, and the envelope as the surface gives it back.
    fn process(&self, envelope: &Value) -> (String, Value);

    /// Answers what the agents of an envelope ask: where the envelope came back, in the envelope.
    fn clarify(&self, run: &str, envelope: Value, said: &str);
}

pub(super) struct Cli<'w>(pub(super) &'w World);

impl Cli<'_> {
    fn start_args(
        workflow: &str,
        input: &Value,
        id: Option<&str>,
        limits: Option<&Value>,
    ) -> Vec<String> {
        let mut args: Vec<String> =
            ["runs", "start", workflow, "--detach", "--json", "--input"].map(str::to_owned).into();
        args.push(input.to_string());
        if let Some(id) = id {
            args.extend(["--id".to_owned(), id.to_owned()]);
        }
        for (name, option) in
            [("cost_usd", "--cost"), ("minutes", "--minutes"), ("calls", "--calls")]
        {
            let limit = limits.map_or(&Value::Null, |limits| &limits[name]);
            if limit.is_number() {
                args.extend([option.to_owned(), limit.to_string()]);
            }
        }
        args
    }

    fn told(&self, args: &[&str]) -> Result<(), String> {
        let out = self.0.run(&[args, &["--json"]].concat());
        match out.code {
            Some(0) => Ok(()),
            _ => Err(text(&out.error(), "code").to_owned()),
        }
    }
}

fn words(args: &[String]) -> Vec<&str> {
    args.iter().map(String::as_str).collect()
}

impl Surface for Cli<'_> {
    fn name(&self) -> &'static str {
        "cli"
    }

    fn start(
        &self,
        workflow: &str,
        input: &Value,
        id: Option<&str>,
        limits: Option<&Value>,
    ) -> String {
        let args = Self::start_args(workflow, input, id, limits);
        text(&self.0.run(&words(&args)).exits(0).json(), "id").to_owned()
    }

    fn start_refused(&self, workflow: &str, input: &Value, id: &str) -> String {
        let args = Self::start_args(workflow, input, Some(id), None);
        text(&self.0.run(&words(&args)).exits(1).error(), "code").to_owned()
    }

    fn answer(&self, run: &str, key: &str, value: &Value) -> Result<(), String> {
        self.told(&["runs", "answer", run, key, "--value", &value.to_string(), "--no-resume"])
    }

    fn decline(&self, run: &str, key: &str, why: &str) -> Result<(), String> {
        self.told(&["runs", "answer", run, key, "--decline", why, "--no-resume"])
    }

    fn raise_calls(&self, run: &str, calls: u64) {
        let calls = calls.to_string();
        self.0.run(&["runs", "raise", run, "--calls", &calls, "--no-resume"]).exits(0);
    }

    fn cancel(&self, run: &str, reason: &str) {
        self.0.run(&["runs", "cancel", run, "--reason", reason]).exits(0);
    }

    fn reject(&self, run: &str, key: &str, why: &str) -> Result<(), String> {
        self.told(&["runs", "reject", run, key, "--why", why, "--no-resume"])
    }

    fn signal(&self, run: &str, name: &str, value: &Value) -> Result<(), String> {
        self.told(&["runs", "signal", run, name, "--value", &value.to_string(), "--no-resume"])
    }

    fn retry(&self, run: &str, id: &str) -> Result<(), String> {
        self.told(&["runs", "retry", run, "--id", id, "--detach"])
    }

    fn fork(&self, run: &str, at: &Value, id: &str) -> Result<(), String> {
        let at = at.as_str().map_or_else(|| at.to_string(), str::to_owned);
        self.told(&["runs", "fork", run, "--at", &at, "--id", id, "--detach"])
    }

    fn process(&self, envelope: &Value) -> (String, Value) {
        let (world, input) = (self.0, envelope.to_string());
        let args = ["run", &world.pipeline, "--repo", &world.repo, "--input", &input];
        let run = world.run(&[&args[..], &["--detach", "--json"]].concat()).exits(0).json();
        (text(&run, "id").to_owned(), Value::Null)
    }

    fn clarify(&self, run: &str, _envelope: Value, said: &str) {
        let said = json!(said).to_string();
        self.0.run(&["runs", "answer", run, "--value", &said, "--no-resume"]).exits(0);
    }
}

pub(super) struct Http<'w>(pub(super) &'w World);

impl Http<'_> {
    fn told(&self, path: &str, body: &Value) -> Result<(), String> {
        let reply = self.0.server.post(path, body);
        match reply.status {
            200 | 201 => Ok(()),
            // The broader word of HTTP for a value that breaks its schema.
            400 => Err("CONTRACT_BREACH".to_owned()),
            _ => Err(text(&reply.json()["error"], "code").to_owned()),
        }
    }
}

/// The members of a start, as HTTP and MCP have them.
fn start_body(workflow: &str, input: &Value, id: Option<&str>, limits: Option<&Value>) -> Value {
    let mut body = json!({"workflow": workflow, "input": input});
    for (name, value) in [("id", id.map(|id| json!(id))), ("limits", limits.cloned())] {
        if let Some(value) = value {
            body[name] = value;
        }
    }
    body
}

impl Surface for Http<'_> {
    fn name(&self) -> &'static str {
        "http"
    }

    fn start(
        &self,
        workflow: &str,
        input: &Value,
        id: Option<&str>,
        limits: Option<&Value>,
    ) -> String {
        let reply = self.0.server.post("/api/runs", &start_body(workflow, input, id, limits));
        assert!([200, 201].contains(&reply.status), "{reply:#?}");
        text(&reply.json(), "id").to_owned()
    }

    fn start_refused(&self, workflow: &str, input: &Value, id: &str) -> String {
        let reply = self.0.server.post("/api/runs", &start_body(workflow, input, Some(id), None));
        text(&reply.is(409).json()["error"], "code").to_owned()
    }

    fn answer(&self, run: &str, key: &str, value: &Value) -> Result<(), String> {
        self.told(&format!("/api/runs/{run}/answers/{key}"), &json!({"value": value}))
    }

    fn decline(&self, run: &str, key: &str, why: &str) -> Result<(), String> {
        self.told(&format!("/api/runs/{run}/answers/{key}"), &json!({"decline": why}))
    }

    fn raise_calls(&self, run: &str, calls: u64) {
        self.0.server.post(&format!("/api/runs/{run}/raise"), &json!({"calls": calls})).is(200);
    }

    fn cancel(&self, run: &str, reason: &str) {
        let body = json!({"reason": reason});
        let reply = self.0.server.post(&format!("/api/runs/{run}/cancel"), &body);
        assert!([200, 202].contains(&reply.status), "{reply:#?}");
    }

    fn reject(&self, run: &str, key: &str, why: &str) -> Result<(), String> {
        let body = json!({"interaction": key, "why": why});
        self.told(&format!("/api/runs/{run}/reject"), &body)
    }

    fn signal(&self, run: &str, name: &str, value: &Value) -> Result<(), String> {
        self.told(&format!("/api/runs/{run}/signals"), &json!({"name": name, "value": value}))
    }

    fn retry(&self, run: &str, id: &str) -> Result<(), String> {
        self.told(&format!("/api/runs/{run}/retry"), &json!({"id": id}))
    }

    fn fork(&self, run: &str, at: &Value, id: &str) -> Result<(), String> {
        self.told(&format!("/api/runs/{run}/fork"), &json!({"at": at, "id": id}))
    }

    fn process(&self, envelope: &Value) -> (String, Value) {
        let reply = self.0.server.post("/api/v1/process?durable=true", envelope).is(200);
        (run_of(&reply), reply.json())
    }

    fn clarify(&self, run: &str, mut envelope: Value, said: &str) {
        assert_eq!(envelope["clarification_pending"], true, "{envelope}");
        envelope["clarification_response"] = json!(said);
        assert_eq!(self.process(&envelope).0, run);
    }
}

pub(super) struct Mcp(RefCell<Conversation>);

impl Mcp {
    pub(super) fn new(world: &World) -> Self {
        let conversation =
            Conversation::begin_with(&world.yard.home, &["--repo", &world.repo, "--as-person"]);
        Self(RefCell::new(conversation))
    }

    #[track_caller]
    fn call(&self, tool: &str, arguments: &Value) -> Value {
        self.0.borrow_mut().call(tool, arguments)
    }

    fn told(&self, tool: &str, arguments: &Value) -> Result<(), String> {
        let result = self.0.borrow_mut().called(tool, arguments);
        match result["isError"] == true {
            false => Ok(()),
            true => Err(text(&result["structuredContent"]["error"], "code").to_owned()),
        }
    }
}

impl Surface for Mcp {
    fn name(&self) -> &'static str {
        "mcp"
    }

    fn start(
        &self,
        workflow: &str,
        input: &Value,
        id: Option<&str>,
        limits: Option<&Value>,
    ) -> String {
        let started = self.call("run_start", &start_body(workflow, input, id, limits));
        text(&started, "run").to_owned()
    }

    fn start_refused(&self, workflow: &str, input: &Value, id: &str) -> String {
        let body = start_body(workflow, input, Some(id), None);
        text(&self.0.borrow_mut().refused("run_start", &body), "code").to_owned()
    }

    fn answer(&self, run: &str, key: &str, value: &Value) -> Result<(), String> {
        self.told("inbox_answer", &json!({"run": run, "interaction": key, "value": value}))
    }

    fn decline(&self, run: &str, key: &str, why: &str) -> Result<(), String> {
        self.told("inbox_decline", &json!({"run": run, "interaction": key, "why": why}))
    }

    fn raise_calls(&self, _run: &str, _calls: u64) {
        unreachable!("raising a limit is a person's decision")
    }

    fn cancel(&self, run: &str, reason: &str) {
        let told = self.call("run_cancel", &json!({"run": run, "reason": reason}));
        assert_eq!(text(&told, "run"), run);
    }

    fn reject(&self, run: &str, key: &str, why: &str) -> Result<(), String> {
        // There the schema of the question says how: sample/approval wants a plain no.
        let _ = why;
        self.answer(run, key, &json!(false))
    }

    fn signal(&self, run: &str, name: &str, value: &Value) -> Result<(), String> {
        self.told("run_signal", &json!({"run": run, "name": name, "value": value}))
    }

    fn retry(&self, run: &str, id: &str) -> Result<(), String> {
        self.told("run_retry", &json!({"run": run, "id": id}))
    }

    fn fork(&self, run: &str, at: &Value, id: &str) -> Result<(), String> {
        self.told("run_fork", &json!({"run": run, "at": at, "id": id}))
    }

    fn process(&self, envelope: &Value) -> (String, Value) {
        let arguments = json!({"envelope": envelope, "wait_seconds": 55});
        let told = self.call("process_envelope", &arguments);
        assert_eq!(told["complete"], true, "{told}");
        (told["run"].as_str().unwrap_or_default().to_owned(), told["envelope"].clone())
    }

    fn clarify(&self, run: &str, mut envelope: Value, said: &str) {
        assert_eq!(envelope["clarification_pending"], true, "{envelope}");
        envelope["clarification_response"] = json!(said);
        assert_eq!(self.process(&envelope).0, run);
    }
}

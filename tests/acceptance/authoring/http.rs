//! The job API from outside: every example of the document "Agent Contracts" and every row of its tables of
//! capabilities, strategies, artifacts and agents' errors, asked of a server with accounts.
//!
//! What the document says of publishing (rows "GitHub MCP unreachable", "Branch creation fails", "PR creation fails"), and
//! its table 2.3, is in `scribe_rows`, with a double of GitHub; lost answers and kills are in `scribe_github`.

use std::fs;

use serde_json::{Value, json};

use crate::{
    harness::{self, http},
    home::{Home, keeps, until},
    models::Double,
    support::{root, text},
};

pub(super) const JOBS: &str = "/api/agents/jobs";

/// A server with one user, whose token is sent with every request, and a double of all providers.
pub(super) struct Service {
    pub(super) server: harness::Server,
    double: Double,
    home: Home,
}

impl Service {
    /// `script` is the double's. The settings of the models are the double's, but for what `change` makes of them.
    pub(super) fn start(script: Option<&str>, change: impl Fn(String) -> String) -> Self {
        Self::make(script, change, &[])
    }

    /// With these files in its home.
    pub(super) fn start_with(files: &[(&str, &str)]) -> Self {
        Self::make(None, unchanged, files)
    }

    pub(super) fn make(
        script: Option<&str>,
        change: impl Fn(String) -> String,
        files: &[(&str, &str)],
    ) -> Self {
        let (home, double) = (Home::new(), Double::start(script));
        for (name, content) in files {
            fs::create_dir_all(home.path()).expect("a folder");
            fs::write(home.path().join(name), content).expect("a file");
        }
        let add = home.consign(&["users", "add", "anna@example.com", "--password-stdin"]);
        add.stdin("correct horse battery").run().exits(0);
        home.run(&["keys", "init"]).exits(0);
        fs::write(home.path().join("models.toml"), change(double.settings())).expect("a file");
        let made = home.run(&["tokens", "create", "--user", "anna@example.com"]).exits(0);
        let process = home.spawn(&["serve", "--listen", "127.0.0.1:0", "--json"]);
        let server = harness::Server::with_token(process, made.stdout.trim());
        Self { server, double, home }
    }

    /// Sends a body with any method.
    pub(super) fn send(&self, method: &str, path: &str, body: &Value) -> http::Reply {
        let head = self.server.head(method, path) + "content-type: application/json\r\n";
        http::send(&self.server.address, &head, body.to_string().as_bytes())
    }

    /// Brings a key of OpenAI and chooses a model for an agent.
    pub(super) fn think(&self, agent: &str) {
        let key = json!({"provider": "openai", "key": "sk-of-anna"});
        let brought = self.server.post("/api/settings/ai-keys", &key);
        assert!([201, 409].contains(&brought.status), "{brought:?}");
        let model = json!({"model": "gpt-5-mini"});
        self.send("PUT", &format!("/api/settings/agents/{agent}"), &model).is(200);
    }

    /// What the double of the providers was asked, oldest first.
    pub(super) fn asked(&self) -> Vec<String> {
        self.double.seen().iter().map(|request| request["body"].to_string()).collect()
    }

    /// Submits a job and waits until it is over.
    pub(super) fn job(&self, submission: &Value) -> Value {
        let taken = self.server.post(JOBS, submission).is(201);
        keeps("authoring/submitted", &taken.body);
        assert_eq!(taken.json()["state"], "pending");
        let job = text(&taken.json(), "jobId").to_owned();
        let place = format!("{JOBS}/{job}?include=plan,audit,trace,artifacts");
        let told = until("the job is over", || {
            let reply = self.server.get(&place).is(200);
            let job = reply.json();
            ["completed", "failed"].contains(&text(&job, "state")).then_some(reply)
        });
        keeps("authoring/job", &told.body);
        told.json()
    }

    pub(super) fn completed(&self, kind: &str, payload: Value) -> Value {
        let job = self.job(&json!({"type": kind, "payload": payload}));
        assert_eq!(
            (&job["state"], &job["errorCode"]),
            (&json!("completed"), &Value::Null),
            "{job:#}"
        );
        job
    }
}

pub(super) fn unchanged(settings: String) -> String {
    settings
}

/// An example, as crates/contracts keeps it.
pub(super) fn golden(name: &str) -> Value {
    let file = root().join("crates/contracts/tests/golden/authoring").join(name);
    let read = fs::read_to_string(&file).unwrap_or_else(|why| panic!("{}: {why}", file.display()));
    serde_json::from_str(&read).expect("it is JSON")
}

fn paths(result: &Value) -> Vec<&str> {
    let artifacts = result["artifacts"].as_array().expect("there are artifacts");
    artifacts.iter().map(|artifact| text(artifact, "filePath")).collect()
}

fn content<'v>(result: &'v Value, path: &str) -> &'v str {
    let artifacts = result["artifacts"].as_array().expect("there are artifacts");
    let found = artifacts.iter().find(|artifact| artifact["filePath"] == path);
    text(found.unwrap_or_else(|| panic!("no {path}")), "content")
}

/// Whether a text is what an example shows of it, which ends in dots.
#[track_caller]
fn goes_on(found: &str, example: &Value) {
    let example = example.as_str().expect("a text");
    let begin = example.split("...").next().unwrap_or_default();
    assert!(found.starts_with(begin), "{found:?} does not begin with {begin:?}");
}

#[test]
fn the_examples_of_the_document_give_its_answers() {
    let service = Service::start(None, unchanged);
    // 7.2
    let job = service.job(&golden("submit/trace.json"));
    let (mut result, example) = (job["result"].clone(), golden("trace.result/two-scenarios.json"));
    keeps("authoring/trace.result", &result.to_string());
    goes_on(text(&result, "testPlan"), &example["testPlan"]);
    // The number of characters is the true one: docs/spec/quirks.md.
    assert_eq!(result["metadata"]["specLength"], 220);
    result["metadata"]["specLength"] = example["metadata"]["specLength"].clone();
    result["testPlan"] = example["testPlan"].clone();
    for (name, value) in example.as_object().expect("an object") {
        match name.as_str() {
            "metadata" => {
                for (name, value) in value.as_object().expect("an object") {
                    assert_eq!(&result["metadata"][name], value, "{name}");
                }
            }
            _ => assert_eq!(&result[name], value, "{name}"),
        }
    }
    // 7.3: the example's files are among those that are made.
    let job = service.job(&golden("submit/proto.json"));
    let (result, example) = (&job["result"], golden("proto.result/todo-api.json"));
    keeps("authoring/proto.result", &result.to_string());
    assert_eq!((&result["ok"], &result["agent"]), (&example["ok"], &example["agent"]));
    for file in example["artifacts"].as_array().expect("files") {
        let found = content(result, text(file, "filePath"));
        match text(file, "content") {
            "{...}" => drop(serde_json::from_str::<Value>(found).expect("it is JSON")),
            _ => goes_on(found, &file["content"]),
        }
    }
    assert_eq!(result["metadata"]["committed"], example["metadata"]["committed"]);
    assert_eq!(result["metadata"]["filesCreated"], paths(result).len());
    // 7.4, and 7.1 as far as it can be done: it is taken, and fails because there is no key.
    let failed = golden("job/failed-without-a-key.json");
    for submission in ["submit/scribe-without-a-key.json", "submit/scribe.json"] {
        let job = service.job(&golden(submission));
        for name in ["type", "state", "errorCode", "errorMessage"] {
            assert_eq!(job[name], failed[name], "{name}");
        }
        assert_eq!((&job["result"], &job["aiMetrics"]), (&Value::Null, &Value::Null));
    }
    // Table 5.3: with a key, and a repository that cannot be read, it is completed and says why.
    service.think("scribe");
    let job = service.job(&golden("submit/scribe.json"));
    assert_eq!((&job["state"], &job["errorCode"]), (&json!("completed"), &Value::Null), "{job:#}");
    assert_eq!((&job["result"]["ok"], &job["result"]["filesUpdated"]), (&json!(false), &json!(0)));
    let why = &job["result"]["metadata"]["githubError"];
    assert!(why.as_str().is_some_and(|why| why.contains("token")), "{why}");
    assert!(service.double.seen().is_empty(), "nobody asked a model");
    // 6.3 and 6.4
    let listed = service.server.get(&format!("{JOBS}?type=scribe&state=failed&limit=1")).is(200);
    keeps("authoring/list", &listed.body);
    assert_eq!(listed.json()["items"].as_array().map(Vec::len), Some(1));
    let cursor = text(&listed.json(), "nextCursor").to_owned();
    let rest =
        service.server.get(&format!("{JOBS}?type=scribe&state=failed&limit=1&cursor={cursor}"));
    assert_eq!(rest.is(200).json()["items"].as_array().map(Vec::len), Some(1));
}

/// Table 1.2, the columns of Trace and Proto, and that Scribe needs a model.
#[test]
fn agents_can_what_the_table_of_capabilities_says() {
    let service = Service::start(None, unchanged);
    let trace = json!({"spec": "Login: enter email, click submit"});
    let proto = json!({"goal": "A list of books"});
    for (kind, payload, reflects) in [("trace", &trace, false), ("proto", &proto, true)] {
        let job = service.completed(kind, payload.clone());
        let phases: Vec<_> = job["audit"].as_array().expect("rows").iter().collect();
        let has = |phase: &str| phases.iter().any(|row| row["phase"] == phase);
        // requiresPlanning, requiresReflection
        assert!(has("plan") && !job["plan"]["steps"].as_array().expect("steps").is_empty());
        assert_eq!(has("reflect"), reflects, "{kind}");
        assert_eq!(job["result"]["metadata"]["reflection"].is_object(), reflects, "{kind}");
        // AI service and GitHub: optional
        assert_eq!(job["aiMetrics"], Value::Null);
        assert_eq!(job["result"]["metadata"]["committed"], false);
        let half = json!({"type": kind, "payload": {"owner": "a", "spec": "x", "goal": "x"}});
        service.server.post(JOBS, &half).refuses(400, "VALIDATION_ERROR");
        // Explainability: basic
        for line in job["trace"].as_array().expect("an explanation") {
            assert!(!text(line, "step").is_empty() && !text(line, "why").is_empty(), "{line}");
            assert!(!line["sources"].as_array().expect("sources").is_empty(), "{line}");
        }
        assert!(job["trace"].as_array().expect("lines").len() > 1);
        // Dry run: the same files, and nothing is published
        let mut dry = payload.clone();
        dry["dryRun"] = json!(true);
        let dried = service.completed(kind, dry);
        assert_eq!(dried["result"]["metadata"]["committed"], false);
        assert_eq!(dried["artifacts"], job["artifacts"]);
        assert!(dried["result"].get("branch").is_none() && dried["result"].get("prUrl").is_none());
        // Approval: not there. The member is unknown, which counts only where it is strict.
        let mut wished = payload.clone();
        wished["requiresApproval"] = json!(true);
        let done = service.completed(kind, wished.clone());
        let strict = json!({"type": kind, "payload": wished, "requiresStrictValidation": true});
        service.server.post(JOBS, &strict).refuses(400, "VALIDATION_ERROR");
        for decision in ["approve", "reject"] {
            let place = format!("{JOBS}/{}/{decision}", text(&done, "id"));
            service.server.post(&place, &json!({})).refuses(409, "INVALID_STATE");
        }
    }
    // Optional means that it is used where it is chosen.
    service.think("trace");
    let thought = service.completed("trace", trace);
    assert_eq!(thought["aiMetrics"]["resolved"]["keySource"], "user", "{thought:#}");
    assert!(!service.double.seen().is_empty());
    // Required means that nothing is done without.
    let scribe = json!({"owner": "a", "repo": "b", "baseBranch": "main"});
    service.send("DELETE", "/api/settings/ai-keys/openai", &Value::Null).is(204);
    let job = service.job(&json!({"type": "scribe", "payload": scribe}));
    assert_eq!((&job["state"], &job["errorCode"]), (&json!("failed"), &json!("AI_KEY_MISSING")));
}

/// Table 3.3, with its own examples, and 3.4.
#[test]
fn specifications_are_read_by_the_strategies_of_the_table_and_give_its_files() {
    let service = Service::start(None, unchanged);
    for (strategy, spec, cases) in [
        (
            "gherkin",
            "Scenario: Login ► Given email ► When submit ► Then dashboard",
            json!([{"name": "Login", "steps": ["Given email", "When submit", "Then dashboard"]}]),
        ),
        (
            "arrow",
            "login -> enter email -> click submit -> see dashboard",
            json!([{"name": "login", "steps": ["enter email", "click submit", "see dashboard"]}]),
        ),
        (
            "colon",
            "Login: enter email, click submit, verify dashboard",
            json!([{"name": "Login", "steps": ["enter email", "click submit", "verify dashboard"]}]),
        ),
        (
            "sentences",
            "User enters email. System validates. Dashboard loads.",
            json!([{"name": "User enters email", "steps": ["User enters email", "System validates", "Dashboard loads"]}]),
        ),
        (
            "lines",
            "Open the shop\nBuy a lamp",
            json!([
                {"name": "Open the shop", "steps": ["Open the shop"]},
                {"name": "Buy a lamp", "steps": ["Buy a lamp"]},
            ]),
        ),
    ] {
        let job = service.completed("trace", json!({"spec": spec}));
        let result = &job["result"];
        assert_eq!(result["metadata"]["strategy"], strategy, "{spec}");
        let files = json!([{"path": "trace-tests.test.ts", "cases": cases}]);
        assert_eq!(result["files"], files, "{strategy}");
        let count = cases.as_array().map(Vec::len);
        assert_eq!(result["metadata"]["scenarioCount"].as_u64(), count.map(|count| count as u64));
        assert_eq!(result["metadata"]["specLength"], spec.chars().count());

        let expected = ["test-plan.md", "trace-tests.test.ts", "coverage-matrix.md"];
        assert_eq!(paths(result), expected, "{strategy}");
        let listed = job["artifacts"].as_array().expect("a list");
        let listed: Vec<_> = listed.iter().map(|file| text(file, "path")).collect();
        assert_eq!(listed, expected);
        let id = text(&job, "id");
        for name in expected {
            let file = service.server.get(&format!("{JOBS}/{id}/artifacts/{name}")).is(200);
            assert_eq!(file.header("content-type"), Some("text/plain; charset=utf-8"));
            assert_eq!(file.body, content(result, name));
        }
        // Each has what it is for: the cases, as a plan, as tests and as a matrix.
        let (_, ids) =
            result["coverageMatrix"].as_object().expect("a matrix").iter().next().expect("a row");
        let first = ids[0].as_str().expect("an id");
        for name in expected {
            assert!(content(result, name).contains(first), "{first} is not in {name}");
        }
        assert_eq!(text(result, "testPlan"), content(result, "test-plan.md"));
        let archive = service.server.get(&format!("{JOBS}/{id}/archive")).is(200);
        assert_eq!(archive.header("content-type"), Some("application/zip"));
        assert!(expected.iter().all(|name| archive.body.contains(name)));
    }
}

/// Table 4.3.
#[test]
fn proto_falls_back_to_the_three_files_of_the_table() {
    let service = Service::start(None, unchanged);
    let wish = "Something that nobody has a stack for";
    for payload in
        [json!({"goal": wish}), json!({"requirements": wish, "stack": "COBOL on a mainframe"})]
    {
        let job = service.completed("proto", payload);
        let result = &job["result"];
        assert_eq!(result["metadata"]["source"], "fallback");
        assert_eq!(paths(result), ["README.md", "package.json", "index.js"]);
        assert!(content(result, "README.md").contains(wish));
        let package: Value = serde_json::from_str(content(result, "package.json")).expect("JSON");
        for name in ["name", "version", "description", "main", "scripts"] {
            assert!(!package[name].is_null(), "{name}: {package}");
        }
        assert_eq!(package["main"], "index.js");
        assert!(content(result, "index.js").contains("laceholder"));
    }
}

/// Table 5.3: what is refused before an agent runs, and what an agent does where its model says nothing.
#[test]
fn agents_meet_errors_as_the_table_says() {
    let script = r#"[{"times": 0, "fault": {"kind": "empty"}}]"#;
    let service = Service::start(Some(script), unchanged);
    for (kind, payload) in [
        ("trace", json!({})),
        ("trace", json!({"spec": ""})),
        ("trace", json!({"spec": " \n\t"})),
        ("trace", json!({"spec": null})),
        ("proto", json!({})),
        ("proto", json!({"stack": "axum"})),
        ("proto", json!({"requirements": " ", "goal": ""})),
    ] {
        let submission = json!({"type": kind, "payload": payload});
        let refused = service.server.post(JOBS, &submission).refuses(400, "VALIDATION_ERROR");
        let breaches = refused.json()["error"]["details"]["breaches"].clone();
        let pointer = text(&breaches[0], "pointer").to_owned();
        assert!(pointer.starts_with("/payload"), "{submission}: {breaches}");
    }
    assert_eq!(service.server.get(JOBS).is(200).json()["items"], json!([]));
    let broken =
        json!({"type": "trace", "payload": {"spec": "Feature: A\nScenario: B\nGiven c\n@tag"}});
    let refused = service.server.post(JOBS, &broken).refuses(400, "VALIDATION_ERROR");
    assert!(refused.json()["error"]["details"]["line"].as_u64() > Some(0), "{refused:?}");

    for agent in ["trace", "proto"] {
        service.think(agent);
    }
    let traced = service.completed("trace", json!({"spec": "Login: enter email, click submit"}));
    assert_eq!(traced["result"]["metadata"]["source"], "rules", "{traced:#}");
    assert_eq!(traced["result"]["metadata"]["suggested"], 0);
    let made = service.completed("proto", json!({"goal": "Something odd"}));
    assert_eq!(made["result"]["metadata"]["source"], "fallback", "{made:#}");
    assert_eq!(paths(&made["result"]), ["README.md", "package.json", "index.js"]);
    assert!(!service.double.seen().is_empty(), "the model was asked");
    assert!(service.home.path().exists());
}

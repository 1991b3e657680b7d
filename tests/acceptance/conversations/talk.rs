//! A home with documents, and questions about them.

use std::fs;

use serde_json::{Value, json};

use crate::{
    harness::Process,
    home::{Home, keeps, until},
    support::{Consign, Folder, Outcome, text},
};

/// Asked, and answered by `handbook.txt`.
pub(super) const NOTICE: &str = "How long is the notice period in the probation?";
pub(super) const NOTICE_ANSWER: &str = "The notice period in the probation is 14 days.";

pub(super) struct Talk {
    pub(super) home: Home,
    pub(super) folder: Folder,
}

impl Talk {
    /// Nothing is taken in yet.
    pub(super) fn empty() -> Self {
        Self { home: Home::new(), folder: Folder::new() }
    }

    /// With a handbook.
    pub(super) fn new() -> Self {
        let talk = Self::empty();
        talk.takes(
            "handbook.txt",
            format!("{NOTICE_ANSWER}\n\nThe notice period after the probation is 90 days.\n"),
        );
        talk
    }

    /// Writes a document and takes it in. Gives its source.
    #[track_caller]
    pub(super) fn takes(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        self.takes_for("local", name, content)
    }

    #[track_caller]
    pub(super) fn takes_for(&self, owner: &str, name: &str, content: impl AsRef<[u8]>) -> String {
        let folder = self.folder.path().join(owner);
        fs::create_dir_all(&folder).expect("it can be made");
        let file = self.folder.file(&format!("{owner}/{name}"), content);
        let told = self.run(&["ingest", "--json", &file, "--owner", owner]).exits(0).json_lines();
        text(&told[0], "source_id").to_owned()
    }

    pub(super) fn run(&self, args: &[&str]) -> Outcome {
        self.home.run(args)
    }

    /// Asks, and holds the answer to its contract.
    #[track_caller]
    pub(super) fn ask(&self, question: &str, more: &[&str]) -> Value {
        let asked = self.asked(question, more).exits(0);
        keeps("crew/orchestrator.output", &asked.stdout);
        asked.json()
    }

    pub(super) fn asked(&self, question: &str, more: &[&str]) -> Outcome {
        self.run(&[&["ask", question, "--json"], more].concat())
    }

    /// Asks, and is refused: the details are contract `crew/agent-failure`.
    #[track_caller]
    pub(super) fn fails(&self, question: &str, more: &[&str]) -> Value {
        let asked = self.asked(question, more);
        let error = asked.exits(1).error();
        is_agent_failure(&error["details"]);
        assert_eq!(error["details"]["error_code"], error["code"], "{error}");
        error
    }

    /// Asks while agents say what a script says.
    pub(super) fn ask_scripted(&self, question: &str, script: &Value, more: &[&str]) -> Outcome {
        let script = self.folder.file("script.json", script.to_string());
        self.asked(question, &[&["--agent-script", &script], more].concat())
    }

    #[track_caller]
    pub(super) fn state(&self, session: &str) -> Value {
        self.state_of("local", session)
    }

    #[track_caller]
    pub(super) fn state_of(&self, owner: &str, session: &str) -> Value {
        let shown = self.run(&["sessions", "show", session, "--json", "--owner", owner]).exits(0);
        keeps("crew/conversation-state", &shown.stdout);
        shown.json()
    }

    /// The passages that a search finds for a question, as a memory gives them.
    #[track_caller]
    pub(super) fn passages(&self, owner: &str, question: &str) -> Vec<Value> {
        let args = ["search", question, "--json", "--min-score", "0", "--owner", owner];
        let found = self.run(&args).exits(0).json();
        found["results"].as_array().expect("a list").clone()
    }

    /// The runs of turns, the newest first.
    #[track_caller]
    pub(super) fn turns(&self) -> Vec<Value> {
        let listed = self.run(&["runs", "list", "--all", "--json"]).exits(0).json_lines();
        listed.into_iter().filter(|run| run["workflow"] == "conversation/turn").collect()
    }

    /// A stand-in for the providers of models, which says what a script says.
    pub(super) fn double(&self, script: &Value) -> Double {
        let script = self.folder.file("double.json", script.to_string());
        let args = ["models", "double", "--listen", "127.0.0.1:0", "--script", &script, "--json"];
        let process = self.home.spawn(&args);
        let told: Value = until("the double listens", || {
            let said = process.stdout();
            let (line, _) = said.split_once('\n')?;
            serde_json::from_str(line).ok()
        });
        Double { address: text(&told, "listening").to_owned(), _process: process }
    }

    /// `consign ARGS`, with this double for all models.
    pub(super) fn with(&self, double: &Double, args: &[&str]) -> Consign {
        let args = [args, &["--model", "openai/gpt-5-mini"]].concat();
        let consign = self.home.consign(&args).env("OPENAI_BASE_URL", &double.address);
        consign.env("OPENAI_API_KEY", "sk-acceptance-0123456789")
    }
}

/// It dies with the test.
pub(super) struct Double {
    pub(super) address: String,
    _process: Process,
}

impl Double {
    /// How often a model was asked.
    pub(super) fn calls(&self) -> usize {
        self.seen().len()
    }

    /// The bodies of the requests.
    pub(super) fn seen(&self) -> Vec<String> {
        let address = self.address.strip_prefix("http://").expect("it is reached by HTTP");
        let head = format!("GET /double/seen HTTP/1.1\r\nhost: {address}\r\n");
        let told = crate::harness::http::send(address, &head, b"").is(200).json();
        let requests = told["requests"].as_array().expect("a list").iter();
        requests.map(|request| text(request, "body").to_owned()).collect()
    }
}

/// Demands every member of contract `crew/agent-failure`.
#[track_caller]
pub(super) fn is_agent_failure(failure: &Value) {
    let agents = ["guardrails", "connector", "parser", "memory", "tailor", "verifier"];
    assert!(agents.contains(&text(failure, "agent_id")), "{failure}");
    assert!(!text(failure, "message").is_empty(), "{failure}");
    assert!(failure["recoverable"].is_boolean(), "{failure}");
    assert!(failure["details"].is_object() || failure["details"].is_null(), "{failure}");
    assert!(text(failure, "timestamp").ends_with('Z'), "{failure}");
}

/// Each step: its tool, and `ok` or the code that its description ends with.
#[track_caller]
pub(super) fn steps(plan: &Value) -> Vec<String> {
    let plan = plan.as_array().expect("a plan is a list");
    let one = |(place, step): (usize, &Value)| {
        assert_eq!(step["step_id"], place + 1, "steps count from 1: {plan:#?}");
        let told = text(step, "description");
        let became = match text(step, "status") {
            "completed" => "ok",
            "failed" => told.rsplit(": ").next().unwrap_or_default(),
            other => other,
        };
        format!("{} {became}", text(step, "tool_call"))
    };
    plan.iter().enumerate().map(one).collect()
}

/// Each failure: its agent, its code, and whether trying again may help.
#[track_caller]
pub(super) fn failures(answer: &Value) -> Vec<String> {
    let failures = answer["failures"].as_array().expect("failures are a list");
    failures
        .iter()
        .map(|failure| {
            is_agent_failure(failure);
            let again = if failure["recoverable"] == true { " again" } else { "" };
            format!("{} {}{again}", text(failure, "agent_id"), text(failure, "error_code"))
        })
        .collect()
}

/// What a tailor says that cites a passage, with this quote.
pub(super) fn said(content: &str, passage: &Value, quote: &str) -> Value {
    json!({
        "content": content,
        "citations": [{
            "source_id": passage["source_id"],
            "chunk_id": passage["chunk_id"],
            "text_snippet": quote,
            "url": null,
        }],
        "tone_used": "General",
        "follow_up_suggestions": [],
        "confidence_score": 0.9,
    })
}

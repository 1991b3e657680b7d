//! A home, a folder with pipelines and programs, and whatever is started there.

use std::{
    fs,
    path::{Path, PathBuf},
};

use serde_json::{Value, json};

pub(crate) use crate::harness::Server;
use crate::{
    harness::http::Reply,
    home::{Home, until},
    support::{Consign, Folder, Outcome, text},
};

pub(crate) struct Yard {
    pub(crate) home: Home,
    pub(crate) folder: Folder,
}

/// A program that says that it has begun, and waits for a file called like the question if that is slow.
const WAIT: &str = r#"
read -r asked
name=$(printf '%s' "$asked" | tr -d '"')
touch "begun-$name"
case "$name" in slow*) while ! [ -e "go-$name" ]; do sleep 0.02; done;; esac
"#;

impl Yard {
    pub(crate) fn new() -> Self {
        Self { home: Home::new(), folder: Folder::new() }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Puts `wait.sh` there, which answers so.
    pub(crate) fn waiting_program(&self, answer: &str) {
        self.file("wait.sh", format!("{WAIT}echo \"{answer}\"\n"));
    }

    pub(crate) fn file(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("it is in a folder")).expect("it can be made");
        self.folder.file(name, content)
    }

    /// A command in the folder.
    pub(crate) fn consign(&self, args: &[&str]) -> Consign {
        self.home.consign(args).folder(self.folder.path())
    }

    pub(crate) fn run(&self, args: &[&str]) -> Outcome {
        self.consign(args).run()
    }

    pub(crate) fn envelope(&self, question: &str, more: &[&str]) -> Value {
        self.run(&[&["envelope", "new", question], more].concat()).exits(0).json()
    }

    pub(crate) fn process(&self, envelope: impl ToString, args: &[&str]) -> Outcome {
        let args = [&["process"], args].concat();
        self.consign(&args).stdin(envelope.to_string()).run()
    }

    /// What comes out of the pipe, which is one valid envelope and nothing else.
    #[track_caller]
    pub(crate) fn processed(&self, envelope: impl ToString, args: &[&str]) -> Value {
        let out = self.process(envelope, args).exits(0);
        assert_eq!(out.stderr, "", "{out:#?}");
        let envelope = out.json();
        keeps("envelope/envelope", &envelope);
        envelope
    }

    /// A durable run in the foreground, as an object.
    #[track_caller]
    pub(crate) fn durable(&self, pipeline: &str, input: &Value, more: &[&str], exit: i32) -> Value {
        let input = input.to_string();
        let args = ["run", pipeline, "--input", &input, "--json"];
        self.run(&[&args[..], more].concat()).exits(exit).json()
    }

    pub(crate) fn events(&self, run: &str) -> Vec<Value> {
        self.run(&["runs", "show", run, "--events", "--json"]).exits(0).json_lines()
    }

    /// How a run stands when it is over.
    pub(crate) fn until_over(&self, run: &str) -> Value {
        until("the run is over", || {
            let shown = self.home.show(run);
            ["succeeded", "failed", "cancelled"].contains(&text(&shown, "status")).then_some(shown)
        })
    }

    /// `consign serve`, when it listens.
    pub(crate) fn serve(&self, args: &[&str]) -> Server {
        let all = [&["serve", "--listen", "127.0.0.1:0", "--json"], args].concat();
        Server::of(self.home.let_go_on(self.consign(&all)))
    }

    /// Processes other than ours that have anything to do with the folder: what runs in it, names it, or
    /// inherited its name.
    pub(crate) fn strays(&self) -> Vec<String> {
        let folder = self.folder.path();
        let all = fs::read_dir("/proc").expect("this is Linux").filter_map(Result::ok);
        let all = all.filter(|entry| entry.file_name().to_string_lossy().parse::<u32>().is_ok());
        all.filter_map(|entry| stray(&entry.path(), folder)).collect()
    }

    #[track_caller]
    pub(crate) fn nobody_is_left(&self) {
        until(&format!("nobody is left: {:?}", self.strays()), || {
            self.strays().is_empty().then_some(())
        });
    }
}

impl Yard {
    /// The same, where somebody of ours still works.
    #[track_caller]
    pub(crate) fn nobody_is_left_but_the(&self, words: &[&str]) {
        let strays = || {
            let ours = |line: &String| words.iter().any(|word| line.contains(word));
            self.strays().into_iter().filter(|line| !ours(line)).collect::<Vec<_>>()
        };
        until(&format!("nobody is left: {:?}", strays()), || strays().is_empty().then_some(()));
    }
}

fn stray(process: &Path, folder: &Path) -> Option<String> {
    let inside = fs::read_link(process.join("cwd")).is_ok_and(|cwd| cwd.starts_with(folder));
    let named = folder.as_os_str().to_string_lossy().into_owned();
    let holds = |what: &str| {
        let bytes = fs::read(process.join(what)).unwrap_or_default();
        String::from_utf8_lossy(&bytes).replace('\0', " ")
    };
    let line = holds("cmdline");
    let ours = line.contains("consign serve") || line.contains("consign worker");
    // A process that has ended and was not yet waited for has no command line.
    let there = !line.is_empty() && !ours;
    (there && (inside || line.contains(&named) || holds("environ").contains(&named)))
        .then(|| format!("{}: {line}", process.display()))
}

impl Server {
    /// The envelope that an envelope becomes.
    #[track_caller]
    pub(crate) fn processed(&self, query: &str, envelope: &Value) -> Value {
        let envelope = self.post(&format!("/api/v1/process{query}"), envelope).is(200).json();
        keeps("envelope/envelope", &envelope);
        envelope
    }

    /// Sends it as a durable run; the run's name, and the envelope.
    #[track_caller]
    pub(crate) fn durable(&self, envelope: &Value) -> (String, Value) {
        let reply = self.post("/api/v1/process?durable=true", envelope).is(200);
        (run_of(&reply), reply.json())
    }
}

/// The run that an answer names.
#[track_caller]
pub(crate) fn run_of(reply: &Reply) -> String {
    let location = reply.header("location").unwrap_or_else(|| panic!("no location: {reply:#?}"));
    location.strip_prefix("/api/runs/").unwrap_or_else(|| panic!("{location}")).to_owned()
}

/// Demands that a document keeps a contract.
#[track_caller]
pub(crate) fn keeps(contract: &str, document: &Value) {
    crate::home::keeps(contract, &format!("{document}\n"));
}

/// An envelope without what differs from one time to the next: names, times and durations.
pub(crate) fn timeless(envelope: &Value) -> Value {
    fn strip(value: &mut Value) {
        match value {
            Value::Object(members) => {
                for name in
                    ["received_at", "started_at", "completed_at", "duration_ms", "timestamp"]
                {
                    if members.get(name).is_some_and(|value| !value.is_null()) {
                        members.insert(name.to_owned(), json!("…"));
                    }
                }
                members.values_mut().for_each(strip);
            }
            Value::Array(items) => items.iter_mut().for_each(strip),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
    let mut envelope = envelope.clone();
    strip(&mut envelope);
    // A run's name is where the envelope was, not what it is.
    if let Some(metadata) = envelope["metadata"].as_object_mut() {
        metadata.remove("run");
    }
    envelope
}

/// The stages that ran, in order, each with how it went.
pub(crate) fn history(envelope: &Value) -> Vec<(String, String)> {
    let records = envelope["processing_history"].as_array().expect("a list");
    let told =
        |record: &Value| (text(record, "agent").to_owned(), text(record, "status").to_owned());
    records.iter().map(told).collect()
}

/// The same document as a program writes it that sorts its members.
pub(crate) fn sorted(document: &Value) -> Value {
    let mut document = document.clone();
    document.sort_all_objects();
    document
}

//! One job from its making to its end, told in a few letters.
//!
//! A script is a list of words: `wC` is the worker's COMPLETED, `sR` the supervisor's RETRY, `wS` STUCK; `w!api`,
//! `w!timeout` and `w!key` are calls that fail; `w:NAME` is the answer of that name in [`answer`]; `.` lets everything
//! after it be completed. Each COMPLETED of a worker brings a file named after its place in the script.

use std::{fs, path::PathBuf};

use serde_json::{Value, json};

use crate::{home::Home, support::Outcome};

pub(super) const PHASES: &str = "[[phase]]\nname = \"one\"\ntask = \"Do one.\"\n[[phase]]\nname = \"two\"\ntask = \
                                 \"Do two.\"\n[[phase]]\nname = \"three\"\ntask = \"Do three.\"\n";

pub(super) struct Trial {
    pub(super) home: Home,
    pub(super) job: &'static str,
    pub(super) last: Option<Outcome>,
}

impl Trial {
    /// A job of three phases that is activated.
    pub(super) fn new(options: &[&str]) -> Self {
        let trial = Self::drafted(options);
        trial.home.run(&["job", "activate", trial.job]).exits(0);
        trial
    }

    pub(super) fn drafted(options: &[&str]) -> Self {
        let home = Home::new();
        let phases = home.file("phases.toml", PHASES);
        let made = ["job", "new", "work", "--objective", "Do the work", "--phases", &phases];
        home.run(&[&made[..], options].concat()).exits(0);
        Self { home, job: "work", last: None }
    }

    /// Runs a command of the job, and keeps how it ended.
    pub(super) fn job(&mut self, command: &str, more: &[&str]) -> &Outcome {
        let outcome = self.home.run(&[&["job", command, self.job], more].concat());
        self.last.insert(outcome)
    }

    /// Runs the job with a script.
    pub(super) fn play(&mut self, script: &str) -> &Outcome {
        let script = self.home.file("script.json", written(script).to_string());
        self.job("run", &["--agent-script", &script])
    }

    pub(super) fn directory(&self) -> PathBuf {
        self.home.path().join("jobs").join(self.job)
    }

    pub(super) fn manifest(&self) -> Value {
        let text =
            fs::read_to_string(self.directory().join("job_manifest.json")).expect("it is there");
        serde_json::from_str(&text).expect("it is there")
    }

    pub(super) fn status(&self) -> String {
        self.manifest()["status"].as_str().expect("it is there").to_owned()
    }

    pub(super) fn history(&self) -> Value {
        match fs::read_to_string(self.directory().join("jobHistory.json")) {
            Ok(text) => serde_json::from_str(&text).expect("it is there"),
            Err(_) => json!({ "interactions": [], "recovery_points": [] }),
        }
    }

    /// `W1C>R`: the worker's COMPLETED in phase 1 led to REVIEWING.
    pub(super) fn told(&self) -> String {
        let history = self.history();
        let told = history["interactions"].as_array().expect("it is there").iter().enumerate().map(
            |(at, own)| {
                assert_eq!(own["sequence"], at as u64);
                let metadata = &own["request"]["metadata"];
                let first = |value: &Value| value.as_str().expect("it is there")[..1].to_owned();
                let number = match metadata["phase"].as_str() {
                    Some("one") => 1,
                    Some("two") => 2,
                    _ => 3,
                };
                let response = &own["response"];
                let error = match response["status"].as_str() {
                    Some("SUCCESS") => "",
                    Some("TIMEOUT") => "!t",
                    _ => "!e",
                };
                let before = if metadata["role"] == "Worker" { "PENDING" } else { "REVIEWING" };
                assert_eq!(own["state_before"], before);
                let action = first(&response["action"]);
                format!(
                    "{}{number}{action}{error}>{}",
                    first(&metadata["role"]),
                    first(&response["new_status"])
                )
            },
        );
        told.collect::<Vec<_>>().join(" ")
    }

    /// The codes of the audit log with the interaction that each is about.
    pub(super) fn audit(&self) -> String {
        let text = fs::read_to_string(self.directory().join("audit.log")).unwrap_or_default();
        let mut lines = text.lines();
        if let Some(head) = lines.next() {
            assert_eq!(head, r#"{"version":"1.0"}"#);
        }
        let told = lines.map(|line| {
            let line: Value = serde_json::from_str(line).expect("it is there");
            let code = line["code"].as_str().expect("it is there");
            match line["sequence"].as_u64() {
                Some(at) => format!("{at}:{code}"),
                None => code.to_owned(),
            }
        });
        told.collect::<Vec<_>>().join(" ")
    }

    /// The files of the workspace.
    pub(super) fn files(&self) -> String {
        let entries = fs::read_dir(self.directory().join("workspace")).expect("it is there");
        let mut names: Vec<_> = entries
            .map(|entry| {
                entry.expect("it is there").file_name().into_string().expect("it is there")
            })
            .collect();
        names.sort();
        names.join(" ")
    }

    pub(super) fn points(&self) -> String {
        let points = self.history()["recovery_points"].clone();
        let ids = points
            .as_array()
            .expect("it is there")
            .iter()
            .map(|own| own["id"].as_str().expect("it is there").to_owned());
        ids.collect::<Vec<_>>().join(" ")
    }
}

/// A script, as a file has it.
pub(super) fn written(script: &str) -> Value {
    let mut entries = Vec::new();
    for (at, word) in script.split_whitespace().enumerate() {
        if word == "." {
            for agent in ["Worker", "Supervisor"] {
                entries.push(
                    json!({ "agent": agent, "response": said("COMPLETED", &[]), "times": 0 }),
                );
            }
            continue;
        }
        let agent = if word.starts_with('w') { "Worker" } else { "Supervisor" };
        let entry = match &word[1..] {
            "C" if agent == "Worker" => {
                let name = format!("f{at}.txt");
                let response = said("COMPLETED", &[&name]);
                json!({ "agent": agent, "response": response, "files": { name: format!("{at}\n") }, "cost_usd": 0.0034 })
            }
            "C" => {
                json!({ "agent": agent, "response": said("COMPLETED", &[]), "cost_usd": 0.0034 })
            }
            "R" => json!({ "agent": agent, "response": said("RETRY", &[]), "cost_usd": 0.0034 }),
            "S" => json!({ "agent": agent, "response": said("STUCK", &[]), "cost_usd": 0.0034 }),
            "!api" => {
                json!({ "agent": agent, "status": "error", "error_type": "AI_NETWORK_ERROR" })
            }
            "!timeout" => json!({ "agent": agent, "status": "timeout" }),
            "!key" => json!({ "agent": agent, "status": "error", "error_type": "AI_KEY_MISSING" }),
            name => json!({ "agent": agent, "response": answer(name.trim_start_matches(':')) }),
        };
        entries.push(entry);
    }
    Value::Array(entries)
}

fn said(action: &str, evidence: &[&str]) -> Value {
    json!({ "action": action, "evidence_files": evidence, "summary_for_supervisor": format!("It is {action}.") })
}

/// Answers that are not as usual.
fn answer(name: &str) -> Value {
    let good = said("COMPLETED", &[]);
    let with = |member: &str, value: Value| {
        let mut answer = good.clone();
        answer[member] = value;
        answer
    };
    let without = |member: &str| {
        let mut answer = good.clone();
        answer.as_object_mut().expect("it is there").remove(member);
        answer
    };
    let summary = |text: String| with("summary_for_supervisor", text.into());
    match name {
        "not-json" => json!("this is no JSON"),
        "prose-before" => json!(format!("Here it is: {good}")),
        "prose-after" => json!(format!("{good} Done.")),
        "fence" => json!(format!("```json\n{good}\n```")),
        "two-objects" => json!(format!("{good}{good}")),
        "two-lines" => json!(format!("{good}\n{good}")),
        "array" => json!([good]),
        "cut-off" => json!("{\"action\": \"COMPLETED\", \"evidence_files\": ["),
        "duplicate-key" => {
            json!(
                "{\"action\": \"STUCK\", \"action\": \"COMPLETED\", \"evidence_files\": [], \"summary_for_supervisor\": \"x\"}"
            )
        }
        "empty-object" => json!({}),
        "unknown-action" => with("action", "DONE".into()),
        "small-action" => with("action", "completed".into()),
        "null-action" => with("action", Value::Null),
        "no-action" => without("action"),
        "no-evidence" => without("evidence_files"),
        "evidence-text" => with("evidence_files", "a.txt".into()),
        "evidence-numbers" => with("evidence_files", json!([1])),
        "no-summary" => without("summary_for_supervisor"),
        "empty-summary" => summary(String::new()),
        "blank-summary" => summary(" \n\t".to_owned()),
        "summary-500" => summary("x".repeat(500)),
        "summary-501" => summary("x".repeat(501)),
        "summary-500-wide" => summary("é".repeat(500)),
        "three-sentences" => summary("One. Two. Three.".to_owned()),
        "four-sentences" => summary("One. Two. Three. Four.".to_owned()),
        "more-members" => with("confidence", json!(0.9)),
        "missing-evidence" => with("evidence_files", json!(["gone.txt"])),
        "missing-twice" => with("evidence_files", json!(["gone.txt", "also/gone.txt"])),
        "evidence-above" => with("evidence_files", json!(["../secret"])),
        "evidence-inside-above" => with("evidence_files", json!(["a/../b"])),
        "evidence-absolute" => with("evidence_files", json!(["/etc/hostname"])),
        "evidence-empty" => with("evidence_files", json!([""])),
        "evidence-dot" => with("evidence_files", json!(["."])),
        "evidence-nul" => with("evidence_files", json!(["a\u{0}b"])),
        "evidence-link" => with("evidence_files", json!(["link-out"])),
        "evidence-dangling" => with("evidence_files", json!(["link-dangling"])),
        "evidence-loop" => with("evidence_files", json!(["link-loop"])),
        "evidence-link-inside" => with("evidence_files", json!(["link-inside"])),
        "evidence-folder" => with("evidence_files", json!(["folder"])),
        "file" => with("files", json!({ "new.txt": "new" })),
        "file-above" => with("files", json!({ "../new.txt": "new" })),
        "file-number" => with("files", json!({ "new.txt": 1 })),
        "file-stuck" => {
            let mut answer = with("files", json!({ "new.txt": "new" }));
            answer["action"] = "STUCK".into();
            answer
        }
        "retry-with-file" => {
            let mut answer = with("files", json!({ "new.txt": "new" }));
            answer["action"] = "RETRY".into();
            answer
        }
        other => panic!("there is no answer {other}"),
    }
}

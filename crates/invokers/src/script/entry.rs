//! One entry of a script, and how it is read from JSON.

use std::{borrow::Cow, collections::BTreeMap, path::Path, time::Duration};

use consign_engine::{AgentName, Data, Fault, FaultClass, Nanos};
use consign_models::file::read_text;
use serde::Deserialize;
use serde_json::json;

use super::Response;

/// A script larger than this is a mistake.
const MOST_BYTES: u64 = 16 << 20;

/// What agents answer, in order.
#[derive(Clone, Debug, Default)]
pub struct Script {
    pub entries: Vec<Entry>,
}

#[derive(Clone, Debug)]
pub struct Entry {
    /// The agent that it answers for; `*` is every agent.
    agent: String,
    /// How often it may be used; `None` is always.
    pub times: Option<u32>,
    pub says: Says,
    pub delay: Duration,
    pub cost: Nanos,
    /// How the call ends.
    pub status: Status,
    llm_calls: u64,
    pub duration_seconds: Option<f64>,
    /// `model`, `tokens_used`, `confidence`, as far as they are given.
    pub metadata: Option<Data>,
    /// What is written to the workspace of an agent that has one, by path.
    pub files: BTreeMap<String, String>,
}

#[derive(Clone, Debug)]
pub enum Says {
    Answers(Response),
    Fails(Fault),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct EntryJson {
    agent: String,
    response: Option<Data>,
    #[serde(default)]
    status: Status,
    error_type: Option<String>,
    error_message: Option<String>,
    times: Option<u32>,
    #[serde(default)]
    delay_ms: u64,
    duration_seconds: Option<f64>,
    metadata: Option<Metadata>,
    cost_usd: Option<Data>,
    #[serde(default)]
    llm_calls: u64,
    recoverable: Option<bool>,
    #[serde(default)]
    files: BTreeMap<String, String>,
}

/// The four ways to end that the bridge knows.
#[derive(Debug, Default, Deserialize, PartialEq, Eq, Clone, Copy)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    #[default]
    Success,
    Error,
    Timeout,
    Cancelled,
}

#[derive(Deserialize, serde::Serialize)]
#[serde(deny_unknown_fields)]
struct Metadata {
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tokens_used: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    confidence: Option<f64>,
}

impl Script {
    /// Whether any entry answers for this agent, used up or not.
    #[must_use]
    pub fn names(&self, agent: &str) -> bool {
        self.entries.iter().any(|entry| entry.is_for(agent))
    }

    /// Reads a script from a file of at most 16 MiB.
    pub fn load(path: &Path) -> Result<Self, String> {
        Self::read(&read_text(path, MOST_BYTES)?)
    }

    /// Reads a script. The error says which entry is wrong, and how.
    pub fn read(text: &str) -> Result<Self, String> {
        let written: Vec<Data> =
            serde_json::from_str(text).map_err(|cause| format!("not a JSON array: {cause}"))?;
        let entries = written.iter().enumerate().map(|(index, entry)| {
            let entry = entry.to::<EntryJson>().map_err(|cause| cause.to_string());
            entry.and_then(Entry::new).map_err(|why| format!("entry {}: {why}", index + 1))
        });
        Ok(Self { entries: entries.collect::<Result<_, _>>()? })
    }
}

/// Steps of a workflow's own are called like agents and are none: no entry answers for them.
const OWN_STEPS: [&str; 2] = ["workspace/", "turn/"];

/// Whether an entry for `named` answers for `agent`. An agent of a pipeline is named by its stage.
pub(super) fn is_for(named: &str, agent: &str) -> bool {
    let is_own = || OWN_STEPS.iter().any(|prefix| agent.starts_with(prefix));
    named == "*" && !is_own() || named == agent || named == AgentName::from(agent).plain()
}

impl Entry {
    fn new(written: EntryJson) -> Result<Self, String> {
        let says = match (written.status, written.response) {
            (Status::Success, Some(response)) => Says::Answers(match response.to::<String>() {
                Ok(text) => Response::Text(text),
                Err(_) => Response::Json(response),
            }),
            (Status::Success, None) => return Err("it has no `response`".to_owned()),
            (_, Some(_)) => return Err("a failure cannot have a `response`".to_owned()),
            (status, None) => Says::Fails(fault(
                status,
                written.error_type,
                written.error_message,
                written.recoverable,
            )),
        };
        let cost = match written.cost_usd {
            None => Nanos::ZERO,
            Some(usd) => Nanos::from_usd(usd.as_str()).ok_or_else(|| {
                format!("`cost_usd` is {}, which is not a valid amount", usd.as_str())
            })?,
        };
        Ok(Self {
            agent: written.agent,
            times: match written.times {
                Some(0) => None,
                times => Some(times.unwrap_or(1)),
            },
            says,
            delay: Duration::from_millis(written.delay_ms),
            cost,
            status: written.status,
            llm_calls: written.llm_calls,
            duration_seconds: written.duration_seconds,
            metadata: written.metadata.as_ref().map(Data::of),
            files: written.files,
        })
    }

    /// The agent that it answers for; `*` is every agent.
    #[must_use]
    pub fn agent(&self) -> &str {
        &self.agent
    }

    #[must_use]
    pub fn is_for(&self, agent: &str) -> bool {
        is_for(&self.agent, agent)
    }

    /// What the journal keeps of it.
    #[must_use]
    pub(super) fn note(&self) -> Data {
        let mut note = json!({ "scripted": true, "llm_calls": self.llm_calls });
        if let Some(seconds) = self.duration_seconds {
            note["duration_seconds"] = seconds.into();
        }
        if let Some(metadata) = &self.metadata {
            note["metadata"] = metadata.shown().to_serde();
        }
        if !self.files.is_empty() {
            note["files"] = json!(self.files);
        }
        Data::of(&note)
    }
}

fn fault(
    status: Status,
    error_type: Option<String>,
    message: Option<String>,
    recoverable: Option<bool>,
) -> Fault {
    let (code, said): (Cow<'static, str>, &str) = match (status, error_type) {
        (_, Some(code)) => (code.into(), "the script says that it failed"),
        (Status::Timeout, None) => ("TIMEOUT".into(), "the script says that it took too long"),
        (Status::Cancelled, None) => ("CANCELLED".into(), "the script says that it was cancelled"),
        (Status::Error | Status::Success, None) => {
            ("UNKNOWN".into(), "the script says that it failed")
        }
    };
    let passing = || {
        let codes = ["TIMEOUT", "INVOCATION_FAILED", "AI_RATE_LIMITED", "AI_NETWORK_ERROR"];
        codes.contains(&code.as_ref()) || code == "AI_PROVIDER_ERROR"
    };
    let recoverable = recoverable.unwrap_or_else(passing);
    let mut fault = Fault::permanent("UNKNOWN", message.unwrap_or_else(|| said.to_owned()));
    fault.class = if recoverable { FaultClass::Transient } else { FaultClass::Permanent };
    fault.recoverable = recoverable;
    fault.code = code;
    fault
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_read_with_what_they_leave_out() {
        let script = Script::read(
            r#"[{"agent": "a", "response": "text"},
                {"agent": "*", "response": {"x": 1.10}, "times": 0, "cost_usd": 0.25, "delay_ms": 5},
                {"agent": "a", "status": "timeout"},
                {"agent": "a", "status": "error", "error_type": "PARSE_ERROR", "recoverable": true}]"#,
        )
        .unwrap();
        let [text, json, late, parse] = script.entries.as_slice() else { panic!("four entries") };
        assert!(matches!(&text.says, Says::Answers(Response::Text(text)) if text == "text"));
        assert!(
            matches!(&json.says, Says::Answers(Response::Json(json)) if json.as_str() == r#"{"x": 1.10}"#)
        );
        assert_eq!((text.times, json.times, json.cost), (Some(1), None, Nanos::new(250_000_000)));
        assert!(json.is_for("anybody") && !text.is_for("b"));
        assert!(
            matches!(&late.says, Says::Fails(fault) if fault.code == "TIMEOUT" && fault.recoverable)
        );
        assert!(
            matches!(&parse.says, Says::Fails(fault) if fault.code == "PARSE_ERROR" && fault.recoverable)
        );
    }

    #[test]
    fn a_bad_entry_is_named() {
        let check = |text: &str, why: &str| {
            let found = Script::read(text).unwrap_err();
            assert!(found.contains(why), "{found}");
        };
        check("{}", "not a JSON array");
        check(
            r#"[{"agent": "a", "response": 1}, {"agent": "a"}]"#,
            "entry 2: it has no `response`",
        );
        check(r#"[{"agent": "a", "respons": 1}]"#, "entry 1: unknown field `respons`");
        check(
            r#"[{"agent": "a", "status": "error", "response": 1}]"#,
            "a failure cannot have a `response`",
        );
        check(r#"[{"agent": "a", "response": 1, "cost_usd": -1}]"#, "not a valid amount");
    }
}

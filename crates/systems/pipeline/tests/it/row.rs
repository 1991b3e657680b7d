//! One row of the table: what comes in, who says what, and what must come out.

use std::{collections::BTreeMap, path::Path, sync::Arc};

use consign_contracts::{
    Contract,
    envelope::Envelope,
    json::{self, Json, Object},
    wire::{Message, Wire},
};
use consign_pipeline::{
    AgentScope, Does, Pipeline,
    envelope::{self, MOST_BYTES},
    file,
};
use serde::Deserialize;

/// The document's own pipeline, for rows that name none.
const DOCUMENT: &str = "document";

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Row {
    pub(crate) name: String,
    #[serde(default = "document")]
    pipeline: String,
    /// Members that are set in the envelope, as JSON.
    #[serde(default = "nothing")]
    envelope: String,
    /// `1.0` comes with the required members only.
    #[serde(default)]
    version: Option<String>,
    #[serde(default)]
    thinkers: Vec<String>,
    #[serde(default)]
    pub(crate) script: BTreeMap<String, Vec<String>>,
    /// What somebody says when asked, as JSON, for as long as there is something left.
    #[serde(default)]
    pub(crate) answers: Vec<String>,
    #[serde(default)]
    pub(crate) until: Option<String>,

    /// Why it cannot even begin.
    #[serde(default)]
    pub(crate) refused: Option<String>,
    /// It comes back as it went in.
    #[serde(default)]
    unchanged: bool,
    /// The stages that had a turn, in order; those that run at once by name.
    #[serde(default)]
    ran: String,
    /// `REASON at STAGE`; a reason that is null is `nothing`.
    #[serde(default)]
    pub(crate) ends: String,
    #[serde(default)]
    iteration: Option<i64>,
    #[serde(default)]
    fires: Option<i64>,
    #[serde(default)]
    calls: Option<i64>,
    /// As many as had a turn, if left out.
    #[serde(default)]
    hops: Option<i64>,
    #[serde(default)]
    round: Option<i64>,
    #[serde(default)]
    pub(crate) pending: String,
    #[serde(default)]
    goals: Option<String>,
    #[serde(default)]
    remaining: Option<String>,
    #[serde(default)]
    outputs: Option<String>,
    #[serde(default)]
    prior_plans: Vec<String>,
    #[serde(default)]
    feedback: Vec<String>,
    #[serde(default)]
    completed: Option<String>,
    /// `STAGE: CODE` each.
    #[serde(default)]
    errors: Vec<String>,
    /// What stands at these pointers, as JSON.
    #[serde(default)]
    has: BTreeMap<String, String>,
}

fn document() -> String {
    DOCUMENT.to_owned()
}

fn nothing() -> String {
    "{}".to_owned()
}

pub(crate) fn folder() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it"))
}

impl Row {
    /// Every row of every file.
    pub(crate) fn all() -> Vec<Self> {
        #[derive(Deserialize)]
        struct File {
            row: Vec<Row>,
        }
        let mut all = Vec::new();
        for entry in std::fs::read_dir(folder().join("rows")).unwrap() {
            let path = entry.unwrap().path();
            let text = std::fs::read_to_string(&path).unwrap();
            let file: File =
                toml::from_str(&text).unwrap_or_else(|why| panic!("{}: {why}", path.display()));
            all.extend(file.row);
        }
        all.sort_by(|a, b| a.name.cmp(&b.name));
        all
    }

    pub(crate) fn pipeline(&self) -> Arc<Pipeline> {
        if self.pipeline == DOCUMENT {
            return Arc::new(file::default());
        }
        let path = |form| folder().join(format!("pipelines/{}.{form}", self.pipeline));
        let path = Some(path("toml")).filter(|path| path.exists()).unwrap_or_else(|| path("json"));
        Arc::new(file::load(&path).unwrap_or_else(|why| panic!("{why}")))
    }

    pub(crate) fn place(&self) -> AgentScope {
        AgentScope { thinkers: self.thinkers.iter().cloned().collect(), ..AgentScope::default() }
    }

    /// The envelope that comes in.
    pub(crate) fn envelope(&self) -> Envelope {
        let base = r#"{"envelope_id": "env_0123456789abcdef", "request_id": "req_0123456789abcdef",
            "user_id": "ada", "session_id": "sess_0123456789abcdef", "raw_input": "Where is it?",
            "received_at": "2025-12-10T10:00:00.123456+00:00", "outputs": {},
            "current_stage": "start", "terminated": false}"#;
        let mut document = object(base);
        if self.version.is_some() {
            document.remove("received_at");
        }
        for (name, value) in object(&self.envelope).iter() {
            document.set(name.to_owned(), value.clone());
        }
        let text = Json::Object(document).to_string();
        envelope::read(text.as_bytes(), MOST_BYTES).unwrap_or_else(|why| panic!("{why}: {text}"))
    }

    /// Holds an envelope that came out against what is expected.
    pub(crate) fn check(&self, came: &Envelope) -> Result<(), String> {
        let written = came.write();
        let verdict = Envelope::contract().schema().check(&written);
        if let Some(breach) = verdict.breaches.first() {
            return Err(format!("it is no envelope any more: {breach}"));
        }
        if self.unchanged {
            return same("the envelope", &written, &self.envelope().write());
        }
        self.records(&written)?;
        let seen = self.normal(came);
        let seen = Seen(&seen);
        let count = |at: &str| seen.at(at).as_number().and_then(|number| number.as_i64());
        let reason = seen.at("/terminal_reason");
        let reason = reason.as_str().unwrap_or("nothing");
        let stage = seen.at("/current_stage");
        same("ends", &format!("{reason} at {}", stage.as_str().unwrap()), &self.ends)?;
        let waits = ["nothing", "clarification_required", "confirmation_required"];
        let over = Json::Bool(!waits.contains(&reason));
        same("terminated", &seen.at("/terminated"), &over)?;
        same(
            "completed_at",
            &(seen.at("/completed_at") != Json::Null),
            &(over == Json::Bool(true)),
        )?;
        let before = self.envelope().processing_history.map_or(0, |history| history.len());
        let ran = seen.names("/processing_history", "/agent").split_off(before);
        same("ran", &ran.join(" "), &self.ran)?;
        let has = |pointer: &str| self.has.contains_key(pointer);
        if !has("/iteration") {
            same("iteration", &count("/iteration"), &Some(self.iteration.unwrap_or(0)))?;
        }
        if !has("/metadata/critic_fires") {
            same("fires", &count("/metadata/critic_fires"), &self.fires)?;
        }
        if !has("/llm_call_count") {
            same("calls", &count("/llm_call_count"), &Some(self.calls.unwrap_or(0)))?;
        }
        if !has("/agent_hop_count") {
            let hops = self.hops.unwrap_or(i64::try_from(ran.len()).unwrap());
            same("hops", &count("/agent_hop_count"), &Some(hops))?;
        }
        same("round", &count("/current_stage_number"), &Some(self.round.unwrap_or(1)))?;
        let pending = ["clarification", "confirmation"]
            .into_iter()
            .filter(|what| seen.at(&format!("/{what}_pending")) == Json::Bool(true));
        same("pending", &pending.collect::<Vec<_>>().join(" "), &self.pending)?;
        if let Some(goals) = &self.goals {
            let status = seen.at("/goal_completion_status");
            let status = status.as_object().unwrap().iter();
            let told = status.map(|(goal, status)| format!("{goal}={}", status.as_str().unwrap()));
            same("goals", &told.collect::<Vec<_>>().join(" "), goals)?;
        }
        if let Some(remaining) = &self.remaining {
            same("remaining", &seen.names("/remaining_goals", "").join(" "), remaining)?;
        }
        if let Some(outputs) = &self.outputs {
            let found = seen.at("/outputs");
            let found: Vec<_> = found.as_object().unwrap().keys().collect();
            same("outputs", &found.join(" "), outputs)?;
        }
        same("prior plans", &seen.names("/prior_plans", "/plan_id"), &self.prior_plans)?;
        same("feedback", &seen.names("/critic_feedback", ""), &self.feedback)?;
        if let Some(completed) = &self.completed {
            same("completed", &seen.at("/completed_stages"), &parsed(completed))?;
        }
        let agents = seen.names("/errors", "/agent");
        let codes = seen.names("/errors", "/error_type");
        let errors: Vec<_> =
            agents.iter().zip(&codes).map(|(a, code)| format!("{a}: {code}")).collect();
        same("errors", &errors, &self.errors)?;
        for (pointer, value) in &self.has {
            same(pointer, &seen.at(pointer), &parsed(value))?;
        }
        Ok(())
    }

    /// What was written down on the way has the form that the document gives it.
    fn records(&self, written: &Json<'_>) -> Result<(), String> {
        let before = self.envelope();
        let history = before.processing_history.map_or(0, |history| history.len());
        let errors = before.errors.map_or(0, |errors| errors.len());
        for (pointer, contract, old) in [
            ("/processing_history", "envelope/processing-record", history),
            ("/errors", "envelope/error", errors),
        ] {
            let contract = Contract::find(contract).unwrap();
            for record in &written.at(pointer).unwrap().as_array().unwrap()[old..] {
                let verdict = contract.schema().check(record);
                if let Some(breach) = verdict.breaches.first() {
                    return Err(format!("{pointer}: {breach} in {record}"));
                }
            }
        }
        Ok(())
    }

    /// The envelope without what depends on the hour, and on who of those that run at once was faster.
    pub(crate) fn normal(&self, came: &Envelope) -> Json<'static> {
        let mut written = came.write();
        let Json::Object(members) = &mut written else { panic!("an envelope is an object") };
        let gone = Json::from("then");
        if self.version.is_some() {
            members.set("received_at", gone.clone());
        }
        if came.completed_at.as_ref().is_some_and(|at| at.0.is_some()) && !self.unchanged {
            members.set("completed_at", gone);
        }
        if let Some(Json::Object(metadata)) = members.get_mut("metadata")
            && let Some(Json::Object(asked)) = metadata.get_mut("asked_person")
        {
            asked.remove("since");
        }
        let pipeline = self.pipeline();
        if let Some(Json::Array(history)) = members.get_mut("processing_history") {
            forget(history, &["started_at", "completed_at", "duration_ms"]);
            for stage in &pipeline.stages {
                let Does::Parallel(beside) = &stage.does else { continue };
                let beside: Vec<_> =
                    beside.iter().map(|at| pipeline.stages[*at].name.as_str()).collect();
                sort_together(history, &beside);
            }
        }
        if let Some(Json::Array(errors)) = members.get_mut("errors") {
            forget(errors, &["timestamp"]);
            let at_once =
                pipeline.stages.iter().any(|stage| matches!(stage.does, Does::Parallel(_)));
            if at_once {
                errors.sort_by_key(agent);
            }
        }
        written
    }
}

fn agent(record: &Json<'_>) -> String {
    record.get("agent").and_then(Json::as_str).unwrap_or_default().to_owned()
}

fn forget(records: &mut [Json<'static>], names: &[&str]) {
    for record in records {
        let Json::Object(record) = record else { continue };
        for name in names {
            record.remove(name);
        }
    }
}

/// Sorts the records of those that ran at once, each time by itself.
fn sort_together(history: &mut [Json<'static>], beside: &[&str]) {
    let mut at = 0;
    while at < history.len() {
        let end = (at + beside.len()).min(history.len());
        if history[at..end].iter().all(|record| beside.contains(&agent(record).as_str())) {
            history[at..end].sort_by_key(agent);
            at = end;
        } else {
            at += 1;
        }
    }
}

struct Seen<'a>(&'a Json<'static>);

impl Seen<'_> {
    fn at(&self, pointer: &str) -> Json<'static> {
        self.0.at(pointer).cloned().unwrap_or_else(|| Json::from("(not there)"))
    }

    /// The texts of a list, or those in its items.
    fn names(&self, list: &str, inside: &str) -> Vec<String> {
        let list = self.at(list);
        let text =
            |item: &Json<'_>| item.at(inside).and_then(Json::as_str).unwrap_or_default().to_owned();
        list.as_array().unwrap().iter().map(text).collect()
    }
}

pub(crate) fn same<T: PartialEq + std::fmt::Debug>(
    what: &str,
    found: &T,
    expected: &T,
) -> Result<(), String> {
    if found == expected {
        return Ok(());
    }
    Err(format!("{what}: expected {expected:?}, found {found:?}"))
}

pub(crate) fn parsed(text: &str) -> Json<'static> {
    json::parse(text.as_bytes()).unwrap_or_else(|why| panic!("{text}: {why}")).into_owned()
}

fn object(text: &str) -> Object<'static> {
    let Json::Object(object) = parsed(text) else { panic!("{text} is no object") };
    object
}

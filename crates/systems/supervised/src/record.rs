//! From the journal of a job to what its files say: interactions, recovery points and lines of the audit log.
//!
//! [`Recorder::take`] is given the events of a run in order, and collects what they add. It decides nothing: what an
//! interaction came to stands in the journal.

use std::collections::BTreeMap;

use consign_engine::{
    At, Data, Key, Nanos, Seq,
    journal::{Body, Paid, Record},
};
use serde_json::{Map, Value, json};

use crate::{
    amount::number,
    audit,
    judged::{AuditNote, Judged},
    steps::{Accept, Accepted, Judge},
    turn::Turn,
};

/// What events add to the files of a job.
#[derive(Debug, Default)]
pub struct Recorder {
    /// Calls of roles that have not ended, and answers that are not yet judged.
    open: BTreeMap<Key, OpenTurn>,
    accepts: BTreeMap<Key, Accept>,
    unjudged: Option<OpenTurn>,
    pub added: Additions,
}

#[derive(Debug)]
struct OpenTurn {
    turn: Turn,
    /// What its attempts have cost, without what is assumed.
    cost: Nanos,
}

/// What is to be added to the files.
#[derive(Debug, Default)]
pub struct Additions {
    pub interactions: Vec<Value>,
    pub points: Vec<Value>,
    pub audit: Vec<Value>,
    /// Everything up to this event is in the files: no interaction is open there.
    pub settled: Option<Seq>,
}

impl Recorder {
    /// Takes in the next event. The error says what cannot be read.
    pub fn take(&mut self, record: &Record) -> Result<(), String> {
        let at = |why: String| format!("event {}: {why}", record.seq);
        if is_other(record.kind.as_ref()) {
            self.settle(record.seq);
            return Ok(());
        }
        let body = record.body().map_err(at)?;
        let body = body.ok_or_else(|| at("it is redacted".to_owned()))?;
        self.body(record.at, record.actor.as_str(), &body).map_err(at)?;
        self.settle(record.seq);
        Ok(())
    }

    fn settle(&mut self, seq: Seq) {
        if self.open.is_empty() && self.accepts.is_empty() && self.unjudged.is_none() {
            self.added.settled = Some(seq);
        }
    }

    fn body(&mut self, at: At, by: &str, body: &Body) -> Result<(), String> {
        match Some(body) {
            Some(Body::CallStarted(call)) => match step(&call.key) {
                "act" => {
                    let turn = read(&call.input)?;
                    self.open.insert(call.key.clone(), OpenTurn { turn, cost: Nanos::ZERO });
                }
                "judge" => {
                    let Judge { turn, .. } = read(&call.input)?;
                    let cost = self.unjudged.take().map_or(Nanos::ZERO, |own| own.cost);
                    self.open.insert(call.key.clone(), OpenTurn { turn, cost });
                }
                "accept" => {
                    self.accepts.insert(call.key.clone(), read(&call.input)?);
                }
                _ => {}
            },
            Some(Body::AttemptFailed(attempt)) => self.paid(&attempt.key, attempt.paid),
            Some(Body::AttemptLost(attempt)) => self.paid(&attempt.key, attempt.paid),
            Some(Body::CallCompleted(call)) => {
                self.paid(&call.key, call.paid);
                match step(&call.key) {
                    "act" | "judge" => self.acted(at, &call.key, &call.output)?,
                    "accept" => self.accepted(&call.key, &call.output)?,
                    _ => {}
                }
            }
            Some(Body::CallFailed(call)) => {
                self.paid(&call.key, call.paid);
                let fault = (call.fault.code.as_ref(), call.fault.message.as_str());
                self.failed(at, &call.key, fault, call.used.as_ref())?;
            }
            Some(Body::CallCancelled(call)) => {
                self.open.remove(&call.key);
                self.accepts.remove(&call.key);
            }
            Some(Body::Signalled(signal)) if signal.name == "restore" => {
                let point = signal.value.shown();
                let point = point.get("point").and_then(|own| own.as_str()).unwrap_or_default();
                let note = AuditNote {
                    code: "RESTORED".to_owned(),
                    message: format!("the job was put back to {point} by {by}"),
                };
                self.note(at, None, &note);
            }
            Some(Body::Forked(_)) => {
                let message = format!("the job was put back and goes on in a new run, by {by}");
                let note = AuditNote { code: "RESTORED".to_owned(), message };
                self.note(at, None, &note);
            }
            Some(_) | None => {}
        }
        Ok(())
    }

    fn paid(&mut self, key: &Key, paid: Paid) {
        if let Some(open) = self.open.get_mut(key)
            && !paid.assumed
        {
            open.cost = open.cost + paid.nanos;
        }
    }

    fn acted(&mut self, at: At, key: &Key, output: &Data) -> Result<(), String> {
        let Some(open) = self.open.remove(key) else { return Ok(()) };
        match Judged::of_output(output) {
            Some(judged) => self.interaction(at, &open, judged),
            None if step(key) == "judge" => return Err("it is no judgement".to_owned()),
            // It came over the bridge, and is judged next.
            None => self.unjudged = Some(open),
        }
        Ok(())
    }

    fn failed(
        &mut self,
        at: At,
        key: &Key,
        (code, message): (&str, &str),
        used: Option<&Data>,
    ) -> Result<(), String> {
        self.accepts.remove(key);
        let Some(open) = self.open.remove(key) else {
            if ["claim", "check", "accept"].contains(&step(key)) {
                let note = AuditNote { code: code.to_owned(), message: message.to_owned() };
                self.note(at, None, &note);
            }
            return Ok(());
        };
        let used: Map<String, Value> = used.and_then(|used| used.to().ok()).unwrap_or_default();
        let judged = match used.get("interaction") {
            Some(told) => {
                serde_json::from_value(told.clone()).map_err(|cause| cause.to_string())?
            }
            None => {
                let request = json!({
                    "prompt": "",
                    "files_context": [],
                    "metadata": { "role": open.turn.role, "phase": open.turn.phase },
                });
                let ended = if code.contains("TIMEOUT") {
                    crate::judged::Ended::Timeout
                } else {
                    crate::judged::Ended::Error
                };
                Judged::of_failure(&open.turn, request, (ended, code, message), 0.0, None)
            }
        };
        self.interaction(at, &open, judged);
        Ok(())
    }

    fn interaction(&mut self, at: At, open: &OpenTurn, judged: Judged) {
        let OpenTurn { turn, cost } = open;
        let Judged { request, mut response, notes, .. } = judged;
        let action = response["action"].as_str().unwrap_or("STUCK").to_owned();
        let leads = turn.leads.get(&action).cloned();
        response["cost_usd"] = number(&cost.to_string());
        response["new_status"] = leads.unwrap_or_else(|| "INTERVENTION_REQUIRED".to_owned()).into();
        self.added.interactions.push(json!({
            "sequence": turn.sequence,
            "timestamp": at.to_string(),
            "state_before": turn.state_before(),
            "workspace_path": turn.directory.join("workspace"),
            "request": request,
            "response": response,
        }));
        for note in &notes {
            self.note(at, Some(turn.sequence), note);
        }
    }

    fn accepted(&mut self, key: &Key, output: &Data) -> Result<(), String> {
        let Some(accept) = self.accepts.remove(key) else { return Ok(()) };
        let Accepted { changed, commit, .. } = read(output)?;
        let mut metadata = json!({ "evidence_count": accept.evidence_count });
        if let Some(rate) = &accept.test_pass_rate {
            metadata["test_pass_rate"] = rate.clone().into();
        }
        if let Some(commit) = commit {
            metadata["commit"] = commit.into();
        }
        let mut point = json!({
            "checkpoint_id": accept.point,
            "id": accept.point,
            "sequence": accept.sequence,
            "can_resume_from": accept.resume_phase.is_some(),
            "description": format!("phase {} was accepted", accept.phase),
        });
        point["resume_phase"] = accept.resume_phase.map_or(Value::Null, Value::from);
        point["rollback_files"] = json!(changed);
        point["metadata"] = metadata;
        self.added.points.push(point);
        Ok(())
    }

    fn note(&mut self, at: At, sequence: Option<u64>, note: &AuditNote) {
        self.added.audit.push(audit::line(at, sequence, &note.code, &note.message));
    }
}

/// What a line of the manifest's own history says of an interaction.
#[must_use]
pub fn summary(interaction: &Value) -> Value {
    json!({
        "timestamp": interaction["timestamp"],
        "role": interaction["request"]["metadata"]["role"],
        "action": interaction["response"]["action"],
        "evidence_files": interaction["response"]["evidence_files"],
    })
}

/// The part of a key before its number.
fn step(key: &Key) -> &str {
    key.as_str().split('.').next().unwrap_or_default()
}

/// Whether a kind of event says nothing for the files.
fn is_other(kind: &str) -> bool {
    !matches!(
        kind,
        "call_started"
            | "attempt_failed"
            | "attempt_lost"
            | "call_completed"
            | "call_failed"
            | "call_cancelled"
            | "signalled"
            | "forked"
    )
}

fn read<T: serde::de::DeserializeOwned>(data: &Data) -> Result<T, String> {
    data.to().map_err(|cause| cause.to_string())
}

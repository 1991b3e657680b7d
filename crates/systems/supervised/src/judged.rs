//! An interaction that was made, as the journal keeps it: what was sent, what came back, and what follows.
//!
//! [`Judged::of_answer`] looks at an answer with the workspace before it: the files that it brings are written, its
//! evidence is looked for, and what changed is compared with what it names.

use std::{collections::BTreeSet, path::Path};

use consign_contracts::{job::Action, secrets};
use consign_engine::Data;
use consign_files::Root;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::{
    answer::{Evidence, Note, judge},
    request::Prepared,
    role::FoundRole,
    sealed::TextKey,
    turn::Turn,
    workspace::{self, Snapshots, TreeId, What, evidence, write_files},
};

/// What a person is shown of the changes in a phase is no longer than this.
const MOST_DIFF: usize = 16 << 10;
/// Files that an answer did not name are listed up to this many.
const MOST_LISTED: usize = 20;

/// The outcome of a call of a role.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Judged {
    pub request: Value,
    pub response: Value,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<AuditNote>,
    /// The workspace after it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tree: Option<TreeId>,
    /// What changed in the phase, where a person is asked next.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diff: Option<String>,
}

/// A line of the audit log, without its time and number.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuditNote {
    pub code: String,
    pub message: String,
}

/// How a call ended that has no valid answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    Error,
    Timeout,
}

/// What came back.
pub struct Came<'a> {
    pub raw: &'a str,
    /// Files that a script brings besides the answer.
    pub files: Vec<(String, String)>,
    pub seconds: f64,
}

impl Judged {
    /// What a call of a role came to; nothing if its output is an answer that came over the bridge. An answer has an
    /// action of its own, and what was judged here has none at the top.
    #[must_use]
    pub fn of_output(output: &Data) -> Option<Self> {
        if output.shown().get("action").is_some() {
            return None;
        }
        output.to().ok()
    }

    /// Judges an answer. Fails if the workspace cannot be read or written.
    pub fn of_answer(
        turn: &Turn,
        sent: Value,
        came: Came<'_>,
        key: Option<&TextKey>,
    ) -> Result<Self, workspace::Error> {
        let workspace = turn.directory.join("workspace");
        let root = Root::open(&workspace).map_err(workspace::Error::from)?;
        let snapshots = Snapshots::open(&turn.directory)?;
        // What is kept is without secrets, and is what was judged; files are written as they came.
        let raw = secrets::hidden(came.raw);
        let brought = |path: &str| came.files.iter().any(|(own, _)| own == path);
        let look = |path: &str| {
            let found = evidence(&root, path);
            if found == Evidence::Missing && brought(path) { Evidence::There } else { found }
        };
        let mut judged = judge(&raw, look);
        if let Some((path, _)) =
            came.files.iter().find(|(path, _)| evidence(&root, path) == Evidence::Outside)
        {
            judged = Err(Note::outside(path));
        }
        let mut notes = Vec::new();
        let (status, action, files, summary) = match judged {
            Ok(answer) => {
                notes.extend(answer.notes.iter().map(AuditNote::from));
                let mut files = Vec::new();
                if answer.action == Action::Completed {
                    let own = judge(came.raw, |_| Evidence::There).map(|own| own.files);
                    files = own.unwrap_or_default();
                    files.extend(came.files);
                }
                let written = match conflict(&files) {
                    Some((path, why)) => Err(workspace::Error::Refused { path, why }),
                    None => write_files(&root, &files),
                };
                match written {
                    Ok(()) => ("SUCCESS", answer.action, answer.evidence_files, answer.summary),
                    // Such as a file where a folder is: the answer cannot be carried out.
                    Err(workspace::Error::Refused { path, why }) => {
                        let message = format!("the file {path:?} cannot be written: {why}");
                        notes.push(AuditNote {
                            code: "FILE_REFUSED".to_owned(),
                            message: message.clone(),
                        });
                        ("ERROR", Action::Stuck, Vec::new(), message)
                    }
                    Err(error) => return Err(error),
                }
            }
            Err(note) => {
                notes.push(AuditNote::from(&note));
                ("ERROR", Action::Stuck, Vec::new(), note.message)
            }
        };
        let taken = snapshots.take(&workspace)?;
        notes.extend(not_taken(&taken.left_out));
        notes.extend(forgotten(&snapshots, turn, &taken.id, &files)?);
        let diff = asks_person(turn, action).then(|| shown_diff(&snapshots, turn, &taken.id));
        let seal = |text: &str| key.map_or_else(|| text.to_owned(), |key| key.seal(text));
        if turn.sensitive {
            for note in &mut notes {
                note.message = seal(&note.message);
            }
        }
        let response = json!({
            "status": status,
            "action": action.as_str(),
            "evidence_files": files,
            "summary_for_supervisor": seal(&summary),
            "raw_response": seal(&raw),
            "execution_time_seconds": seconds(came.seconds),
        });
        let diff = diff.flatten().filter(|_| !turn.sensitive);
        Ok(Self { request: sent, response, notes, tree: Some(taken.id), diff })
    }

    /// A call that came to nothing: an error of the API, a timeout, a missing key.
    #[must_use]
    pub fn of_failure(
        turn: &Turn,
        sent: Value,
        (ended, code, message): (Ended, &str, &str),
        took: f64,
        key: Option<&TextKey>,
    ) -> Self {
        let status = match ended {
            Ended::Error => "ERROR",
            Ended::Timeout => "TIMEOUT",
        };
        let message = secrets::hidden(message);
        let message = match key {
            Some(key) if turn.sensitive => key.seal(&message),
            Some(_) | None => message,
        };
        let response = json!({
            "status": status,
            "action": "STUCK",
            "evidence_files": [],
            "summary_for_supervisor": message,
            "execution_time_seconds": seconds(took),
        });
        let notes = vec![AuditNote { code: code.to_owned(), message }];
        Self { request: sent, response, notes, tree: None, diff: None }
    }
}

impl From<&Note> for AuditNote {
    fn from(note: &Note) -> Self {
        Self { code: note.code.to_owned(), message: note.message.clone() }
    }
}

/// What the history keeps of a request.
#[must_use]
pub fn sent(
    turn: &Turn,
    role: Option<&FoundRole>,
    prepared: &Prepared,
    key: Option<&TextKey>,
) -> Value {
    let prompt = match key {
        Some(key) if turn.sensitive => key.seal(&prepared.prompt),
        Some(_) | None => prepared.prompt.clone(),
    };
    let mut metadata = json!({ "role": turn.role, "phase": turn.phase });
    let members = [
        ("model", role.and_then(|role| role.model.clone()).map(Value::from)),
        ("temperature", role.and_then(|role| role.temperature).map(Value::from)),
        ("max_tokens", role.and_then(|role| role.max_tokens).map(Value::from)),
    ];
    for (name, value) in members {
        if let Some(value) = value {
            metadata[name] = value;
        }
    }
    json!({ "prompt": prompt, "files_context": prepared.files, "metadata": metadata })
}

/// Two files of an answer of which one would have to be a folder.
fn conflict(files: &[(String, String)]) -> Option<(String, &'static str)> {
    let paths: BTreeSet<&Path> = files.iter().map(|(path, _)| Path::new(path)).collect();
    let inside = |path: &&&Path| path.ancestors().skip(1).any(|above| paths.contains(above));
    let path = paths.iter().find(inside)?;
    Some((path.display().to_string(), "another file of the answer is where its folder should be"))
}

/// Seconds to a thousandth.
fn seconds(seconds: f64) -> f64 {
    (seconds * 1000.0).round() / 1000.0
}

/// Whether a person is asked after this action.
fn asks_person(turn: &Turn, action: Action) -> bool {
    let leads = turn.leads_to(action);
    leads == "INTERVENTION_REQUIRED" || leads == "REVIEWING" && action == Action::Completed
}

fn shown_diff(snapshots: &Snapshots, turn: &Turn, now: &TreeId) -> Option<String> {
    let diff = snapshots.diff(turn.start.as_ref()?, now, MOST_DIFF).ok()?;
    Some(secrets::hidden(&diff.text))
}

/// What cannot be kept: pipes, sockets, devices.
fn not_taken(left_out: &[String]) -> Option<AuditNote> {
    if left_out.is_empty() {
        return None;
    }
    let message =
        format!("no files, and not kept: {}", listed(left_out.iter().map(String::as_str)));
    Some(AuditNote { code: "WORKSPACE_SPECIAL".to_owned(), message })
}

/// Files that changed and that the answer does not name.
fn forgotten(
    snapshots: &Snapshots,
    turn: &Turn,
    now: &TreeId,
    named: &[String],
) -> Result<Option<AuditNote>, workspace::Error> {
    let Some(base) = turn.base else { return Ok(None) };
    if base == *now {
        return Ok(None);
    }
    let named: BTreeSet<&Path> = named.iter().map(Path::new).collect();
    let is_named = |path: &str| Path::new(path).ancestors().any(|own| named.contains(own));
    let changes = snapshots.changes(&base, now)?;
    let forgotten: Vec<_> = changes
        .iter()
        .filter(|change| change.what != What::Folder && !is_named(&change.path))
        .map(|change| change.path.as_str())
        .collect();
    if forgotten.is_empty() {
        return Ok(None);
    }
    let message = format!("changed and not named as evidence: {}", listed(forgotten.into_iter()));
    Ok(Some(AuditNote { code: "EVIDENCE_UNDECLARED".to_owned(), message }))
}

fn listed<'a>(paths: impl ExactSizeIterator<Item = &'a str>) -> String {
    let more = paths.len().saturating_sub(MOST_LISTED);
    let shown: Vec<_> = paths.take(MOST_LISTED).collect();
    let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{rest}", shown.join(", "))
}

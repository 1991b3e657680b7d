//! What an agent said, judged in the four layers of the document: schema, action, evidence files, summary.
//!
//! An answer is exactly one JSON object; nothing is repaired. What breaks the protocol is taken for `STUCK`, with the
//! words of the layer that found it; what only warns is accepted and noted for the audit log.

use consign_contracts::{
    Breach,
    job::{Action, AgentResponse},
    json::{self, Json},
    wire::{Message, Wire},
};
use unicode_segmentation::UnicodeSegmentation;

/// More sentences than this are a warning.
const MOST_SENTENCES: usize = 3;

/// A line for the audit log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    pub code: &'static str,
    pub message: String,
}

impl Note {
    fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }

    /// A file that a script brings, where none may be.
    pub(crate) fn outside(path: &str) -> Self {
        outside("file", path)
    }
}

/// What is found at a path of the workspace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Evidence {
    There,
    Missing,
    /// The path is absolute, leads out of the workspace, or is none.
    Outside,
}

/// An answer that keeps the protocol.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    pub action: Action,
    pub evidence_files: Vec<String>,
    pub summary: String,
    /// What is to be written to the workspace, by path: an agent that is a model cannot do so itself.
    pub files: Vec<(String, String)>,
    /// Warnings.
    pub notes: Vec<Note>,
}

/// Judges an answer. The error is why it is taken for `STUCK`. Files that the answer itself brings count as there.
pub fn judge(raw: &str, evidence: impl Fn(&str) -> Evidence) -> Result<Answer, Note> {
    let tree = json::parse(raw.as_bytes())
        .map_err(|why| Note::new("RESPONSE_MALFORMED", format!("not one JSON object: {why}")))?;
    if tree.as_object().is_none() {
        let told = "the answer is JSON, and not an object";
        return Err(Note::new("SCHEMA_INVALID", told));
    }
    let check = AgentResponse::contract().schema().check(&tree);
    if let Some(breach) = check.breaches.first() {
        return Err(broken(breach, &tree));
    }
    let read = AgentResponse::read(&tree);
    let read = read.map_err(|breach| broken(&breach, &tree))?;
    let files = files(&tree)?;
    let brings = |path: &str| files.iter().any(|(own, _)| own == path);
    let mut notes = Vec::new();
    for path in &read.evidence_files {
        match evidence(path) {
            Evidence::There => {}
            Evidence::Missing if brings(path) => {}
            Evidence::Missing => {
                let told = format!("the evidence file {path:?} is not in the workspace");
                notes.push(Note::new("EVIDENCE_MISSING", told));
            }
            Evidence::Outside => return Err(outside("evidence file", path)),
        }
    }
    for (path, _) in &files {
        if evidence(path) == Evidence::Outside {
            return Err(outside("file", path));
        }
    }
    let summary = read.summary_for_supervisor;
    if summary.trim().is_empty() {
        return Err(Note::new("SUMMARY_MISSING", "summary_for_supervisor is empty"));
    }
    let sentences = summary.unicode_sentences().count();
    if sentences > MOST_SENTENCES {
        let told = format!("the summary has {sentences} sentences; {MOST_SENTENCES} are the most");
        notes.push(Note::new("SUMMARY_LONG", told));
    }
    let (action, evidence_files) = (read.action, read.evidence_files);
    Ok(Answer { action, evidence_files, summary, files, notes })
}

/// A breach of the schema. One of `action` and a missing summary have codes of their own, as the document's table
/// has lines of their own for them.
fn broken(breach: &Breach, tree: &Json<'_>) -> Note {
    let code = match breach.pointer.as_str() {
        "/action" => "ACTION_INVALID",
        "" if tree.get("action").is_some()
            && tree.get("evidence_files").is_some()
            && tree.get("summary_for_supervisor").is_none() =>
        {
            "SUMMARY_MISSING"
        }
        _ => "SCHEMA_INVALID",
    };
    Note::new(code, breach.to_string())
}

fn outside(what: &str, path: &str) -> Note {
    let told = format!("the {what} {path:?} is not a path inside the workspace");
    Note::new("PATH_OUTSIDE", told)
}

/// `files {path: text}`, which the open contract allows.
fn files(tree: &Json<'_>) -> Result<Vec<(String, String)>, Note> {
    let wrong = || Note::new("SCHEMA_INVALID", "`files` is not an object of texts by path");
    let Some(files) = tree.get("files") else { return Ok(Vec::new()) };
    let files = files.as_object().ok_or_else(wrong)?;
    files
        .iter()
        .map(|(path, text)| match text.as_str() {
            Some(text) => Ok((path.to_string(), text.to_owned())),
            None => Err(wrong()),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(path: &str) -> Evidence {
        match path {
            "there.txt" => Evidence::There,
            path if path.starts_with('/') || path.contains("..") => Evidence::Outside,
            _ => Evidence::Missing,
        }
    }

    fn said(action: &str, evidence: &str, summary: &str) -> String {
        format!(
            r#"{{"action": {action:?}, "evidence_files": {evidence}, "summary_for_supervisor": {summary:?}}}"#
        )
    }

    /// What an answer comes to: its action with its warnings, or the code of what makes it `STUCK`.
    fn judged(raw: &str) -> String {
        match judge(raw, found) {
            Ok(answer) => {
                let warnings = answer.notes.iter().map(|note| format!(" {}", note.code));
                format!("{}{}", answer.action.as_str(), warnings.collect::<String>())
            }
            Err(note) => format!("STUCK by {}", note.code),
        }
    }

    #[test]
    fn every_layer_has_its_consequence() {
        let long = |letters: usize| "x".repeat(letters);
        let rows: &[(&str, String, &str)] = &[
            ("all is well", said("COMPLETED", r#"["there.txt"]"#, "Done."), "COMPLETED"),
            ("no evidence is fine", said("RETRY", "[]", "Again."), "RETRY"),
            ("white space around it", format!("\n {}\t", said("STUCK", "[]", "No.")), "STUCK"),
            (
                "prose before it",
                format!("Here: {}", said("COMPLETED", "[]", "a")),
                "STUCK by RESPONSE_MALFORMED",
            ),
            (
                "prose after it",
                format!("{} done", said("COMPLETED", "[]", "a")),
                "STUCK by RESPONSE_MALFORMED",
            ),
            (
                "a fence around it",
                format!("```json\n{}\n```", said("COMPLETED", "[]", "a")),
                "STUCK by RESPONSE_MALFORMED",
            ),
            ("two objects", said("COMPLETED", "[]", "a").repeat(2), "STUCK by RESPONSE_MALFORMED"),
            (
                "a key twice",
                r#"{"action": "STUCK", "action": "COMPLETED"}"#.to_owned(),
                "STUCK by RESPONSE_MALFORMED",
            ),
            ("nothing", String::new(), "STUCK by RESPONSE_MALFORMED"),
            ("no object", "[]".to_owned(), "STUCK by SCHEMA_INVALID"),
            ("no members", "{}".to_owned(), "STUCK by SCHEMA_INVALID"),
            ("an unknown action", said("DONE", "[]", "a"), "STUCK by ACTION_INVALID"),
            ("an action in small letters", said("completed", "[]", "a"), "STUCK by ACTION_INVALID"),
            (
                "evidence that is no list",
                said("COMPLETED", "\"a\"", "a"),
                "STUCK by SCHEMA_INVALID",
            ),
            (
                "missing evidence",
                said("COMPLETED", r#"["gone.txt"]"#, "a"),
                "COMPLETED EVIDENCE_MISSING",
            ),
            ("evidence above", said("COMPLETED", r#"["../x"]"#, "a"), "STUCK by PATH_OUTSIDE"),
            (
                "evidence by an absolute path",
                said("COMPLETED", r#"["/etc/passwd"]"#, "a"),
                "STUCK by PATH_OUTSIDE",
            ),
            (
                "no summary",
                r#"{"action": "COMPLETED", "evidence_files": []}"#.to_owned(),
                "STUCK by SUMMARY_MISSING",
            ),
            ("an empty summary", said("COMPLETED", "[]", " \n"), "STUCK by SUMMARY_MISSING"),
            ("500 characters", said("COMPLETED", "[]", &long(500)), "COMPLETED"),
            ("501 characters", said("COMPLETED", "[]", &long(501)), "STUCK by SCHEMA_INVALID"),
            ("three sentences", said("COMPLETED", "[]", "One. Two. Three."), "COMPLETED"),
            (
                "four sentences",
                said("COMPLETED", "[]", "One. Two. Three. Four."),
                "COMPLETED SUMMARY_LONG",
            ),
        ];
        for (what, raw, expected) in rows {
            assert_eq!(judged(raw), *expected, "{what}");
        }
    }

    #[test]
    fn an_answer_may_bring_files_and_they_count_as_evidence() {
        let raw = r#"{"action": "COMPLETED", "evidence_files": ["new.txt"], "summary_for_supervisor": "Done.",
            "files": {"new.txt": "text"}}"#;
        let answer = judge(raw, found).unwrap();
        assert_eq!(answer.files, [("new.txt".to_owned(), "text".to_owned())]);
        assert_eq!(answer.notes, []);
        assert_eq!(judged(&raw.replace("\"text\"", "1")), "STUCK by SCHEMA_INVALID");
        assert_eq!(
            judged(&raw.replace("new.txt\": \"text", "../x\": \"text")),
            "STUCK by PATH_OUTSIDE"
        );
    }
}

//! The request that a role is given, and the text in which it is sent.
//!
//! The request has the document's members and no others at the top. A command gets it as JSON and reads the files
//! itself; a model gets the files behind it, in the same text. Secrets are taken out before anything is sent.

use consign_contracts::secrets;
use consign_files::Root;
use serde_json::{Value, json};

use crate::{
    amount::{cents, number},
    turn::{CheckResult, Turn},
    workspace::{self, Content, Snapshots},
};

/// The diff in a request is no longer than this.
const MOST_DIFF: usize = 64 << 10;
/// What a check said is no longer than this in a request.
const MOST_SAID: usize = 16 << 10;

/// A request that is ready to be sent.
#[derive(Clone, Debug, Default)]
pub struct Prepared {
    /// The request alone.
    pub request: Value,
    /// The whole text, as it is sent.
    pub prompt: String,
    /// The files that go with it, in order.
    pub files: Vec<String>,
}

/// Who the request is for.
#[derive(Clone, Copy, Debug)]
pub struct Reader<'a> {
    pub system_prompt: &'a str,
    /// Whether it can open files itself.
    pub reads_files: bool,
}

/// The texts of a turn, opened.
struct Texts {
    objective: String,
    task: String,
    reason: Option<String>,
    advice: Option<String>,
    summary: Option<String>,
    /// How the check went.
    check: Option<CheckResult>,
}

/// Builds a request from the workspace as it is. What `open` cannot open stays sealed.
#[must_use]
pub fn prepare(turn: &Turn, reader: Reader<'_>, open: &dyn Fn(&str) -> String) -> Prepared {
    let opened = |text: &Option<String>| text.as_deref().map(open);
    let texts = Texts {
        objective: open(&turn.objective),
        task: open(&turn.task),
        reason: opened(&turn.reason),
        advice: opened(&turn.advice),
        summary: opened(&turn.summary),
        check: turn.check.clone().map(|check| CheckResult { said: open(&check.said), ..check }),
    };
    let folder = turn.directory.join("workspace");
    let context = Root::open(&folder).map(|root| workspace::context(&root, &turn.context));
    let context = context.unwrap_or_default();
    let description = describe(turn, &texts, &context.left_out);
    let files: Vec<String> = context.parts.iter().map(|part| part.path.clone()).collect();
    let request = json!({
        "job_id": turn.job_id,
        "phase": turn.phase,
        "context_files": files,
        "system_prompt": secrets::hidden(reader.system_prompt),
        "task_description": secrets::hidden(&description),
        "metadata": {
            "cost_threshold": number(&turn.thresholds.cost.map_or_else(|| "0".to_owned(), cents)),
            "time_threshold_minutes": number(&turn.thresholds.minutes.unwrap_or(0.0).to_string()),
            "accepted_formats": ["COMPLETED", "STUCK", "RETRY"],
        },
    });
    let prompt = if reader.reads_files {
        request.to_string()
    } else {
        let mut text = format!("{request:#}");
        for part in &context.parts {
            let content = match &part.content {
                Content::Text(text) => text.clone(),
                Content::Described(what) => format!("({what})"),
            };
            text.push_str(&format!("\n\n--- file: {} ---\n{content}", part.path));
        }
        text
    };
    Prepared { prompt: secrets::hidden(&prompt), request, files }
}

/// Objective, task, advice, the reason of a RETRY, the worker's words, the check and the diff, in this order.
fn describe(turn: &Turn, texts: &Texts, left_out: &[workspace::LeftOut]) -> String {
    let mut parts = vec![
        format!("Objective of the job:\n{}", texts.objective),
        format!("Task of phase {}:\n{}", turn.phase, texts.task),
    ];
    if let Some(advice) = &texts.advice {
        parts.push(format!("Advice of the steward, who is a person:\n{advice}"));
    }
    if let Some(reason) = &texts.reason {
        parts.push(format!("The phase is begun again, because:\n{reason}"));
    }
    if turn.acts == crate::Role::Supervisor {
        if let Some(summary) = &texts.summary {
            parts.push(format!("What the worker says that it did:\n{summary}"));
        }
        parts.extend(texts.check.as_ref().map(told));
        parts.push(diff(turn));
    }
    if !left_out.is_empty() {
        let lines = left_out.iter().map(|own| format!("- {}: {}", own.path, own.why));
        parts.push(format!("Files that are left out:\n{}", lines.collect::<Vec<_>>().join("\n")));
    }
    parts.join("\n\n")
}

fn told(check: &CheckResult) -> String {
    let exit = check.exit.map_or_else(|| "none".to_owned(), |exit| exit.to_string());
    let from = check.said.ceil_char_boundary(check.said.len().saturating_sub(MOST_SAID));
    format!(
        "The check ended with exit code {exit} ({}). It said:\n{}",
        check.pass_rate,
        &check.said[from..]
    )
}

/// What changed since the phase began.
fn diff(turn: &Turn) -> String {
    let text = changes(turn).unwrap_or_else(|why| format!("(not available: {why})"));
    match text.trim() {
        "" => "Nothing changed in the workspace since the phase began.".to_owned(),
        text => format!("Changes since the phase began:\n{text}"),
    }
}

fn changes(turn: &Turn) -> Result<String, String> {
    let (Some(start), Some(base)) = (&turn.start, &turn.base) else { return Ok(String::new()) };
    let snapshots = Snapshots::open(&turn.directory).map_err(|why| why.to_string())?;
    let diff = snapshots.diff(start, base, MOST_DIFF).map_err(|why| why.to_string())?;
    Ok(diff.text)
}

//! The guard as an agent: rules and a classifier, in process.
//!
//! It gives contract `crew/guardrails.output`, with `score`, and `marks`: which marks stand for which private values in this
//! conversation. A check that does not come to its end blocks.

use std::sync::Arc;

use async_trait::async_trait;
use consign_engine::{Attempt, Data, Failure, Invoker, Nanos, Reply};
use consign_guard::{Guard, Kept, Marks, Risk, Verdict};
use serde::Deserialize;
use serde_json::json;
use sha2::{Digest, Sha256};

use super::{broken, failure};

pub(super) struct GuardAgent(pub(super) Arc<Guard>);

#[derive(Deserialize)]
struct Asked {
    content: String,
    check_type: Check,
    #[serde(default)]
    metadata: Option<Metadata>,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Check {
    InputValidation,
    OutputSafety,
}

#[derive(Default, Deserialize)]
struct Metadata {
    #[serde(default)]
    marks: Option<Kept>,
    /// Names the conversation that marks are kept for.
    #[serde(default)]
    conversation: Option<String>,
}

/// The key under which the private values of a conversation are compared: its id is drawn and shown to nobody.
fn key(conversation: &str) -> [u8; 32] {
    Sha256::new()
        .chain_update(b"marks of a conversation\0")
        .chain_update(conversation)
        .finalize()
        .into()
}

#[async_trait]
impl Invoker for GuardAgent {
    fn worst_case(&self, _: &Data) -> Option<Nanos> {
        Some(Nanos::ZERO)
    }

    async fn invoke(&self, attempt: Attempt) -> Result<Reply, Failure> {
        let asked: Asked = attempt.input.to().map_err(broken)?;
        let Metadata { marks, conversation } = asked.metadata.unwrap_or_default();
        let mut marks = Marks::resume(
            key(conversation.as_deref().unwrap_or_default()),
            marks.unwrap_or_default(),
        );
        let guard = self.0.clone();
        let checking = tokio::task::spawn_blocking(move || {
            let verdict = match asked.check_type {
                Check::InputValidation => guard.check_input(&asked.content, &mut marks),
                Check::OutputSafety => guard.check_output(&asked.content, &mut marks),
            };
            (verdict, marks)
        });
        // What cannot be checked is not safe.
        let checked = checking.await;
        let (verdict, kept) = match checked {
            Ok((verdict, marks)) => (verdict, Some(marks.kept().clone())),
            Err(_) => (Verdict::blocked(Risk::MaliciousCode), None),
        };
        let output = json!({
            "is_safe": verdict.is_safe,
            "sanitized_content": verdict.sanitized,
            "risk_category": verdict.risk.as_str(),
            "reasoning": verdict.reasoning,
            "score": verdict.score,
            "marks": kept,
        });
        if !output["score"].is_number() {
            return Err(failure(consign_engine::Fault::permanent(
                "ERR_GUARDRAIL_UNSAFE",
                "the guard gave no score",
            )));
        }
        Ok(Reply::new(Data::of(&output), Nanos::ZERO))
    }
}

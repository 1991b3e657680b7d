//! The verifier: holds an answer against the passages of its turn, and these against the stored texts.
//!
//! A passage counts only if the owner's documents have its very bytes at its place now. Each citation must be of such a
//! passage, and each sentence that states a fact must be supported by what it cites; what is not is taken out.

use std::{collections::BTreeSet, sync::Arc};

use async_trait::async_trait;
use consign_answers::{Answer, Citation, Passage, Verdict, shape, suggest, verify};
use consign_contracts::{
    crew::{Persona, TailorOutput},
    json::{Json, Number},
    wire::{Message as _, Wire as _},
};
use consign_engine::{Attempt, Data, Failure, Fault, Invoker, Nanos, Owner, Reply};
use consign_knowledge::DocumentId;
use serde_json::Value;

use super::{Turns, broken, failure, passages, store_failed};
use crate::turn::{progress::Verified, workflow::VerifyInput};

pub(super) struct VerifierAgent(pub(super) Arc<Turns>);

#[async_trait]
impl Invoker for VerifierAgent {
    fn worst_case(&self, _: &Data) -> Option<Nanos> {
        Some(Nanos::ZERO)
    }

    async fn invoke(&self, attempt: Attempt) -> Result<Reply, Failure> {
        let input: VerifyInput = attempt.input.to().map_err(broken)?;
        let contexts = passages::contexts(&input.context_chunks);
        let (all, _) = Passage::all(&contexts);
        let stored = self.stored(&attempt.owner, &input, all).await?;
        let guard = self.0.guard.clone();
        let verifying = tokio::task::spawn_blocking(move || {
            let mut verified = held(&input, &stored)?;
            verified.warnings = passages::warnings(&contexts, &guard);
            Ok::<_, Failure>(verified)
        });
        let verified = verifying
            .await
            .map_err(|cause| failure(Fault::permanent("INTERNAL_ERROR", cause.to_string())))?;
        Ok(Reply::new(Data::of(&verified?), Nanos::ZERO))
    }
}

impl VerifierAgent {
    /// The passages that the owner's documents have, byte for byte.
    async fn stored(
        &self,
        owner: &Owner,
        input: &VerifyInput,
        all: Vec<Passage>,
    ) -> Result<Vec<Passage>, Failure> {
        let cited: BTreeSet<&str> = input
            .answer
            .get("citations")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(|citation| citation.get("chunk_id").and_then(Value::as_str))
            .collect();
        let mut stored = Vec::new();
        for passage in all {
            if !cited.contains(passage.chunk_id.as_str()) {
                stored.push(passage);
                continue;
            }
            let Some((document, _)) = passage.chunk_id.rsplit_once(':') else { continue };
            let document = DocumentId::named(document);
            let text = self.0.library.index.text(owner, &document, passage.span.clone()).await;
            let text = text.map_err(|error| store_failed(&error))?;
            if text.as_deref() == Some(passage.stored()) {
                stored.push(passage);
            }
        }
        Ok(stored)
    }
}

fn held(input: &VerifyInput, stored: &[Passage]) -> Result<Verified, Failure> {
    let said = TailorOutput::read(&Json::from(&input.answer)).map_err(broken)?;
    let citations: Vec<Citation> =
        said.citations.iter().map(|cited| Citation::from_model(cited, stored)).collect();
    let answer = Answer::parse(&said.content, citations.clone());
    let weights = passages::weights(input.terms.iter());
    let verified = verify(&answer, stored, weights.as_ref(), None);
    let mut reasons: Vec<String> = verified
        .removed
        .iter()
        .flat_map(|removed| &removed.faults)
        .chain(&verified.dropped)
        .map(reason)
        .collect();
    reasons.dedup();
    let is_refusal = verified.answer.is_refusal();
    // An answer that says something and cites nothing is none.
    let holds = match verified.verdict {
        Verdict::Unsupported => false,
        Verdict::Supported | Verdict::Trimmed => !verified.answer.blocks.is_empty(),
    };
    let persona = Persona::from_word(&input.persona).unwrap_or(Persona::General);
    let is_whole = verified.verdict == Verdict::Supported
        && verified.dropped.is_empty()
        && verified.answer.citations == citations;
    let confidence = if is_refusal { 0.0 } else { verified.confidence };
    let asked: Vec<&str> = input.asked.iter().map(String::as_str).collect();
    let suggestions = match (is_refusal, said.extra.get("source").and_then(Json::as_str)) {
        (true, _) => Vec::new(),
        (false, Some("quotes")) => said.follow_up_suggestions.clone(),
        // What a model suggests may have no answer.
        (false, _) => suggest(&asked, &verified.answer, stored, weights.as_ref()),
    };
    let shaped = shape(&verified.answer, &input.user_query, persona, None, stored);
    let mut response = shaped.to_output(suggestions, confidence);
    if is_whole {
        // Nothing was taken out: its own form stays.
        response.content = said.content;
        response.citations = verified.answer.citations.iter().map(Citation::to_contract).collect();
    }
    response.tone_used.clone_from(&input.persona);
    if is_refusal {
        response.confidence_score = Number::from(0_u64);
    }
    let response = serde_json::from_str(&response.to_json()).map_err(broken)?;
    Ok(Verified { response, holds, reasons, warnings: Vec::new() })
}

/// What is wrong with an answer, without the words of it: these were not let out.
fn reason(wrong: &consign_answers::Fault) -> String {
    use consign_answers::Fault;
    match wrong {
        Fault::NumberNotThere(_) => "what it cites does not say a number of it".to_owned(),
        Fault::DateNotThere(_) => "what it cites does not say a date of it".to_owned(),
        Fault::NameNotThere(_) => "what it cites does not say a name of it".to_owned(),
        Fault::NoSuchCitation
        | Fault::ChunkNotGiven
        | Fault::OtherSource
        | Fault::OtherHash
        | Fault::SpanOutside
        | Fault::QuoteDiffers
        | Fault::NoCitation
        | Fault::NotCovered
        | Fault::NegationDiffers
        | Fault::Swapped
        | Fault::Dissimilar => wrong.to_string(),
    }
}

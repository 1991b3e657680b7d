//! Passages as the tailor and the verifier read them: what was found, without what tells an assistant what to do.

use std::ops::Range;

use consign_answers::{Passage, Weights, sentences};
use consign_contracts::{crew::RetrievedContext, json::Json, wire::Wire as _};
use consign_guard::{Guard, Marks};
use serde_json::{Value, json};

/// The contexts of a call, as far as they are of their contract.
pub(super) fn contexts(chunks: &[Value]) -> Vec<RetrievedContext> {
    let read = |chunk: &Value| RetrievedContext::read(&Json::from(chunk)).ok();
    chunks.iter().filter_map(read).collect()
}

/// The rarities of the words of a question: `{known: [[stem, rarity]], unseen}`, as the memory gives them.
pub(super) fn weights<'a>(terms: impl Iterator<Item = &'a Value>) -> Option<Weights> {
    let (mut known, mut unseen) = (Vec::new(), 0.0_f64);
    for terms in terms {
        let pairs = terms.get("known").and_then(Value::as_array).into_iter().flatten();
        known.extend(
            pairs.filter_map(|pair| {
                Some((pair.get(0)?.as_str()?.to_owned(), pair.get(1)?.as_f64()?))
            }),
        );
        unseen = unseen.max(terms.get("unseen").and_then(Value::as_f64).unwrap_or_default());
    }
    (!known.is_empty()).then(|| Weights::of(known, unseen))
}

/// The parts of a passage that instruct nobody.
pub(super) fn harmless(passage: &Passage, guard: &Guard) -> Vec<Passage> {
    let read = guard.passage(&passage.content);
    if read.risk.is_none() {
        return vec![passage.clone()];
    }
    let kept = read.spans.iter().filter(|span| !span.removed).map(|span| span.source.clone());
    parts(passage, kept)
}

/// The sentences of a passage that may go out.
pub(super) fn safe(passage: &Passage, guard: &Guard) -> Vec<Passage> {
    let mut kept: Vec<Range<usize>> = Vec::new();
    for unit in sentences::units(&passage.content) {
        let Some(text) = passage.content.get(unit.range.clone()) else { continue };
        if guard.check_output(text, &mut Marks::new([0; 32])).is_safe {
            kept.push(unit.range);
        }
    }
    parts(passage, kept.into_iter())
}

/// Passages of these ranges of the content. Each is cited as the whole is.
fn parts(passage: &Passage, kept: impl Iterator<Item = Range<usize>>) -> Vec<Passage> {
    let before = passage.content.len().saturating_sub(passage.span.len());
    let part = |range: Range<usize>| {
        // What stands before the stored text is the head of a table; alone it says nothing.
        let from = range.start.max(before);
        let content =
            passage.content.get(from..range.end).filter(|text| !text.trim().is_empty())?;
        let start = passage.span.start + from - before;
        let span = start..start + content.len();
        Some(Passage { content: content.to_owned(), span, ..passage.clone() })
    };
    kept.filter_map(part).collect()
}

/// What stood in passages and was not obeyed: `{risk_category, source_id, chunk_id}`.
pub(super) fn warnings(contexts: &[RetrievedContext], guard: &Guard) -> Vec<Value> {
    let warning = |context: &RetrievedContext| {
        let name = |name: &str| {
            context.metadata.get(name).and_then(Json::as_str).unwrap_or_default().to_owned()
        };
        let around = format!("{}\n{}", name("title"), name("file_name"));
        let risk = guard.passage(&context.content).risk.or_else(|| guard.passage(&around).risk)?;
        Some(json!({
            "risk_category": risk.as_str(),
            "source_id": context.source_id,
            "chunk_id": context.chunk_id,
        }))
    };
    contexts.iter().filter_map(warning).collect()
}

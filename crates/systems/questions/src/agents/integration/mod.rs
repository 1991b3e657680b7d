//! The integration stage: writes the answer, and cites a place for each part.
//!
//! Each cited line is read again first: one that is no longer there, or never was, is dropped, and the
//! answer says so. The same evidence gives the same answer.

mod answer;
mod suggest;

use consign_contracts::{
    Contract,
    envelope::IntegrationOutput,
    json::{Json, Object},
    wire::Message,
};
use consign_engine::Fault;

use super::{
    super::tools::{Evidence, View, place},
    Brief, BuiltIn, Stop,
    built_in::{contract, held, refused},
    critic,
    json::{self, IntoJson, object},
    prompt,
    topic::Topic,
};

pub(super) struct Integration;

const MOST_CITATIONS: usize = 20;

impl BuiltIn for Integration {
    fn name(&self) -> &'static str {
        "integration"
    }

    fn contract(&self) -> &'static Contract {
        contract(IntegrationOutput::NAME)
    }

    fn reads(&self) -> &'static [&'static str] {
        &[
            "raw_input",
            "envelope_id",
            "session_id",
            "outputs.perception",
            "outputs.intent",
            "outputs.execution",
            "outputs.critic",
            "clarification_response",
            "completed_stages",
            "goal_completion_status",
            "prior_plans",
        ]
    }

    fn work(&self, brief: &Brief, stop: &Stop) -> Result<Json<'static>, Fault> {
        let topic = Topic::of(brief);
        let view = brief.view(stop)?;
        let (mut evidence, mut dropped) = (Vec::new(), Vec::new());
        for one in collected(brief) {
            stop.check()?;
            match stands(view.as_ref(), &one) {
                true => evidence.push(one),
                false => dropped.push(one.location()),
            }
        }
        let has_history = view.as_ref().is_some_and(View::has_history);
        let told = answer::tell(brief, &topic, &evidence, &dropped);
        let citations: Vec<Object<'static>> = told
            .cited
            .iter()
            .take(MOST_CITATIONS)
            .map(|one| object! { "text": first_line(&one.content), "location": one.location() })
            .collect();
        let mut output = object! {
            "final_response": told.text,
            "citations": citations,
            "follow_up_suggestions": suggest::suggest(brief, &topic, &told.cited, has_history),
        };
        if !dropped.is_empty() {
            output.set("dropped_citations", dropped.into_json());
        }
        output.set("source", "heuristic".into_json());
        Ok(output.into_json())
    }

    fn prompt(&self, brief: &Brief) -> Option<String> {
        Some(prompt::integration(brief, &collected(brief)))
    }

    fn settle(&self, brief: &Brief, said: Json<'static>) -> Result<Json<'static>, Fault> {
        held(self.contract(), &said)?;
        let Json::Object(mut said) = said else {
            return Err(refused("the answer is not an object"));
        };
        if json::text(&said, "final_response").is_none_or(|text| text.trim().is_empty()) {
            return Err(refused("final_response is empty"));
        }
        let view = brief.view(&Stop::new())?;
        let evidence = collected(brief);
        let (mut kept, mut dropped) = (Vec::new(), Vec::new());
        for citation in json::objects(&said, "citations") {
            let (text, location) = (json::text(citation, "text"), json::text(citation, "location"));
            let (text, location) = (text.unwrap_or_default(), location.unwrap_or_default());
            match settled(view.as_ref(), &evidence, text, location) {
                Some((text, location)) => {
                    let citation = object! { "text": text, "location": location };
                    if !kept.contains(&citation) {
                        kept.push(citation);
                    }
                }
                None => dropped.push(location.to_owned()),
            }
        }
        kept.truncate(MOST_CITATIONS);
        said.set("citations", kept.into_json());
        said.set("dropped_citations", dropped.into_json());
        said.set("source", "model".into_json());
        Ok(said.into_json())
    }
}

/// Evidence of this round and of those before it, each place once, best first.
fn collected(brief: &Brief) -> Vec<Evidence> {
    let mut all = critic::evidence(brief);
    for stage in json::objects(&brief.envelope, "completed_stages") {
        if let Some(summary) = stage.get("summary").and_then(Json::as_object) {
            all.extend(json::objects(summary, "evidence").filter_map(Evidence::read));
        }
    }
    let mut kept: Vec<Evidence> = Vec::new();
    for one in all {
        match kept.iter_mut().find(|known| known.path == one.path && known.line == one.line) {
            Some(known) if known.score >= one.score => {}
            Some(known) => *known = one,
            None => kept.push(one),
        }
    }
    kept.sort_by(|a, b| {
        b.score
            .total_cmp(&a.score)
            .then_with(|| a.path.cmp(&b.path))
            .then_with(|| a.line.cmp(&b.line))
    });
    kept
}

fn first_line(content: &str) -> &str {
    content.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default()
}

/// Whether the first line of a citation is where it is said to be.
fn stands(view: Option<&View>, one: &Evidence) -> bool {
    let first = one.content.lines().next().unwrap_or_default().trim();
    !first.is_empty() && view.is_some_and(|view| view.stands(&one.path, one.line, first))
}

/// A model's citation, corrected: its own text if that is at the place, else the text there, if the
/// place is one that was found.
fn settled(
    view: Option<&View>,
    evidence: &[Evidence],
    text: &str,
    location: &str,
) -> Option<(String, String)> {
    let (path, line) = place(location)?;
    let known = evidence
        .iter()
        .find(|one| one.path == path && (one.line..=one.end_line).contains(&line))?;
    let bare = text.trim().trim_matches('`');
    if view.is_some_and(|view| view.stands(path, line, bare)) {
        return Some((bare.to_owned(), format!("{path}:{line}")));
    }
    // It named the place in words; the words are its own, so the line is cited instead.
    let first = first_line(&known.content);
    let same = bare.is_empty()
        || known.symbol.as_deref().is_some_and(|symbol| bare.contains(super::last_name(symbol)))
        || first.contains(bare);
    (same && stands(view, known)).then(|| (first.to_owned(), known.location()))
}

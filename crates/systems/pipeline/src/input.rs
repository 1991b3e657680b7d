//! What a stage's agent is given: the whole envelope, or what the pipeline's file says.
//!
//! In a file's `input`, text may have places: `{{input}}` is what the run was given, `{{raw_input}}` its
//! text, `{{outputs.KEY.member}}` what a stage gave, `{{envelope.member}}` anything else. Text that is
//! nothing but a place becomes the value itself. A place without a value fails the stage: half an
//! input must not be given. Whether that is so is looked up ([`check`]) and nothing is written for it:
//! envelopes are large, and one may come by thousands of such stages.

use std::borrow::Cow;

use consign_contracts::{
    envelope::Envelope,
    json::{Json, Object},
    wire::{Wire, Written},
};
use consign_engine::{Data, Fault};

use super::{
    agent_scope::AgentScope,
    built_in,
    pipeline::{PASS, Stage},
};

/// The member of `metadata` that holds what a run was given, where that is no plain text.
pub const GIVEN: &str = "input";

pub(super) fn of(stage: &Stage, envelope: &Envelope, place: &AgentScope) -> Result<Data, Fault> {
    if let Some(name) = stage.built_in() {
        return Ok(brief(name, stage, envelope, place));
    }
    match &stage.input {
        None => Ok(Data::from(&envelope.write())),
        Some(wanted) => fill(wanted, envelope)
            .map(|input| Data::from(&input))
            .map_err(|place| missing(stage, &place)),
    }
}

/// What a person is asked: the prompt with its places filled.
pub(super) fn prompt(stage: &Stage, prompt: &str, envelope: &Envelope) -> Result<String, Fault> {
    match fill_text(prompt, envelope).map_err(|place| missing(stage, &place))? {
        Json::String(text) => Ok(text.into_owned()),
        other @ (Json::Null
        | Json::Bool(_)
        | Json::Number(_)
        | Json::Array(_)
        | Json::Object(_)) => Ok(other.to_string()),
    }
}

/// Whether there is such an input.
pub(super) fn check(stage: &Stage, envelope: &Envelope) -> Result<(), Fault> {
    if let Some(person) = stage.person() {
        let prompt = Json::String(person.prompt.as_str().into());
        return places(&prompt, envelope).map_err(|place| missing(stage, &place));
    }
    match &stage.input {
        Some(wanted) if stage.built_in().is_none() => {
            places(wanted, envelope).map_err(|place| missing(stage, &place))
        }
        Some(_) | None => Ok(()),
    }
}

fn missing(stage: &Stage, place: &str) -> Fault {
    let what = if stage.person().is_some() { "prompt" } else { "input" };
    let text = format!("the {what} of {} needs {{{{{place}}}}}, and there is none", stage.name);
    Fault::permanent("INPUT_MISSING", text)
}

/// What a built-in agent is given: only what it reads, so that journals stay small.
fn brief(name: &str, stage: &Stage, envelope: &Envelope, place: &AgentScope) -> Data {
    if name == PASS {
        return Data::of(&serde_json::json!({}));
    }
    let mut members = Object::new();
    let mut outputs = Object::new();
    for read in built_in::reads(name) {
        if let Some(key) = read.strip_prefix("outputs.") {
            if let Some(output) = envelope.outputs.get(key) {
                outputs.set(key.to_owned(), Json::Object(output.clone()));
            }
        } else if let Some(member) = envelope.find(&[read]) {
            members.set(*read, member.written());
        }
    }
    members.set("outputs", Json::Object(outputs));
    let mut brief = Object::new();
    brief.set("envelope", Json::Object(members));
    let repo = place.repo.as_ref().map(|repo| repo.to_string_lossy().into_owned());
    brief.set("repo", repo.map_or(Json::Null, |repo| Json::String(repo.into())));
    let tools = stage.tools.as_ref().map(|tools| {
        Json::Array(tools.iter().map(|tool| Json::String(tool.clone().into())).collect())
    });
    brief.set("tools", tools.unwrap_or_default());
    let policy = place.policy.as_ref().map(|policy| policy.shown().into_owned());
    brief.set("policy", policy.unwrap_or_default());
    Data::from(&Json::Object(brief))
}

/// Fills the places, or names the one that has no value.
fn fill(wanted: &Json<'static>, envelope: &Envelope) -> Result<Json<'static>, String> {
    Ok(match wanted {
        Json::String(text) => fill_text(text, envelope)?,
        Json::Array(items) => {
            Json::Array(items.iter().map(|item| fill(item, envelope)).collect::<Result<_, _>>()?)
        }
        Json::Object(members) => {
            let mut filled = Object::new();
            for (name, value) in members.iter() {
                filled.set(name.to_owned(), fill(value, envelope)?);
            }
            Json::Object(filled)
        }
        Json::Null | Json::Bool(_) | Json::Number(_) => wanted.clone(),
    })
}

/// Goes through the places, and names the first that has no value.
fn places(wanted: &Json<'_>, envelope: &Envelope) -> Result<(), String> {
    match wanted {
        Json::String(text) => parts(text).iter().try_for_each(|part| match part {
            Part::AgentScope(place) => find(place, envelope).map(|_| ()),
            Part::Text(_) => Ok(()),
        }),
        Json::Array(items) => items.iter().try_for_each(|item| places(item, envelope)),
        Json::Object(members) => {
            members.iter().try_for_each(|(_, member)| places(member, envelope))
        }
        Json::Null | Json::Bool(_) | Json::Number(_) => Ok(()),
    }
}

fn fill_text(text: &str, envelope: &Envelope) -> Result<Json<'static>, String> {
    let parts = parts(text);
    if let [Part::AgentScope(place)] = parts.as_slice() {
        return find(place, envelope).map(|found| found.written());
    }
    let mut filled = String::new();
    for part in parts {
        match part {
            Part::Text(text) => filled.push_str(text),
            Part::AgentScope(place) => match find(place, envelope)?.written() {
                Json::String(text) => filled.push_str(&text),
                other @ (Json::Null
                | Json::Bool(_)
                | Json::Number(_)
                | Json::Array(_)
                | Json::Object(_)) => filled.push_str(&other.to_string()),
            },
        }
    }
    Ok(Json::String(Cow::Owned(filled)))
}

pub(super) enum Part<'a> {
    Text(&'a str),
    AgentScope(&'a str),
}

/// Text and the places in it. Braces without an end are text.
pub(super) fn parts(text: &str) -> Vec<Part<'_>> {
    let mut parts = Vec::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("{{")
        && let Some((place, after)) = after.split_once("}}")
    {
        if !before.is_empty() {
            parts.push(Part::Text(before));
        }
        parts.push(Part::AgentScope(place.trim()));
        rest = after;
    }
    if !rest.is_empty() {
        parts.push(Part::Text(rest));
    }
    parts
}

/// What stands at a place, or its name.
fn find<'a>(place: &str, envelope: &'a Envelope) -> Result<&'a dyn Written, String> {
    let names: Vec<_> = place.split('.').collect();
    let found = match names.split_first() {
        Some((&"input", rest)) => match envelope.metadata.find(&[GIVEN]) {
            Some(_) => envelope.metadata.find(&[&[GIVEN], rest].concat()),
            None => envelope.raw_input.find(rest),
        },
        Some((&"raw_input", rest)) => envelope.raw_input.find(rest),
        Some((&"outputs", rest)) => envelope.outputs.find(rest),
        Some((&"envelope", rest)) => envelope.find(rest),
        _ => None,
    };
    found.ok_or_else(|| place.to_owned())
}

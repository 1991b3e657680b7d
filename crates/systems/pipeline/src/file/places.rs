//! Checks the places (`{{…}}`) in a stage's `input`: each must be one that can be filled.

use std::collections::BTreeSet;

use consign_contracts::{
    envelope::Envelope,
    json::{Json, Object},
    suggest::{ask, nearest},
    wire::Wire,
};

use super::{mend::Doubts, source::escaped};
use crate::{
    input::{Part, parts},
    pipeline::{Pipeline, Target},
};

/// The first words of places.
const FIRST: [&str; 4] = ["input", "raw_input", "outputs", "envelope"];

/// What is to be said of a place.
pub(super) enum Found {
    /// Nothing can ever stand there.
    Never(String),
    /// Something can, and probably does not.
    Hardly(String),
}

/// Everything that is to be said of an input, each with where it stands.
pub(super) fn places(
    pipeline: &Pipeline,
    doubts: &Doubts,
    stage: usize,
    (input, member): (&Json<'_>, &str),
) -> Vec<(String, Found)> {
    let mut texts = Vec::new();
    gather(input, &format!("/stages/{stage}/{member}"), &mut texts);
    let look = Look { pipeline, doubts, stage };
    let mut found = Vec::new();
    for (pointer, text) in texts {
        for part in parts(text) {
            let said = match part {
                Part::AgentScope(place) => look.place(place),
                Part::Text(text) => broken(text),
            };
            found.extend(said.map(|said| (pointer.clone(), said)));
        }
    }
    found
}

/// A place that was begun, and has no end.
fn broken(text: &str) -> Option<Found> {
    let begun = text.split("{{").skip(1).find(|rest| {
        let rest = rest.trim_start();
        FIRST.iter().any(|first| {
            let after = rest.strip_prefix(first);
            after.is_some_and(|after| after.is_empty() || after.starts_with(['.', '}', ' ']))
        })
    })?;
    let begun: String = begun.trim().chars().take(40).collect();
    Some(Found::Never(format!("{{{{{begun} has no end: a place ends with two braces, }}}}")))
}

struct Look<'a> {
    pipeline: &'a Pipeline,
    doubts: &'a Doubts,
    stage: usize,
}

impl Look<'_> {
    fn place(&self, place: &str) -> Option<Found> {
        let never = |why: String| Some(Found::Never(format!("{{{{{place}}}}}: {why}")));
        let names: Vec<_> = place.split('.').collect();
        let Some((first, rest)) = names.split_first().filter(|(first, _)| FIRST.contains(first))
        else {
            let near = nearest(names.first().copied().unwrap_or_default(), FIRST);
            let meant = match near {
                Some(_) => ask(near, '`'),
                None => ": write {{input}}, {{raw_input}}, {{outputs.KEY}} or {{envelope.MEMBER}}"
                    .to_owned(),
            };
            return Some(Found::Never(format!("{{{{{place}}}}} is no place{meant}")));
        };
        if place.contains(['{', '}']) {
            let what =
                format!("{{{{{place}}}}} is no place: there is a brace too few before it ends");
            return Some(Found::Never(what));
        }
        if rest.iter().any(|name| name.trim().is_empty()) {
            let what = format!("{{{{{place}}}}} is no place: there is nothing between two points");
            return Some(Found::Never(what));
        }
        match (*first, rest) {
            ("outputs", []) => {
                Some(Found::Never("which of the outputs? Write {{outputs.KEY}}".to_owned()))
            }
            ("outputs", [key, ..]) | ("envelope", ["outputs", key, ..]) => {
                self.output(key).and_then(never)
            }
            ("raw_input", [_, ..]) => never("raw_input is text, and has no members".to_owned()),
            ("envelope", [member, below @ ..]) => {
                let schema = Envelope::schema();
                let known = schema.get("properties").and_then(Json::as_object);
                let known = known.cloned().unwrap_or_default();
                match known.get(member).and_then(Json::as_object) {
                    Some(inner) => enters(inner, member, below).and_then(never),
                    None => match nearest(member, known.keys()) {
                        Some(near) => {
                            never(format!("an envelope has no {member:?}{}", ask(Some(near), '"')))
                        }
                        None => Some(Found::Hardly(format!(
                            "{{{{{place}}}}}: an envelope has no {member:?} unless its sender adds it"
                        ))),
                    },
                }
            }
            _ => None,
        }
    }

    /// What keeps an output from being there.
    fn output(&self, key: &str) -> Option<String> {
        let stages = &self.pipeline.stages;
        let Some(writer) = self.pipeline.writer(key) else {
            let near = nearest(key, stages.iter().map(|stage| stage.output_key.as_str()));
            let told = format!("no stage writes the output {key:?}{}", ask(near, '"'));
            return Some(told).filter(|_| !self.doubts.outputs);
        };
        let doubt = self.doubts.ways || self.doubts.outputs || !self.doubts.unknown.is_empty();
        let late = !doubt && !self.comes_before(writer, self.stage);
        let stage = &stages[self.stage].name;
        late.then(|| format!("the output {key:?} is never there when {stage:?} begins"))
    }

    /// Whether there is a way from one stage to another.
    fn comes_before(&self, from: usize, to: usize) -> bool {
        let (from, to) = (self.pipeline.turn_of(from), self.pipeline.turn_of(to));
        let mut seen = BTreeSet::new();
        let mut next = vec![from];
        while let Some(at) = next.pop() {
            for target in self.pipeline.targets(at) {
                if let Target::Stage(stage) = target
                    && seen.insert(stage)
                {
                    next.push(stage);
                }
            }
        }
        seen.contains(&to)
    }
}

/// Why no such member can be in a value, by its schema.
fn enters(schema: &Object<'_>, name: &str, below: &[&str]) -> Option<String> {
    let (inner, rest) = below.split_first()?;
    let kinds: Vec<_> = match schema.get("type") {
        Some(Json::Array(kinds)) => kinds.iter().filter_map(Json::as_str).collect(),
        Some(kind) => kind.as_str().into_iter().collect(),
        None => return None,
    };
    if kinds.contains(&"object") {
        let known = schema.get("properties").and_then(Json::as_object);
        let own = known.and_then(|known| known.get(inner)).and_then(Json::as_object);
        return own.and_then(|own| enters(own, inner, rest));
    }
    if kinds.contains(&"array") {
        if inner.parse::<usize>().is_err() {
            return Some(format!("{name} is a list: write {name}.0 for its first"));
        }
        let items = schema.get("items").and_then(Json::as_object);
        return items.and_then(|items| enters(items, inner, rest));
    }
    Some(format!("{name} has no members"))
}

/// The texts in an input, each with where it stands.
fn gather<'a>(input: &'a Json<'_>, pointer: &str, texts: &mut Vec<(String, &'a str)>) {
    match input {
        Json::String(text) => texts.push((pointer.to_owned(), text)),
        Json::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                gather(item, &format!("{pointer}/{index}"), texts);
            }
        }
        Json::Object(members) => {
            for (name, value) in members.iter() {
                gather(value, &format!("{pointer}/{}", escaped(name)), texts);
            }
        }
        Json::Null | Json::Bool(_) | Json::Number(_) => {}
    }
}

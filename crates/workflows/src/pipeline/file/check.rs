//! What no schema can say of a pipeline: that every stage can be reached and can reach the end, that
//! nobody writes where somebody else does, and that what a stage is given is there by then.

use std::collections::BTreeSet;

use consign_contracts::json::Json;

use super::{Source, Wrong, mend::Doubts};
use crate::pipeline::{
    input::{Part, parts},
    pipeline::{Does, Pipeline, THINKING, Target},
    tools,
};

pub(super) fn check(pipeline: &Pipeline, source: &Source, doubts: &Doubts) -> Vec<Wrong> {
    let mut check = Check { pipeline, source, doubts, wrong: Vec::new() };
    if !doubts.outputs {
        check.keys();
    }
    check.beside();
    if !doubts.ways {
        check.reach();
    }
    check.inputs();
    check.built_in();
    check.wrong
}

struct Check<'a> {
    pipeline: &'a Pipeline,
    source: &'a Source,
    doubts: &'a Doubts,
    wrong: Vec<Wrong>,
}

impl Check<'_> {
    fn refuse(&mut self, stage: usize, member: &str, what: String) {
        let pointer = format!("/stages/{stage}/{member}");
        self.wrong.push(Wrong { line: self.source.line(pointer.trim_end_matches('/')), what });
    }

    /// Two stages that write under one key would overwrite each other.
    fn keys(&mut self) {
        let stages = &self.pipeline.stages;
        for (at, stage) in stages.iter().enumerate() {
            let writes = |stage: &crate::pipeline::Stage| matches!(stage.does, Does::Agent(_));
            let other = stages[..at].iter().find(|other| {
                writes(other) && writes(stage) && other.output_key == stage.output_key
            });
            if let Some(other) = other.filter(|_| !self.doubts.stages.contains(&at)) {
                let what = format!(
                    "stages {:?} and {:?} both write the output {:?}",
                    other.name, stage.name, stage.output_key
                );
                self.refuse(at, "output_key", what);
            }
        }
    }

    /// Those who run beside others lead nowhere themselves.
    fn beside(&mut self) {
        let pipeline = self.pipeline;
        for (at, stage) in pipeline.stages.iter().enumerate() {
            let Does::Parallel(members) = &stage.does else { continue };
            for member in members {
                let own = &pipeline.stages[*member];
                if *member == at || matches!(own.does, Does::Parallel(_)) {
                    let what = format!("{:?} cannot run beside others: it has no agent", own.name);
                    self.refuse(at, "parallel", what);
                }
                let leads = !own.routes.is_empty()
                    || own.default_next != Target::End
                    || own.error_next.is_some();
                if leads {
                    let (own, whole) = (&own.name, &stage.name);
                    let what = format!(
                        "{own:?} runs beside others: where to go next is said by {whole:?}"
                    );
                    self.refuse(*member, "", what);
                }
                let elsewhere = pipeline.stages.iter().enumerate().any(|(other, stage)| {
                    let named = |target: &Target| *target == Target::Stage(*member);
                    let led = named(&stage.default_next)
                        || stage.error_next.as_ref().is_some_and(named)
                        || stage.routes.iter().any(|route| named(&route.to));
                    let held = match &stage.does {
                        Does::Parallel(members) => other != at && members.contains(member),
                        Does::Agent(_) => false,
                    };
                    led || held
                });
                if elsewhere || *member == 0 {
                    let what = format!(
                        "{:?} runs beside others, and nothing else can lead to it",
                        own.name
                    );
                    self.refuse(*member, "", what);
                }
            }
            if stage.input.is_some()
                || stage.model.is_some()
                || stage.tools.is_some()
                || !stage.required.is_empty()
            {
                let what = format!(
                    "{:?} has no agent: input, model, tools and required mean nothing",
                    stage.name
                );
                self.refuse(at, "", what);
            }
        }
    }

    /// Every stage must be reached from the first, and must be able to reach the end: a circle without
    /// a way out would go round until a bound stops it.
    fn reach(&mut self) {
        let pipeline = self.pipeline;
        let mut reached = BTreeSet::new();
        let mut next = vec![0];
        while let Some(at) = next.pop() {
            if !reached.insert(at) {
                continue;
            }
            let targets = pipeline.targets(at);
            next.extend(targets.into_iter().filter_map(|target| match target {
                Target::Stage(to) => Some(to),
                Target::End => None,
            }));
        }
        let members: BTreeSet<usize> =
            reached.iter().flat_map(|at| pipeline.members(*at)).collect();
        let mut ends: BTreeSet<usize> = BTreeSet::new();
        loop {
            let more: Vec<_> = (0..pipeline.stages.len())
                .filter(|at| !ends.contains(at))
                .filter(|at| {
                    pipeline.targets(*at).into_iter().any(|target| match target {
                        Target::End => true,
                        Target::Stage(to) => ends.contains(&to),
                    })
                })
                .collect();
            if more.is_empty() {
                break;
            }
            ends.extend(more);
        }
        for (at, stage) in pipeline.stages.iter().enumerate() {
            let name = &stage.name;
            if self.doubts.stages.contains(&at) {
                continue;
            }
            if !reached.contains(&at) && !members.contains(&at) {
                self.refuse(at, "", format!("nothing leads to stage {name:?}"));
            } else if !ends.contains(&at) {
                let what = format!(
                    "from stage {name:?} nothing leads to the end: it would go round for ever"
                );
                self.refuse(at, "", what);
            }
        }
    }

    /// What a stage is given must be there: known, and written by a stage that can come before it.
    fn inputs(&mut self) {
        let pipeline = self.pipeline;
        for (at, stage) in pipeline.stages.iter().enumerate() {
            let Some(input) = &stage.input else { continue };
            if let Some(name) = stage.built_in() {
                let what = format!("{name:?} reads the envelope itself: it takes no input");
                self.refuse(at, "input", what);
                continue;
            }
            let mut places = Vec::new();
            gather(input, &format!("/stages/{at}/input"), &mut places);
            for (pointer, place) in places {
                if let Some(what) = self.unknown(at, &place) {
                    self.wrong.push(Wrong { line: self.source.line(&pointer), what });
                }
            }
        }
    }

    fn unknown(&self, at: usize, place: &str) -> Option<String> {
        let mut names = place.split('.');
        match names.next() {
            Some("input" | "raw_input" | "envelope") if names.all(|name| !name.is_empty()) => None,
            Some("outputs") => {
                let key = names.next().filter(|key| !key.is_empty());
                let Some(key) = key else {
                    return Some("which of the outputs? Write {{outputs.KEY}}".to_owned());
                };
                let Some(writer) = self.pipeline.writer(key) else {
                    let told = format!("{{{{{place}}}}}: no stage writes the output {key:?}");
                    return Some(told).filter(|_| !self.doubts.outputs);
                };
                let stage = &self.pipeline.stages[at].name;
                let told = !self.doubts.ways && !self.doubts.outputs;
                (told && !self.comes_before(writer, at)).then(|| {
                    format!(
                        "{{{{{place}}}}}: the output {key:?} is never there when {stage:?} begins"
                    )
                })
            }
            _ => Some(format!(
                "{{{{{place}}}}} is no place: write {{{{input}}}}, {{{{raw_input}}}}, {{{{outputs.KEY}}}} or {{{{envelope.MEMBER}}}}"
            )),
        }
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

    fn built_in(&mut self) {
        let pipeline = self.pipeline;
        for (at, stage) in pipeline.stages.iter().enumerate() {
            let built_in = stage.built_in();
            if let Some(name) = built_in
                && stage.model.is_some()
                && !THINKING.contains(&name)
            {
                self.refuse(at, "model", format!("{name:?} works without a model"));
            }
            for tool in stage.tools.iter().flatten() {
                if built_in.is_none() {
                    let what = "tools are for built-in agents; those of yours say themselves what they use";
                    self.refuse(at, "tools", what.to_owned());
                    break;
                }
                let known: Vec<_> = tools::table().iter().map(|tool| tool.name).collect();
                if !known.contains(&tool.as_str()) {
                    let known = known.join(", ");
                    self.refuse(
                        at,
                        "tools",
                        format!("there is no tool {tool:?}; there are {known}"),
                    );
                }
            }
        }
    }
}

/// The places in an input, each with where it stands.
fn gather(input: &Json<'_>, pointer: &str, places: &mut Vec<(String, String)>) {
    match input {
        Json::String(text) => {
            places.extend(parts(text).into_iter().filter_map(|part| match part {
                Part::Place(place) => Some((pointer.to_owned(), place.to_owned())),
                Part::Text(_) => None,
            }))
        }
        Json::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                gather(item, &format!("{pointer}/{index}"), places);
            }
        }
        Json::Object(members) => {
            for (name, value) in members.iter() {
                gather(value, &format!("{pointer}/{}", super::source::escaped(name)), places);
            }
        }
        Json::Null | Json::Bool(_) | Json::Number(_) => {}
    }
}

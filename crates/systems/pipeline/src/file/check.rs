//! Checks a pipeline for what no schema can say and journeys rely on: every stage can be reached and can
//! reach the end, no two stages write the same output, and members of a parallel stage lead nowhere.

use std::collections::BTreeSet;

use consign_contracts::{
    json::Json,
    schema::Schema,
    suggest::{ask, nearest},
};

use super::{Source, Wrong, mend::Doubts};
use crate::{
    Stage,
    built_in::TOOLS,
    person::Person,
    pipeline::{Does, Pipeline, THINKING, Target},
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
    check.built_in();
    check.people();
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

    /// Whether a stage says something itself.
    fn says(&self, stage: usize, member: &str) -> bool {
        self.source.tree.at(&format!("/stages/{stage}/{member}")).is_some()
    }

    /// Two stages that write under one key would overwrite each other.
    fn keys(&mut self) {
        let stages = &self.pipeline.stages;
        for (at, stage) in stages.iter().enumerate() {
            let other = stages[..at].iter().find(|other| {
                other.writes() && stage.writes() && other.output_key == stage.output_key
            });
            if let Some(other) = other.filter(|_| !self.doubts.stages.contains(&at)) {
                let what = format!(
                    "stages {:?} and {:?} both write the output {:?}",
                    other.name, stage.name, stage.output_key
                );
                let member = if self.says(at, "output_key") { "output_key" } else { "name" };
                self.refuse(at, member, what);
            }
        }
    }

    /// Members of a parallel stage must lead nowhere themselves.
    fn beside(&mut self) {
        let pipeline = self.pipeline;
        for (at, stage) in pipeline.stages.iter().enumerate() {
            let Does::Parallel(members) = &stage.does else { continue };
            for member in members {
                let own = &pipeline.stages[*member];
                if !matches!(own.does, Does::Agent(_)) {
                    let why = match own.person() {
                        Some(_) => "it asks a person. Put it before or after",
                        None => "it has no agent",
                    };
                    let what = format!("{:?} cannot run beside others: {why}", own.name);
                    self.refuse(at, &self.entry(at, &own.name), what);
                    continue;
                }
                let leads = [
                    ("routes", !own.routes.is_empty()),
                    ("default_next", own.default_next != Target::End),
                    ("error_next", own.error_next.is_some()),
                ];
                for (key, _) in leads.iter().filter(|(_, leads)| *leads) {
                    self.refuse(*member, key, leads_itself(own, stage, key));
                }
                self.led_to(at, *member);
            }
            let idle = [
                ("input", stage.input.is_some()),
                ("model", stage.model.is_some()),
                ("tools", stage.tools.is_some()),
                ("required", !stage.required.is_empty()),
            ];
            for (key, _) in idle.iter().filter(|(_, there)| *there) {
                let what = format!("{:?} has no agent: {key} means nothing", stage.name);
                self.refuse(at, key, what);
            }
        }
    }

    /// Nothing but its parallel stage may lead to a member.
    fn led_to(&mut self, group: usize, member: usize) {
        let pipeline = self.pipeline;
        let name = &pipeline.stages[member].name;
        let what = format!("{name:?} runs beside others, and nothing else can lead to it");
        if member == 0 {
            let what = format!("{what}: an envelope starts at the first stage");
            self.refuse(member, "", what);
        }
        let named = |target: Target| target == Target::Stage(member);
        for (at, stage) in pipeline.stages.iter().enumerate() {
            for (index, _) in stage.routes.iter().enumerate().filter(|(_, it)| named(it.to)) {
                self.refuse(at, &format!("routes/{index}/to"), what.clone());
            }
            if named(stage.default_next) {
                self.refuse(at, "default_next", what.clone());
            }
            if stage.error_next.is_some_and(named) {
                self.refuse(at, "error_next", what.clone());
            }
            let twice = match &stage.does {
                Does::Parallel(members) => at > group && members.contains(&member),
                Does::Agent(_) | Does::Person(_) => false,
            };
            if twice {
                let first = &pipeline.stages[group].name;
                let what = format!("{name:?} runs beside others in {first:?} already");
                self.refuse(at, &self.entry(at, name), what);
            }
        }
    }

    /// Where a group names a member.
    fn entry(&self, group: usize, name: &str) -> String {
        let named = self.source.tree.at(&format!("/stages/{group}/parallel"));
        let named = named.and_then(Json::as_array).unwrap_or_default();
        let at = named.iter().position(|member| member.as_str() == Some(name));
        at.map_or_else(|| "parallel".to_owned(), |at| format!("parallel/{at}"))
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
        let unreached = |at: &usize| !reached.contains(at) && !members.contains(at);
        for (at, stage) in pipeline.stages.iter().enumerate() {
            let name = &stage.name;
            if self.doubts.stages.contains(&at) {
                continue;
            }
            if unreached(&at) {
                // Where a name may mean this stage, those that it leads to would only be told again.
                let led = |other: usize| {
                    other != at && pipeline.targets(other).contains(&Target::Stage(at))
                };
                let led = (0..pipeline.stages.len()).any(led);
                if self.doubts.unknown.is_empty() || !led {
                    let what = format!("nothing leads to stage {name:?}{}", self.unless());
                    self.refuse(at, "", what);
                }
            } else if !ends.contains(&at) {
                let what = format!(
                    "from stage {name:?} nothing leads to the end: it would go round for ever"
                );
                let says = self.says(at, "default_next");
                self.refuse(at, if says { "default_next" } else { "" }, what);
            }
        }
    }

    /// What a name that is no stage's leaves open.
    fn unless(&self) -> String {
        match &self.doubts.unknown[..] {
            [] => String::new(),
            [(name, Some(line))] => format!(", unless {name:?} in line {line} means it"),
            [(name, None)] => format!(", unless {name:?} means it"),
            _ => ", unless a name that is no stage's means it".to_owned(),
        }
    }

    /// What a person is asked must be possible to answer, and so must the default.
    fn people(&mut self) {
        let pipeline = self.pipeline;
        for (at, stage) in pipeline.stages.iter().enumerate() {
            let Some(person) = stage.person() else { continue };
            for key in ["input", "model", "tools", "required", "tries", "retry"] {
                if self.says(at, key) {
                    let what = format!("{:?} asks a person: {key} means nothing", stage.name);
                    self.refuse(at, key, what);
                }
            }
            if person.is_approval() && person.schema.is_some() {
                let what = format!(
                    "{:?} asks for an approval, which is a yes or no: `schema` is for ask = \"form\"",
                    stage.name
                );
                self.refuse(at, "person/schema", what);
                continue;
            }
            self.answers(at, stage, person);
        }
    }

    fn answers(&mut self, at: usize, stage: &Stage, person: &Person) {
        let name = &stage.name;
        let schema = match Schema::compile(&person.answer_schema()) {
            Ok(schema) => schema,
            Err(cause) => {
                let what = format!("the schema of {name:?} cannot be used: {cause}");
                return self.refuse(at, "person/schema", what);
            }
        };
        let Some(default) = &person.default else { return };
        if let Some(breach) = schema.check(default).breaches.into_iter().next() {
            let what = format!("the default of {name:?} is no answer: {breach}");
            self.refuse(at, "person/default", what);
        }
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
            for (index, tool) in stage.tools.iter().flatten().enumerate() {
                if stage.person().is_some() {
                    break;
                }
                if built_in.is_none() {
                    let what = "tools are for built-in agents; those of yours say themselves what they use";
                    self.refuse(at, "tools", what.to_owned());
                    break;
                }
                if TOOLS.contains(&tool.as_str()) {
                    continue;
                }
                let near = nearest(tool, TOOLS);
                let others = match near {
                    Some(_) => ask(near, '"'),
                    None => format!("; there are {}", TOOLS.join(", ")),
                };
                let what = format!("there is no tool {tool:?}{others}");
                self.refuse(at, &format!("tools/{index}"), what);
            }
        }
    }
}

/// Why a member of a parallel stage cannot say where to go next.
pub(super) fn leads_itself(own: &Stage, group: &Stage, key: &str) -> String {
    let (own, group) = (&own.name, &group.name);
    format!("{own:?} runs beside others: where to go next is said by {group:?}, and not by {key}")
}

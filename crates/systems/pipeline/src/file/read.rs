//! Reads a pipeline from its parsed file, and collects everything that is wrong with it.

use std::{collections::BTreeSet, path::PathBuf};

use consign_contracts::{
    Breach,
    engine::{Pipeline as Written, PipelinePerson, PipelineStage},
    json::{Json, Object},
    suggest::{ask, nearest},
    wire::{Message, Wire},
};
use consign_engine::parse_duration;

use super::{
    Draft, Source, Unusable, Wrong,
    check::check,
    mend::{Doubts, Mended, mend},
    unreachable::vain,
};
use crate::{
    envelope::number,
    person::Person,
    pipeline::{Bounds, Does, END, Pipeline, Route, START, Stage, Target, Who},
};

/// What a duration is.
pub(super) const DURATION: &str =
    "write a duration such as \"90s\", \"30m\", \"2h\" or \"7d\", ten years at most";

/// What a pipeline is held to.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Rules {
    /// What journeys rely on.
    Needed,
    /// That, and nothing in it is in vain.
    All,
}

/// Reads what there is, and says all that is wrong with it.
pub(super) fn draft(source: &Source, rules: Rules) -> Result<Draft, Unusable> {
    if source.twice.is_empty() && Written::contract().schema().check(&source.tree).is_valid() {
        let read = understood(source, Doubts::default(), rules);
        return read.map_err(|breach| Unusable::because(breach.to_string()));
    }
    let Mended { source, mut wrong, doubts, lost } = mend(source);
    let read = if lost { None } else { understood(&source, doubts, rules).ok() };
    match read {
        Some(draft) => {
            wrong.extend(draft.wrong);
            Ok(Draft { wrong, ..draft })
        }
        None => Err(Unusable::of(wrong)),
    }
}

fn understood(source: &Source, doubts: Doubts, rules: Rules) -> Result<Draft, Breach> {
    let written = Written::read(&source.tree)?;
    let following = if rules == Rules::All { following(&written) } else { Vec::new() };
    let wrong = Vec::new();
    let mut reader = PipelineReader { source, written: &written, following, wrong, doubts };
    let stages = reader.stages();
    let PipelineReader { mut wrong, doubts, .. } = reader;
    let mut whole = source.tree.as_object().cloned().unwrap_or_default();
    if rules == Rules::All {
        write_next(&mut whole, &stages);
    }
    let pipeline = Pipeline {
        name: written.name.clone(),
        description: written.description.clone().unwrap_or_default(),
        max_critic_fires: number(written.max_critic_fires.as_ref(), 3),
        bounds: Bounds {
            iterations: number(written.max_iterations.as_ref(), 3),
            llm_calls: number(written.max_llm_calls.as_ref(), 10),
            agent_hops: number(written.max_agent_hops.as_ref(), 21),
            stages: number(written.max_stages.as_ref(), 5),
        },
        stages,
        written: whole,
    };
    wrong.extend(check(&pipeline, source, &doubts));
    let mut draft = Draft { wrong, lines: source.lines(""), ..Draft::of(pipeline) };
    // What a name that is no stage's may mean is taken for the end, which is nearest.
    draft.clear = !doubts.ways;
    if rules == Rules::All {
        vain(&mut draft, source, &doubts);
    }
    draft.unclear = doubts.bounds;
    Ok(draft)
}

/// Where each stage leads that says nothing of it: to the next of the file that does not run beside others.
fn following(written: &Written) -> Vec<Target> {
    let members: BTreeSet<&str> = written
        .stages
        .iter()
        .flat_map(|stage| stage.parallel.iter().flatten())
        .map(String::as_str)
        .collect();
    let mut next = Target::End;
    let mut following = Vec::with_capacity(written.stages.len());
    for (at, stage) in written.stages.iter().enumerate().rev() {
        if members.contains(stage.name.as_str()) {
            following.push(Target::End);
        } else {
            following.push(next);
            next = Target::Stage(at);
        }
    }
    following.reverse();
    following
}

/// Writes down where stages lead that say nothing of it. A run keeps what is written, and there a stage that says
/// nothing leads to the end: it did so in every file once, and runs of that time are still under way.
fn write_next(whole: &mut Object<'static>, stages: &[Stage]) {
    let Some(Json::Array(written)) = whole.get_mut("stages") else { return };
    for (written, stage) in written.iter_mut().zip(stages) {
        if let (Json::Object(written), Target::Stage(next)) = (written, stage.default_next)
            && written.get("default_next").is_none()
        {
            let next = stages[next].name.clone();
            written.set("default_next", Json::String(next.into()));
        }
    }
}

pub(super) struct PipelineReader<'a> {
    source: &'a Source,
    written: &'a Written,
    /// Where stages lead that say nothing of it; to the end if there is nothing here either.
    following: Vec<Target>,
    wrong: Vec<Wrong>,
    doubts: Doubts,
}

impl PipelineReader<'_> {
    pub(super) fn refuse(&mut self, pointer: &str, what: String) {
        self.wrong.push(Wrong { line: self.source.line(pointer), what });
    }

    fn stages(&mut self) -> Vec<Stage> {
        let written = self.written;
        for (at, stage) in written.stages.iter().enumerate() {
            let name = &stage.name;
            if [START, END].contains(&name.as_str()) {
                self.refuse(
                    &format!("/stages/{at}/name"),
                    format!("no stage can be called {name:?}"),
                );
                self.doubts.stages.insert(at);
            }
            if written.stages[..at].iter().any(|before| before.name == *name) {
                self.refuse(
                    &format!("/stages/{at}/name"),
                    format!("there are two stages {name:?}"),
                );
                self.doubts.stages.insert(at);
            }
        }
        written.stages.iter().enumerate().map(|(at, stage)| self.stage(at, stage)).collect()
    }

    fn stage(&mut self, at: usize, written: &PipelineStage) -> Stage {
        let here = format!("/stages/{at}");
        let does = self.does(at, written);
        let mut routes = Vec::new();
        for (index, route) in written.routes.iter().flatten().enumerate() {
            let to = self.target(&format!("{here}/routes/{index}/to"), &route.to);
            let key = route.key.split('.').map(str::to_owned).collect();
            routes.push(Route { key, equals: route.equals.clone(), to });
        }
        let mut next = |name: &str, to: &Option<String>| {
            let to = to.as_ref()?;
            Some(self.target(&format!("{here}/{name}"), to))
        };
        let default_next = next("default_next", &written.default_next);
        let error_next = next("error_next", &written.error_next);
        let following = self.following.get(at).copied().unwrap_or(Target::End);
        let default_next = default_next.unwrap_or(following);
        Stage {
            name: written.name.clone(),
            lines: self.source.lines(&here),
            does,
            output_key: written.output_key.clone().unwrap_or_else(|| written.name.clone()),
            required: written.required.clone().unwrap_or_default(),
            input: written.input.clone(),
            model: written.model.clone(),
            tools: written.tools.clone(),
            retry: self.retry(&here, written),
            routes,
            default_next,
            error_next,
        }
    }

    fn does(&mut self, at: usize, written: &PipelineStage) -> Does {
        let here = format!("/stages/{at}");
        // Whichever is left out, what is wrong in it is wrong as it stands.
        let members =
            written.parallel.as_ref().map(|members| Does::Parallel(self.members(&here, members)));
        let person = written
            .person
            .as_ref()
            .map(|person| Does::Person(Box::new(self.person(&here, &written.name, person))));
        let agent = written.agent.as_ref().map(|agent| Does::Agent(who(agent)));
        let there = [("an agent", "agent", agent), ("a person", "person", person)];
        let there = there.into_iter().chain([("`parallel`", "parallel", members)]);
        let mut there = there.filter_map(|(what, key, does)| Some((what, key, does?)));
        let Some((what, _, does)) = there.next() else {
            if !self.doubts.stages.contains(&at) {
                self.refuse(&here, format!("stage {:?} has no agent", written.name));
            }
            return Does::Agent(Who::Named(String::new()));
        };
        for (other, key, _) in there {
            let what = format!("stage {:?} has {what} and {other}: leave one out", written.name);
            self.refuse(&format!("{here}/{key}"), what);
            self.doubts.ways = true;
        }
        does
    }

    fn person(&mut self, stage: &str, name: &str, written: &PipelinePerson) -> Person {
        let deadline = written.deadline.as_deref().and_then(|text| {
            let deadline = parse_duration(text).filter(|deadline| !deadline.is_zero());
            if deadline.is_none() {
                let what = format!("the deadline of {name:?} is {text:?}: {DURATION}");
                self.refuse(&format!("{stage}/person/deadline"), what);
            }
            deadline
        });
        Person {
            ask: written.ask,
            prompt: written.prompt.clone(),
            schema: written.schema.clone(),
            deadline,
            default: written.default.clone(),
        }
    }

    /// The places of the stages that a parallel stage names, as far as they exist.
    fn members(&mut self, stage: &str, names: &[String]) -> Vec<usize> {
        let mut places = Vec::new();
        for (index, name) in names.iter().enumerate() {
            let pointer = format!("{stage}/parallel/{index}");
            if name == END {
                self.refuse(&pointer, "`end` is no stage".to_owned());
            } else if let Target::Stage(at) = self.target(&pointer, name) {
                places.push(at);
            }
        }
        places
    }

    fn target(&mut self, pointer: &str, name: &str) -> Target {
        let names = || self.written.stages.iter().map(|stage| stage.name.as_str());
        let find = |name: &str| match name {
            END => Some(Target::End),
            name => names().position(|known| known == name).map(Target::Stage),
        };
        if let Some(known) = find(name) {
            return known;
        }
        let near = nearest(name, names().chain([END]));
        // What was probably meant is where it leads: the rest of the file is looked at all the same.
        let meant = near.and_then(find);
        self.refuse(pointer, format!("there is no stage {name:?}{}", ask(near, '"')));
        if meant.is_none() {
            let line = self.source.line(pointer);
            self.doubts.unknown.push((name.to_owned(), line));
        }
        meant.unwrap_or(Target::End)
    }
}

fn who(agent: &Json<'static>) -> Who {
    if let Json::Object(definition) = agent {
        return Who::Defined(definition.clone());
    }
    let name = agent.as_str().unwrap_or_default();
    let file = name.contains('/') || name.ends_with(".toml");
    if file { Who::File(PathBuf::from(name)) } else { Who::Named(name.to_owned()) }
}

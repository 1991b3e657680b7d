//! From what is written to what is meant.

use std::path::PathBuf;

use consign_contracts::{
    Breach,
    engine::{Pipeline as Written, PipelineStage},
    json::Json,
    wire::{Message, Wire},
};

use super::{Source, Unusable, Wrong, source::escaped};
use crate::pipeline::{
    envelope::number,
    pipeline::{Bounds, Does, END, Pipeline, Route, START, Stage, Target, Who},
};

pub(super) fn read(source: &Source) -> Result<Pipeline, Unusable> {
    let verdict = Written::contract().schema().check(&source.tree);
    if !verdict.is_valid() {
        let mut wrong: Vec<_> = verdict
            .breaches
            .iter()
            .map(|breach| Wrong { line: source.line(&place(breach)), what: breach.to_string() })
            .collect();
        wrong.sort_by_key(|wrong| wrong.line);
        return Err(Unusable { path: None, wrong });
    }
    let written =
        Written::read(&source.tree).map_err(|breach| Unusable::because(breach.to_string()))?;
    let mut reader = Reader { source, written: &written, wrong: Vec::new() };
    let stages = reader.stages();
    if !reader.wrong.is_empty() {
        reader.wrong.sort_by_key(|wrong| wrong.line);
        return Err(Unusable { path: None, wrong: reader.wrong });
    }
    let whole = source.tree.as_object().cloned().unwrap_or_default();
    Ok(Pipeline {
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
    })
}

/// Where a breach is to be looked for: a member that is too much stands in a line of its own.
fn place(breach: &Breach) -> String {
    let name =
        breach.message.split('`').nth(1).filter(|_| breach.keyword == "additionalProperties");
    name.map_or_else(
        || breach.pointer.clone(),
        |name| format!("{}/{}", breach.pointer, escaped(name)),
    )
}

struct Reader<'a> {
    source: &'a Source,
    written: &'a Written,
    wrong: Vec<Wrong>,
}

impl Reader<'_> {
    fn refuse(&mut self, pointer: &str, what: String) {
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
            }
            if written.stages[..at].iter().any(|before| before.name == *name) {
                self.refuse(
                    &format!("/stages/{at}/name"),
                    format!("there are two stages {name:?}"),
                );
            }
        }
        written.stages.iter().enumerate().map(|(at, stage)| self.stage(at, stage)).collect()
    }

    fn stage(&mut self, at: usize, written: &PipelineStage) -> Stage {
        let here = format!("/stages/{at}");
        let does = self.does(&here, written);
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
        let default_next = next("default_next", &written.default_next).unwrap_or(Target::End);
        let error_next = next("error_next", &written.error_next);
        let line = self.source.line(&format!("{here}/agent"));
        Stage {
            name: written.name.clone(),
            line,
            does,
            output_key: written.output_key.clone().unwrap_or_else(|| written.name.clone()),
            required: written.required.clone().unwrap_or_default(),
            input: written.input.clone(),
            model: written.model.clone(),
            tools: written.tools.clone(),
            tries: u32::try_from(number(written.tries.as_ref(), 3)).unwrap_or(3),
            routes,
            default_next,
            error_next,
        }
    }

    fn does(&mut self, here: &str, written: &PipelineStage) -> Does {
        let nobody = Does::Agent(Who::Named(String::new()));
        match (&written.agent, &written.parallel) {
            (Some(agent), None) => Does::Agent(who(agent)),
            (None, Some(members)) => {
                let mut places = Vec::new();
                for (index, member) in members.iter().enumerate() {
                    let pointer = format!("{here}/parallel/{index}");
                    if member == END {
                        self.refuse(&pointer, "`end` is no stage".to_owned());
                    } else if let Target::Stage(at) = self.target(&pointer, member) {
                        places.push(at);
                    }
                }
                Does::Parallel(places)
            }
            (Some(_), Some(_)) => {
                let what =
                    format!("stage {:?} has an agent and `parallel`: leave one out", written.name);
                self.refuse(&format!("{here}/parallel"), what);
                nobody
            }
            (None, None) => {
                self.refuse(here, format!("stage {:?} has no agent", written.name));
                nobody
            }
        }
    }

    fn target(&mut self, pointer: &str, name: &str) -> Target {
        if name == END {
            return Target::End;
        }
        let names: Vec<&str> =
            self.written.stages.iter().map(|stage| stage.name.as_str()).collect();
        if let Some(at) = names.iter().position(|known| *known == name) {
            return Target::Stage(at);
        }
        let near = names.iter().min_by_key(|known| strsim::damerau_levenshtein(known, name));
        // Of a short name two letters are all there is.
        let most = name.chars().count().saturating_sub(1).min(2);
        let near = near.filter(|near| strsim::damerau_levenshtein(near, name) <= most);
        let near = near.map_or_else(String::new, |near| format!("; did you mean {near:?}?"));
        self.refuse(pointer, format!("there is no stage {name:?}{near}"));
        Target::End
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

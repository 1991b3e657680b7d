//! Looks up the agents of a pipeline's stages: whether they exist, which ask a model, what programs they
//! start.

use std::path::{Path, PathBuf};

use consign_engine::Effect;
use consign_invokers::{
    define::{Definition, McpServer, Reached},
    model::ModelSource,
};
use consign_pipeline::{BUILT_IN, Does, Pinned, Pipeline, Stage, Who, file::Wrong};

use crate::{definitions, home::Home, programs, suggest::nearest};

#[derive(Default)]
pub(super) struct Agents {
    /// The stages whose agents of the user's own ask a model.
    pub(super) thinkers: Vec<String>,
    /// The models that those ask.
    pub(super) models: Vec<(String, ModelSource)>,
    /// The stages whose agents must not be called twice.
    pub(super) unrepeatable: Vec<String>,
    pub(super) programs: Vec<Program>,
    pub(super) wrong: Vec<Wrong>,
}

/// A program that a stage starts.
pub struct Program {
    pub stage: String,
    pub line: Option<usize>,
    command: String,
    directory: PathBuf,
}

impl Program {
    /// What keeps it from being started here, today. Elsewhere it may be there.
    pub fn missing(&self) -> Option<String> {
        let Self { stage, command, directory, .. } = self;
        let there = match command.contains('/') {
            true => programs::is_program(&directory.join(command)),
            false => programs::find(command).is_some(),
        };
        let place = if command.contains('/') { "there" } else { "on the PATH" };
        (!there).then(|| format!("the program {command:?} of stage {stage:?} is not {place}"))
    }
}

impl Agents {
    pub(super) fn of(home: &Home, pipeline: &Pipeline, pinned: &Pinned) -> Self {
        let mut agents = Self::default();
        for stage in &pipeline.stages {
            if let Some(model) = &stage.model
                && let Err(why) = ModelSource::read(model, &[])
            {
                agents.refuse(stage, "/model", why);
            }
            match &stage.does {
                Does::Agent(Who::Named(name)) if BUILT_IN.contains(&name.as_str()) => {
                    if stage.model.as_deref() == Some("bridge") {
                        let what =
                            format!("{name:?} checks what a model says, and `bridge` is none");
                        agents.refuse(stage, "/model", what);
                    }
                }
                // It is told that there is none.
                Does::Agent(Who::Named(name)) if name.is_empty() => {}
                Does::Agent(Who::Named(name)) => agents.named(home, stage, name),
                Does::Agent(Who::File(_) | Who::Defined(_)) => {
                    if let Some(definition) = pinned.definition(&stage.name) {
                        if definition.effect == Effect::Unsafe {
                            agents.unrepeatable.push(stage.name.clone());
                        }
                        agents.take(stage, &definition, &format!("the agent of {:?}", stage.name));
                    }
                }
                Does::Person(_) | Does::Parallel(_) => {}
            }
        }
        agents
    }

    fn refuse(&mut self, stage: &Stage, member: &str, what: String) {
        self.wrong.push(Wrong { line: stage.lines.of(member), what });
    }

    /// An agent that was added under a name.
    fn named(&mut self, home: &Home, stage: &Stage, name: &str) {
        let agent = home.engine.agents().get(name);
        if agent.as_ref().is_some_and(|agent| agent.effect == Effect::Unsafe) {
            self.unrepeatable.push(stage.name.clone());
        }
        if agent.is_none() {
            let known = definitions::all(&home.folder).unwrap_or_default().into_iter().flatten();
            let known = known.map(|own| own.name);
            let known = known.chain(BUILT_IN.map(str::to_owned));
            let near = match nearest(name, known) {
                Some(near) => format!("; did you mean {near:?}?"),
                None => ":".to_owned(),
            };
            let what = format!(
                "there is no agent {name:?}{near} `consign agents add FILE.toml` adds one, and \
                 agent = \"FILE.toml\" takes one beside the pipeline"
            );
            return self.refuse(stage, "/agent", what);
        }
        match definitions::read(&home.folder, name) {
            Ok(Some(definition)) => self.take(stage, &definition, &format!("the agent {name:?}")),
            Ok(None) if stage.model.is_some() => {
                self.refuse(
                    stage,
                    "/model",
                    format!("the agent {name:?} is no model, and can have none"),
                );
            }
            Ok(None) => {}
            Err(unusable) => {
                for fault in unusable.lines() {
                    self.refuse(stage, "/agent", format!("the agent {name:?}: {fault}"));
                }
            }
        }
    }

    fn take(&mut self, stage: &Stage, definition: &Definition, called: &str) {
        if let Reached::Model(asking) = &definition.reached {
            self.thinkers.push(stage.name.clone());
            let instead = stage.model.as_ref().and_then(|model| ModelSource::read(model, &[]).ok());
            let source = instead.unwrap_or_else(|| asking.source.clone());
            self.models.push((stage.name.clone(), source));
        } else if stage.model.is_some() {
            self.refuse(stage, "/model", format!("{called} is no model, and can have none"));
        }
        let program = match &definition.reached {
            Reached::Subprocess(program) => program,
            Reached::Mcp(mcp) => match &mcp.server {
                McpServer::Program(program) => program,
                McpServer::Web(_) => return,
            },
            Reached::Model(_) | Reached::Http(_) | Reached::Bridge(_) => return,
        };
        self.programs.extend(program.command.first().map(|command| Program {
            stage: stage.name.clone(),
            line: stage.lines.of("/agent/subprocess/command"),
            command: command.clone(),
            directory: program.directory.clone().unwrap_or_else(|| Path::new(".").to_owned()),
        }));
    }
}

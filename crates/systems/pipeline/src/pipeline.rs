//! A pipeline: its stages, and where each leads. Read and checked by [`super::file`].
//!
//! What the document says of an agent's output holds for whatever stage writes under that agent's key:
//! `intent` has goals and may ask for a clarification, `execution` may ask for a confirmation,
//! `critic` has a verdict, and so on.

use std::path::PathBuf;

use consign_contracts::json::{Json, Object};
use consign_engine::{AgentName, Retry};

use super::{file::Lines, person::Person, transitions::from_stage};

/// The names that are no stage's.
pub const START: &str = "start";
pub const END: &str = "end";

/// The keys of `outputs` that mean something to the pipeline itself.
pub(super) const INTENT: &str = "intent";
pub(super) const PLAN: &str = "plan";
pub(super) const EXECUTION: &str = "execution";
pub(super) const CRITIC: &str = "critic";
pub const INTEGRATION: &str = "integration";

/// What a critic can say that means something.
pub(super) const VERDICTS: [&str; 3] = ["approved", "reintent", "next_stage"];

#[derive(Clone, Debug, PartialEq)]
pub struct Pipeline {
    pub name: String,
    pub description: String,
    pub max_critic_fires: i64,
    pub bounds: Bounds,
    /// The first is where an envelope starts.
    pub stages: Vec<Stage>,
    /// As it was read, in the form of JSON.
    pub written: Object<'static>,
}

/// What new envelopes get.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    pub iterations: i64,
    pub llm_calls: i64,
    pub agent_hops: i64,
    pub stages: i64,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Stage {
    pub name: String,
    /// Where its file has it and its members, if there is one.
    pub lines: Lines,
    pub does: Does,
    pub output_key: String,
    pub required: Vec<String>,
    pub input: Option<Json<'static>>,
    pub model: Option<String>,
    pub tools: Option<Vec<String>>,
    pub retry: Retry,
    pub routes: Vec<Route>,
    pub default_next: Target,
    pub error_next: Option<Target>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Does {
    Agent(Who),
    /// A person is asked.
    Person(Box<Person>),
    /// Other stages, by their places, all at once.
    Parallel(Vec<usize>),
}

/// The agent that does the work of a stage.
#[derive(Clone, Debug, PartialEq)]
pub enum Who {
    /// A built-in agent, or one of the user's.
    Named(String),
    /// A definition in a file beside the pipeline's.
    File(PathBuf),
    /// The definition itself.
    Defined(Object<'static>),
}

#[derive(Clone, Debug, PartialEq)]
pub struct Route {
    /// The members that lead to the value, in the stage's own output.
    pub key: Vec<String>,
    pub equals: Json<'static>,
    pub to: Target,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    Stage(usize),
    End,
}

/// The agents that come with Consign: those of the document, and one that passes everything on.
pub const BUILT_IN: [&str; 7] = ["perception", INTENT, PLAN, EXECUTION, CRITIC, INTEGRATION, PASS];
/// The built-in agents that a model can think for.
pub const THINKING: [&str; 4] = [INTENT, PLAN, CRITIC, INTEGRATION];
/// Does nothing, and says so with an empty output.
pub(super) const PASS: &str = "pass";

impl Stage {
    /// The built-in agent that does its work, if one does.
    #[must_use]
    pub fn built_in(&self) -> Option<&str> {
        match &self.does {
            Does::Agent(Who::Named(name)) if BUILT_IN.contains(&name.as_str()) => Some(name),
            Does::Agent(_) | Does::Person(_) | Does::Parallel(_) => None,
        }
    }

    /// The person who is asked in it, if one is.
    #[must_use]
    pub fn person(&self) -> Option<&Person> {
        match &self.does {
            Does::Person(person) => Some(person),
            Does::Agent(_) | Does::Parallel(_) => None,
        }
    }

    /// Whether it writes an output itself: an agent works in it, or a person is asked.
    #[must_use]
    pub fn writes(&self) -> bool {
        !matches!(self.does, Does::Parallel(_))
    }

    /// The name that its agent is called by: one that the pipeline defines itself goes by its stage and a pin.
    pub(crate) fn agent_name(&self, who: &Who, pin: &str) -> AgentName {
        match who {
            Who::Named(name) => AgentName::from(name.as_str()),
            Who::File(_) | Who::Defined(_) => AgentName::pinned(&self.name, pin),
        }
    }
}

impl Pipeline {
    #[must_use]
    pub fn find(&self, name: &str) -> Option<usize> {
        self.stages.iter().position(|stage| stage.name == name)
    }

    /// The stage that writes under a key.
    #[must_use]
    pub fn writer(&self, output_key: &str) -> Option<usize> {
        self.stages.iter().position(|stage| stage.output_key == output_key && stage.writes())
    }

    #[must_use]
    pub fn name_of(&self, target: Target) -> &str {
        match target {
            Target::Stage(at) => &self.stages[at].name,
            Target::End => END,
        }
    }

    /// The stage in whose turn this one works: itself, or the one that has it work beside others.
    #[must_use]
    pub fn turn_of(&self, at: usize) -> usize {
        let beside = self.stages.iter().position(|stage| match &stage.does {
            Does::Parallel(members) => members.contains(&at),
            Does::Agent(_) | Does::Person(_) => false,
        });
        beside.unwrap_or(at)
    }

    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.stages.iter().map(|stage| stage.name.as_str())
    }

    /// The stages that work when this one's turn comes.
    #[must_use]
    pub fn members(&self, at: usize) -> Vec<usize> {
        match &self.stages[at].does {
            Does::Agent(_) | Does::Person(_) => vec![at],
            Does::Parallel(members) => members.clone(),
        }
    }

    /// Where a critic's verdict leads: by its routes, else to the stage that the document means. Of a
    /// critic beside others, the stage that has them work says where to go.
    #[must_use]
    pub fn after_verdict(&self, critic: usize, verdict: &str) -> Target {
        match (self.verdict_route(critic, verdict), self.meant_by(verdict)) {
            (Some(route), _) => route.to,
            (None, Some(meant)) => Target::Stage(meant),
            (None, None) => self.stages[self.turn_of(critic)].default_next,
        }
    }

    /// The route that says where a critic's verdict leads.
    pub(super) fn verdict_route(&self, critic: usize, verdict: &str) -> Option<&Route> {
        let turn = self.turn_of(critic);
        let key: &[&str] = if turn == critic { &["verdict"] } else { &[CRITIC, "verdict"] };
        let fits = |route: &&Route| route.key == key && route.equals.as_str() == Some(verdict);
        self.stages[turn].routes.iter().find(fits)
    }

    /// The stage that the document means by a verdict.
    pub(super) fn meant_by(&self, verdict: &str) -> Option<usize> {
        let meant = match verdict {
            "approved" => INTEGRATION,
            "reintent" => INTENT,
            _ => PLAN,
        };
        self.writer(meant).map(|writer| self.turn_of(writer))
    }

    /// Whether there is a way from one stage to another, without a turn of a third where one is named.
    #[must_use]
    pub fn leads(&self, from: usize, to: usize, without: Option<usize>) -> bool {
        let mut seen = vec![false; self.stages.len()];
        let mut next = vec![from];
        while let Some(at) = next.pop() {
            if Some(at) == without || std::mem::replace(&mut seen[at], true) {
                continue;
            }
            if at == to {
                return true;
            }
            next.extend(self.targets(at).into_iter().filter_map(|target| match target {
                Target::Stage(stage) => Some(stage),
                Target::End => None,
            }));
        }
        false
    }

    /// Everywhere that a stage can lead to, whatever it comes to.
    #[must_use]
    pub fn targets(&self, at: usize) -> Vec<Target> {
        from_stage(self, at).into_iter().map(|(to, _)| to).collect()
    }
}

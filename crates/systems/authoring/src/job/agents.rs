//! The agents of jobs that are rules: they plan, make and look over, in process and without a model.
//!
//! All are pure: a crash may repeat them. They compute on a blocking thread, because a long specification takes a while.
//! What they call is in `generators`. Scribe's own are in [`scribe`](crate::scribe).

use std::sync::Arc;

use async_trait::async_trait;
use consign_engine::{Agent, Agents, Attempt, Data, Effect, Failure, Fault, Invoker, Nanos, Reply};
use consign_invokers::define::Workshop;
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use super::{AgentType, JobPlan, generators, model, progress::Made};
use crate::{
    publish::{self, OpenRepository},
    scribe,
    trace::Framework,
};

/// The agent that looks over what Proto made.
pub(super) const REFLECT: &str = "authoring/proto.reflect";

/// The agent that plans jobs of a type.
pub(super) const fn planner(kind: AgentType) -> &'static str {
    match kind {
        AgentType::Scribe => "authoring/scribe.plan",
        AgentType::Trace => "authoring/trace.plan",
        AgentType::Proto => "authoring/proto.plan",
    }
}

/// The agent that makes what jobs of a type are for.
pub(super) const fn maker(kind: AgentType) -> &'static str {
    match kind {
        AgentType::Scribe => "authoring/scribe.write",
        AgentType::Trace => "authoring/trace.generate",
        AgentType::Proto => "authoring/proto.scaffold",
    }
}

/// What a planner is given.
#[derive(Serialize, Deserialize)]
pub(super) struct PlanInput {
    pub(super) payload: Data,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) model: Option<String>,
    /// What tests are written for, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) framework: Option<Framework>,
}

/// What a maker is given.
#[derive(Serialize, Deserialize)]
pub(super) struct MakeInput {
    pub(super) payload: Data,
    /// What a model said, if one was asked and said something usable.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) thought: Option<Data>,
    /// What tests are written for, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) framework: Option<Framework>,
}

/// What a second look is given.
#[derive(Serialize, Deserialize)]
pub(super) struct ReflectInput {
    pub(super) payload: Data,
    pub(super) result: Data,
}

/// Whether an agent works in jobs. What these are given names models and scripts, so they are not for outside callers.
#[must_use]
pub fn is_agent(name: &str) -> bool {
    name.starts_with("authoring/") || model::THINKERS.contains(&name)
}

/// Adds the agents of jobs to those that there are.
#[must_use]
pub fn agents(
    agents: Agents,
    workshop: &Workshop,
    repositories: &Arc<dyn OpenRepository>,
) -> Agents {
    let agents = publish::agents::agents(pure_agents(agents), repositories);
    let agents = scribe::agents::agents(agents, repositories, Some(workshop));
    model::model_agents(agents, workshop)
}

/// Adds the agents that need no model and no key.
#[must_use]
pub fn rule_agents(agents: Agents, repositories: &Arc<dyn OpenRepository>) -> Agents {
    let agents = publish::agents::agents(pure_agents(agents), repositories);
    scribe::agents::agents(agents, repositories, None)
}

fn pure_agents(agents: Agents) -> Agents {
    let rules = [
        (planner(AgentType::Trace), Rule::Plan(AgentType::Trace)),
        (planner(AgentType::Proto), Rule::Plan(AgentType::Proto)),
        (maker(AgentType::Trace), Rule::Make(AgentType::Trace)),
        (maker(AgentType::Proto), Rule::Make(AgentType::Proto)),
        (REFLECT, Rule::Reflect),
    ];
    rules
        .into_iter()
        .fold(agents, |agents, (name, rule)| agents.with(name, Agent::new(Effect::Pure, rule)))
}

/// Something that is worked out from its input alone.
#[derive(Clone, Copy)]
enum Rule {
    Plan(AgentType),
    Make(AgentType),
    Reflect,
}

impl Rule {
    fn work(self, input: &Data) -> Result<Data, Fault> {
        match self {
            Self::Plan(kind) => {
                let PlanInput { payload, model, framework } = read(input)?;
                let framework = framework.unwrap_or(Framework::Default);
                let plan: JobPlan = generators::plan(kind, &payload, model.as_deref(), framework)?;
                Ok(Data::of(&plan))
            }
            Self::Make(kind) => {
                let MakeInput { payload, thought, framework } = read(input)?;
                let framework = framework.unwrap_or(Framework::Default);
                let made: Made = generators::make(kind, &payload, thought.as_ref(), framework)?;
                Ok(Data::of(&made))
            }
            Self::Reflect => {
                let ReflectInput { payload, result } = read(input)?;
                generators::reflect(&payload, &result)
            }
        }
    }
}

#[async_trait]
impl Invoker for Rule {
    fn worst_case(&self, _input: &Data) -> Option<Nanos> {
        Some(Nanos::ZERO)
    }

    async fn invoke(&self, attempt: Attempt) -> Result<Reply, Failure> {
        let (rule, input) = (*self, attempt.input.clone());
        let work = tokio::task::spawn_blocking(move || rule.work(&input));
        let worked = work.await.unwrap_or_else(|cause| {
            let text = format!("the step did not come to its end: {cause}");
            Err(Fault::permanent("INTERNAL_ERROR", text))
        });
        let worked = worked.map(|output| Reply::new(output, Nanos::ZERO));
        worked.map_err(|fault| Failure::new(fault, Some(Nanos::ZERO)))
    }
}

fn read<T: DeserializeOwned>(input: &Data) -> Result<T, Fault> {
    input.to().map_err(|cause| {
        Fault::permanent("INVALID_INPUT", format!("what the step is given: {cause}"))
    })
}

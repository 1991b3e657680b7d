//! The program of a job's run: opens what [`Progress`] wants, and tells it what happened.

use std::time::Duration;

use consign_engine::{
    Activity, AgentName, Bound, Call, Data, Fault, Happened, Key, Limits, Next, Outcome, Retry,
    Settings, Signal, Workflow, Workflows,
};

use super::{
    AgentType, JobInput, Progress, Step, agents,
    kind::workflow_name,
    model,
    progress::{News, Thought},
};
use crate::scribe::wanted::Wanted;

/// Adds the workflows of the three types of jobs.
#[must_use]
pub fn workflows(workflows: Workflows) -> Workflows {
    AgentType::ALL.iter().fold(workflows, |workflows, kind| workflows.with(JobWorkflow(*kind)))
}

/// The workflow of one type.
pub(super) struct JobWorkflow(pub(super) AgentType);

impl Workflow for JobWorkflow {
    type State = Progress;

    fn name(&self) -> &str {
        workflow_name(self.0)
    }

    fn start(&self, input: &Data) -> Result<Progress, Fault> {
        Ok(Progress::new(JobInput::read(self.0, input)?))
    }

    fn decide(&self, progress: &Progress) -> Next {
        match progress.next() {
            Step::Approve => {
                let ask = progress.question().ask(&progress.files());
                Next::Open(vec![Activity::Ask(ask)])
            }
            step @ (Step::Read
            | Step::Plan
            | Step::Think
            | Step::Make
            | Step::Reflect
            | Step::Publish) => match calls(self.0, step, progress) {
                Ok(calls) if calls.is_empty() => Next::Finish(Outcome::Failed(Fault::permanent(
                    "INTERNAL_ERROR",
                    format!("the step {} has nothing to call", step.key()),
                ))),
                Ok(calls) => Next::Open(calls.into_iter().map(Activity::Call).collect()),
                Err(fault) => Next::Finish(Outcome::Failed(fault)),
            },
            Step::Finish => Next::Finish(match progress.outcome() {
                Some(outcome) => Outcome::Succeeded(Data::of(&outcome)),
                None => Outcome::Failed(Fault::permanent("INTERNAL_ERROR", "nothing was made")),
            }),
            Step::Stop => Next::Finish(Outcome::Failed(progress.fault().unwrap_or_else(|| {
                Fault::permanent("INTERNAL_ERROR", "the job stopped without a reason")
            }))),
        }
    }

    fn evolve(&self, progress: &mut Progress, happened: &Happened<'_>) {
        match *happened {
            Happened::Completed { key, output, work } => {
                progress.take(&News::Done(key.as_str(), output, work));
            }
            Happened::Failed { key, fault, work } => {
                progress.take(&News::Failed(key.as_str(), fault, work));
            }
            Happened::Answered { value, .. } => progress.take(&News::Answered(value)),
            Happened::Signalled(Signal::Cancel) => progress.take(&News::Cancelled),
            Happened::Signalled(Signal::Advice(_) | Signal::Raised(_) | Signal::Named { .. })
            | Happened::Fired { .. } => {}
        }
    }

    fn label(&self, progress: &Progress, _asks: &[&str]) -> Option<String> {
        Some(progress.state().as_str().to_owned())
    }

    fn bound(&self, input: &Data, limits: &Limits, settings: &Settings) -> Bound {
        match self.start(input) {
            Ok(first) => self.bound_of(&first, input, limits, settings),
            Err(_) => Bound::default(),
        }
    }

    fn bound_of(&self, first: &Progress, _: &Data, _: &Limits, _: &Settings) -> Bound {
        // What a model is asked depends on what is planned, so its price is not known before.
        if first.ai.is_some() || self.0 == AgentType::Scribe {
            let is_free = first.input.settings.model.as_deref() == Some(model::RULES);
            let cost = is_free.then_some(consign_engine::Nanos::ZERO);
            return Bound { cost, ..Bound::default() };
        }
        let calls = if self.0 == AgentType::Proto { 3 } else { 2 };
        // How often a repository has to be asked is not known before.
        let calls = (!first.publishes()).then_some(calls);
        Bound { cost: Some(consign_engine::Nanos::ZERO), calls }
    }
}

/// The calls of a step.
fn calls(kind: AgentType, step: Step, progress: &Progress) -> Result<Vec<Call>, Fault> {
    if step == Step::Publish {
        return Ok(progress.publish_call().into_iter().collect());
    }
    let Some(scribe) = &progress.scribe else {
        return call(kind, step, progress).map(|call| vec![call]);
    };
    let wanted = Wanted::read(&progress.input)?;
    let input = &progress.input;
    Ok(match step {
        Step::Read => vec![scribe.read_call(input, &wanted)],
        Step::Plan => scribe.plan_call(input, &wanted).into_iter().collect(),
        Step::Think => scribe.think_call().into_iter().collect(),
        Step::Make => scribe.calls(input, &wanted),
        Step::Reflect | Step::Approve | Step::Publish | Step::Finish | Step::Stop => Vec::new(),
    })
}

/// The call of a step.
fn call(kind: AgentType, step: Step, progress: &Progress) -> Result<Call, Fault> {
    let payload = progress.input.effective()?;
    let framework = progress.input.settings.framework;
    let model = progress.ai.as_ref().map(|ai| ai.requested.as_str());
    let thought = match &progress.thought {
        Some(Thought::Answered(answer)) => Some(answer),
        Some(Thought::Failed { .. }) | None => None,
    };
    let (agent, input) = match step {
        Step::Plan => {
            let model = model.map(str::to_owned);
            (agents::planner(kind), Data::of(&agents::PlanInput { payload, model, framework }))
        }
        Step::Think => (
            model::thinker(kind),
            model::asked(kind, model, &payload, progress.input.revision.as_ref())?,
        ),
        Step::Make => {
            let thought = thought.cloned();
            (agents::maker(kind), Data::of(&agents::MakeInput { payload, thought, framework }))
        }
        Step::Read | Step::Reflect | Step::Approve | Step::Publish | Step::Finish | Step::Stop => {
            let made = progress.made.as_ref();
            let result = made.map_or_else(Data::null, |made| made.result.clone());
            (agents::REFLECT, Data::of(&agents::ReflectInput { payload, result }))
        }
    };
    // Ours are pure: they fail again. A provider may answer the next time.
    let retry = match step {
        Step::Think => Retry::new(3, Duration::from_secs(1), Duration::from_secs(60)),
        Step::Read
        | Step::Plan
        | Step::Make
        | Step::Reflect
        | Step::Approve
        | Step::Publish
        | Step::Finish
        | Step::Stop => Retry::NEVER,
    };
    let (key, agent) = (Key::from(step.key()), AgentName::from(agent));
    Ok(Call { key, agent, input, retry })
}

#[cfg(test)]
mod tests;

//! What a job has come to, as a value.
//!
//! [`Progress::next`] says what is to be done from what is known; [`Progress::take`] is the only way in which it
//! changes. There is no stage to keep in step with the rest: what is known *is* the stage.

use consign_engine::{Data, Fault, Work};
use serde::{Deserialize, Serialize};

use super::{
    AgentType, AiUsage, Approval, Explained, JOB_CANCELLED, JOB_REJECTED, JobInput, JobOutcome,
    JobPlan, JobState, Quality,
    approval::{self, Verdict},
    model, result,
};
use crate::{
    publish::{self, Publication},
    scribe::{Scribe, wanted},
};

/// The state of a run that does a job.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Progress {
    pub input: JobInput,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<JobPlan>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thought: Option<Thought>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub made: Option<Made>,
    /// What a second look at what was made said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reflection: Option<Data>,
    /// The documents of Scribe.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scribe: Option<Scribe>,
    /// What became of publishing.
    #[serde(default)]
    pub publication: Publication,
    #[serde(default, skip_serializing_if = "is_false")]
    pub is_approved: bool,
    /// Somebody wants the repository looked at again before they approve.
    #[serde(default, skip_serializing_if = "is_false")]
    pub is_refreshing: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ai: Option<AiUsage>,
    /// Why the job ended before it was done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end: Option<End>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_false(flag: &bool) -> bool {
    !flag
}

/// What a model said, or that it said nothing that can be used: then the rules do without it.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Thought {
    Answered(Data),
    Failed { code: String },
}

/// What the agent that makes things gave.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Made {
    pub result: Data,
    /// Why it is so.
    #[serde(default)]
    pub trace: Vec<Explained>,
}

/// Why a job ended before it was done.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum End {
    Failed(Fault),
    /// The run closes by itself; this is for what is shown of it.
    Cancelled,
}

/// What is to be done next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Read the repository.
    Read,
    Plan,
    /// Ask the model.
    Think,
    Make,
    Reflect,
    Approve,
    /// Write to the repository, or look at it before that.
    Publish,
    /// Everything is done.
    Finish,
    /// It failed, or was cancelled.
    Stop,
}

impl Step {
    /// The key under which it is open in the run. Documents, files that are published, and questions that are asked once
    /// more have keys of their own.
    #[must_use]
    pub const fn key(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Plan => "plan",
            Self::Think => "think",
            Self::Make => "make",
            Self::Reflect => "reflect",
            Self::Approve => super::APPROVAL,
            Self::Publish => "publish",
            Self::Finish => "finish",
            Self::Stop => "stop",
        }
    }
}

/// Something that a job learns.
#[derive(Debug)]
pub(super) enum News<'a> {
    Done(&'a str, &'a Data, Work),
    Failed(&'a str, &'a Fault, Work),
    Answered(&'a Data),
    Cancelled,
}

impl Progress {
    #[must_use]
    pub(super) fn new(input: JobInput) -> Self {
        let ai = input.settings.model.as_deref().filter(|model| *model != model::RULES);
        let ai = ai.map(AiUsage::of);
        let scribe = (input.kind == AgentType::Scribe.as_str()).then(Scribe::default);
        Self {
            input,
            scribe,
            publication: Publication::default(),
            is_refreshing: false,
            plan: None,
            thought: None,
            made: None,
            reflection: None,
            is_approved: false,
            ai,
            end: None,
        }
    }

    #[must_use]
    pub fn kind(&self) -> AgentType {
        // It was checked when the run began.
        AgentType::from_word(&self.input.kind).unwrap_or(AgentType::Trace)
    }

    /// What is to be done next.
    #[must_use]
    pub fn next(&self) -> Step {
        if self.end.is_some() {
            return Step::Stop;
        }
        match &self.scribe {
            Some(scribe) => self.next_of_scribe(scribe),
            None => self.next_of_files(),
        }
    }

    fn next_of_scribe(&self, scribe: &Scribe) -> Step {
        match () {
            () if scribe.is_over() => Step::Finish,
            () if scribe.source.is_none() => Step::Read,
            () if self.plan.is_none() => Step::Plan,
            () if scribe.wants_model_plan() => Step::Think,
            () if !scribe.all_done() => Step::Make,
            () if self.is_refreshing => Step::Publish,
            () if self.wants("requiresApproval")
                && !self.is_approved
                && scribe.files().next().is_some() =>
            {
                Step::Approve
            }
            () if self.wants_publishing() => Step::Publish,
            () => Step::Finish,
        }
    }

    fn next_of_files(&self) -> Step {
        let kind = self.kind();
        match () {
            () if self.plan.is_none() => Step::Plan,
            () if self.ai.is_some() && self.thought.is_none() => Step::Think,
            () if self.made.is_none() => Step::Make,
            () if kind == AgentType::Proto && self.reflection.is_none() => Step::Reflect,
            () if self.wants_publishing() => Step::Publish,
            () => Step::Finish,
        }
    }

    /// Whether something is left to be published.
    fn wants_publishing(&self) -> bool {
        self.publishes() && self.publish_next() != publish::Next::Over
    }

    /// The next step of publishing.
    fn publish_next(&self) -> publish::Next {
        if self.is_refreshing {
            return publish::Next::Recheck;
        }
        let wish = self.wish();
        let order = wish.as_ref().and_then(|wish| self.order(wish));
        order.map_or(publish::Next::Over, |order| self.publication.next(&order))
    }

    /// The calls that are to be open now.
    pub(super) fn publish_call(&self) -> Option<consign_engine::Call> {
        let wish = self.wish()?;
        let order = self.order(&wish)?;
        self.publication.call(&order, self.publish_next())
    }

    /// The question that is open, and what it binds. None while nothing is asked.
    #[must_use]
    pub fn approval(&self) -> Option<Approval> {
        (self.next() == Step::Approve).then(|| self.question())
    }

    pub(super) fn question(&self) -> Approval {
        let plan = self.plan.clone().unwrap_or_default();
        let files = Data::of(&serde_json::json!({ "artifacts": self.files() }));
        let base = self.publication.looked.as_ref().map(|looked| looked.base.clone());
        let digest = approval::digest(&plan, &files, base.as_deref());
        let round = self.scribe.as_ref().map_or(0, |scribe| scribe.round);
        let asked = round + self.publication.refreshed;
        Approval::new(asked, digest, base)
    }

    /// The state of the job, which is the label of its run.
    #[must_use]
    pub fn state(&self) -> JobState {
        match self.next() {
            Step::Read => JobState::Pending,
            Step::Plan if self.scribe.is_none() => JobState::Pending,
            Step::Plan | Step::Think | Step::Make | Step::Reflect | Step::Publish => {
                JobState::Running
            }
            Step::Approve => JobState::AwaitingApproval,
            Step::Finish => JobState::Completed,
            Step::Stop => JobState::Failed,
        }
    }

    /// Takes in what happened.
    pub(super) fn take(&mut self, news: &News<'_>) {
        match *news {
            News::Done(key, output, work) => self.done(key, output, work),
            News::Failed(key, fault, work) => self.failed(key, fault, work),
            News::Answered(value) => self.answered(value),
            News::Cancelled => self.end = Some(End::Cancelled),
        }
        if self.input.is_strict()
            && self.next() == Step::Finish
            && let Some(result) = self.result()
            && let Err(fault) = result::check(self.kind(), &result)
        {
            self.end = Some(End::Failed(fault));
        }
    }

    fn done(&mut self, key: &str, output: &Data, work: Work) {
        let step = self.next();
        if step == Step::Publish {
            return self.published(key, Ok(output));
        }
        if self.scribe.is_some() {
            return self.scribe_done(step, key, output, work);
        }
        if step.key() != key {
            return;
        }
        let broken = |cause: serde_json::Error| {
            let text = format!("the answer of the step {key}: {cause}");
            End::Failed(Fault::permanent("AI_INVALID_RESPONSE", text))
        };
        match step {
            Step::Plan => match output.to() {
                Ok(plan) => self.plan = Some(self.kept_plan().unwrap_or(plan)),
                Err(cause) => self.end = Some(broken(cause)),
            },
            Step::Think => {
                let said = self.hear(output, work);
                self.thought =
                    Some(match model::usable(self.kind(), &said, self.input.revision.as_ref()) {
                        Some(answer) => Thought::Answered(answer),
                        None => Thought::Failed { code: "AI_INVALID_RESPONSE".to_owned() },
                    });
            }
            Step::Make => match output.to() {
                Ok(made) => self.made = Some(made),
                Err(cause) => self.end = Some(broken(cause)),
            },
            Step::Reflect => self.reflection = Some(output.clone()),
            Step::Read | Step::Approve | Step::Publish | Step::Finish | Step::Stop => {}
        }
    }

    /// The plan of the job that is revised, where it is kept.
    fn kept_plan(&self) -> Option<JobPlan> {
        let revision = self.input.revision.as_ref()?;
        let is_kept = revision.scope == "files" && !revision.parent_plan.steps.is_empty();
        is_kept.then(|| revision.parent_plan.clone())
    }

    /// Writes what a model took into the books, and gives what it said.
    fn hear(&mut self, output: &Data, work: Work) -> Data {
        let said = model::Said::read(output);
        if let Some(ai) = &mut self.ai {
            ai.add(work);
            said.tell(ai);
        }
        said.answer
    }

    fn failed(&mut self, key: &str, fault: &Fault, work: Work) {
        let step = self.next();
        if step == Step::Publish {
            return self.published(key, Err(fault));
        }
        if self.scribe.is_some() {
            return self.scribe_failed(step, key, fault, work);
        }
        if step.key() != key {
            return;
        }
        match step {
            // Trace and Proto can do without a model, and say so.
            Step::Think => {
                if let Some(ai) = &mut self.ai {
                    ai.add(work);
                }
                self.thought = Some(Thought::Failed { code: fault.code.to_string() });
            }
            // A second look that fails takes nothing from what was made.
            Step::Reflect => {
                let said = serde_json::json!({"ok": false, "error": fault.message});
                self.reflection = Some(Data::of(&said));
            }
            Step::Read
            | Step::Plan
            | Step::Make
            | Step::Approve
            | Step::Publish
            | Step::Finish
            | Step::Stop => {
                self.end = Some(End::Failed(fault.clone()));
            }
        }
    }

    fn answered(&mut self, value: &Data) {
        if self.next() != Step::Approve {
            return;
        }
        match value.to::<Verdict>() {
            Ok(verdict) if verdict.refresh => self.is_refreshing = true,
            Ok(verdict) if verdict.approved => self.is_approved = true,
            Ok(verdict) => {
                let why = verdict.why.map(|why| format!(": {why}")).unwrap_or_default();
                let text = format!("Job rejected by user{why}");
                self.end = Some(End::Failed(Fault::permanent(JOB_REJECTED, text)));
            }
            // The answer was held to the schema of the question before it came here.
            Err(_) => {}
        }
    }

    /// The result as far as there is one.
    #[must_use]
    pub fn result(&self) -> Option<Data> {
        let wish = self.wish()?;
        if let Some(scribe) = &self.scribe {
            let wanted = self.wanted()?;
            let order = self.order(&wish)?;
            return Some(scribe.result(&wanted, &order, &self.publication));
        }
        let made = self.made.as_ref()?;
        let ai_error = match &self.thought {
            Some(Thought::Failed { code }) => Some(code.clone()),
            Some(Thought::Answered(_)) | None => None,
        };
        let order = if self.publishes() { self.order(&wish) } else { None };
        let published = order.map(|order| result::Published::of(&order, &self.publication));
        let besides = result::Besides {
            published: published.unwrap_or_default(),
            ai_error,
            reflection: self.reflection.clone(),
        };
        Some(result::complete(&made.result, &besides))
    }

    /// How good the documents are.
    #[must_use]
    pub fn quality(&self) -> Option<Quality> {
        self.scribe.as_ref()?.quality(&self.wanted()?)
    }

    /// What the run ends with once everything is done.
    #[must_use]
    pub(super) fn outcome(&self) -> Option<JobOutcome> {
        Some(JobOutcome {
            result: self.result()?,
            plan: self.plan.clone().unwrap_or_default(),
            trace: self.trace(),
            ai: self.ai.clone(),
            quality: self.quality(),
        })
    }

    /// Why a run that stops does so. `None` for one that was cancelled: the engine closes it.
    #[must_use]
    pub fn fault(&self) -> Option<Fault> {
        match self.end.as_ref()? {
            End::Failed(fault) => Some(fault.clone()),
            End::Cancelled => Some(Fault::permanent(JOB_CANCELLED, "Job cancelled by user")),
        }
    }

    /// Each step that was taken, why, and from what.
    #[must_use]
    pub fn trace(&self) -> Vec<Explained> {
        let mut trace = Vec::new();
        if self.plan.is_some() {
            trace.push(Explained::new(
                "plan",
                "every job is planned before anything is made",
                &["payload"],
            ));
        }
        match (&self.thought, &self.ai) {
            (Some(Thought::Answered(_)), Some(_)) => trace.push(Explained::new(
                "think",
                "the settings name a model, so it was asked",
                &["payload", "model"],
            )),
            (Some(Thought::Failed { code }), _) => trace.push(Explained::new(
                "think",
                format!("the model gave nothing usable ({code}), so the rules did without it"),
                &["payload"],
            )),
            (Some(Thought::Answered(_)) | None, _) => {}
        }
        trace.extend(self.made.iter().flat_map(|made| made.trace.iter().cloned()));
        if let (Some(scribe), Some(wanted)) = (&self.scribe, self.wanted()) {
            trace.extend(scribe.trace(&wanted));
        }
        if self.reflection.is_some() {
            trace.push(Explained::new("reflect", "what was made was looked over", &["artifacts"]));
        }
        trace
    }

    fn wants(&self, member: &str) -> bool {
        self.input.effective().is_ok_and(|payload| wanted::is_set(&payload, member))
    }
}

mod documents;
#[cfg(test)]
mod tests;

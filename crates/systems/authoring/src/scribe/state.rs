//! What a job of Scribe has come to, as a value; which calls follow from it is in [`super::calls`].
//!
//! Each document has a stage of its own, and a few are in work side by side. A call that ended is never made again, so
//! a crash pays for no document twice.

use consign_contracts::json::Json;
use consign_engine::{Data, Fault};
use serde::{Deserialize, Serialize};

use super::{
    agents::{BriefOutput, CheckOutput, PlanOutput, ReadOutput, Section, Settled},
    calls::parent_text,
    draft::{Draft, Stage},
    outline::{keeps_plan, merged_plan, sections_of},
    prompts,
    wanted::Wanted,
};
use crate::job::{JobInput, JobPlan};

/// How far the documents have come.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Scribe {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) source: Option<ReadOutput>,
    /// Why the repository could not be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) unreadable: Option<String>,
    /// What the planning model is asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) plan_prompt: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) sections: Vec<Section>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) drafts: Vec<Draft>,
    /// How often the documents were checked because the repository moved under an approval.
    #[serde(default)]
    pub(crate) round: u32,
}

/// What follows for the job.
pub(crate) enum Follows {
    GoOn,
    /// A plan, complete or not.
    Planned(JobPlan),
    Broken(Fault),
}

impl Scribe {
    pub(crate) fn is_over(&self) -> bool {
        self.unreadable.is_some()
    }

    pub(crate) fn wants_model_plan(&self) -> bool {
        self.plan_prompt.is_some()
    }

    pub(crate) fn all_done(&self) -> bool {
        self.drafts.iter().all(|draft| draft.stage == Stage::Done)
    }

    /// The model that writes; none if the rules do.
    pub(crate) fn model(&self) -> Option<&str> {
        self.source.as_ref()?.model.as_deref()
    }

    /// The documents that are to be published, with what is in them.
    pub(crate) fn files(&self) -> impl Iterator<Item = (&Draft, &Settled, &str)> {
        self.drafts.iter().filter_map(|draft| {
            let settled = draft.settled.as_ref()?;
            Some((draft, settled, settled.content.as_deref()?))
        })
    }

    /// The documents, by the names that they have in the repository.
    pub(crate) fn targets<'a>(&'a self, wanted: &'a Wanted) -> &'a [String] {
        let found = self.source.as_ref().map(|source| source.targets.as_slice());
        found.filter(|found| !found.is_empty()).unwrap_or(&wanted.targets)
    }

    pub(crate) fn has_read(&mut self, output: &Data) -> Follows {
        match output.to() {
            Ok(source) => {
                self.source = Some(source);
                Follows::GoOn
            }
            Err(cause) => broken("read", &cause),
        }
    }

    pub(crate) fn has_planned(
        &mut self,
        output: &Data,
        input: &JobInput,
        wanted: &Wanted,
    ) -> Follows {
        let PlanOutput { mut plan, prompt } = match output.to() {
            Ok(planned) => planned,
            Err(cause) => return broken("plan", &cause),
        };
        if let Some(revision) = input.revision.as_ref().filter(|_| keeps_plan(input)) {
            plan.sections.clone_from(&revision.parent_plan.sections);
        }
        self.sections = sections_of(&plan);
        self.plan_prompt = prompt;
        if self.plan_prompt.is_none() {
            self.begin(input, wanted);
        }
        Follows::Planned(plan)
    }

    /// Takes the model's outlines: only for the documents that were asked for, and never without what they must have.
    pub(crate) fn has_thought(
        &mut self,
        answer: &Data,
        plan: &JobPlan,
        input: &JobInput,
        wanted: &Wanted,
    ) -> Follows {
        let by_rules = std::mem::take(&mut self.sections);
        self.sections = merged_plan(answer, &by_rules, self.targets(wanted));
        self.plan_prompt = None;
        self.begin(input, wanted);
        let sections = Some(Data::of(&self.sections));
        Follows::Planned(JobPlan { steps: plan.steps.clone(), sections })
    }

    /// Goes on with the plan by rules: the model had nothing to say to it.
    pub(crate) fn plans_by_rules(&mut self, input: &JobInput, wanted: &Wanted) {
        self.plan_prompt = None;
        self.begin(input, wanted);
    }

    /// Begins with the documents.
    fn begin(&mut self, input: &JobInput, wanted: &Wanted) {
        let has_model = self.model().is_some();
        let stage = |path: &String| {
            let untouched = input.revision.as_ref().is_some_and(|revision| {
                revision.scope == "plan"
                    && parent_text(revision, path).is_some()
                    && self.difference(revision, path).is_empty()
            });
            // Without a model there is nobody to brief; what stays as it was needs nobody to write it.
            if has_model && !untouched { Stage::Brief } else { Stage::Check { may_ask: false } }
        };
        let drafts = self.targets(wanted).iter().map(|path| Draft::new(path, stage(path)));
        let drafts = drafts.collect();
        self.drafts = drafts;
    }

    /// Takes in what a document's call gave. `said` is the answer of a model, which may end in the middle.
    pub(crate) fn done(
        &mut self,
        key: &str,
        output: &Data,
        said: &Data,
        is_cut_off: bool,
    ) -> Follows {
        let Some(at) = self.at(key) else { return Follows::GoOn };
        let draft = &mut self.drafts[at];
        draft.stage = match &draft.stage {
            Stage::Brief => match output.to() {
                Ok(BriefOutput { prompt, sources, left_out }) => {
                    (draft.sources, draft.left_out) = (sources, left_out);
                    draft.left_alone = prompt.is_none();
                    prompt.map_or(Stage::Check { may_ask: false }, |prompt| Stage::Write { prompt })
                }
                Err(cause) => return broken(key, &cause),
            },
            Stage::Write { prompt } => {
                let prompt = prompts::shorter(prompt);
                draft.written = Some(words(said));
                match is_cut_off {
                    true => Stage::Shorter { prompt },
                    false => Stage::Check { may_ask: true },
                }
            }
            Stage::Shorter { .. } => {
                let shorter = words(said);
                if !shorter.trim().is_empty() {
                    draft.written = Some(shorter);
                }
                if is_cut_off || words(said).trim().is_empty() {
                    draft.keep_whole_sections();
                }
                // A text that does not fit cannot be corrected as a whole.
                Stage::Check { may_ask: draft.cut_off.is_none() }
            }
            Stage::Again { .. } => {
                // What it says now counts, if it says anything.
                let again = words(said);
                // But half of a correction is worse than the whole text that there is.
                if !again.trim().is_empty() && !is_cut_off {
                    draft.written = Some(again);
                }
                Stage::Check { may_ask: false }
            }
            Stage::Check { .. } => match output.to() {
                Ok(CheckOutput::Again { prompt, issues }) => {
                    draft.asked_about = issues;
                    Stage::Again { prompt }
                }
                Ok(CheckOutput::Settled(settled, review)) => {
                    draft.settled = Some(*settled);
                    review.map_or(Stage::Done, |prompt| Stage::Review { prompt })
                }
                Err(cause) => return broken(key, &cause),
            },
            Stage::Review { .. } => {
                draft.review = said.to().ok();
                Stage::Done
            }
            Stage::Done => Stage::Done,
        };
        Follows::GoOn
    }

    /// Takes in that a document's call failed for good.
    pub(crate) fn failed(&mut self, key: &str, fault: &Fault) -> Follows {
        let Some(at) = self.at(key) else { return Follows::GoOn };
        let draft = &mut self.drafts[at];
        draft.stage = match &draft.stage {
            // The model is there and says nothing that can be used: the rules write what is needed at least.
            Stage::Write { .. } if fault.code == "AI_INVALID_RESPONSE" => {
                draft.failed = Some(fault.code.to_string());
                Stage::Check { may_ask: false }
            }
            Stage::Shorter { .. } => {
                draft.keep_whole_sections();
                Stage::Check { may_ask: false }
            }
            // There is a text already.
            Stage::Again { .. } => Stage::Check { may_ask: false },
            Stage::Review { .. } => Stage::Done,
            Stage::Brief | Stage::Write { .. } | Stage::Check { .. } | Stage::Done => {
                return Follows::Broken(fault.clone());
            }
        };
        Follows::GoOn
    }

    /// The repository has moved since the documents were checked: they are checked again.
    pub(crate) fn moved(&mut self, base: String, head: Option<String>) {
        if let Some(source) = &mut self.source {
            (source.looked.base, source.looked.head) = (base, head);
        }
        self.round += 1;
        for draft in &mut self.drafts {
            draft.stage = Stage::Check { may_ask: false };
        }
    }
}

/// The words of a model: a text, or an object around one where somebody outside answered.
fn words(said: &Data) -> String {
    let tree = said.shown();
    let text = tree.as_str().or_else(|| tree.get("text").and_then(Json::as_str));
    let text = text.or_else(|| tree.get("content").and_then(Json::as_str));
    text.unwrap_or_default().to_owned()
}

fn broken(key: &str, cause: &serde_json::Error) -> Follows {
    let text = format!("the answer of the step {key}: {cause}");
    Follows::Broken(Fault::permanent("AI_INVALID_RESPONSE", text))
}

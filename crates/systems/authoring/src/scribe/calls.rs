//! Which calls of a job of Scribe are open, from what it has come to.

use std::time::Duration;

use consign_documentation::merge::MARK;
use consign_engine::{AgentName, Call, Data, Key, Retry};

use super::{
    agents::{self, BriefInput, CheckInput, Earlier, PlanInput, ReadInput, Section},
    draft::{Draft, Stage},
    library::Shelf,
    outline::{keeps_plan, sections_of},
    prompts, revise,
    state::Scribe,
    wanted::Wanted,
};
use crate::job::{JobInput, RULES, Revision, model};

impl Scribe {
    fn shelf(&self, wanted: &Wanted) -> Option<Shelf> {
        let looked = &self.source.as_ref()?.looked;
        Some(Shelf {
            site: wanted.site.clone(),
            base: looked.base.clone(),
            head: looked.head.clone(),
            targets: self.targets(wanted).to_vec(),
            commits: wanted.commits,
        })
    }

    pub(crate) fn read_call(&self, input: &JobInput, wanted: &Wanted) -> Call {
        let input = ReadInput {
            site: wanted.site.clone(),
            rule: wanted.rule.clone(),
            targets: wanted.targets.clone(),
            of_pack: wanted.of_pack,
            commits: wanted.commits,
            model: input.settings.model.clone(),
        };
        call("read", agents::READ, Data::of(&input), source_retry())
    }

    pub(crate) fn plan_call(&self, input: &JobInput, wanted: &Wanted) -> Option<Call> {
        let revision = input.revision.as_ref();
        let replans = revision.is_some_and(|revision| revision.scope != "files");
        let edits = revision.filter(|revision| revision.mode == "edit");
        let plan = PlanInput {
            shelf: self.shelf(wanted)?,
            depth: wanted.depth.as_str().to_owned(),
            // A plan of one document is made by rules, unless somebody wants it changed.
            ask: self.model().is_some()
                && (wanted.targets.len() > 1 || replans)
                && !keeps_plan(input),
            stress: wanted.task.clone(),
            instruction: revision.map(|revision| revision.instruction.clone()),
            earlier: edits.map(|revision| sections_of(&revision.parent_plan)),
            // Nobody reviews what the rules write.
            passes: if self.model().is_some() { wanted.budget.passes } else { 1 },
        };
        Some(call("plan", agents::PLAN, Data::of(&plan), source_retry()))
    }

    pub(crate) fn think_call(&self) -> Option<Call> {
        let model = self.source.as_ref()?.planner.clone()?;
        let asked = model::Asked {
            model,
            fallback: Vec::new(),
            prompt: self.plan_prompt.clone()?,
            schema: Some(prompts::plan_schema()),
            max_tokens: Some(8_000),
        };
        Some(call("think", model::PLAN, Data::of(&asked), model_retry()))
    }

    /// The calls of the documents that are in work.
    pub(crate) fn calls(&self, input: &JobInput, wanted: &Wanted) -> Vec<Call> {
        let at_once = self.source.as_ref().map_or(1, |source| source.at_once.max(1));
        let open = self.drafts.iter().enumerate().filter(|(_, draft)| draft.stage != Stage::Done);
        open.take(at_once).filter_map(|(at, draft)| self.call(input, wanted, at, draft)).collect()
    }

    fn call(&self, input: &JobInput, wanted: &Wanted, at: usize, draft: &Draft) -> Option<Call> {
        let key = self.key(at, draft);
        let shelf = || self.shelf(wanted);
        let asked = |prompt: &str, schema: Option<Data>, tokens: u32| {
            let source = self.source.as_ref()?;
            Some(Data::of(&model::Asked {
                model: source.model.clone()?,
                fallback: source.fallback.clone(),
                prompt: prompt.to_owned(),
                schema,
                max_tokens: Some(tokens),
            }))
        };
        let (agent, input, retry) = match &draft.stage {
            Stage::Brief => {
                let revision = input.revision.as_ref();
                let brief = BriefInput {
                    shelf: shelf()?,
                    path: draft.path.clone(),
                    sections: self.sections_of(&draft.path),
                    context: wanted.context(),
                    tokens: wanted.share(),
                    stress: wanted.task.clone(),
                    instruction: revision.map(|revision| revision.instruction.clone()),
                    earlier: revision
                        .filter(|revision| revision.mode == "edit")
                        .and_then(|revision| parent_text(revision, &draft.path))
                        .map(|text| unmarked(&text)),
                };
                (agents::BRIEF, Data::of(&brief), source_retry())
            }
            Stage::Write { prompt } | Stage::Shorter { prompt } | Stage::Again { prompt } => {
                (model::WRITE, asked(prompt, None, wanted.share())?, model_retry())
            }
            Stage::Check { may_ask } => {
                let check = self.check(input, wanted, draft, *may_ask)?;
                (agents::CHECK, Data::of(&check), source_retry())
            }
            Stage::Review { prompt } => {
                let schema = Some(prompts::review_schema());
                (model::REVIEW, asked(prompt, schema, 4_000)?, model_retry())
            }
            Stage::Done => return None,
        };
        Some(call(&key, agent, input, retry))
    }

    fn check(
        &self,
        input: &JobInput,
        wanted: &Wanted,
        draft: &Draft,
        may_ask: bool,
    ) -> Option<CheckInput> {
        let revision = input.revision.as_ref();
        let earlier = revision.and_then(|revision| {
            let text = parent_text(revision, &draft.path)?;
            let difference =
                (revision.scope == "plan").then(|| self.difference(revision, &draft.path));
            let (changed, removed) = match difference {
                Some(revise::Difference { changed, removed }) => (Some(changed), removed),
                None => (None, Vec::new()),
            };
            Some(Earlier { text, changed, removed })
        });
        Some(CheckInput {
            shelf: self.shelf(wanted)?,
            path: draft.path.clone(),
            depth: wanted.depth.as_str().to_owned(),
            // A model that failed is told from rules that were chosen by an empty text.
            text: draft.written.clone().or_else(|| draft.failed.as_ref().map(|_| String::new())),
            writer: self.model().map_or(RULES, writer).to_owned(),
            may_ask: may_ask && draft.asked_about.is_empty(),
            left_alone: draft.left_alone,
            whole: revision.is_some(),
            earlier,
            review: wanted.budget.passes > 1 && self.model().is_some() && draft.review.is_none(),
        })
    }

    pub(super) fn difference(&self, revision: &Revision, path: &str) -> revise::Difference {
        revise::difference(path, &sections_of(&revision.parent_plan), &self.sections)
    }

    fn sections_of(&self, path: &str) -> Vec<Section> {
        self.sections.iter().filter(|section| section.path == path).cloned().collect()
    }

    /// The key of a document's call: never the same twice.
    fn key(&self, at: usize, draft: &Draft) -> String {
        let word = match &draft.stage {
            Stage::Brief => "brief",
            Stage::Write { .. } => "write",
            Stage::Shorter { .. } => "shorter",
            Stage::Check { .. } if !draft.asked_about.is_empty() => "settle",
            Stage::Check { .. } => "check",
            Stage::Again { .. } => "again",
            Stage::Review { .. } => "review",
            Stage::Done => "done",
        };
        match self.round {
            0 => format!("{word}:{at}"),
            round => format!("{word}:{at}:{}", round + 1),
        }
    }

    /// The document that a call is about.
    pub(super) fn at(&self, key: &str) -> Option<usize> {
        let mut drafts = self.drafts.iter().enumerate();
        drafts.find(|(at, draft)| self.key(*at, draft) == key).map(|(at, _)| at)
    }
}

/// The text of a document in the job that is revised, with the marks of who wrote it.
pub(super) fn parent_text(revision: &Revision, path: &str) -> Option<String> {
    let file = revision.parent_artifacts.iter().find(|file| file.path == path)?;
    Some(file.content.clone())
}

/// A text without the marks of who wrote it: a model has no use for them.
fn unmarked(text: &str) -> String {
    let (mut out, mut after_mark) = (String::with_capacity(text.len()), false);
    for line in text.lines() {
        if line.trim().starts_with(MARK) {
            after_mark = true;
        } else if !(after_mark && line.is_empty()) {
            after_mark = false;
            out.push_str(line);
            out.push('\n');
        } else {
            // The blank line above the mark is enough.
            after_mark = false;
        }
    }
    out
}

/// A model's name, without the path of a script.
fn writer(model: &str) -> &str {
    match model.split_once(':') {
        Some((word @ ("scripted" | "replay"), _)) => word,
        _ => model,
    }
}

fn call(key: &str, agent: &str, input: Data, retry: Retry) -> Call {
    Call { key: Key::from(key), agent: AgentName::from(agent), input, retry }
}

/// A repository that is out of reach may be there the next time.
const fn source_retry() -> Retry {
    Retry::new(4, Duration::from_secs(1), Duration::from_secs(60))
}

const fn model_retry() -> Retry {
    Retry::new(3, Duration::from_secs(1), Duration::from_secs(60))
}

//! What a job of Scribe has come to, as a value, and which calls follow from it.
//!
//! Each document has a stage of its own, and a few are in work side by side. A call that ended is never made again, so
//! a crash pays for no document twice.

use std::time::Duration;

use consign_contracts::json::Json;
use consign_documentation::merge::MARK;
use consign_engine::{AgentName, Call, Data, Fault, Key, Retry};
use serde::{Deserialize, Serialize};

use super::{
    agents::{
        self, BriefInput, BriefOutput, CheckInput, CheckOutput, Earlier, PlanInput, PlanOutput,
        ReadInput, ReadOutput, Section, Settled,
    },
    library::Shelf,
    prompts, revise,
    text::whole_sections,
    wanted::Wanted,
};
use crate::job::{JobInput, JobPlan, RULES, Revision, model};

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
    plan_prompt: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) sections: Vec<Section>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) drafts: Vec<Draft>,
    /// How often the documents were checked because the repository moved under an approval.
    #[serde(default)]
    pub(crate) round: u32,
}

/// A document in the making.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Draft {
    pub(crate) path: String,
    stage: Stage,
    /// Files that the model was shown, and how many it was not.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) sources: Vec<String>,
    #[serde(default)]
    pub(crate) left_out: usize,
    /// What the model wrote.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    written: Option<String>,
    /// What the model wrote was cut off, also when it was asked for less: only whole sections were kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) cut_off: Option<CutOff>,
    /// It was right as it was.
    #[serde(default)]
    pub(crate) left_alone: bool,
    /// What was not found the first time.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) asked_about: Vec<String>,
    /// The code of the failure of the model that was to write it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) failed: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) settled: Option<Settled>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) review: Option<Review>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Stage {
    Brief,
    Write {
        prompt: String,
    },
    /// The text was cut off: a shorter one is asked for.
    Shorter {
        prompt: String,
    },
    Check {
        may_ask: bool,
    },
    Again {
        prompt: String,
    },
    Review {
        prompt: String,
    },
    Done,
}

/// What a text that ends in the middle has lost.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct CutOff {
    /// The heading of the section that it ends in; none if nothing of the text is whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) section: Option<String>,
}

/// What a second reading said.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Review {
    pub(crate) issues: Vec<String>,
    pub(crate) suggestions: Vec<String>,
    pub(crate) score: f64,
}

impl Review {
    /// The score, from 0 to 100.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "it is held between 0 and 100"
    )]
    pub(crate) fn points(&self) -> u32 {
        self.score.clamp(0.0, 100.0).round() as u32
    }
}

impl Draft {
    /// Whether a model gave a text for it.
    pub(crate) fn was_written(&self) -> bool {
        self.written.is_some()
    }

    /// Keeps the whole sections of the text that there is.
    fn keep_whole_sections(&mut self) {
        let (whole, section) = whole_sections(self.written.as_deref().unwrap_or_default());
        self.cut_off = Some(CutOff { section });
        self.written = Some(whole);
    }
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
            passes: wanted.budget.passes,
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

    fn difference(&self, revision: &Revision, path: &str) -> revise::Difference {
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
    fn at(&self, key: &str) -> Option<usize> {
        let mut drafts = self.drafts.iter().enumerate();
        drafts.find(|(at, draft)| self.key(*at, draft) == key).map(|(at, _)| at)
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
        let drafts = self.targets(wanted).iter().map(|path| Draft {
            path: path.clone(),
            stage: stage(path),
            sources: Vec::new(),
            left_out: 0,
            written: None,
            cut_off: None,
            left_alone: false,
            asked_about: Vec::new(),
            failed: None,
            settled: None,
            review: None,
        });
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

/// The plan with a model's outlines.
fn merged_plan(answer: &Data, by_rules: &[Section], targets: &[String]) -> Vec<Section> {
    const MOST: usize = 40;
    let tree = answer.shown();
    let told = tree.get("sections").and_then(Json::as_array).unwrap_or_default();
    let mut sections: Vec<Section> = Vec::new();
    for target in targets {
        let rules: Vec<&Section> =
            by_rules.iter().filter(|section| section.path == *target).collect();
        let begun = sections.len();
        for section in told {
            let text = |name: &str| section.get(name).and_then(Json::as_str);
            let (Some(path), Some(outline)) = (text("path"), text("outline")) else { continue };
            if path != target || sections.len() - begun >= MOST {
                continue;
            }
            let outline: Vec<&str> = outline.split_whitespace().collect();
            let outline: String = outline.join(" ").chars().take(300).collect();
            let name = revise::heading(&outline);
            if name.is_empty() {
                continue;
            }
            let same = |rule: &&&Section| revise::heading(&rule.outline).eq_ignore_ascii_case(name);
            let sources = rules.iter().find(same).map(|rule| rule.sources.clone());
            let sources = sources.unwrap_or_default();
            sections.push(Section { path: target.clone(), outline, sources });
        }
        let named = |rule: &Section, sections: &[Section]| {
            let name = revise::heading(&rule.outline);
            sections.iter().any(|it| revise::heading(&it.outline).eq_ignore_ascii_case(name))
        };
        for rule in rules {
            if !named(rule, &sections[begun..]) {
                sections.push(rule.clone());
            }
        }
    }
    sections
}

/// Whether a revision keeps the plan of its parent.
fn keeps_plan(input: &JobInput) -> bool {
    input.revision.as_ref().is_some_and(|revision| {
        revision.scope == "files" && !sections_of(&revision.parent_plan).is_empty()
    })
}

fn sections_of(plan: &JobPlan) -> Vec<Section> {
    plan.sections.as_ref().and_then(|sections| sections.to().ok()).unwrap_or_default()
}

/// The text of a document in the job that is revised, with the marks of who wrote it.
fn parent_text(revision: &Revision, path: &str) -> Option<String> {
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

/// The words of a model: a text, or an object around one where somebody outside answered.
fn words(said: &Data) -> String {
    let tree = said.shown();
    let text = tree.as_str().or_else(|| tree.get("text").and_then(Json::as_str));
    let text = text.or_else(|| tree.get("content").and_then(Json::as_str));
    text.unwrap_or_default().to_owned()
}

/// A model's name, without the path of a script.
fn writer(model: &str) -> &str {
    match model.split_once(':') {
        Some((word @ ("scripted" | "replay"), _)) => word,
        _ => model,
    }
}

fn broken(key: &str, cause: &serde_json::Error) -> Follows {
    let text = format!("the answer of the step {key}: {cause}");
    Follows::Broken(Fault::permanent("AI_INVALID_RESPONSE", text))
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

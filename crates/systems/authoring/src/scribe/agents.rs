//! The calls of Scribe that read the repository: read, plan, brief and check. They call no model and write nothing.
//!
//! All follow from their input: the same commit gives the same answer, so a crash may repeat them.

use std::sync::Arc;

use async_trait::async_trait;
use consign_documentation::Critique;
use consign_engine::{Agent, Agents, Attempt, Data, Effect, Failure, Fault, Invoker, Nanos, Reply};
use consign_invokers::{define::Workshop, settings::RunSettings};
use consign_models::{ModelName, policy::Policy};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use super::{
    library::{Library, Reading, Shelf},
    work,
};
use crate::{
    job::{AgentType, JobPlan, RULES},
    publish::{
        OpenRepository, fault_of,
        look::{BranchRule, Looked, Site, look},
    },
};

pub(crate) const READ: &str = "authoring/scribe.read";
pub(crate) const PLAN: &str = "authoring/scribe.plan";
pub(crate) const BRIEF: &str = "authoring/scribe.brief";
pub(crate) const CHECK: &str = "authoring/scribe.check";

/// Documents that are written side by side. Scripts and recordings have one order only.
const AT_ONCE: usize = 3;

/// One planned section.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Section {
    pub(crate) path: String,
    pub(crate) outline: String,
    #[serde(default)]
    pub(crate) sources: Vec<String>,
}

#[derive(Serialize, Deserialize)]
pub(crate) struct ReadInput {
    pub(crate) site: Site,
    pub(crate) rule: BranchRule,
    pub(crate) targets: Vec<String>,
    /// The targets are those of a pack: a document that is there under another name is the same one.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) of_pack: bool,
    pub(crate) commits: usize,
    /// As the settings name it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) model: Option<String>,
}

/// What was read, and which models there are.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct ReadOutput {
    pub(crate) looked: Looked,
    pub(crate) files: usize,
    /// Files of which only the name is known.
    pub(crate) unread: usize,
    #[serde(default)]
    pub(crate) truncated: bool,
    pub(crate) commits: usize,
    /// The model that writes; none if the rules do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) model: Option<String>,
    /// Those that are asked when it gives nothing usable.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) fallback: Vec<String>,
    /// The model that plans.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) planner: Option<String>,
    pub(crate) at_once: usize,
    /// The documents by the names that they have in the repository, where these differ from what was asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) targets: Vec<String>,
}

#[derive(Serialize, Deserialize)]
pub(crate) struct PlanInput {
    pub(crate) shelf: Shelf,
    pub(crate) depth: String,
    /// A model is to plan.
    pub(crate) ask: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) stress: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) instruction: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) earlier: Option<Vec<Section>>,
    pub(crate) passes: u64,
}

#[derive(Serialize, Deserialize)]
pub(crate) struct PlanOutput {
    pub(crate) plan: JobPlan,
    /// What a model is to be asked before the plan is complete.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) prompt: Option<String>,
}

#[derive(Serialize, Deserialize)]
pub(crate) struct BriefInput {
    pub(crate) shelf: Shelf,
    pub(crate) path: String,
    pub(crate) sections: Vec<Section>,
    pub(crate) context: u64,
    pub(crate) tokens: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) stress: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) instruction: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) earlier: Option<String>,
}

#[derive(Serialize, Deserialize)]
pub(crate) struct BriefOutput {
    /// None for a document that is right as it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) prompt: Option<String>,
    pub(crate) sources: Vec<String>,
    pub(crate) left_out: usize,
}

/// What a document of a revision is made of.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Earlier {
    pub(crate) text: String,
    /// Headings of sections that may change; all if there is no list.
    pub(crate) changed: Option<Vec<String>>,
    pub(crate) removed: Vec<String>,
}

#[derive(Serialize, Deserialize)]
pub(crate) struct CheckInput {
    pub(crate) shelf: Shelf,
    pub(crate) path: String,
    pub(crate) depth: String,
    /// What a model wrote; without it the rules write.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) text: Option<String>,
    pub(crate) writer: String,
    /// The model can be asked once more.
    pub(crate) may_ask: bool,
    /// The document was right as it was, and was not written.
    pub(crate) left_alone: bool,
    /// The whole document was asked for.
    pub(crate) whole: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) earlier: Option<Earlier>,
    /// Somebody is to read it again.
    pub(crate) review: bool,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum CheckOutput {
    /// The model is to be asked once more.
    Again {
        prompt: String,
        issues: Vec<String>,
    },
    Settled(Box<Settled>, Option<String>),
}

/// A document as it will be published.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Settled {
    /// None if nothing changes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) content: Option<String>,
    /// The id of the content that is there now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) before: Option<String>,
    pub(crate) issues: Vec<String>,
    pub(crate) suggestions: Vec<String>,
    pub(crate) score: u32,
    pub(crate) checked: usize,
    pub(crate) verified: usize,
    pub(crate) required: usize,
    pub(crate) present: usize,
    /// What may be in files that were not read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) not_looked_up: Vec<String>,
    /// What was not found in the code and taken out.
    pub(crate) removed: Vec<String>,
    /// Sections that the rules added.
    pub(crate) added: Vec<String>,
    /// Sections that changed in a document that was there.
    pub(crate) changed: Vec<String>,
    /// Why the document that is there could not be changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) refused: Option<String>,
    /// A model wrote nothing that could be used, so the rules did.
    #[serde(default)]
    pub(crate) minimal: bool,
    pub(crate) lines_added: usize,
    pub(crate) lines_changed: usize,
}

impl Settled {
    /// Its figures, as the score wants them.
    pub(crate) fn critique(&self) -> Critique {
        Critique {
            issues: Vec::new(),
            not_looked_up: Vec::new(),
            suggestions: Vec::new(),
            score: self.score,
            checked: self.checked,
            verified: self.verified,
            required: self.required,
            present: self.present,
        }
    }
}

/// Adds the agents that read the repository.
pub(crate) fn agents(
    agents: Agents,
    repositories: &Arc<dyn OpenRepository>,
    workshop: Option<&Workshop>,
) -> Agents {
    let library = Arc::new(Library::new(repositories.clone()));
    let all = [(READ, Work::Read), (PLAN, Work::Plan), (BRIEF, Work::Brief), (CHECK, Work::Check)];
    all.into_iter().fold(agents, |agents, (name, work)| {
        let reader = Reader { library: library.clone(), workshop: workshop.cloned(), work };
        agents.with(name, Agent::new(Effect::Idempotent, reader))
    })
}

#[derive(Clone, Copy)]
enum Work {
    Read,
    Plan,
    Brief,
    Check,
}

struct Reader {
    library: Arc<Library>,
    workshop: Option<Workshop>,
    work: Work,
}

#[async_trait]
impl Invoker for Reader {
    fn worst_case(&self, _input: &Data) -> Option<Nanos> {
        Some(Nanos::ZERO)
    }

    async fn invoke(&self, attempt: Attempt) -> Result<Reply, Failure> {
        let done = tokio::select! {
            done = self.work(&attempt) => done,
            () = attempt.cancelled() => Err(Fault::permanent("CANCELLED", "the call was cancelled")),
        };
        let reply = done.map(|output| Reply::new(output, Nanos::ZERO));
        reply.map_err(|fault| Failure::new(fault, Some(Nanos::ZERO)))
    }
}

impl Reader {
    async fn work(&self, attempt: &Attempt) -> Result<Data, Fault> {
        match self.work {
            Work::Read => {
                let input: ReadInput = read(attempt)?;
                let models = self.models(attempt, input.model.as_deref()).await?;
                let (looked, reading) = self.look(attempt, &input).await.map_err(source_fault)?;
                let snapshot = &reading.snapshot;
                Ok(Data::of(&ReadOutput {
                    looked,
                    files: snapshot.files.len(),
                    unread: snapshot.left_out.len(),
                    truncated: reading.truncated,
                    commits: snapshot.commits.len(),
                    model: models.writer,
                    fallback: models.fallback,
                    planner: models.planner,
                    at_once: models.at_once,
                    targets: reading.targets_as_they_are(&input.targets, input.of_pack),
                }))
            }
            Work::Plan => {
                let input: PlanInput = read(attempt)?;
                let reading = self.library.read(&attempt.owner, &input.shelf).await?;
                compute(move || work::plan(&input, &reading)).await
            }
            Work::Brief => {
                let input: BriefInput = read(attempt)?;
                let reading = self.library.read(&attempt.owner, &input.shelf).await?;
                compute(move || work::brief(&input, &reading)).await
            }
            Work::Check => {
                let input: CheckInput = read(attempt)?;
                let reading = self.library.read(&attempt.owner, &input.shelf).await?;
                compute(move || work::check(&input, &reading)).await
            }
        }
    }

    async fn look(
        &self,
        attempt: &Attempt,
        input: &ReadInput,
    ) -> Result<(Looked, Arc<Reading>), Fault> {
        let repository = self.library.open(&attempt.owner, &input.site).await?;
        let job = attempt.run.to_string();
        let looked = look(&*repository, &input.site, &input.rule, &job).await;
        let looked = looked.map_err(|error| fault_of(&error))?;
        let shelf = Shelf {
            site: input.site.clone(),
            base: looked.base.clone(),
            head: looked.head.clone(),
            targets: input.targets.clone(),
            commits: input.commits,
        };
        let reading = self.library.read(&attempt.owner, &shelf).await?;
        Ok((looked, reading))
    }

    /// The models that write and plan, once their key is known to be there.
    async fn models(&self, attempt: &Attempt, named: Option<&str>) -> Result<Chosen, Fault> {
        let settings = RunSettings::of(&attempt.settings)?;
        let alone = |name: &str, at_once| Chosen {
            writer: Some(name.to_owned()),
            fallback: Vec::new(),
            planner: Some(name.to_owned()),
            at_once,
        };
        if named == Some(RULES) {
            return Ok(Chosen {
                writer: None,
                fallback: Vec::new(),
                planner: None,
                at_once: AT_ONCE,
            });
        }
        if settings.script.is_some() {
            return Ok(alone(named.unwrap_or("scripted"), 1));
        }
        let named = settings.model.as_deref().or(named);
        let policy = self.policy();
        let name = match named.map(str::parse::<ModelName>) {
            None => policy.default.clone(),
            Some(Ok(name)) => name,
            // The bridge, scripts and recordings need no key.
            Some(Err(_)) => {
                let name = named.unwrap_or_default();
                return Ok(alone(name, if name == "bridge" { AT_ONCE } else { 1 }));
            }
        };
        let has_key = match &self.workshop {
            Some(workshop) => {
                workshop.models().keys().suffice(&attempt.owner, name.provider).await?
            }
            None => false,
        };
        if !has_key {
            return Err(Fault::permanent(
                "AI_KEY_MISSING",
                "No AI key configured. Add one in Settings → AI Keys.",
            ));
        }
        // Another provider may have no key, and another model may not be what the user wants to pay for.
        let is_usual = name == policy.default;
        let same = |other: &ModelName| other.provider == name.provider && *other != name;
        let fallback = Some(&policy.escalation).filter(|other| is_usual && same(other));
        let planner = if is_usual && same(&policy.cheap) { &policy.cheap } else { &name };
        Ok(Chosen {
            writer: Some(name.to_string()),
            fallback: fallback.map(ToString::to_string).into_iter().collect(),
            planner: Some(planner.to_string()),
            at_once: AT_ONCE,
        })
    }

    fn policy(&self) -> Policy {
        let Some(workshop) = &self.workshop else { return Policy::default() };
        let mut policies = workshop.models().config().policies();
        let own = policies.find(|(of, _)| *of == AgentType::Scribe.as_str());
        own.map_or_else(Policy::default, |(_, policy)| policy.clone())
    }
}

struct Chosen {
    writer: Option<String>,
    fallback: Vec<String>,
    planner: Option<String>,
    at_once: usize,
}

/// A failure to read the repository: it fails no job.
fn source_fault(fault: Fault) -> Fault {
    fault.with_details(Data::of(&serde_json::json!({"source": true})))
}

/// Whether it was the repository that could not be read.
pub(crate) fn is_source_fault(fault: &Fault) -> bool {
    let told = || fault.details.as_ref()?.shown().get("source")?.as_bool();
    told() == Some(true)
}

async fn compute<T: Serialize + Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<Data, Fault> {
    let worked = tokio::task::spawn_blocking(move || Data::of(&work())).await;
    worked.map_err(|cause| {
        Fault::permanent("INTERNAL_ERROR", format!("the step did not come to its end: {cause}"))
    })
}

fn read<T: DeserializeOwned>(attempt: &Attempt) -> Result<T, Fault> {
    attempt.input.to().map_err(|cause| {
        Fault::permanent("INVALID_INPUT", format!("what the step is given: {cause}"))
    })
}

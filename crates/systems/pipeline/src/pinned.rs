//! Definitions that a pipeline holds itself, or names by their files: kept by their digest when a run
//! begins, so that it goes on with what it began with, whatever becomes of the files.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use consign_contracts::json::{Json, Object};
use consign_engine::{Agent, Data};
use consign_files::{Access, trusted};
use consign_invokers::define::{
    Definition, DefinitionFault, DefinitionFaults, Reached, Unusable, Workshop,
};
use consign_models::chat::File;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::{
    file::Wrong,
    pipeline::{Does, Pipeline, Who},
};

/// The definitions of one pipeline, by stage.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pinned {
    agents: BTreeMap<String, Text>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Text {
    /// Programs that it names are beside this.
    path: PathBuf,
    /// Without its contracts and files: those were read, and are kept here.
    toml: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    input: Option<Data>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    output: Option<Data>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    files: Vec<(String, String)>,
}

impl Text {
    /// Reads everything that a definition names, so that nothing of it is looked for again.
    fn read(toml: String, path: PathBuf) -> Result<Self, DefinitionFaults> {
        let definition = Definition::read(&toml, &path)?;
        let files = match definition.reached {
            Reached::Model(asking) => {
                asking.files.into_iter().map(|file| (file.name, file.text)).collect()
            }
            Reached::Subprocess(_) | Reached::Http(_) | Reached::Mcp(_) | Reached::Bridge(_) => {
                Vec::new()
            }
        };
        let (input, output) = (definition.input, definition.output);
        let toml = if input.is_some() || output.is_some() || !files.is_empty() {
            bare(&toml).map_err(of_file)?
        } else {
            toml
        };
        Ok(Self { path, toml, input, output, files })
    }

    fn definition(&self) -> Result<Definition, String> {
        let read = Definition::read(&self.toml, &self.path);
        let mut definition = read.map_err(|faults| faults.to_string())?;
        // Definitions that were kept before contracts were kept apart have them in their text.
        definition.input = self.input.clone().or(definition.input);
        definition.output = self.output.clone().or(definition.output);
        if let Reached::Model(asking) = &mut definition.reached {
            let file =
                |(name, text): &(String, String)| File { name: name.clone(), text: text.clone() };
            asking.files.extend(self.files.iter().map(file));
        }
        Ok(definition)
    }
}

/// A definition without its contracts and files.
fn bare(toml: &str) -> Result<String, String> {
    let mut table: toml::Table =
        toml.parse().map_err(|cause: toml::de::Error| cause.to_string())?;
    table.remove("contract");
    if let Some(toml::Value::Table(model)) = table.get_mut("model") {
        model.remove("files");
    }
    toml::to_string(&table).map_err(|cause| cause.to_string())
}

impl Pinned {
    /// Reads every definition of a pipeline, which stands in a folder, and says what is wrong with the others.
    #[must_use]
    pub fn read(pipeline: &Pipeline, folder: &Path) -> (Self, Vec<Wrong>) {
        let mut pinned = Self::default();
        let mut wrong = Vec::new();
        for stage in &pipeline.stages {
            let read = match &stage.does {
                Does::Agent(Who::Defined(definition)) => inline(&stage.name, definition, folder),
                Does::Agent(Who::File(path)) => beside(path, folder),
                Does::Agent(Who::Named(_)) | Does::Person(_) | Does::Parallel(_) => continue,
            };
            match read {
                Ok(text) => drop(pinned.agents.insert(stage.name.clone(), text)),
                Err(DefinitionFaults(faults)) => wrong.extend(faults.into_iter().map(|fault| {
                    let line = stage.lines.of(&format!("/agent{}", fault.pointer));
                    Wrong { line, what: format!("the agent of {:?}: {}", stage.name, fault.what) }
                })),
            }
        }
        (pinned, wrong)
    }

    /// The definition of a stage's agent.
    #[must_use]
    pub fn definition(&self, stage: &str) -> Option<Definition> {
        self.agents.get(stage)?.definition().ok()
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.agents.is_empty()
    }

    /// The stages that ask a model.
    pub fn thinkers(&self) -> impl Iterator<Item = &str> {
        self.agents.keys().filter_map(|stage| {
            let definition = self.definition(stage)?;
            matches!(definition.reached, Reached::Model(_)).then_some(stage.as_str())
        })
    }

    /// What it is called: the same definitions have the same name.
    #[must_use]
    pub fn digest(&self) -> String {
        if self.is_empty() {
            return String::new();
        }
        hex::encode(&Sha256::digest(Data::of(self).as_str().as_bytes())[..8])
    }
}

/// A definition in the pipeline itself. Its agent is called like the stage.
fn inline(
    stage: &str,
    definition: &Object<'static>,
    folder: &Path,
) -> Result<Text, DefinitionFaults> {
    let mut definition = definition.clone();
    if definition.get("name").is_none() {
        definition.set("name", Json::String(stage.replace('_', "-").into()));
    }
    let toml = toml::to_string(&Json::Object(definition).to_serde());
    let toml = toml.map_err(|cause| of_file(cause.to_string()))?;
    Text::read(toml, folder.join("pipeline.toml"))
}

/// A definition in a file of its own, which has lines of its own.
fn beside(named: &Path, folder: &Path) -> Result<Text, DefinitionFaults> {
    let told = |cause: std::io::Error| of_file(format!("{}: {cause}", named.display()));
    let path = fs::canonicalize(folder.join(named)).map_err(told)?;
    let toml = fs::read_to_string(&path).map_err(told)?;
    Text::read(toml, path).map_err(|DefinitionFaults(faults)| {
        let unusable = Unusable { path: named.to_owned(), faults };
        DefinitionFaults(unusable.lines().into_iter().map(DefinitionFault::of_file).collect())
    })
}

fn of_file(why: String) -> DefinitionFaults {
    DefinitionFaults(vec![DefinitionFault::of_file(why)])
}

/// Where pinned definitions are kept.
pub struct Pins {
    folder: PathBuf,
    made: Mutex<BTreeMap<(String, String), Agent>>,
}

/// A worker lives long, and meets many.
const MOST_MADE: usize = 1000;

impl Pins {
    #[must_use]
    pub fn new(folder: PathBuf) -> Self {
        Self { folder, made: Mutex::default() }
    }

    /// Keeps the definitions of a pipeline, before a run that needs them begins. Says what they are
    /// called.
    pub fn keep(&self, pinned: &Pinned) -> std::io::Result<String> {
        let digest = pinned.digest();
        let path = self.file(&digest);
        if pinned.is_empty() || path.exists() {
            return Ok(digest);
        }
        trusted::create_folders(&self.folder, 0o777)?;
        trusted::write_atomic(&path, Data::of(pinned).as_str().as_bytes(), Access::Private)?;
        Ok(digest)
    }

    fn file(&self, digest: &str) -> PathBuf {
        self.folder.join(format!("{digest}.json"))
    }

    /// The agent of a stage. If it cannot be made, a stand-in refers each call to a person.
    pub(super) fn agent(&self, workshop: &Workshop, digest: &str, stage: &str) -> Agent {
        let key = (digest.to_owned(), stage.to_owned());
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(agent) = made.get(&key) {
            return agent.clone();
        }
        match self.definition(digest, stage) {
            Ok(definition) => {
                let agent = workshop.agent(&definition);
                if made.len() >= MOST_MADE {
                    made.clear();
                }
                made.insert(key, agent.clone());
                agent
            }
            Err(why) => workshop.broken(&why),
        }
    }

    fn definition(&self, digest: &str, stage: &str) -> Result<Definition, String> {
        if digest.len() != 16 || !digest.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(format!("{digest:?} names no definitions"));
        }
        let path = self.file(digest);
        let told = |cause: &dyn std::fmt::Display| format!("{}: {cause}", path.display());
        let text = fs::read_to_string(&path).map_err(|cause| told(&cause))?;
        let pinned: Pinned = serde_json::from_str(&text).map_err(|cause| told(&cause))?;
        let own =
            pinned.agents.get(stage).ok_or_else(|| told(&format!("it has no stage {stage}")))?;
        own.definition()
    }
}

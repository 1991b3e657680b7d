//! Definitions that a pipeline holds itself, or names by their files: kept by their digest when a run
//! begins, so that it goes on with what it began with, whatever becomes of the files.

use std::{
    collections::BTreeMap,
    fs,
    io::Write,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use consign_contracts::json::{Json, Object};
use consign_engine::{Agent, Data};
use consign_models::define::{Definition, Reached, Workshop};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::{
    file::{Unusable, Wrong},
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
    /// What it names is beside this.
    path: PathBuf,
    toml: String,
}

impl Pinned {
    /// Reads every definition of a pipeline, which stands in a folder.
    pub fn read(pipeline: &Pipeline, folder: &Path) -> Result<Self, Unusable> {
        let mut pinned = Self::default();
        let mut wrong = Vec::new();
        for stage in &pipeline.stages {
            let read = match &stage.does {
                Does::Agent(Who::Defined(definition)) => inline(&stage.name, definition, folder),
                Does::Agent(Who::File(path)) => beside(&folder.join(path)),
                Does::Agent(Who::Named(_)) | Does::Parallel(_) => continue,
            };
            let read = read.and_then(|text| {
                Definition::read(&text.toml, &text.path).map(|_| text)
            });
            match read {
                Ok(text) => drop(pinned.agents.insert(stage.name.clone(), text)),
                Err(why) => {
                    let what = format!("the agent of {:?}: {why}", stage.name);
                    wrong.push(Wrong { line: stage.line, what });
                }
            }
        }
        if wrong.is_empty() { Ok(pinned) } else { Err(Unusable { path: None, wrong }) }
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.agents.is_empty()
    }

    /// The stages that ask a model.
    pub fn thinkers(&self) -> impl Iterator<Item = &str> {
        self.agents.iter().filter_map(|(stage, text)| {
            let definition = Definition::read(&text.toml, &text.path).ok()?;
            matches!(definition.reached, Reached::Model(_)).then_some(stage.as_str())
        })
    }

    /// What it is called: the same definitions have the same name.
    #[must_use]
    pub fn digest(&self) -> String {
        if self.is_empty() {
            return String::new();
        }
        let digest = Sha256::digest(Data::of(self).as_str().as_bytes());
        digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect()
    }
}

/// A definition in the pipeline itself. Its agent is called like the stage.
fn inline(stage: &str, definition: &Object<'static>, folder: &Path) -> Result<Text, String> {
    let mut definition = definition.clone();
    if definition.get("name").is_none() {
        definition.set("name", Json::String(stage.replace('_', "-").into()));
    }
    let toml = toml::to_string(&Json::Object(definition).to_serde());
    let toml = toml.map_err(|cause| cause.to_string())?;
    Ok(Text { path: folder.join("pipeline.toml"), toml })
}

/// A definition in a file of its own.
fn beside(path: &Path) -> Result<Text, String> {
    let told = |cause: std::io::Error| format!("{}: {cause}", path.display());
    let path = fs::canonicalize(path).map_err(told)?;
    let toml = fs::read_to_string(&path).map_err(|cause| format!("{}: {cause}", path.display()))?;
    Ok(Text { path, toml })
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
        fs::create_dir_all(&self.folder)?;
        let mut whole = tempfile::NamedTempFile::new_in(&self.folder)?;
        whole.write_all(Data::of(pinned).as_str().as_bytes())?;
        whole.as_file().sync_all()?;
        whole.persist(&path).map_err(|failed| failed.error)?;
        fs::File::open(&self.folder)?.sync_all()?;
        Ok(digest)
    }

    fn file(&self, digest: &str) -> PathBuf {
        self.folder.join(format!("{digest}.json"))
    }

    /// The agent of a stage. One that cannot be made waits for somebody who mends it.
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
        let own = pinned.agents.get(stage).ok_or_else(|| told(&format!("it has no stage {stage}")))?;
        Definition::read(&own.toml, &own.path)
    }
}

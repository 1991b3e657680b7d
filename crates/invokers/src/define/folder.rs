//! The folder of definitions as a directory of agents. What is added, changed or removed there counts
//! from the next call on.

use std::{
    collections::BTreeMap,
    fs,
    path::PathBuf,
    sync::{Mutex, PoisonError},
    time::SystemTime,
};

use consign_engine::{Agent, Directory};

use super::{Workshop, read};

pub struct Folder {
    path: PathBuf,
    workshop: Workshop,
    made: Mutex<BTreeMap<String, (Stamp, Agent)>>,
}

/// What a file looked like when it was read.
type Stamp = (Option<SystemTime>, u64);

impl Folder {
    #[must_use]
    pub fn new(path: PathBuf, workshop: Workshop) -> Self {
        Self { path, workshop, made: Mutex::default() }
    }

    /// The file of an agent's definition.
    #[must_use]
    pub fn file(&self, name: &str) -> Option<PathBuf> {
        super::read::check_name(name).ok()?;
        Some(self.path.join(format!("{name}.toml")))
    }
}

impl Directory for Folder {
    fn find(&self, name: &str) -> Option<Agent> {
        let file = self.file(name)?;
        let meta = fs::metadata(&file).ok()?;
        let stamp = (meta.modified().ok(), meta.len());
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, agent)) = made.get(name)
            && *known == stamp
        {
            return Some(agent.clone());
        }
        let agent = match read(&file) {
            Ok(definition) if definition.name == name => self.workshop.agent(&definition),
            Ok(definition) => {
                let other = definition.name;
                self.workshop.broken(&format!("{} defines {other}", file.display()))
            }
            Err(unusable) => self.workshop.unusable(&unusable),
        };
        made.insert(name.to_owned(), (stamp, agent.clone()));
        Some(agent)
    }
}

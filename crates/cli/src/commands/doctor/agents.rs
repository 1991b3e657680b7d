//! The definitions of agents in the directory: how many can be used, and what is wrong with the others.

use std::path::Path;

use consign_app::definitions;
use consign_contracts::json::{Json, Object};
use consign_invokers::define::Unusable;

use crate::{
    error::Error,
    output::{BAD, GOOD, Output, object, printable, styled},
    text::count,
};

#[derive(Default)]
pub(super) struct AgentFiles {
    usable: u64,
    pub(super) unusable: Vec<Unusable>,
}

pub(super) fn look(home: &Path) -> AgentFiles {
    let mut found = AgentFiles::default();
    match definitions::all(home) {
        Ok(all) => {
            for definition in all {
                match definition {
                    Ok(_) => found.usable += 1,
                    Err(unusable) => found.unusable.push(unusable),
                }
            }
        }
        Err(unusable) => found.unusable.push(unusable),
    }
    found
}

impl AgentFiles {
    pub(super) fn describe(&self, output: &mut Output) -> Result<(), Error> {
        let bad = self.unusable.len() as u64;
        match (self.usable, bad) {
            (0, 0) => {}
            (usable, 0) => {
                let usable = count(usable, "definition");
                output.line(format!("agents     {} {usable}", styled(GOOD, "ok")))?;
            }
            (usable, bad) => {
                let all = count(usable + bad, "definition");
                let told = format!("{bad} of {all} cannot be used");
                output.line(format!("agents     {} {told}", styled(BAD, "bad")))?;
            }
        }
        for line in self.unusable.iter().flat_map(Unusable::lines) {
            output.line(format!("           {}", printable(&line)))?;
        }
        Ok(())
    }

    /// `{"usable", "unusable": [{"file", "faults"}]}`
    pub(super) fn object(&self) -> Object<'static> {
        let unusable = self.unusable.iter().map(|unusable| {
            let file = Json::String(unusable.path.display().to_string().into());
            Json::Object(object([("file", file), ("faults", unusable.json())]))
        });
        object([
            ("usable", Json::Number(self.usable.into())),
            ("unusable", Json::Array(unusable.collect())),
        ])
    }
}

//! What a tool is given, held to its schema before anything looks at it.

use consign_contracts::json::{self, Json, Limits};
use consign_engine::{Data, Key, RunId};
use serde_json::Value;

use super::failure::Failure;
use crate::{
    endpoint::{compile_text, run_id},
    error::Problem,
};

pub(super) struct Arguments(Data);

impl Arguments {
    pub(super) fn of(given: &Value, schema: &str) -> Result<Self, Failure> {
        let text = given.to_string();
        let limits = Limits { bytes: usize::MAX, ..Limits::default() };
        let tree = json::parse_within(text.as_bytes(), limits).map_err(Problem::from)?;
        let verdict = compile_text(schema).check(&tree);
        if !verdict.is_valid() {
            let problem =
                Problem::breached("what the tool was given", &verdict.breaches, verdict.more);
            return Err(Failure::from(problem).code("INVALID_ARGUMENTS"));
        }
        Ok(Self(Data::from(&tree)))
    }

    fn get<T>(&self, name: &str, read: impl FnOnce(&Json<'_>) -> Option<T>) -> Option<T> {
        self.0.tree().ok()?.get(name).and_then(read)
    }

    pub(super) fn text(&self, name: &str) -> Option<String> {
        self.get(name, |value| value.as_str().map(str::to_owned))
    }

    pub(super) fn count(&self, name: &str) -> Option<usize> {
        self.get(name, |value| usize::try_from(value.as_number()?.as_u64()?).ok())
    }

    /// A value, whatever it is.
    pub(super) fn data(&self, name: &str) -> Data {
        self.get(name, |value| Some(Data::from(value))).unwrap_or_else(Data::null)
    }

    /// The run that is named, if one is.
    pub(super) fn run(&self) -> Result<Option<RunId>, Failure> {
        Ok(self.text("run").map(run_id).transpose()?)
    }

    /// The run and the interaction, which the schema wants.
    pub(super) fn ask(&self) -> Result<(RunId, Key), Failure> {
        let run = run_id(self.text("run").unwrap_or_default())?;
        Ok((run, Key::from(self.text("interaction").unwrap_or_default())))
    }
}

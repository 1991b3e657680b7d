//! The arguments of a tool call, held to the tool's schema before any tool reads them.

use consign_app::{
    jobs::OutsideThresholds,
    runs::{LimitNumbers, TooLarge},
};
use consign_contracts::{
    json::{self, Json, Limits, Object},
    wire::{Integer, Wire},
};
use consign_engine::{Data, Key, Limits as RunLimits, RunId};
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

    /// All of them.
    pub(super) fn whole(&self) -> &Data {
        &self.0
    }

    pub(super) fn count(&self, name: &str) -> Option<usize> {
        self.get(name, |value| usize::try_from(value.as_number()?.as_u64()?).ok())
    }

    pub(super) fn flag(&self, name: &str) -> bool {
        self.get(name, |value| value.as_bool()).unwrap_or(false)
    }

    /// Whether a truth value is given, and is false.
    pub(super) fn is_false(&self, name: &str) -> bool {
        self.get(name, |value| value.as_bool()) == Some(false)
    }

    /// A value, whatever it is.
    pub(super) fn data(&self, name: &str) -> Data {
        self.get(name, |value| Some(Data::from(value))).unwrap_or_else(Data::null)
    }

    /// A value, whatever it is; `{}` if it was left out.
    pub(super) fn data_or_empty(&self, name: &str) -> Data {
        let empty = || Data::from(&Json::Object(Object::new()));
        self.get(name, |value| Some(Data::from(value))).unwrap_or_else(empty)
    }

    /// The limits of a run.
    pub(super) fn limits(&self) -> Result<RunLimits, Failure> {
        let number = |name: &str| {
            self.get("limits", |limits| Some(limits.get(name)?.as_number()?.clone().into_owned()))
        };
        let calls = self.get("limits", |limits| Integer::read(limits.get("calls")?).ok());
        let (cost_usd, minutes) = (number("cost_usd"), number("minutes"));
        let numbers = LimitNumbers {
            cost_usd: cost_usd.as_ref(),
            minutes: minutes.as_ref(),
            calls: calls.as_ref(),
        };
        let refused = |large: TooLarge| Problem::new("INVALID_ARGUMENTS", large.to_string());
        Ok(numbers.read().map_err(refused)?)
    }

    /// The job, which the schema wants.
    pub(super) fn job(&self) -> String {
        self.text("job").unwrap_or_default()
    }

    /// The thresholds of a job.
    pub(super) fn thresholds(&self) -> OutsideThresholds {
        let cost = self.get("cost_threshold", |cents| Some(cents.as_number()?.to_string()));
        let minutes =
            self.get("time_threshold_minutes", |minutes| Some(minutes.as_number()?.as_f64()));
        OutsideThresholds { cost, minutes }
    }

    /// The run that is named, if one is.
    pub(super) fn run(&self) -> Result<Option<RunId>, Failure> {
        Ok(self.text("run").map(run_id).transpose()?)
    }

    /// The run, which the schema wants.
    pub(super) fn wanted_run(&self) -> Result<RunId, Failure> {
        Ok(run_id(self.text("run").unwrap_or_default())?)
    }

    /// The run and the interaction, which the schema wants.
    pub(super) fn ask(&self) -> Result<(RunId, Key), Failure> {
        Ok((self.wanted_run()?, Key::from(self.text("interaction").unwrap_or_default())))
    }
}

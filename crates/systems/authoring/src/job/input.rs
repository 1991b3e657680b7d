//! What the run of a job is given.
//!
//! The payload is kept as it was submitted: that is what the job shows. What the user has saved as defaults lies under
//! it ([`JobInput::effective`]); the submission wins where both say something.

use std::path::PathBuf;

use consign_contracts::json::Json;
use consign_engine::{At, Data, Fault};
use serde::{Deserialize, Serialize};

use super::{AgentType, JobPlan, MadeFile, check, check::Invalid};
use crate::trace::Framework;

/// The input of a run that does a job.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct JobInput {
    /// The type of the job, which must be that of the workflow.
    #[serde(rename = "type")]
    pub kind: String,
    pub payload: Data,
    /// As it was submitted: left out is not the same text as `false`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requires_strict_validation: Option<bool>,
    #[serde(default, skip_serializing_if = "JobSettings::is_empty")]
    pub settings: JobSettings,
    /// When it was submitted. Names with a time in them are fixed by it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub submitted: Option<At>,
    /// What it revises, if it revises a job.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revision: Option<Revision>,
}

/// A finished job, and what is to be made of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Revision {
    /// The id of the job that is revised.
    pub parent: String,
    /// The wish, in words.
    pub instruction: String,
    /// `edit` or `regenerate`.
    pub mode: String,
    /// `files`, `plan` or `both`.
    pub scope: String,
    /// What that job planned.
    #[serde(default)]
    pub parent_plan: JobPlan,
    /// The files that it made.
    #[serde(default)]
    pub parent_artifacts: Vec<MadeFile>,
    /// The branch that it published on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// The address of its pull request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pull_request: Option<String>,
}

/// What a user has saved for a type of job, as it was when the job was submitted.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JobSettings {
    /// The model to call: `provider/model`, `bridge`, `scripted:FILE`, `replay:FILE`. Without one none is called.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Members of a payload that submissions need not repeat.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub defaults: Option<Data>,
    /// What the tests of Trace are written for, where the surface that submits the job has looked at the repository.
    /// Users save no such thing, and no payload has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub framework: Option<Framework>,
    /// The git folder of the user of a terminal, as an absolute path. Users save no such thing, and no payload has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<PathBuf>,
    /// The branch, or its pattern, that the user of a terminal named for the files of Trace or Proto. Users save no such
    /// thing, and no payload has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
}

impl JobSettings {
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

impl JobInput {
    /// Reads the input of a run of this type and refuses what may not be submitted.
    pub(super) fn read(kind: AgentType, input: &Data) -> Result<Self, Fault> {
        let read: Self = input
            .to()
            .map_err(|cause| Invalid::new(format!("the input of the job: {cause}")).fault())?;
        if read.kind != kind.as_str() {
            let text = format!("the input is of type {:?}, and the run is of {kind}", read.kind);
            return Err(Invalid::at("/type", text).fault());
        }
        check::check(kind, &read).map_err(|invalid| invalid.fault())?;
        Ok(read)
    }

    #[must_use]
    pub fn is_strict(&self) -> bool {
        self.requires_strict_validation == Some(true)
    }

    /// The payload with the saved defaults under it.
    pub fn effective(&self) -> Result<Data, Fault> {
        let Some(defaults) = &self.settings.defaults else { return Ok(self.payload.clone()) };
        match (defaults.tree()?.into_owned(), self.payload.tree()?.into_owned()) {
            (Json::Object(defaults), Json::Object(given)) => {
                Ok(Data::from(&Json::Object(defaults.followed_by(given))))
            }
            (_, given) => Ok(Data::from(&given)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_submission_wins_over_what_was_saved() {
        let data = |text: &str| Data::parse(text).expect("a test writes JSON");
        let settings = JobSettings {
            model: None,
            defaults: Some(data(r#"{"dryRun": true, "baseBranch": "trunk"}"#)),
            ..JobSettings::default()
        };
        let input = JobInput {
            kind: "trace".to_owned(),
            payload: data(r#"{"spec": "a. b.", "dryRun": false}"#),
            requires_strict_validation: None,
            settings,
            submitted: None,
            revision: None,
        };
        let effective = input.effective().expect("both are objects");
        assert_eq!(effective.as_str(), r#"{"dryRun":false,"baseBranch":"trunk","spec":"a. b."}"#);
    }

    #[test]
    fn a_framework_is_one_that_is_known_and_belongs_to_trace() {
        let check = |kind: AgentType, member: &str, framework: &str, is_fit: bool| {
            let text = format!(
                r#"{{"type": "{kind}", "payload": {{"{member}": "a. b."}}, "settings": {{"framework": "{framework}"}}}}"#
            );
            let read = JobInput::read(kind, &Data::parse(text.as_str()).expect("it is JSON"));
            assert_eq!(read.is_ok(), is_fit, "{kind} {framework}: {read:?}");
        };
        for framework in Framework::ALL {
            check(AgentType::Trace, "spec", framework.as_str(), true);
        }
        check(AgentType::Trace, "spec", "mocha", false);
        check(AgentType::Proto, "goal", "pytest", false);
    }
}

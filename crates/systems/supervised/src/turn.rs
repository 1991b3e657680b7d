//! One interaction, before it is made: everything that the request and its record follow from.
//!
//! A [`Turn`] is the input of the call that makes the interaction. It stands in the journal before anything is sent.

use std::{collections::BTreeMap, path::PathBuf};

use consign_contracts::job::Action;
use consign_engine::Data;
use serde::{Deserialize, Serialize};

use crate::{input::Thresholds, job::Role, name::run_name, workspace::TreeId};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Turn {
    pub sequence: u64,
    pub job_id: String,
    pub directory: PathBuf,
    /// Texts are sealed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub sensitive: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub roles: Option<PathBuf>,
    /// Whether it is the worker's or the supervisor's, and the name of who does it.
    pub acts: Role,
    pub role: String,
    pub objective: String,
    pub phase: String,
    pub task: String,
    /// Why the phase is begun again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What the steward advised.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub advice: Option<String>,
    /// What the worker said that it did, for the supervisor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// How the phase's check went, for the supervisor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub check: Option<CheckResult>,
    /// Files that go with the request.
    pub context: Vec<String>,
    /// The workspace when the phase began.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<TreeId>,
    /// The workspace now. It is laid anew before an attempt that a crash repeats.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<TreeId>,
    pub thresholds: Thresholds,
    /// The status that each action would lead to.
    pub leads: BTreeMap<String, String>,
    /// Who answers in the place of the role, and where that is noted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agents: Option<Data>,
}

impl Turn {
    /// The status that the job has after an action.
    #[must_use]
    pub fn leads_to(&self, action: Action) -> &str {
        self.leads.get(action.as_str()).map_or("INTERVENTION_REQUIRED", String::as_str)
    }

    /// The name under which the job's key is kept.
    #[must_use]
    pub fn job_key(&self) -> String {
        run_name(&self.job_id, &self.directory)
    }

    /// The status from which the interaction begins.
    #[must_use]
    pub fn state_before(&self) -> &'static str {
        match self.acts {
            Role::Worker => "PENDING",
            Role::Supervisor => "REVIEWING",
        }
    }
}

/// How the command of a phase ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CheckResult {
    /// Nothing, if it did not end by itself.
    pub exit: Option<i32>,
    /// The end of what it wrote.
    pub said: String,
    /// `100%`, `0%`, or what its last line says.
    pub pass_rate: String,
}

impl CheckResult {
    /// A result, as the text and exit code of the command say.
    #[must_use]
    pub fn new(exit: Option<i32>, said: &str) -> Self {
        let last = said.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default();
        let pass_rate =
            counted(last).unwrap_or_else(|| if exit == Some(0) { "100%" } else { "0%" }.to_owned());
        Self { exit, said: said.to_owned(), pass_rate }
    }
}

/// The share of a line that is `N passed, M failed`.
fn counted(line: &str) -> Option<String> {
    let (passed, failed) = line.trim().split_once(", ")?;
    let passed: u64 = passed.strip_suffix(" passed")?.parse().ok()?;
    let failed: u64 = failed.strip_suffix(" failed")?.parse().ok()?;
    let all = passed.checked_add(failed).filter(|all| *all > 0)?;
    let hundredths = u128::from(passed) * 10_000 / u128::from(all);
    let (whole, part) = (hundredths / 100, hundredths % 100);
    if part == 0 {
        return Some(format!("{whole}%"));
    }
    let digits = format!("{whole}.{part:02}");
    Some(format!("{}%", digits.trim_end_matches('0')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_check_says_how_much_passed() {
        let rate = |exit, said: &str| CheckResult::new(exit, said).pass_rate;
        assert_eq!(rate(Some(0), "fine"), "100%");
        assert_eq!(rate(Some(1), "bad"), "0%");
        assert_eq!(rate(None, ""), "0%");
        assert_eq!(rate(Some(1), "…\n3 passed, 1 failed\n\n"), "75%");
        assert_eq!(rate(Some(1), "2 passed, 1 failed"), "66.66%");
        assert_eq!(rate(Some(0), "0 passed, 0 failed"), "100%");
        assert_eq!(rate(Some(1), "x passed, 1 failed"), "0%");
    }
}

//! The phases of a job: what is to be done, in order, and by which roles.
//!
//! ```toml
//! [[phase]]
//! name = "build"
//! task = "Make the program print the totals."
//! supervisor = "Reviewer"
//! context = ["spec.md"]
//! check = ["cargo", "test"]
//! ```

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

/// The role that does a phase, and the one that reviews it, where the file names none.
pub const WORKER: &str = "Worker";
pub const SUPERVISOR: &str = "Supervisor";

/// A job without a file of phases has this one.
const ONLY: &str = "main";
/// A file has no more phases than this.
const MOST_PHASES: usize = 1000;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Phase {
    pub name: String,
    pub task: String,
    pub role: String,
    /// Who reviews it; without one the phase is accepted when its worker has completed it.
    pub supervisor: Option<String>,
    /// Files of the workspace that both roles are given.
    pub context: Vec<String>,
    /// A command whose exit code is evidence for the supervisor. It decides nothing.
    pub check: Option<Vec<String>>,
}

impl Phase {
    /// The phase of a job that has no file of phases.
    #[must_use]
    pub fn only(task: &str) -> Self {
        Self {
            name: ONLY.to_owned(),
            task: task.to_owned(),
            role: WORKER.to_owned(),
            supervisor: Some(SUPERVISOR.to_owned()),
            context: Vec::new(),
            check: None,
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    phase: Vec<Written>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    name: String,
    task: String,
    role: Option<String>,
    supervisor: Option<Supervisor>,
    #[serde(default)]
    context: Vec<String>,
    check: Option<Vec<String>>,
}

/// A name, or `false` for none.
#[derive(Deserialize)]
#[serde(untagged)]
enum Supervisor {
    Named(String),
    Is(bool),
}

/// Reads a file of phases; the error has a line for each thing that is wrong.
pub fn read(text: &str) -> Result<Vec<Phase>, Vec<String>> {
    let File { phase } = toml::from_str(text).map_err(|why| {
        let line = why.span().map(|span| 1 + text[..span.start].matches('\n').count());
        let line = line.map_or_else(String::new, |line| format!("line {line}: "));
        vec![format!("{line}{}", why.message())]
    })?;
    let mut wrong = Vec::new();
    if phase.is_empty() || phase.len() > MOST_PHASES {
        wrong.push(format!("there are {} phases; write from 1 to {MOST_PHASES}", phase.len()));
    }
    let mut names = BTreeSet::new();
    for own in &phase {
        wrong.extend(faults(own));
        if !names.insert(&own.name) {
            wrong.push(format!(
                "two phases are called {:?}; each needs a name of its own",
                own.name
            ));
        }
    }
    if wrong.is_empty() { Ok(phase.into_iter().map(meant).collect()) } else { Err(wrong) }
}

fn faults(own: &Written) -> Vec<String> {
    let name = &own.name;
    let mut wrong = Vec::new();
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "-_.".contains(letter);
    if name.is_empty() || name.len() > 64 || !name.chars().all(plain) {
        wrong.push(format!(
            "the name {name:?} of a phase is not 1 to 64 letters, digits, -, _ and ."
        ));
    }
    for path in &own.context {
        let path = std::path::Path::new(path);
        let plain =
            |part| matches!(part, std::path::Component::Normal(_) | std::path::Component::CurDir);
        if path.as_os_str().is_empty() || !path.components().all(plain) {
            wrong.push(format!(
                "context {path:?} of phase {name:?} is not a path inside the workspace"
            ));
        }
    }
    if own.task.trim().is_empty() {
        wrong.push(format!("phase {name:?} has no task; say what is to be done"));
    }
    if own.check.as_ref().is_some_and(Vec::is_empty) {
        wrong.push(format!("check of phase {name:?} is empty; write a program and its arguments"));
    }
    let unnamed = |role: &str| {
        let plain = |letter: char| letter.is_ascii_alphanumeric() || letter == '-';
        let begins = role.starts_with(|first: char| first.is_ascii_alphabetic());
        !begins || role.len() > 64 || !role.chars().all(plain)
    };
    let supervisor = match &own.supervisor {
        Some(Supervisor::Named(named)) => Some(named.as_str()),
        Some(Supervisor::Is(true)) => {
            wrong.push(format!("supervisor of phase {name:?} is true; write a name, or false"));
            None
        }
        Some(Supervisor::Is(false)) | None => None,
    };
    if own.role.as_deref().is_some_and(unnamed) || supervisor.is_some_and(unnamed) {
        wrong.push(format!("a role of phase {name:?} is not 1 to 64 letters, digits and -"));
    }
    wrong
}

/// What is wrong with phases that came by another way than a file.
#[must_use]
pub fn check(phases: &[Phase]) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut names = BTreeSet::new();
    for own in phases {
        let written = Written {
            name: own.name.clone(),
            task: own.task.clone(),
            role: Some(own.role.clone()),
            supervisor: own.supervisor.clone().map(Supervisor::Named),
            context: own.context.clone(),
            check: own.check.clone(),
        };
        wrong.extend(faults(&written));
        if !names.insert(&own.name) {
            wrong.push(format!("two phases are called {:?}", own.name));
        }
    }
    wrong
}

fn meant(own: Written) -> Phase {
    let supervisor = match own.supervisor {
        Some(Supervisor::Named(named)) => Some(named),
        Some(Supervisor::Is(_)) => None,
        None => Some(SUPERVISOR.to_owned()),
    };
    let role = own.role.unwrap_or_else(|| WORKER.to_owned());
    let Written { name, task, context, check, .. } = own;
    Phase { name, task, role, supervisor, context, check }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roles_have_their_usual_names_and_a_phase_may_do_without_a_supervisor() {
        let text = "[[phase]]\nname = 'a'\ntask = 'do'\n[[phase]]\nname = 'b'\ntask = 'do'\nrole = 'Writer'\n\
                    supervisor = false\ncheck = ['true']\ncontext = ['spec.md']\n";
        let phases = read(text).unwrap();
        let roles = phases.iter().map(|own| (own.role.as_str(), own.supervisor.as_deref()));
        assert_eq!(roles.collect::<Vec<_>>(), [("Worker", Some("Supervisor")), ("Writer", None)]);
        assert_eq!(phases[1].check, Some(vec!["true".to_owned()]));
        assert_eq!(Phase::only("do").name, "main");
    }

    #[test]
    fn everything_that_is_wrong_is_told_at_once() {
        let text = "[[phase]]\nname = 'a b'\ntask = ' '\ncheck = []\nsupervisor = true\n[[phase]]\nname = 'c'\n\
                    task = 'x'\nrole = ''\n[[phase]]\nname = 'c'\ntask = 'x'\n";
        let wrong = read(text).unwrap_err();
        assert_eq!(wrong.len(), 6, "{wrong:#?}");
        for text in ["", "phase = []", "[[phase]]\nname = 'a'\ntask = 'x'\nsuperviser = 'B'\n"] {
            assert!(read(text).is_err(), "{text}");
        }
    }
}

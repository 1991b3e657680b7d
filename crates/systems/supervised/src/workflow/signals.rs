//! What a job is told without having asked: activated, paced, given files, raised, put back, adopted, cancelled.
//!
//! Each signal has its contract and says who may send it. One that cannot be taken where the job stands changes nothing.

use consign_engine::{Data, Limits, Nanos, Role, Signal, SignalContract};
use serde::Deserialize;
use serde_json::json;

use super::begin_phase;
use crate::{job::Event, phase::Phase, state::JobState};

/// A limit that is higher than this was lifted.
const LIFTED_MINUTES: f64 = 50.0 * 365.0 * 24.0 * 60.0;

#[derive(Deserialize)]
struct Adopted {
    description: Option<String>,
    require_approval: Option<bool>,
    phases: Option<Vec<Phase>>,
}

pub(super) fn signalled(state: &mut JobState, signal: Signal<'_>) {
    match signal {
        Signal::Cancel => {
            let _ = state.job.apply(Event::Canceled);
        }
        Signal::Raised(limits) => raised(state, limits),
        Signal::Advice(_) => {}
        Signal::Named { name, value, .. } => named(state, name, value),
    }
}

fn named(state: &mut JobState, name: &str, value: &Data) {
    let tree = value.shown();
    match name {
        "activate" => {
            let Activate { detach, unsafe_roles } = value.to().unwrap_or_default();
            if state.job.apply(Event::Activated).is_ok() {
                let _ = state.job.apply(Event::Paced((!detach).then_some(0)));
                state.unsafe_roles = unsafe_roles;
            }
        }
        "pace" => {
            let allowance = value.to::<Pace>().ok().and_then(|own| own.interactions);
            let _ = state.job.apply(Event::Paced(allowance));
        }
        "add" => {
            for path in value.to::<Added>().map(|own| own.files).unwrap_or_default() {
                if !state.added.contains(&path) {
                    state.added.push(path);
                }
            }
        }
        "agents" => state.agents = Some(value.clone()),
        "restore" => {
            let point = tree.get("point").and_then(|own| own.as_str());
            restore(state, point.unwrap_or_default());
        }
        "adopt" => {
            if let Ok(adopted) = value.to::<Adopted>() {
                adopt(state, adopted);
            }
        }
        _ => {}
    }
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Activate {
    detach: bool,
    unsafe_roles: Vec<String>,
}

#[derive(Deserialize)]
struct Pace {
    interactions: Option<u64>,
}

#[derive(Deserialize)]
struct Added {
    files: Vec<String>,
}

fn raised(state: &mut JobState, limits: &Limits) {
    let before = state.before;
    let lifted = |cost: &Nanos| *cost >= Nanos::new(u64::MAX);
    state.thresholds.cost =
        limits.cost.filter(|cost| !lifted(cost)).map(|cost| cost + before.spent);
    let minutes = limits.active.map(|active| (active.as_secs_f64() + before.seconds) / 60.0);
    state.thresholds.minutes = minutes.filter(|minutes| *minutes < LIFTED_MINUTES);
}

/// Puts the job back to a point of its own: also that of a run whose state this becomes.
pub fn restore(state: &mut JobState, point: &str) -> bool {
    let Some(point) = state.point(point).cloned() else { return false };
    if state.job.apply(Event::Restored { at: point.at }).is_err() {
        return false;
    }
    begin_phase(state);
    (state.unjudged, state.trouble) = (None, None);
    state.evidence = Vec::new();
    // A job that was put back waits to be driven.
    state.job.allowance = Some(0);
    state.base = Some(point.tree);
    state.start = state.base.filter(|_| point.at < state.job.phases.len());
    state.turn += 1;
    true
}

fn adopt(state: &mut JobState, adopted: Adopted) {
    let Adopted { description, require_approval, phases } = adopted;
    if let Some(description) = description {
        state.description = description;
    }
    if let Some(require) = require_approval {
        state.job.require_approval = require;
    }
    // Only phases that were not begun change.
    if let Some(phases) = phases {
        let begun = state.begun_phases();
        if phases.len() >= begun && phases[..begun] == state.job.phases[..begun] {
            state.job.phases = phases;
        }
    }
}

pub(super) fn signals() -> Vec<SignalContract> {
    let signal = |name: &'static str, from, schema: serde_json::Value| SignalContract {
        name: name.into(),
        schema: Data::of(&schema),
        from,
    };
    let text = json!({"type": "string", "minLength": 1});
    let open = |properties: serde_json::Value, required: &[&str]| json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false});
    vec![
        signal(
            "activate",
            Role::Agent,
            open(
                json!({"detach": {"type": "boolean"}, "unsafe_roles": {"type": "array", "items": text}}),
                &[],
            ),
        ),
        signal(
            "pace",
            Role::Agent,
            open(json!({"interactions": {"type": ["integer", "null"], "minimum": 0}}), &[]),
        ),
        signal(
            "add",
            Role::Agent,
            open(json!({"files": {"type": "array", "items": text, "maxItems": 1000}}), &["files"]),
        ),
        signal("agents", Role::Person, json!({"type": "object"})),
        signal("restore", Role::Person, open(json!({"point": text}), &["point"])),
        signal(
            "adopt",
            Role::Person,
            open(
                json!({
                    "description": {"type": "string"},
                    "require_approval": {"type": "boolean"},
                    "phases": {"type": "array", "minItems": 1, "items": {"type": "object"}},
                }),
                &[],
            ),
        ),
    ]
}

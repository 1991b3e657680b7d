//! What the steward is asked, in words: the question, what both roles said last, what changed, what it has cost, and
//! what each answer will do.

use consign_engine::Nanos;
use serde_json::{Value, json};

use crate::{
    amount::cents,
    job::{Role, Stand},
    state::JobState,
};

/// The answer to a role that is stuck. In a sensitive job it comes sealed: `consign job advise` sees to that.
pub(crate) fn advice(sensitive: bool) -> Value {
    json!({
        "type": "object",
        "properties": {"advice": text(sensitive), "reset": {"type": "boolean"}, "halt": {"const": true}},
        "anyOf": [
            {"required": ["advice"], "not": {"required": ["halt"]}},
            {"required": ["halt"], "not": {"required": ["advice"]}},
        ],
        "additionalProperties": false,
    })
}

/// The answer to the end of a job that needs approval.
pub(crate) fn approval(sensitive: bool) -> Value {
    json!({
        "type": "object",
        "properties": {"approved": {"type": "boolean"}, "why": text(sensitive)},
        "required": ["approved"],
        "if": {"properties": {"approved": {"const": false}}},
        "then": {"required": ["why"]},
        "additionalProperties": false,
    })
}

fn text(sensitive: bool) -> Value {
    if sensitive {
        return json!({"type": "string", "pattern": "^sealed:v1:", "maxLength": 40_000});
    }
    json!({"type": "string", "minLength": 1, "maxLength": 20_000})
}

pub(crate) fn prompt(state: &JobState) -> String {
    let (job, phase) = (&state.job, state.job.phase());
    let mut lines = vec![match job.stand {
        Stand::Stuck(role) => {
            let name = name(state, role);
            format!("{name} is stuck in phase {:?} of job {}.", phase.name, state.job_id)
        }
        Stand::Draft
        | Stand::Pending { .. }
        | Stand::Working
        | Stand::Checking
        | Stand::Reviewing
        | Stand::Approving
        | Stand::Accepting
        | Stand::Done
        | Stand::Canceled => {
            format!(
                "Job {} is done and needs approval of its last phase, {:?}.",
                state.job_id, phase.name
            )
        }
    }];
    if let Some(trouble) = &state.trouble {
        lines.push(format!(
            "A step on the workspace failed, and is made again after your advice: {}",
            trouble.words
        ));
    }
    if state.sensitive {
        lines.push(format!(
            "The job is sensitive: `consign job status {}` shows what was said.",
            state.job_id
        ));
    } else {
        for (role, said) in state.last_words() {
            lines.push(format!("{role} said: {said}"));
        }
        if let Some(check) = &state.check {
            let exit = check
                .exit
                .map_or_else(|| "no exit code".to_owned(), |exit| format!("exit code {exit}"));
            lines.push(format!("The check ended with {exit} ({}).", check.pass_rate));
        }
        match state.diff.as_deref().map(str::trim) {
            Some("") => lines.push("Nothing changed in the workspace in this phase.".to_owned()),
            Some(diff) => lines.push(format!("Changes in this phase:\n{diff}")),
            None => {}
        }
    }
    lines.push(format!("Cost so far: {}.", cost(state)));
    lines.push(what_follows(state));
    lines.join("\n")
}

fn name(state: &JobState, role: Role) -> &str {
    let phase = state.job.phase();
    match role {
        Role::Worker => &phase.role,
        Role::Supervisor => phase.supervisor.as_deref().unwrap_or_default(),
    }
}

fn cost(state: &JobState) -> String {
    let spent: Nanos = state.before.spent + state.job.spent;
    match state.thresholds.cost {
        Some(most) => format!("{} of {} cents", cents(spent), cents(most)),
        None => format!("{} cents, without a threshold", cents(spent)),
    }
}

fn what_follows(state: &JobState) -> String {
    match state.job.stand {
        Stand::Stuck(Role::Supervisor) => {
            "Advice goes into the next prompt and the review goes on; with `reset` the worker begins the phase anew; \
             `halt` cancels the job."
        }
        Stand::Stuck(Role::Worker) => {
            "Advice goes into the next prompt and the worker goes on in the workspace as it is; with `reset` it begins \
             from the phase's starting workspace; `halt` cancels the job."
        }
        Stand::Draft
        | Stand::Pending { .. }
        | Stand::Working
        | Stand::Checking
        | Stand::Reviewing
        | Stand::Approving
        | Stand::Accepting
        | Stand::Done
        | Stand::Canceled => {
            "Approval accepts the phase and ends the job; a rejection sends the phase back to the worker, with your reason."
        }
    }
    .to_owned()
}

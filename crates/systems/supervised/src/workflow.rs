//! `job/supervised`: a job as a durable run.
//!
//! The [`Job`](crate::Job) decides; this file turns what it wants into calls and questions, and what happened into its
//! events. A role is called by its name with the pin [`ROLE`]; what touches the workspace is called `workspace/…`.

mod signals;

use std::time::Duration;

use consign_contracts::job::Action;
use consign_engine::{
    Activity, AgentName, Ask, AskKind, Bound, Call, Data, Fault, Happened, Key, Limits, Nanos,
    Next, Outcome, Retry, RetryOn, Settings, SignalContract, TIMEOUT, Work, Workflow, Workflows,
};
use serde::Deserialize;
use serde_json::json;

use crate::{
    input::JobInput,
    job::{Event, Role, Stand, Wants},
    judged::Judged,
    question,
    state::{JobState, Point, START, Trouble, Unjudged},
    steps::{ACCEPT, Accept, Accepted, CHECK, CLAIM, Check, Checked, Claim, Claimed, JUDGE, Judge},
    workspace::TreeId,
};

pub use signals::restore;

/// The name of the workflow.
pub const SUPERVISED: &str = "job/supervised";
/// The pin of agents that are roles of a job.
pub const ROLE: &str = "job";
/// The pin of those whose attempts must not be repeated without asking.
pub const UNSAFE_ROLE: &str = "job-unsafe";

/// Waits after an API error: 1, 2 and 4 seconds.
const FIRST_WAIT: Duration = Duration::from_secs(1);
const LONGEST_WAIT: Duration = Duration::from_secs(4);
const TRIES: u32 = 4;

/// Adds the workflow of this crate.
#[must_use]
pub fn workflows(to: Workflows) -> Workflows {
    to.with(Supervised)
}

pub(crate) struct Supervised;

impl Workflow for Supervised {
    type State = JobState;

    fn name(&self) -> &str {
        SUPERVISED
    }

    fn start(&self, input: &Data) -> Result<JobState, Fault> {
        let input: JobInput = input.to().map_err(|cause| {
            let text = format!("the input is no job: {cause}. `consign job new` makes it");
            Fault::permanent("INVALID_INPUT", text)
        })?;
        if input.phases.is_empty() {
            return Err(Fault::permanent("INVALID_INPUT", "the job has no phases"));
        }
        Ok(JobState::new(input))
    }

    fn decide(&self, state: &JobState) -> Next {
        if let Some(unjudged) = &state.unjudged {
            let Unjudged { turn, answer, .. } = unjudged;
            let input = Judge { turn: turn.clone(), answer: answer.clone() };
            return call(state, JUDGE, &input);
        }
        match state.job.wants() {
            Wants::Claim { reset } => {
                let lay = state.start.filter(|_| reset);
                call(state, CLAIM, &Claim { directory: state.directory.clone(), lay })
            }
            Wants::Act(_) => act(state),
            Wants::Check => {
                let command = state.job.phase().check.clone().unwrap_or_default();
                let (directory, base) = (state.directory.clone(), state.base);
                let job = state.sensitive.then(|| state.job_key());
                call(state, CHECK, &Check { directory, command, base, job })
            }
            Wants::Accept => call(state, ACCEPT, &accept(state)),
            Wants::Person => Next::Open(ask(state).map(Activity::Ask).into_iter().collect()),
            Wants::Pause => Next::Open(Vec::new()),
            Wants::Nothing => Next::Finish(outcome(state)),
        }
    }

    fn evolve(&self, state: &mut JobState, happened: &Happened<'_>) {
        match happened {
            Happened::Completed { key, output, work } => completed(state, key, output, *work),
            Happened::Failed { key, fault, work } => failed(state, key, fault, *work),
            Happened::Answered { key, value, .. } => answered(state, key, value),
            Happened::Fired { .. } => {}
            Happened::Signalled(signal) => signals::signalled(state, *signal),
        }
    }

    fn signals(&self) -> Vec<SignalContract> {
        signals::signals()
    }

    fn label(&self, state: &JobState, asks: &[&str]) -> Option<String> {
        Some(state.status(asks).as_str().to_owned())
    }

    fn point(&self, state: &JobState) -> Option<String> {
        let point = state.points.last().filter(|point| point.id != START)?;
        Some(point.id.clone())
    }

    /// A later run of the same job: its input has the whole state that it begins with.
    fn refit(&self, state: JobState, input: &Data) -> Result<JobState, Fault> {
        let again = self.start(input)?;
        if again.job_id == state.job_id && again.directory == state.directory {
            return Ok(again);
        }
        Err(Fault::permanent("FORK_IMPOSSIBLE", "it is another job"))
    }

    /// How often phases are begun again is up to the agents: only the thresholds bound a job.
    fn bound(&self, _: &Data, _: &Limits, _: &Settings) -> Bound {
        Bound::default()
    }
}

/// A step on the workspace.
fn call(state: &JobState, agent: &'static str, input: &impl serde::Serialize) -> Next {
    let step = agent.rsplit('/').next().unwrap_or(agent);
    Next::Open(vec![Activity::Call(Call {
        key: Key::new(format!("{step}.{}", state.turn)),
        agent: AgentName::from(agent),
        input: Data::of(input),
        retry: Retry::new(TRIES, FIRST_WAIT, LONGEST_WAIT),
    })])
}

fn act(state: &JobState) -> Next {
    let turn = state.next_turn();
    let retry = Retry {
        on: RetryOn::Except([TIMEOUT.to_owned()].into()),
        exact: true,
        ..Retry::new(TRIES, FIRST_WAIT, LONGEST_WAIT)
    };
    let pin = if state.unsafe_roles.contains(&turn.role) { UNSAFE_ROLE } else { ROLE };
    Next::Open(vec![Activity::Call(Call {
        key: Key::new(format!("act.{}.{}", turn.sequence, state.turn)),
        agent: AgentName::pinned(&turn.role, pin),
        input: Data::of(&turn),
        retry,
    })])
}

fn accept(state: &JobState) -> Accept {
    let (job, phase) = (&state.job, state.job.phase());
    let resume = job.phases.get(job.at + 1).map(|next| next.name.clone());
    Accept {
        directory: state.directory.clone(),
        job_id: state.job_id.clone(),
        point: state.next_point(),
        phase: phase.name.clone(),
        start: state.start,
        repository: state.repository.clone(),
        sequence: job.interactions.saturating_sub(1),
        resume_phase: resume,
        evidence_count: state.worker_evidence,
        test_pass_rate: state.check.as_ref().map(|check| check.pass_rate.clone()),
        message: if state.sensitive { None } else { state.worker_said.clone() },
    }
}

/// What the steward is asked.
fn ask(state: &JobState) -> Option<Ask> {
    let (name, kind, schema) = match state.job.stand {
        Stand::Stuck(_) => ("steward", AskKind::Intervention, question::advice(state.sensitive)),
        Stand::Approving => ("approval", AskKind::Approval, question::approval(state.sensitive)),
        Stand::Draft
        | Stand::Pending { .. }
        | Stand::Working
        | Stand::Checking
        | Stand::Reviewing
        | Stand::Accepting
        | Stand::Done
        | Stand::Canceled => return None,
    };
    Some(Ask {
        key: Key::new(format!("{name}.{}", state.turn)),
        kind,
        prompt: question::prompt(state),
        schema: Data::of(&schema),
        deadline: None,
        default: None,
    })
}

fn outcome(state: &JobState) -> Outcome {
    let status = state.job.status();
    let told = json!({
        "job_id": state.job_id,
        "status": status.as_str(),
        "directory": state.directory,
        "interactions": state.job.interactions,
        "recovery_points": state.points.iter().map(|point| &point.id).collect::<Vec<_>>(),
    });
    match state.job.stand {
        Stand::Canceled => Outcome::Failed(
            Fault::permanent("JOB_HALTED", "the steward halted the job")
                .with_details(Data::of(&told)),
        ),
        Stand::Draft
        | Stand::Pending { .. }
        | Stand::Working
        | Stand::Checking
        | Stand::Reviewing
        | Stand::Approving
        | Stand::Accepting
        | Stand::Stuck(_)
        | Stand::Done => Outcome::Succeeded(Data::of(&told)),
    }
}

/// What a call of a role, or the judgement of an answer over the bridge, comes to.
#[derive(Deserialize)]
struct Acted {
    response: Response,
    #[serde(default)]
    tree: Option<TreeId>,
    #[serde(default)]
    diff: Option<String>,
}

#[derive(Deserialize)]
struct Response {
    action: String,
    #[serde(default)]
    evidence_files: Vec<String>,
    #[serde(default)]
    summary_for_supervisor: String,
}

fn completed(state: &mut JobState, key: &Key, output: &Data, work: Work) {
    let step = key.as_str().split('.').next().unwrap_or_default();
    match step {
        "claim" => {
            if let Ok(claimed) = output.to::<Claimed>() {
                take_claim(state, claimed);
            }
        }
        "act" => {
            state.unjudged = None;
            match Judged::of_output(output).and_then(|_| output.to::<Acted>().ok()) {
                Some(acted) => take_action(state, acted, work.cost, work.assumed),
                // It came over the bridge: nothing has looked at the workspace yet.
                None => {
                    let (turn, answer) = (state.next_turn(), output.clone());
                    let (cost, assumed) = (work.cost, work.assumed);
                    state.unjudged = Some(Unjudged { turn, answer, cost, assumed });
                }
            }
        }
        "judge" => {
            let before = state.unjudged.take();
            let paid = before.map_or((Nanos::ZERO, Nanos::ZERO), |own| (own.cost, own.assumed));
            if let Ok(acted) = output.to::<Acted>() {
                take_action(state, acted, paid.0, paid.1);
            }
        }
        "check" => {
            if let Ok(Checked { result, tree }) = output.to::<Checked>() {
                (state.check, state.base) = (Some(result), Some(tree));
                let _ = state.job.apply(Event::Checked);
            }
        }
        "accept" => {
            if let Ok(accepted) = output.to::<Accepted>() {
                take_acceptance(state, accepted);
            }
        }
        _ => {}
    }
    state.turn += 1;
}

fn take_claim(state: &mut JobState, claimed: Claimed) {
    let Claimed { tree } = claimed;
    if state.start.is_none() {
        state.start = Some(tree);
    }
    if state.points.is_empty() {
        let (id, commit) =
            (START.to_owned(), state.repository.as_ref().map(|own| own.base.clone()));
        state.points.push(Point { id, at: 0, tree, commit });
    }
    state.base = Some(tree);
    let _ = state.job.apply(Event::Claimed);
}

fn take_action(state: &mut JobState, acted: Acted, cost: Nanos, assumed: Nanos) {
    let Acted { response, tree, diff } = acted;
    let action = Action::from_word(&response.action).unwrap_or(Action::Stuck);
    let words = response.summary_for_supervisor;
    match state.job.next_role() {
        Role::Worker => {
            state.worker_said = Some(words.clone());
            state.worker_evidence = response.evidence_files.len();
            state.check = None;
        }
        Role::Supervisor => state.supervisor_said = Some(words.clone()),
    }
    state.evidence = response.evidence_files;
    state.base = tree.or(state.base);
    state.diff = diff;
    state.recorded = state.recorded + cost.minus(assumed);
    let _ = state.job.apply(Event::Acted { action, words, cost });
}

fn take_acceptance(state: &mut JobState, accepted: Accepted) {
    let Accepted { tree, commit, .. } = accepted;
    let (id, at) = (state.next_point(), state.job.at + 1);
    if state.job.apply(Event::Accepted).is_err() {
        return;
    }
    state.points.push(Point { id, at, tree, commit });
    begin_phase(state);
    state.base = Some(tree);
}

/// Forgets what belongs to the phase before.
fn begin_phase(state: &mut JobState) {
    (state.start, state.check, state.diff) = (None, None, None);
    (state.worker_said, state.supervisor_said) = (None, None);
    state.worker_evidence = 0;
}

/// A call that came to nothing. That of a role is an interaction all the same.
fn failed(state: &mut JobState, key: &Key, fault: &Fault, work: Work) {
    let words = told(fault);
    let is_role = ["act.", "judge."].iter().any(|step| key.as_str().starts_with(step));
    if is_role {
        state.unjudged = None;
        let response = Response {
            action: Action::Stuck.as_str().to_owned(),
            evidence_files: Vec::new(),
            summary_for_supervisor: if state.sensitive { fault.code.to_string() } else { words },
        };
        let acted = Acted { response, tree: None, diff: None };
        let unheard = (state.job.reason.take(), state.job.advice.take());
        take_action(state, acted, work.cost, work.assumed);
        // What the role was to be told is told with the next request.
        (state.job.reason, state.job.advice) = unheard;
    } else {
        // The workspace could not be read or written: a person has to look, and the step is made again then.
        state.trouble = Some(Trouble { stand: state.job.stand, words });
        let role = state.job.next_role();
        state.job.stand = Stand::Stuck(role);
    }
    state.turn += 1;
}

/// A fault in words, with the last line of what a program wrote to standard error.
fn told(fault: &Fault) -> String {
    let details = fault.details.as_ref().map(Data::shown);
    let stderr = details.as_ref().and_then(|own| own.get("stderr")?.as_str());
    let last = stderr.and_then(|text| text.trim_end().lines().next_back()).unwrap_or_default();
    let last = &last[..last.floor_char_boundary(300)];
    let stderr = if last.is_empty() { String::new() } else { format!(" (stderr: {last})") };
    format!("(the call failed) {}: {}{stderr}", fault.code, fault.message)
}

#[derive(Deserialize)]
struct Advice {
    advice: Option<String>,
    #[serde(default)]
    reset: bool,
    #[serde(default)]
    halt: bool,
}

#[derive(Deserialize)]
struct Verdict {
    approved: bool,
    why: Option<String>,
}

fn answered(state: &mut JobState, key: &Key, value: &Data) {
    let event = match key.as_str().split('.').next() {
        Some("steward") => value.to::<Advice>().ok().map(|said| match said {
            Advice { halt: true, .. } => Event::Halted,
            Advice { advice, reset, .. } => {
                Event::Advised { text: advice.unwrap_or_default(), reset }
            }
        }),
        Some("approval") => value.to::<Verdict>().ok().map(|said| match said {
            Verdict { approved: true, .. } => Event::Approved,
            Verdict { why, .. } => Event::Rejected { why: why.unwrap_or_default() },
        }),
        Some(_) | None => None,
    };
    if let Some(event) = event {
        let resumes = matches!(event, Event::Advised { reset: false, .. });
        let taken = state.job.apply(event).is_ok();
        // What failed is made again: nothing that is paid for is done again.
        if let Some(trouble) = state.trouble.take().filter(|_| resumes && taken) {
            state.job.stand = trouble.stand;
        }
    }
    state.turn += 1;
}

#[cfg(test)]
mod tests;

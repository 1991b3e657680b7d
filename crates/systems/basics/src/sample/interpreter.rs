//! Drives a workflow by hand in tests: everything that opens is ended, one at a time.
//!
//! It checks what the engine will check: a key opens once, every call names an agent of ours and
//! keeps its input contract, and the state survives its JSON form.

use std::collections::BTreeSet;

use consign_engine::{
    Activity, At, Bound, Data, Fault, Happened, Key, Limits, Nanos, Next, Outcome, Settings, Work,
    Workflow,
};
use proptest::sample::Index;

use super::agents::agents;

/// What was seen of one run from its start to its end.
pub(super) struct Trial {
    outcome: Outcome,
    /// In the order in which they were opened.
    pub(super) keys: Vec<String>,
    /// Of the calls, in the order of their keys.
    pub(super) agents: Vec<String>,
    /// The most that were open at once.
    pub(super) widest: usize,
    /// How many came to an end before the run did.
    pub(super) ended: usize,
    /// What the workflow said that it can come to.
    pub(super) promised: Bound,
    /// What it would have come to if every call had used all its tries at the worst price.
    pub(super) worst: Bound,
    sizes: Vec<usize>,
}

impl Trial {
    /// All goes well, in the order of opening, and everybody says yes.
    pub(super) fn of<W: Workflow>(workflow: &W, input: &str) -> Self {
        run(workflow, input, |_| true, |_| None, &[])
    }

    pub(super) fn in_order<W: Workflow>(workflow: &W, input: &str, order: &[Index]) -> Self {
        run(workflow, input, |_| true, |_| None, order)
    }

    /// The activities that `failing` has a fault for end with it.
    pub(super) fn with_failures<W: Workflow>(
        workflow: &W,
        input: &str,
        failing: impl Fn(&str) -> Option<Fault>,
    ) -> Self {
        run(workflow, input, |_| true, failing, &[])
    }

    /// The ask of each number, from 1, is answered as `yes` says.
    pub(super) fn with_answers<W: Workflow>(
        workflow: &W,
        input: &str,
        yes: impl Fn(u32) -> bool,
    ) -> Self {
        run(workflow, input, yes, |_| None, &[])
    }

    pub(super) fn with_answers_in_order<W: Workflow>(
        workflow: &W,
        input: &str,
        yes: impl Fn(u32) -> bool,
        order: &[Index],
    ) -> Self {
        run(workflow, input, yes, |_| None, order)
    }

    pub(super) fn output(&self) -> &str {
        match &self.outcome {
            Outcome::Succeeded(output) => output.as_str(),
            Outcome::Failed(fault) => panic!("it failed: {fault}"),
        }
    }

    pub(super) fn fault(&self) -> &Fault {
        match &self.outcome {
            Outcome::Succeeded(output) => panic!("it succeeded: {output:?}"),
            Outcome::Failed(fault) => fault,
        }
    }

    /// The fewest and the most bytes that the state had.
    pub(super) fn state_sizes(&self) -> (usize, usize) {
        let sizes = self.sizes.iter().copied();
        (sizes.clone().min().unwrap(), sizes.max().unwrap())
    }
}

/// The message with which an input is refused.
pub(super) fn refusal<W: Workflow>(workflow: &W, input: &str) -> String {
    let input = Data::parse(input).unwrap();
    let Err(fault) = workflow.start(&input) else { panic!("{input:?} was taken") };
    assert_eq!(fault.code, "INVALID_INPUT");
    assert_eq!(workflow.bound(&input, &Limits::standard(), &Settings::default()), Bound::default());
    fault.message
}

fn run<W: Workflow>(
    workflow: &W,
    input: &str,
    yes: impl Fn(u32) -> bool,
    failing: impl Fn(&str) -> Option<Fault>,
    order: &[Index],
) -> Trial {
    let input = Data::parse(input).unwrap();
    let ours = agents();
    let mut state = Data::of(&workflow.start(&input).unwrap());
    let mut open: BTreeSet<Key> = BTreeSet::new();
    let mut trial = Trial {
        outcome: Outcome::Succeeded(Data::null()),
        keys: Vec::new(),
        agents: Vec::new(),
        widest: 0,
        ended: 0,
        promised: workflow.bound(&input, &Limits::standard(), &Settings::default()),
        worst: Bound { cost: Some(Nanos::ZERO), calls: Some(0) },
        sizes: vec![state.as_str().len()],
    };
    let mut ever = BTreeSet::new();
    loop {
        let mut current: W::State = state.to().unwrap();
        let wanted = match workflow.decide(&current) {
            Next::Open(wanted) => wanted,
            Next::Finish(outcome) => return Trial { outcome, ..trial },
        };
        assert!(!wanted.is_empty(), "nothing is open, and it is not finished");
        for activity in &wanted {
            let key = activity.key();
            if open.contains(key) {
                continue;
            }
            assert!(ever.insert(key.clone()), "{key} was opened before");
            trial.keys.push(key.to_string());
            if let Activity::Call(call) = activity {
                let agent = ours.get(&call.agent).unwrap();
                if let Some(schema) = &agent.input {
                    assert_eq!(schema.check(&call.input.tree().unwrap()).breaches, []);
                }
                let tries = u64::from(call.retry.tries);
                let each = agent.invoker.worst_case(&call.input).unwrap();
                trial.agents.push(call.agent.to_string());
                trial.worst.calls = trial.worst.calls.map(|calls| calls + tries);
                trial.worst.cost = trial.worst.cost.map(|cost| cost + each.times(tries));
            }
        }
        open = wanted.iter().map(|activity| activity.key().clone()).collect();
        assert_eq!(open.len(), wanted.len(), "a key is wanted twice");
        trial.widest = trial.widest.max(open.len());

        let chosen = order.get(trial.ended).map_or(0, |index| index.index(wanted.len()));
        let chosen = &wanted[chosen];
        open.remove(chosen.key());
        end(workflow, &mut current, chosen, &yes, failing(chosen.key().as_str()));
        trial.ended += 1;
        state = Data::of(&current);
        trial.sizes.push(state.as_str().len());
    }
}

fn end<W: Workflow>(
    workflow: &W,
    state: &mut W::State,
    activity: &Activity,
    yes: impl Fn(u32) -> bool,
    fault: Option<Fault>,
) {
    let key = activity.key();
    if let Some(fault) = &fault {
        return workflow.evolve(state, &Happened::Failed { key, fault, work: Work::default() });
    }
    match activity {
        Activity::Call(_) => {
            workflow.evolve(
                state,
                &Happened::Completed { key, output: &Data::null(), work: Work::default() },
            );
        }
        Activity::Ask(_) => {
            let number = key.as_str().rsplit('-').next().unwrap().parse().unwrap();
            let value = &Data::of(&yes(number));
            workflow.evolve(state, &Happened::Answered { key, value, at: At::default(), by: None });
        }
        Activity::Timer(_) => workflow.evolve(state, &Happened::Fired { key }),
    }
}

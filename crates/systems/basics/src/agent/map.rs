//! `agent/map`: calls one agent with many inputs, several at once.
//!
//! The run's output is the list of outputs, in the order of the inputs. The first call that fails
//! fails the run, and the others are cancelled.

use std::collections::BTreeMap;

use consign_engine::{
    Activity, Agents, Bound, Call, Data, Fault, Happened, Key, Limits, Nanos, Next, Outcome, Retry,
    Settings, Workflow,
};
use serde::{Deserialize, Serialize};

use super::call::known;

/// The most inputs: all inputs and outputs are in the run's state.
const MOST_INPUTS: usize = 1000;
const PREFIX: &str = "item-";

pub(super) struct AgentMap {
    agents: Agents,
}

impl AgentMap {
    pub(super) fn new(agents: &Agents) -> Self {
        Self { agents: agents.clone() }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Input {
    agent: String,
    inputs: Vec<Data>,
    #[serde(default = "eight")]
    at_once: usize,
}

fn eight() -> usize {
    8
}

impl Input {
    fn read(input: &Data) -> Result<Self, Fault> {
        let wrong = |why: String| Fault::permanent("INVALID_INPUT", why);
        let read: Self = input.to().map_err(|cause| {
            wrong(format!(
                "the input is not {{\"agent\": NAME, \"inputs\": […], \"at_once\": 8}}: {cause}"
            ))
        })?;
        if read.inputs.len() > MOST_INPUTS || read.at_once == 0 {
            return Err(wrong(format!(
                "give at most {MOST_INPUTS} `inputs`, and an `at_once` of at least 1"
            )));
        }
        Ok(read)
    }
}

#[derive(Serialize, Deserialize)]
pub(super) struct State {
    agent: String,
    at_once: usize,
    /// The inputs without an output yet.
    inputs: BTreeMap<usize, Data>,
    outputs: BTreeMap<usize, Data>,
    failed: Option<Fault>,
}

impl Workflow for AgentMap {
    type State = State;

    fn name(&self) -> &str {
        super::MAP
    }

    fn start(&self, input: &Data) -> Result<State, Fault> {
        let Input { agent, inputs, at_once } = Input::read(input)?;
        known(&self.agents, &agent)?;
        let inputs = inputs.into_iter().enumerate().collect();
        Ok(State { agent, at_once, inputs, outputs: BTreeMap::new(), failed: None })
    }

    fn decide(&self, state: &State) -> Next {
        if let Some(fault) = &state.failed {
            return Next::Finish(Outcome::Failed(fault.clone()));
        }
        if state.inputs.is_empty() {
            let outputs: Vec<_> = state.outputs.values().collect();
            return Next::Finish(Outcome::Succeeded(Data::of(&outputs)));
        }
        let call = |(index, input): (&usize, &Data)| {
            let (key, agent) = (Key::new(format!("{PREFIX}{index}")), state.agent.as_str().into());
            Activity::Call(Call { key, agent, input: input.clone(), retry: Retry::default() })
        };
        Next::Open(state.inputs.iter().take(state.at_once).map(call).collect())
    }

    fn evolve(&self, state: &mut State, happened: &Happened<'_>) {
        match happened {
            Happened::Completed { key, output, .. } => {
                let index = key.as_str().strip_prefix(PREFIX).and_then(|index| index.parse().ok());
                if let Some(index) = index
                    && state.inputs.remove(&index).is_some()
                {
                    state.outputs.insert(index, (*output).clone());
                }
            }
            Happened::Failed { fault, .. } => {
                state.failed.get_or_insert_with(|| (*fault).clone());
            }
            Happened::Answered { .. } | Happened::Fired { .. } | Happened::Signalled(_) => {}
        }
    }

    fn bound(&self, input: &Data, _limits: &Limits, settings: &Settings) -> Bound {
        let Ok(Input { agent, inputs, .. }) = Input::read(input) else { return Bound::default() };
        let Some(agent) = self.agents.get(&agent) else { return Bound::default() };
        let tries = Retry::default().tries;
        let mut sum = Bound { cost: Some(Nanos::ZERO), calls: Some(0) };
        for input in &inputs {
            let one = agent.invoker.bound(input, settings, tries);
            sum.cost = sum.cost.zip(one.cost).map(|(sum, one)| sum + one);
            sum.calls = sum.calls.zip(one.calls).map(|(sum, one)| sum.saturating_add(one));
        }
        sum
    }
}

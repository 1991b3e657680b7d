//! `agent/call`: calls one agent with one input. The output of the agent is the output of the run.

use consign_engine::{
    Activity, AgentName, Agents, Bound, Call, Data, Fault, Happened, Key, Limits, Next, Outcome,
    Retry, Settings, Workflow,
};
use serde::{Deserialize, Serialize};

const KEY: &str = "call";

pub(super) struct AgentCall {
    agents: Agents,
}

impl AgentCall {
    pub(super) fn new(agents: &Agents) -> Self {
        Self { agents: agents.clone() }
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Input {
    agent: String,
    input: Data,
}

impl Input {
    fn read(input: &Data) -> Result<Self, Fault> {
        input.to().map_err(|cause| {
            let text = format!("the input is not {{\"agent\": NAME, \"input\": …}}: {cause}");
            Fault::permanent("INVALID_INPUT", text)
        })
    }
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum State {
    Calling { agent: String, input: Data },
    Done(Data),
    Failed(Fault),
}

impl Workflow for AgentCall {
    type State = State;

    fn name(&self) -> &str {
        super::CALL
    }

    fn start(&self, input: &Data) -> Result<State, Fault> {
        let Input { agent, input } = Input::read(input)?;
        known(&self.agents, &agent)?;
        Ok(State::Calling { agent, input })
    }

    fn decide(&self, state: &State) -> Next {
        match state {
            State::Calling { agent, input } => Next::Open(vec![Activity::Call(Call {
                key: Key::from(KEY),
                agent: agent.as_str().into(),
                input: input.clone(),
                retry: Retry::default(),
            })]),
            State::Done(output) => Next::Finish(Outcome::Succeeded(output.clone())),
            State::Failed(fault) => Next::Finish(Outcome::Failed(fault.clone())),
        }
    }

    fn evolve(&self, state: &mut State, happened: &Happened<'_>) {
        match happened {
            Happened::Completed { output, .. } => *state = State::Done((*output).clone()),
            Happened::Failed { fault, .. } => *state = State::Failed((*fault).clone()),
            Happened::Answered { .. } | Happened::Fired { .. } | Happened::Signalled(_) => {}
        }
    }

    fn bound(&self, input: &Data, _limits: &Limits, settings: &Settings) -> Bound {
        let Ok(Input { agent, input }) = Input::read(input) else { return Bound::default() };
        let Some(agent) = self.agents.get(&agent) else { return Bound::default() };
        agent.invoker.bound(&input, settings, Retry::default().tries)
    }
}

/// Refuses an unknown agent at the start: the run would only fail later.
pub(super) fn known(agents: &Agents, name: &str) -> Result<(), Fault> {
    let name = &AgentName::from(name);
    // Steps of a workflow's own, and the roles of a job, are called by that workflow alone.
    if name.starts_with("workspace/") || name.pin().is_some_and(|pin| pin.starts_with("job")) {
        let text =
            format!("{} is a part of supervised jobs, and called by them alone", name.shown());
        return Err(Fault::permanent("AGENT_NOT_FOUND", text));
    }
    match agents.get(name) {
        Some(_) => Ok(()),
        None => Err(Fault::permanent("AGENT_NOT_FOUND", format!("there is no agent {name}"))),
    }
}

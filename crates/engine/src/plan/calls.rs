//! Beginning attempts.

use super::{Action, Planner};
use crate::{
    Agent, Call, Data, Fault, Nanos,
    frame::{Open, Phase},
    journal::{AttemptStarted, CallFailed, CallStarted, Paid},
};

impl Planner<'_> {
    /// The attempt of a call that is due. `None` if none is.
    fn due(&self, call: &Call) -> Option<u32> {
        match self.run.frame.open.get(&call.key) {
            None => Some(1),
            Some(Open::Call(open)) => match open.phase {
                Phase::Due { at } if at <= self.ground.now => Some(open.attempt + 1),
                Phase::Due { .. } | Phase::InFlight { .. } | Phase::Unknown => None,
            },
            Some(Open::Ask { .. } | Open::Timer { .. }) => None,
        }
    }

    /// Fails a call that cannot be made. Says whether it did, and the workflow heard of it.
    pub(super) fn refuse(&mut self, call: &Call) -> Result<bool, Fault> {
        let Some(attempt) = self.due(call) else { return Ok(false) };
        let Err(fault) = callable(self.ground.agents.get(&call.agent), call) else {
            return Ok(false);
        };
        // The attempt that failed is the one before this, if there was one.
        let (key, paid) = (call.key.clone(), Paid::default());
        self.note(CallFailed { key, attempt: attempt - 1, fault, paid })
    }

    /// Begins a call, or its next attempt, if it is due and there is room for it.
    pub(super) fn start(&mut self, call: Call) -> Result<(), Fault> {
        let Some(attempt) = self.due(&call) else { return Ok(()) };
        let Some(agent) = self.ground.agents.get(&call.agent) else { return Ok(()) };
        let worst = agent.invoker.worst_case(&call.input);
        if let Err(fault) = self.room(worst) {
            self.blocked = Some(fault);
            return Ok(());
        }
        let reserved = worst.unwrap_or(Nanos::ZERO);
        let key = call.key.clone();
        if attempt == 1 {
            self.note(CallStarted {
                key,
                agent: call.agent.to_string(),
                effect: agent.effect,
                input: call.input.clone(),
                reserved,
                unmetered: worst.is_none(),
            })?;
        } else {
            self.note(AttemptStarted { key, attempt, reserved, unmetered: worst.is_none() })?;
        }
        self.starting += 1;
        self.ledger.unmetered |= worst.is_none();
        self.actions.push(Action::Start { call, attempt });
        Ok(())
    }
}

/// Whether there is such an agent and it may be called so.
fn callable(agent: Option<&Agent>, call: &Call) -> Result<(), Fault> {
    let name = &call.agent;
    let agent = agent
        .ok_or_else(|| Fault::permanent("AGENT_NOT_FOUND", format!("there is no agent {name}")))?;
    if let Some(schema) = &agent.input {
        breach(schema, &call.input, &format!("the input of {name}"))?;
    }
    Ok(())
}

/// Holds a value to a contract.
pub(crate) fn breach(
    schema: &consign_contracts::schema::Schema,
    value: &Data,
    what: &str,
) -> Result<(), Fault> {
    let tree = value.tree();
    if schema.is_valid(&tree) {
        return Ok(());
    }
    let breaches = schema.check(&tree).breaches;
    let first = breaches.first().map(ToString::to_string).unwrap_or_default();
    let all: Vec<_> = breaches
        .iter()
        .map(|breach| serde_json::json!({"pointer": breach.pointer, "keyword": breach.keyword, "message": breach.message}))
        .collect();
    let fault = Fault::permanent("CONTRACT_BREACH", format!("{what} breaks its contract: {first}"));
    Err(fault.with_details(Data::of(&serde_json::json!({ "breaches": all }))))
}

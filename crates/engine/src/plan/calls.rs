//! Beginning attempts.

use super::{Action, Planner};
use crate::{
    Agent, Call, Data, Fault, Nanos,
    frame::{Open, Phase},
    journal::{AttemptStarted, CallFailed, CallStarted, Paid},
};

impl Planner<'_> {
    /// Begins a call, or its next attempt, if it is due and there is room for it. Says whether the
    /// workflow heard of it: a call can fail before it begins.
    pub(super) fn start(&mut self, call: Call) -> Result<bool, Fault> {
        let attempt = match self.run.frame.open.get(&call.key) {
            None => 1,
            Some(Open::Call(open)) => match open.phase {
                Phase::Due { at } if at <= self.ground.now => open.attempt + 1,
                Phase::Due { .. } | Phase::InFlight { .. } | Phase::Unknown => return Ok(false),
            },
            Some(Open::Ask { .. } | Open::Timer { .. }) => return Ok(false),
        };
        let agents = self.ground.agents;
        let agent = match callable(agents.get(&call.agent), &call) {
            Ok(agent) => agent,
            Err(fault) => return self.refuse(call, attempt, fault),
        };
        let worst = agent.invoker.worst_case(&call.input);
        if let Err(fault) = self.room(worst) {
            self.blocked = Some(fault);
            return Ok(false);
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
            self.note(AttemptStarted { key, attempt, reserved })?;
        }
        self.starting += 1;
        self.actions.push(Action::Start { call, attempt });
        Ok(false)
    }

    fn refuse(&mut self, call: Call, attempt: u32, fault: Fault) -> Result<bool, Fault> {
        // The attempt that failed is the one before this, if there was one.
        let paid = Paid::default();
        self.note(CallFailed { key: call.key, attempt: attempt - 1, fault, paid })
    }
}

/// The agent, if it may be called so.
fn callable<'a>(agent: Option<&'a Agent>, call: &Call) -> Result<&'a Agent, Fault> {
    let name = &call.agent;
    let agent = agent
        .ok_or_else(|| Fault::permanent("AGENT_NOT_FOUND", format!("there is no agent {name}")))?;
    if let Some(schema) = &agent.input {
        breach(schema, &call.input, &format!("the input of {name}"))?;
    }
    Ok(agent)
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

//! Starting calls and their next attempts, or failing those that cannot be made.

use super::{Action, Planner};
use crate::{
    Agent, AskKind, Call, Data, Fault, Order,
    frame::{Open, Phase},
    journal::{Asked, AttemptStarted, CallFailed, CallStarted, Paid},
};

impl Planner<'_> {
    /// The attempt of a call that is due. `None` if none is.
    fn due(&self, call: &Call) -> Option<u32> {
        match self.run.frame.open.get(&call.key) {
            None => Some(1),
            Some(Open::Call(open)) => match open.phase {
                Phase::Due { at } if at <= self.ground.now => Some(open.attempt + 1),
                Phase::Due { .. }
                | Phase::InFlight { .. }
                | Phase::Unknown
                | Phase::Asked { .. }
                | Phase::Replied { .. }
                | Phase::Declined { .. } => None,
            },
            Some(Open::Ask { .. } | Open::Timer { .. }) => None,
        }
    }

    /// Fails a call that cannot be made. Says whether it did, and the workflow heard of it.
    pub(super) fn refuse(&mut self, call: &Call) -> Result<bool, Fault> {
        let Some(attempt) = self.due(call) else { return Ok(false) };
        let Err(fault) = callable(self.agent(&call.agent).as_ref(), call) else {
            return Ok(false);
        };
        // The attempt that failed is the one before this, if there was one.
        let (key, paid) = (call.key.clone(), Paid::default());
        self.note(CallFailed { key, attempt: attempt - 1, fault, paid, used: None })
    }

    /// Begins a call, or its next attempt, if it is due and there is room for it.
    pub(super) fn start(&mut self, call: Call) -> Result<(), Fault> {
        let Some(attempt) = self.due(&call) else { return Ok(()) };
        let Some(agent) = self.agent(&call.agent) else { return Ok(()) };
        let frame = &self.run.frame;
        let handed = match frame.open.get(&call.key) {
            Some(Open::Call(open)) => open.handed.as_ref(),
            Some(Open::Ask { .. } | Open::Timer { .. }) | None => None,
        };
        let order = Order { input: &call.input, settings: &frame.settings, handed };
        let quote = agent.invoker.quote(&order);
        if let Err(fault) = self.room(quote.needs(), quote.cost, call.agent.shown()) {
            self.blocked = Some(fault);
            return Ok(());
        }
        let bridged = agent.invoker.bridge(&call.input, &frame.settings);
        let before = frame.usage.calls;
        let (reserved, unmetered) = (quote.cost.unwrap_or_default(), quote.cost.is_none());
        let unknown = quote.cost.is_none();
        let (key, estimate) = (call.key.clone(), quote.note);
        if attempt == 1 {
            self.note(CallStarted {
                key,
                agent: call.agent.clone(),
                effect: agent.effect,
                input: call.input.clone(),
                reserved,
                unmetered,
                estimate,
            })?;
        } else {
            self.note(AttemptStarted { key, attempt, reserved, unmetered, estimate })?;
        }
        self.ledger.unmetered |= unknown;
        let Some(bridged) = bridged else {
            self.starting += 1;
            self.actions.push(Action::Start { call, agent, attempt, before });
            return Ok(());
        };
        // No agent is called: the question goes to the inbox, to be answered from outside.
        self.ask(Asked {
            key: call.key,
            kind: AskKind::AgentResponse,
            prompt: bridged.prompt,
            schema: bridged.schema,
            deadline: bridged.deadline.map(|wait| self.ground.now + wait),
            default: None,
            about: None,
            agent: Some(call.agent.clone()),
        })
    }
}

/// Finds out whether the agent exists and the input of the call fits its contract.
pub(crate) fn callable<'a>(agent: Option<&'a Agent>, call: &Call) -> Result<&'a Agent, Fault> {
    let name = call.agent.shown();
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
    let tree = value.tree()?;
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

//! The trait of the built-in agents, and the list of the six.

use consign_contracts::{Contract, json::Json};
use consign_engine::Fault;

use super::{
    Brief, Stop, critic::Critic, execution::Execution, integration::Integration, intent::Intent,
    perception::Perception, plan::Plan,
};

/// An agent of the default pipeline.
pub trait BuiltIn: Send + Sync {
    fn name(&self) -> &'static str;

    /// The contract of its output.
    fn contract(&self) -> &'static Contract;

    /// The members of the envelope that it reads: `raw_input`, `outputs.plan`.
    fn reads(&self) -> &'static [&'static str];

    /// Does its part without a model. It may take seconds, and blocks.
    fn work(&self, brief: &Brief, stop: &Stop) -> Result<Json<'static>, Fault>;

    /// The prompt for a model that does this part. `None` if no model can do it better.
    fn prompt(&self, _brief: &Brief) -> Option<String> {
        None
    }

    /// Checks and completes a model's answer.
    fn settle(&self, _brief: &Brief, _said: Json<'static>) -> Result<Json<'static>, Fault> {
        Err(Fault::permanent("NO_MODEL_HERE", format!("{} works without a model", self.name())))
    }
}

/// The six agents, in the order of the default pipeline.
#[must_use]
pub fn all() -> Vec<Box<dyn BuiltIn>> {
    vec![
        Box::new(Perception),
        Box::new(Intent),
        Box::new(Plan),
        Box::new(Execution),
        Box::new(Critic),
        Box::new(Integration),
    ]
}

#[must_use]
pub fn find(name: &str) -> Option<Box<dyn BuiltIn>> {
    all().into_iter().find(|agent| agent.name() == name)
}

pub(super) fn contract(name: &str) -> &'static Contract {
    Contract::find(name).expect("the outputs of the six agents are published")
}

/// Checks a model's answer against the agent's contract.
pub(super) fn held(contract: &Contract, said: &Json<'static>) -> Result<(), Fault> {
    let verdict = contract.schema().check(said);
    if verdict.is_valid() {
        return Ok(());
    }
    let first = verdict.breaches.first().map(ToString::to_string).unwrap_or_default();
    Err(refused(format!("the answer breaks {}: {first}", contract.name)))
}

/// The fault for a model's answer that cannot be used; asking again may give a better one.
pub(super) fn refused(message: impl Into<String>) -> Fault {
    Fault::transient("AI_INVALID_RESPONSE", message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_agent_is_found_by_its_name_and_has_a_contract() {
        let names: Vec<&str> = all().iter().map(|agent| agent.name()).collect();
        assert_eq!(names, ["perception", "intent", "plan", "execution", "critic", "integration"]);
        for agent in all() {
            assert_eq!(find(agent.name()).unwrap().name(), agent.name());
            assert_eq!(agent.contract().name, format!("envelope/output.{}", agent.name()));
        }
        assert!(find("unknown").is_none());
    }
}

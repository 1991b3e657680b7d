//! An agent that is reached by nobody here: its calls wait in the inbox for whoever answers.

use std::time::Duration;

use async_trait::async_trait;
use consign_engine::{
    Attempt, Bound, Bridged, Data, Failure, Fault, Invoker, Nanos, Order, Quote, Reply, Settings,
};

use crate::prompt::Template;

/// The invoker of a bridged agent.
pub struct Bridge {
    pub template: Template,
    /// The JSON Schema of an answer.
    pub schema: Data,
    pub deadline: Option<Duration>,
    /// What an answer may have cost whoever gave it.
    pub max_cost: Option<Nanos>,
}

#[async_trait]
impl Invoker for Bridge {
    fn worst_case(&self, _input: &Data) -> Option<Nanos> {
        self.max_cost
    }

    /// No service charges for what a person answers.
    fn quote(&self, _order: &Order<'_>) -> Quote {
        Quote::unbilled(self.max_cost)
    }

    /// It is asked once: whoever declines, or is late, ends it.
    fn bound(&self, _input: &Data, _settings: &Settings, _tries: u32) -> Bound {
        Bound { cost: self.max_cost, calls: Some(1) }
    }

    fn bridge(&self, input: &Data, _settings: &Settings) -> Option<Bridged> {
        // Whoever answers is better told the input as it is than nothing.
        let prompt = self.template.fill(input).unwrap_or_else(|_| input.as_str().to_owned());
        Some(Bridged { prompt, schema: self.schema.clone(), deadline: self.deadline })
    }

    async fn invoke(&self, _attempt: Attempt) -> Result<Reply, Failure> {
        let fault = Fault::permanent("NOT_CALLED", "somebody outside answers this");
        Err(Failure::new(fault, Some(Nanos::ZERO)))
    }
}

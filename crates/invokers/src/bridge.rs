//! An agent that this program does not call: each call waits in the inbox for an answer from
//! outside.

use std::time::Duration;

use async_trait::async_trait;
use consign_engine::{
    Attempt, Bound, Bridged, Data, Failure, Fault, Invoker, Nanos, Reply, Settings,
};

use crate::prompt::PromptTemplate;

/// The invoker of a bridged agent.
pub struct Bridge {
    pub template: PromptTemplate,
    /// The JSON Schema of an answer.
    pub schema: Data,
    pub deadline: Option<Duration>,
    /// The most that an answer may have cost.
    pub max_cost: Nanos,
}

#[async_trait]
impl Invoker for Bridge {
    fn worst_case(&self, _input: &Data) -> Option<Nanos> {
        Some(self.max_cost)
    }

    /// A call is asked once: a refusal or a missed deadline ends it.
    fn bound(&self, _input: &Data, _settings: &Settings, _tries: u32) -> Bound {
        Bound { cost: Some(self.max_cost), calls: Some(1) }
    }

    fn bridge(&self, input: &Data, _settings: &Settings) -> Option<Bridged> {
        // Without a filled template the plain input is better than nothing.
        let prompt = self.template.fill(input).unwrap_or_else(|_| input.as_str().to_owned());
        Some(Bridged { prompt, schema: self.schema.clone(), deadline: self.deadline })
    }

    async fn invoke(&self, _attempt: Attempt) -> Result<Reply, Failure> {
        let fault = Fault::permanent(
            "NOT_CALLED",
            "this agent is not called: its answer comes from outside",
        );
        Err(Failure::new(fault, Some(Nanos::ZERO)))
    }
}

//! Agents made from their definitions.

use std::{path::PathBuf, sync::Arc, time::Duration};

use async_trait::async_trait;
use consign_contracts::{
    json::{Json, Object},
    schema::Schema,
};
use consign_engine::{Agent, Attempt, Data, Effect, Failure, Fault, Invoker, Nanos, Onward, Reply};
use consign_models::Models;
use serde_json::json;

use super::{
    Unusable,
    file::{Definition, McpServer, Reached},
};
use crate::{
    Bridge, Scriptable,
    http::HttpAgent,
    mcp::{self, McpTool},
    model::{Asking, ModelAgent, ModelSpec, Output},
    process::Subprocess,
    script::Scripts,
};

/// What a model, a subprocess or a server may take to be stopped, and to say how it went.
const GRACE: Duration = Duration::from_secs(8);

/// Where agents are made.
#[derive(Clone)]
pub struct Workshop {
    models: Arc<Models>,
    /// What may stand in for the agents.
    scripts: Arc<Scripts>,
    /// The program whose command `supervise` runs subprocesses.
    launcher: PathBuf,
}

impl Workshop {
    #[must_use]
    pub fn new(models: Arc<Models>, scripts: Arc<Scripts>, launcher: PathBuf) -> Self {
        Self { models, scripts, launcher }
    }

    /// What may stand in for the agents that are made here.
    #[must_use]
    pub fn scripts(&self) -> &Arc<Scripts> {
        &self.scripts
    }

    /// The models that the agents which are made here ask.
    #[must_use]
    pub fn models(&self) -> &Arc<Models> {
        &self.models
    }

    /// The program whose command `supervise` runs subprocesses.
    #[must_use]
    pub fn launcher(&self) -> &std::path::Path {
        &self.launcher
    }

    /// The agent of a definition.
    #[must_use]
    pub fn agent(&self, definition: &Definition) -> Agent {
        let compiled = |schema: &Option<Data>| {
            let schema = schema.as_ref()?;
            Schema::compile(&schema.tree().ok()?).ok().map(Arc::new)
        };
        let (input, output) = (compiled(&definition.input), compiled(&definition.output));
        let effect = definition.effect;
        let invoker: Arc<dyn Invoker> = match &definition.reached {
            // A model sees to its scripts itself.
            Reached::Model(own) => Arc::new(self.model(definition, own, output.clone())),
            Reached::Subprocess(own) => {
                let program = Subprocess::new(own.clone(), effect, self.launcher.clone());
                self.staged(definition, Arc::new(program))
            }
            Reached::Http(own) => {
                self.staged(definition, made(HttpAgent::new(own.clone(), effect)))
            }
            Reached::Mcp(own) => {
                let tool = McpTool::new(self.server(&own.server), &own.tool, effect);
                self.staged(definition, made(tool))
            }
            Reached::Bridge(own) => {
                let schema = definition.output.clone();
                let bridge = Bridge {
                    template: own.template.clone(),
                    schema: schema.unwrap_or_else(|| Data::of(&json!({}))),
                    deadline: own.deadline,
                    max_cost: own.max_cost,
                };
                self.staged(definition, Arc::new(bridge))
            }
        };
        // What watches its own time knows more of what happened than that it took too long.
        let timeout = match &definition.reached {
            Reached::Bridge(_) => definition.timeout,
            Reached::Model(_) | Reached::Subprocess(_) | Reached::Http(_) | Reached::Mcp(_) => {
                definition.timeout + GRACE
            }
        };
        Agent { effect, timeout, input, output: output.map(Into::into), invoker }
    }

    fn model(
        &self,
        definition: &Definition,
        asking: &Asking,
        output: Option<Arc<Schema>>,
    ) -> ModelAgent {
        let output = output.zip(definition.output.clone());
        let spec = ModelSpec {
            agent: definition.name.as_str().into(),
            asking: asking.clone(),
            output: output.map(|(schema, source)| Output { schema, source }),
            timeout: definition.timeout,
        };
        ModelAgent::new(self.models.clone(), self.scripts.clone(), spec)
    }

    fn staged(&self, definition: &Definition, inner: Arc<dyn Invoker>) -> Arc<dyn Invoker> {
        let (name, timeout) = (definition.name.as_str().into(), definition.timeout);
        Arc::new(Scriptable::new(name, inner, self.scripts.clone(), timeout))
    }

    fn server(&self, server: &McpServer) -> mcp::Server {
        match server {
            McpServer::Program(definition) => mcp::Server::Program {
                definition: definition.clone(),
                launcher: self.launcher.clone(),
            },
            McpServer::Web(definition) => mcp::Server::Web(definition.clone()),
        }
    }

    /// Stands for an agent that cannot be made: its calls wait in the inbox until its definition is corrected.
    #[must_use]
    pub fn broken(&self, why: &str) -> Agent {
        stand_in(Fault::permanent("AGENT_INVALID", why))
    }

    /// Stands for a definition with faults, and says all of them.
    pub(super) fn unusable(&self, unusable: &Unusable) -> Agent {
        let mut details = Object::new();
        details.set("faults", unusable.json());
        let fault = Fault::permanent("AGENT_INVALID", unusable.to_string());
        stand_in(fault.with_details(Data::from(&Json::Object(details))))
    }
}

fn stand_in(fault: Fault) -> Agent {
    Agent::new(Effect::Pure, Broken(fault)).with_timeout(Duration::from_secs(60))
}

/// What was made, or what stands for it.
fn made<I: Invoker + 'static>(made: Result<I, Fault>) -> Arc<dyn Invoker> {
    match made {
        Ok(invoker) => Arc::new(invoker),
        Err(fault) => Arc::new(Broken(Fault::permanent("AGENT_INVALID", fault.message))),
    }
}

struct Broken(Fault);

#[async_trait]
impl Invoker for Broken {
    fn worst_case(&self, _input: &Data) -> Option<Nanos> {
        Some(Nanos::ZERO)
    }

    async fn invoke(&self, _attempt: Attempt) -> Result<Reply, Failure> {
        Err(Failure::new(self.0.clone(), Some(Nanos::ZERO)).onward(Onward::Refer))
    }
}

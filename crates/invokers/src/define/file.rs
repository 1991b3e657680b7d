//! An agent as its definition describes it. Everything that the file names has been read and checked.

use std::{path::PathBuf, time::Duration};

use consign_engine::{Data, Effect, Nanos};

use crate::{http, model::Asking, process, prompt::PromptTemplate};

#[derive(Clone, Debug)]
pub struct Definition {
    pub name: String,
    pub description: String,
    pub effect: Effect,
    pub timeout: Duration,
    pub input: Option<Data>,
    pub output: Option<Data>,
    pub reached: Reached,
    pub path: PathBuf,
}

/// How it is reached.
#[derive(Clone, Debug)]
pub enum Reached {
    Model(Asking),
    Subprocess(process::Definition),
    Http(http::Definition),
    Mcp(Mcp),
    Bridge(Bridge),
}

impl Reached {
    #[must_use]
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Model(_) => "model",
            Self::Subprocess(_) => "subprocess",
            Self::Http(_) => "http",
            Self::Mcp(_) => "mcp",
            Self::Bridge(_) => "bridge",
        }
    }
}

#[derive(Clone, Debug)]
pub struct Mcp {
    pub tool: String,
    pub server: McpServer,
}

#[derive(Clone, Debug)]
pub enum McpServer {
    Program(process::Definition),
    Web(http::Definition),
}

#[derive(Clone, Debug)]
pub struct Bridge {
    pub template: PromptTemplate,
    pub deadline: Option<Duration>,
    pub max_cost: Nanos,
}

//! A client of the tools, over a pipe in memory.

use std::sync::Arc;

use consign_engine::{Actor, Owner, Role, Speaker};
use consign_server::{McpContext, mcp};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, ReadHalf, WriteHalf};

use crate::world::{TestProcessor, World};

pub(crate) struct Mcp {
    from: BufReader<ReadHalf<DuplexStream>>,
    to: WriteHalf<DuplexStream>,
    last: u64,
}

impl Mcp {
    /// A client that speaks in a role, for the jobs and runs of an owner.
    pub(crate) async fn begin(world: &World, role: Role, owner: &str) -> Self {
        let (ours, theirs) = tokio::io::duplex(1 << 20);
        let context = McpContext {
            home: world.opened.clone(),
            jobs_dir: world.home.path().join("jobs"),
            by: Speaker { actor: Actor::from("mcp:client"), role },
            owner: Owner::from(owner),
            processor: Arc::new(TestProcessor::default()),
        };
        let (read, write) = tokio::io::split(theirs);
        tokio::spawn(mcp(context, read, write));
        let (from, to) = tokio::io::split(ours);
        let mut this = Self { from: BufReader::new(from), to, last: 0 };
        let hello = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}});
        this.ask("initialize", &hello).await;
        this.say(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;
        this
    }

    async fn say(&mut self, message: &Value) {
        self.to.write_all(format!("{message}\n").as_bytes()).await.unwrap();
    }

    pub(crate) async fn ask(&mut self, method: &str, params: &Value) -> Value {
        self.last += 1;
        let id = self.last;
        self.say(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})).await;
        loop {
            let mut line = String::new();
            assert_ne!(self.from.read_line(&mut line).await.unwrap(), 0, "it hung up");
            let answer: Value = serde_json::from_str(&line).unwrap();
            if answer["id"] == id {
                return answer["result"].clone();
            }
        }
    }

    /// What a tool gives, or the code of its error.
    pub(crate) async fn call(&mut self, tool: &str, arguments: Value) -> Result<Value, String> {
        let told = self.ask("tools/call", &json!({"name": tool, "arguments": arguments})).await;
        let content = told["structuredContent"].clone();
        if told["isError"] == true {
            return Err(content["error"]["code"].as_str().unwrap().to_owned());
        }
        Ok(content)
    }
}

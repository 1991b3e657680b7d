//! Whoever answers from afar: over HTTP, and over MCP as a coding agent does.

use std::{
    io::{BufRead, BufReader, Write},
    process::Stdio,
};

use serde_json::{Value, json};

use super::workshop::Workshop;
use crate::harness;

const TOKEN: &str = "a-token-of-these-tests-0123456789";

/// `consign serve` on the home of a workshop.
pub(super) struct Server(harness::Server);

impl Server {
    pub(super) fn start(shop: &Workshop) -> Self {
        let args = ["serve", "--listen", "127.0.0.1:0", "--json"];
        let process = shop.home.let_go_on(shop.consign(&args).env("CONSIGN_TOKEN", TOKEN));
        Self(harness::Server::with_token(process, TOKEN))
    }

    /// The status and the body of the answer.
    pub(super) fn post(&self, path: &str, body: &Value) -> (u16, Value) {
        let reply = self.0.post(path, body);
        (reply.status, serde_json::from_str(&reply.body).unwrap_or(Value::Null))
    }
}

/// Calls one tool of `consign mcp`, line by line as the protocol has it.
pub(super) fn mcp(shop: &Workshop, tool: &str, arguments: &Value) -> Value {
    let mut command = shop.consign(&["mcp"]).into_command();
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::inherit());
    let mut child = command.spawn().expect("the server starts");
    let mut stdin = child.stdin.take().expect("standard input is a pipe");
    let stdout = child.stdout.take().expect("standard output is a pipe");
    let mut lines = BufReader::new(stdout).lines();
    let mut say = |message: Value| writeln!(stdin, "{message}").expect("it listens");
    let mut hear = || -> Value {
        let line = lines.next().expect("it answers").expect("it can be read");
        serde_json::from_str(&line).expect("only the protocol is on standard output")
    };
    say(json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {},
        "clientInfo": {"name": "test", "version": "0"}}}));
    assert!(hear()["result"]["capabilities"]["tools"].is_object());
    say(json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    say(json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call",
        "params": {"name": tool, "arguments": arguments}}));
    let answer = hear()["result"].clone();
    drop(stdin);
    assert!(child.wait().expect("it ends").success(), "it ends when nobody speaks to it any more");
    answer
}

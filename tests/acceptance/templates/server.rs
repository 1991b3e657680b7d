//! Whoever answers from afar: over HTTP, and over MCP as a coding agent does.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    process::Stdio,
};

use serde_json::{Value, json};

use super::workshop::Workshop;
use crate::{
    home::{Background, until},
    support::text,
};

const TOKEN: &str = "a-token-of-these-tests-0123456789";

/// `consign serve` on the home of a workshop.
pub(super) struct Server {
    _process: Background,
    address: String,
}

impl Server {
    pub(super) fn start(shop: &Workshop) -> Self {
        let args = ["serve", "--listen", "127.0.0.1:0", "--json"];
        let process = shop.home.let_go_on(shop.consign(&args).env("CONSIGN_TOKEN", TOKEN));
        let address = until("the server listens", || {
            let said = process.stdout();
            let told: Value = serde_json::from_str(said.lines().next()?).ok()?;
            Some(text(&told, "url").trim_start_matches("http://").to_owned())
        });
        Self { _process: process, address }
    }

    /// The status and the body of the answer.
    pub(super) fn post(&self, path: &str, body: &Value) -> (u16, Value) {
        let body = body.to_string();
        let mut stream = TcpStream::connect(&self.address).expect("it listens");
        let head = format!(
            "POST {path} HTTP/1.1\r\nhost: {}\r\nauthorization: Bearer {TOKEN}\r\n\
             content-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
            self.address,
            body.len()
        );
        stream.write_all(head.as_bytes()).expect("it listens");
        stream.write_all(body.as_bytes()).expect("it listens");
        let mut told = String::new();
        stream.read_to_string(&mut told).expect("it answers");
        let (head, body) = told.split_once("\r\n\r\n").expect("there is a body");
        let status = head.split(' ').nth(1).and_then(|word| word.parse().ok()).expect("a status");
        (status, serde_json::from_str(body).unwrap_or(Value::Null))
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

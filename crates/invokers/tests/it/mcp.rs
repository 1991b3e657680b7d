//! Tools as agents, against the SDK's own servers.

use std::{
    net::SocketAddr,
    sync::{Arc, Mutex},
    time::Duration,
};

use consign_engine::{Effect, FaultClass, Left, Nanos, Status};
use consign_invokers::{
    http,
    mcp::{McpTool, Server},
    process,
};
use rmcp::transport::streamable_http_server::{
    StreamableHttpServerConfig, StreamableHttpService, session::local::LocalSessionManager,
};
use tokio::{io::AsyncWriteExt, net::TcpListener, task::JoinHandle};

use crate::{
    bench::{Bench, Came, helper, marked, marker, until},
    tools::Tools,
};

fn program(marker: &str) -> process::Definition {
    let helper = helper().to_string_lossy().into_owned();
    process::Definition::new([helper.as_str(), "serve", marker])
}

async fn over_pipes(tool: &str, effect: Effect, definition: process::Definition) -> Bench {
    let server = Server::Program { definition, launcher: helper() };
    Bench::new(effect, McpTool::new(server, tool, effect).unwrap()).await
}

/// The tools behind streamable HTTP, and the headers of who called.
struct Web {
    address: SocketAddr,
    heard: Arc<Mutex<Vec<String>>>,
    task: JoinHandle<()>,
}

impl Web {
    async fn serve(config: StreamableHttpServerConfig) -> Self {
        let manager = Arc::new(LocalSessionManager::default());
        let service = StreamableHttpService::new(|| Ok(Tools), manager, config);
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (address, heard) = (listener.local_addr().unwrap(), Arc::<Mutex<Vec<_>>>::default());
        let hears = heard.clone();
        let listen = move |request: axum::extract::Request, next: axum::middleware::Next| {
            let line = format!("{} {:?}", request.method(), request.headers());
            hears.lock().unwrap().push(line);
            next.run(request)
        };
        let router = axum::Router::new()
            .nest_service("/mcp", service)
            .layer(axum::middleware::from_fn(listen));
        let task = tokio::spawn(async move {
            axum::serve(listener, router).await.unwrap();
        });
        Self { address, heard, task }
    }

    fn definition(&self) -> http::Definition {
        let url = format!("http://{}/mcp", self.address);
        http::Definition { allow_private: true, ..http::Definition::new(url) }
    }
}

impl Drop for Web {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn over_web(tool: &str, effect: Effect, definition: http::Definition) -> Bench {
    let tool = McpTool::new(Server::Web(definition), tool, effect).unwrap();
    Bench::new(effect, tool).await
}

async fn check_all(call: impl AsyncFn(&str) -> Came) {
    let output = async |tool: &str, expected: &str| {
        assert_eq!(call(tool).await.output(), expected, "{tool}");
    };
    output("echo", r#"{"a":1}"#).await;
    output("json", r#"{"price": 1.10}"#).await;
    output("words", r#"{"content":[{"type":"text","text":"It is fine."}]}"#).await;
    let fails = async |tool: &str, code: &str, says: &str| {
        let came = call(tool).await;
        let fault = &came.failure().fault;
        assert_eq!(fault.code, code, "{fault}");
        assert!(fault.message.contains(says), "{fault}");
        assert!(came.journal.contains(code));
    };
    fails("fails", "MCP_TOOL_FAILED", "no such customer").await;
    fails("nothing", "MCP_TOOL_NOT_FOUND", "it has echo, json, words").await;
    fails("floods", "MCP_OUTPUT", "more than 1 MiB").await;
}

#[tokio::test]
async fn a_tool_of_a_program_is_called() {
    let marker = marker();
    let definition = process::Definition { output: 1 << 20, ..program(&marker) };
    check_all(async |tool| {
        over_pipes(tool, Effect::Pure, definition.clone()).await.call(r#"{"a": 1}"#).await
    })
    .await;
    assert_eq!(marked(&marker), Vec::<String>::new());
}

#[tokio::test]
async fn a_tool_of_a_server_is_called() {
    for stateful in [true, false] {
        let config = StreamableHttpServerConfig::default()
            .with_legacy_session_mode(stateful)
            .with_json_response(!stateful);
        let web = Web::serve(config).await;
        let definition = http::Definition { output: 1 << 20, ..web.definition() };
        check_all(async |tool| {
            over_web(tool, Effect::Pure, definition.clone()).await.call(r#"{"a": 1}"#).await
        })
        .await;
        let heard = web.heard.lock().unwrap().clone();
        let posts = heard.iter().filter(|line| line.starts_with("POST"));
        assert!(posts.clone().count() > 0);
        assert!(posts.clone().all(|line| line.contains("\"idempotency-key\"")), "{heard:#?}");
        let parted = heard.iter().filter(|line| line.starts_with("DELETE")).count();
        assert_eq!(parted > 0, stateful, "{heard:#?}");
    }
}

#[tokio::test]
async fn a_tool_that_hangs_is_given_up_and_its_server_is_gone() {
    let marker = marker();
    // On a busy machine it takes a while until the server is there.
    let mut was_there = false;
    for timeout in [1, 4, 16].map(Duration::from_secs) {
        let hasty = process::Definition { timeout, ..program(&marker) };
        let bench = over_pipes("hangs", Effect::Unsafe, hasty).await;
        let look = async {
            until("the server runs", || marked(&marker).len() == 2).await;
            was_there = true;
            std::future::pending().await
        };
        let came = tokio::select! {
            came = bench.call("{}") => came,
            came = look => came,
        };
        assert_eq!(marked(&marker), Vec::<String>::new());
        if came.code() == "MCP_UNAVAILABLE" {
            continue;
        }
        assert_eq!(came.code(), "MCP_TIMEOUT");
        assert_eq!(came.failure().fault.class, FaultClass::OutcomeUnknown);
        if was_there {
            break;
        }
    }
    assert!(was_there, "nobody was there to be stopped");
    let bench = over_pipes("hangs", Effect::Pure, program(&marker)).await;
    let (run, drive) = bench.begin("{}").await;
    let cancel = async {
        until("the server runs", || marked(&marker).len() == 2).await;
        bench.cancel(&run).await;
    };
    let (left, ()) = tokio::join!(bench.attend(drive), cancel);
    assert_eq!(left, Left::Closed(Status::Cancelled));
    assert_eq!(bench.came(&run).await.code(), "MCP_CANCELLED");
    assert_eq!(marked(&marker), Vec::<String>::new());
    let web = Web::serve(StreamableHttpServerConfig::default()).await;
    let posts = || {
        let heard = web.heard.lock().unwrap();
        heard.iter().filter(|line| line.starts_with("POST")).count()
    };
    for timeout in [1, 4, 16, 64].map(Duration::from_secs) {
        let before = posts();
        let hasty = http::Definition { timeout, ..web.definition() };
        let came = over_web("hangs", Effect::Pure, hasty).await.call("{}").await;
        // A greeting, the answer to it, and the call.
        if posts() - before >= 3 {
            assert_eq!(came.code(), "MCP_TIMEOUT");
            return;
        }
    }
    panic!("it was never called");
}

#[tokio::test]
async fn a_server_that_is_not_there_or_dies_is_unavailable() {
    let check = async |bench: Bench, code: &str, class: FaultClass| {
        let came = bench.call("{}").await;
        let fault = &came.failure().fault;
        assert_eq!((fault.code.as_ref(), fault.class), (code, class), "{fault}");
    };
    let dies = over_pipes("dies", Effect::Pure, program("")).await;
    check(dies, "MCP_UNAVAILABLE", FaultClass::Transient).await;
    let dies = over_pipes("dies", Effect::Unsafe, program("")).await;
    check(dies, "MCP_UNAVAILABLE", FaultClass::OutcomeUnknown).await;
    let mute = process::Definition::new(["true"]);
    let mute = over_pipes("echo", Effect::Unsafe, mute).await;
    check(mute, "MCP_UNAVAILABLE", FaultClass::Transient).await;
    let noise = process::Definition { output: 1 << 20, ..process::Definition::new(["yes"]) };
    let noise = over_pipes("echo", Effect::Pure, noise).await;
    check(noise, "MCP_OUTPUT", FaultClass::Permanent).await;
    let missing = process::Definition::new(["no-such-program-anywhere"]);
    let missing = over_pipes("echo", Effect::Unsafe, missing).await;
    check(missing, "MCP_NOT_STARTED", FaultClass::Permanent).await;
    let web = Web::serve(StreamableHttpServerConfig::default()).await;
    let elsewhere =
        http::Definition { url: format!("http://{}/no", web.address), ..web.definition() };
    let elsewhere = over_web("echo", Effect::Unsafe, elsewhere).await;
    check(elsewhere, "MCP_REFUSED", FaultClass::Permanent).await;
    let closed = web.definition();
    drop(web);
    until("the port is closed", || {
        std::net::TcpStream::connect(&closed.url[7..closed.url.len() - 4]).is_err()
    })
    .await;
    let closed = over_web("echo", Effect::Unsafe, closed).await;
    let came = closed.call("{}").await;
    assert!(!came.failure().fault.message.contains("rmcp"), "{}", came.failure().fault);
    check(closed, "MCP_UNAVAILABLE", FaultClass::Transient).await;
}

#[tokio::test]
async fn a_call_that_did_not_go_out_has_no_unknown_outcome() {
    let check = async |bench: Bench, code: &str, class: FaultClass| {
        let came = bench.call("{}").await;
        let (fault, cost) = (&came.failure().fault, came.failure().cost);
        assert_eq!((fault.code.as_ref(), fault.class), (code, class), "{fault}");
        assert_eq!(cost, Some(Nanos::ZERO), "{fault}");
    };
    // Servers that never greet: one says nothing, one too much, one hangs in the middle of its answer.
    let timeout = Duration::from_secs(1);
    let mute = process::Definition { timeout, ..process::Definition::new(["sleep", "600"]) };
    let mute = over_pipes("echo", Effect::Unsafe, mute).await;
    check(mute, "MCP_UNAVAILABLE", FaultClass::Transient).await;
    let noise = process::Definition { output: 1 << 20, ..process::Definition::new(["yes"]) };
    let noise = over_pipes("echo", Effect::Unsafe, noise).await;
    check(noise, "MCP_OUTPUT", FaultClass::Permanent).await;
    let hangs = crate::http::Server::says("hang").await;
    let url = format!("http://{}/mcp", hangs.address);
    let hangs = http::Definition { allow_private: true, timeout, ..http::Definition::new(url) };
    let hangs = over_web("echo", Effect::Unsafe, hangs).await;
    check(hangs, "MCP_UNAVAILABLE", FaultClass::Transient).await;
}

#[tokio::test]
async fn a_server_that_is_gone_after_its_greeting_was_not_called() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    // Two messages are answered, the greeting and that it was heard; then nobody listens any more.
    let greets = tokio::spawn(async move {
        let result = r#"{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}"#;
        let greeting = format!(r#"{{"jsonrpc":"2.0","id":0,"result":{result}}}"#);
        let greeted = format!(
            "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{greeting}",
            greeting.len()
        );
        let heard = "HTTP/1.1 202 Accepted\r\nconnection: close\r\ncontent-length: 0\r\n\r\n";
        let mut listener = Some(listener);
        for answer in [greeted.as_str(), heard] {
            let (mut socket, _) = listener.as_ref().unwrap().accept().await.unwrap();
            crate::http::read(&mut socket).await;
            if answer == heard {
                listener = None;
            }
            socket.write_all(answer.as_bytes()).await.unwrap();
        }
    });
    let definition = http::Definition { allow_private: true, ..http::Definition::new(url) };
    let came = over_web("echo", Effect::Unsafe, definition).await.call("{}").await;
    greets.await.unwrap();
    let fault = &came.failure().fault;
    let found = (fault.code.as_ref(), fault.class);
    assert_eq!(found, ("MCP_UNAVAILABLE", FaultClass::Transient), "{fault}");
    assert_eq!(came.failure().cost, Some(Nanos::ZERO));
}

#[tokio::test]
async fn only_an_object_is_given_to_a_tool_and_only_public_servers_are_reached() {
    let came = over_pipes("echo", Effect::Pure, program("")).await.call("[1]").await;
    assert_eq!(came.code(), "MCP_INPUT");
    let web = Web::serve(StreamableHttpServerConfig::default()).await;
    let strict = http::Definition { allow_private: false, ..web.definition() };
    let refused = McpTool::new(Server::Web(strict.clone()), "echo", Effect::Pure);
    assert_eq!(refused.err().unwrap().code, "MCP_ADDRESS");
    let named = format!("http://localhost:{}/mcp", web.address.port());
    let named = http::Definition { url: named, ..strict };
    let came = over_web("echo", Effect::Pure, named).await.call("{}").await;
    assert_eq!(came.code(), "MCP_REFUSED");
    assert!(came.failure().fault.message.contains("allow_private"));
    assert!(web.heard.lock().unwrap().is_empty());
}

#[tokio::test]
async fn a_secret_that_a_tool_repeats_is_not_in_the_output() {
    let web = Web::serve(StreamableHttpServerConfig::default()).await;
    let definition = http::Definition { bearer: Some("TOKEN".to_owned()), ..web.definition() };
    let tool = McpTool::new(Server::Web(definition), "echo", Effect::Pure).unwrap();
    let tool = tool.with_environment(Arc::new(|_| Some("a-long-t0ken-of-mine".into())));
    let bench = Bench::new(Effect::Pure, tool).await;
    let came = bench.call(r#"{"seen": "Bearer a-long-t0ken-of-mine", "n": 1}"#).await;
    assert_eq!(came.output(), r#"{"seen":"Bearer ***","n":1}"#);
    assert!(web.heard.lock().unwrap().iter().any(|line| line.contains("authorization")));
}

//! A server with MCP on stdin and stdout, behind streamable HTTP. Results of tools come as events, the rest
//! as plain documents.

use std::{process::Stdio, sync::Arc};

use axum::{
    body::Body,
    extract::{Request, State},
    response::Response,
};
use serde_json::Value;
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines},
    net::TcpListener,
    process::{Child, ChildStdin, ChildStdout, Command},
    sync::Mutex,
    task::JoinHandle,
};

pub(crate) struct Bridge {
    pub(crate) url: String,
    task: JoinHandle<()>,
}

struct Pipes {
    _child: Child,
    stdin: ChildStdin,
    lines: Lines<BufReader<ChildStdout>>,
    token: String,
}

impl Bridge {
    pub(crate) async fn start(command: &[String], token: &str) -> Self {
        let child = Command::new(&command[0])
            .args(&command[1..])
            .env("GITHUB_PERSONAL_ACCESS_TOKEN", token)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn();
        let mut child = child.unwrap();
        let (stdin, stdout) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let lines = BufReader::new(stdout).lines();
        let pipes =
            Arc::new(Mutex::new(Pipes { _child: child, stdin, lines, token: token.to_owned() }));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/mcp", listener.local_addr().unwrap());
        let router = axum::Router::new().fallback(serve).with_state(pipes);
        let task = tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        Self { url, task }
    }
}

impl Drop for Bridge {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn serve(State(pipes): State<Arc<Mutex<Pipes>>>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let answer = |status: u16, kind: &str, body: String| {
        let response = Response::builder().status(status).header("content-type", kind);
        response.body(Body::from(body)).unwrap()
    };
    let mut pipes = pipes.lock().await;
    let bearer = format!("Bearer {}", pipes.token);
    if parts.headers.get("authorization").is_none_or(|it| it != &bearer) {
        return answer(401, "text/plain", String::new());
    }
    let body = axum::body::to_bytes(body, 64 << 20).await.unwrap();
    let Ok(message) = serde_json::from_slice::<Value>(&body) else {
        return answer(405, "text/plain", String::new());
    };
    pipes.stdin.write_all(format!("{message}\n").as_bytes()).await.unwrap();
    if message.get("id").is_none() {
        return answer(202, "text/plain", String::new());
    }
    loop {
        let line = pipes.lines.next_line().await.unwrap().unwrap();
        if serde_json::from_str::<Value>(&line).unwrap()["id"] != message["id"] {
            continue;
        }
        return match message["method"] == "tools/call" {
            true => answer(
                200,
                "text/event-stream",
                format!(": hi\n\nevent: message\ndata: {line}\n\n"),
            ),
            false => answer(200, "application/json", line),
        };
    }
}

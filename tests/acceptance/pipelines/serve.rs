//! `consign serve`: envelopes over HTTP, carried or made runs.

use std::{
    fs,
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    process::{Child, Stdio},
    thread,
};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use super::{
    http::{self, Events},
    process::TWO,
    yard::{Server, Yard, history, keeps, run_of, timeless},
};
use crate::{
    home::until,
    support::{Consign, keys, text},
};

pub(super) fn two(yard: &Yard) -> String {
    yard.file("two.toml", TWO)
}

/// A program that waits for a file called `go`.
pub(super) const GATED: &str = r#"
name = "gated"
[[stage]]
name = "wait"
agent.effect = "pure"
agent.subprocess.command = ["sh", "-c", "cat > /dev/null; touch begun; while ! [ -e go ]; do sleep 0.02; done; echo '{\"a\": 1}'"]
default_next = "last"
[[stage]]
name = "last"
agent = "pass"
"#;

#[test]
fn an_envelope_goes_through_a_request_as_it_goes_through_the_pipe() {
    let yard = Yard::new();
    let pipeline = two(&yard);
    let server = yard.serve(&["--pipeline", &pipeline]);
    let envelope = yard.envelope("hello", &[]);
    let over_http = server.processed("", &envelope);
    let in_the_pipe = yard.processed(&envelope, &["--pipeline", &pipeline]);
    assert_eq!(timeless(&over_http), timeless(&in_the_pipe));
    let half = server.processed("?until=first", &envelope);
    assert_eq!(half["current_stage"], "second");
    assert_eq!(timeless(&server.processed("", &half)), timeless(&in_the_pipe));
    let runs = server.get("/api/runs").is(200).json();
    assert_eq!(runs["items"], json!([]), "what is carried is nobody's run");
    server.stop().exits(0);
    yard.nobody_is_left();
}

#[test]
fn nobody_is_served_without_the_token_or_under_another_name() {
    let yard = Yard::new();
    let pipeline = two(&yard);
    let server = yard.serve(&["--pipeline", &pipeline]);
    let address = &server.address;
    let body = yard.envelope("hello", &[]).to_string();
    let head = |line: &str, more: &str| {
        format!("{line} HTTP/1.1\r\nhost: {address}\r\ncontent-type: application/json\r\n{more}")
    };
    for wrong in [
        "",
        "authorization: Bearer nonsense-nonsense-nonsense\r\n",
        "authorization: Basic eDp5\r\n",
    ] {
        let reply = http::send(address, &head("POST /api/v1/process", wrong), body.as_bytes());
        let reply = reply.refuses(401, "UNAUTHORIZED");
        keeps("authoring/error", &reply.json());
        http::send(address, &head("GET /api/runs", wrong), b"").refuses(401, "UNAUTHORIZED");
        http::send(address, &head("GET /api/inbox", wrong), b"").refuses(401, "UNAUTHORIZED");
    }
    // Whoever rebinds a name of theirs to this machine comes under that name.
    let token =
        format!("authorization: Bearer {}\r\ncontent-type: application/json\r\n", server.token);
    let misled = format!("POST /api/v1/process HTTP/1.1\r\nhost: evil.example\r\n{token}");
    http::send(address, &misled, body.as_bytes()).refuses(421, "MISDIRECTED");
    for open in ["/healthz", "/readyz"] {
        http::send(address, &head(&format!("GET {open}"), ""), b"").is(200);
    }
    assert_eq!(server.get("/readyz").json(), json!({"status": "ready"}));
}

#[test]
fn it_listens_to_this_machine_only() {
    let yard = Yard::new();
    for wide in ["0.0.0.0:0", "[::]:0", "192.0.2.1:0", "10.0.0.1:4020", "[::ffff:10.0.0.1]:0"] {
        yard.run(&["serve", "--listen", wide]).fails(2, "NOT_LOOPBACK");
    }
    yard.run(&["serve", "--listen", "nowhere"]).fails(2, "USAGE");
    let weak =
        yard.consign(&["serve", "--listen", "127.0.0.1:0"]).env("CONSIGN_TOKEN", "short").run();
    weak.fails(2, "WEAK_TOKEN");
    // A port that somebody has.
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let address = taken.local_addr().expect("it has one").to_string();
    yard.run(&["serve", "--listen", &address]).fails(1, "ADDRESS_UNAVAILABLE");
    yard.run(&["serve", "--listen", "127.0.0.1:0", "--pipeline", "/no/such.toml"])
        .fails(1, "FILE_UNREADABLE");
}

#[test]
fn what_cannot_be_processed_has_its_status_and_its_code() {
    let yard = Yard::new();
    let pipeline = two(&yard);
    let server = yard.serve(&["--pipeline", &pipeline, "--max-bytes", "100000"]);
    let mut envelope = yard.envelope("hello", &[]);
    let raw = |media: &str, body: &[u8], query: &str| {
        let head = server.head("POST", &format!("/api/v1/process{query}")) + media;
        http::send(&server.address, &head, body)
    };
    let json_type = "content-type: application/json\r\n";
    raw("", envelope.to_string().as_bytes(), "").refuses(415, "UNSUPPORTED_MEDIA_TYPE");
    raw("content-type: text/plain\r\n", b"{}", "").refuses(415, "UNSUPPORTED_MEDIA_TYPE");
    for durable in ["", "?durable=true"] {
        raw(json_type, b"{", durable).refuses(400, "VALIDATION_ERROR");
        raw(json_type, b"\xff", durable).refuses(400, "VALIDATION_ERROR");
        let told = raw(json_type, b"{}", durable).refuses(400, "VALIDATION_ERROR");
        keeps("authoring/error", &told.json());
        let large = format!("{{\"x\": \"{}\"}}", "x".repeat(200_000));
        raw(json_type, large.as_bytes(), durable).refuses(413, "BODY_TOO_LARGE");
    }
    raw(json_type, b"{}", "?durable=perhaps").refuses(400, "VALIDATION_ERROR");
    raw(json_type, b"{}", "?unknown=1").refuses(400, "VALIDATION_ERROR");
    for query in ["?until=third", "?until=third&durable=true"] {
        let told = server.post(&format!("/api/v1/process{query}"), &envelope);
        let told = told.refuses(400, "VALIDATION_ERROR");
        assert!(told.body.contains("third"), "{told:#?}");
    }
    envelope["current_stage"] = json!("elsewhere");
    server.post("/api/v1/process", &envelope).refuses(400, "VALIDATION_ERROR");
    server.post("/api/v1/process?durable=true", &envelope).refuses(400, "VALIDATION_ERROR");
    assert_eq!(
        server.get("/api/runs").json()["items"],
        json!([]),
        "what is refused leaves nothing"
    );
    server.get("/api/v1/process").is(405);
    server.get("/nowhere").is(404);
    assert!(!server.process.stderr().contains("panicked"));
}

#[test]
fn a_durable_run_goes_on_while_nobody_waits_and_is_answered_as_it_stands() {
    let yard = Yard::new();
    let pipeline = yard.file("gated.toml", GATED);
    let server = yard.serve(&["--pipeline", &pipeline, "--time-limit", "1"]);
    let envelope = yard.envelope("hello", &[]);
    let reply = server.post("/api/v1/process?durable=true", &envelope).is(202);
    let (run, halfway) = (run_of(&reply), reply.json());
    keeps("envelope/envelope", &halfway);
    assert_eq!(
        (&halfway["terminated"], &halfway["current_stage"]),
        (&json!(false), &json!("wait"))
    );
    // Whoever asks with what they were given is told of the same run, before its end and after.
    assert_eq!(run_of(&server.post("/api/v1/process?durable=true", &halfway).is(202)), run);
    yard.file("go", "");
    yard.until_over(&run);
    for sent in [&envelope, &halfway] {
        let (same, end) = server.durable(sent);
        assert_eq!(
            (same.as_str(), text(&end, "terminal_reason")),
            (run.as_str(), "completed_successfully")
        );
    }
    assert_eq!(server.get("/api/runs").json()["items"].as_array().map(Vec::len), Some(1));
}

#[test]
fn a_request_that_takes_too_long_is_cut_off_with_all_that_it_started() {
    let yard = Yard::new();
    let pipeline = yard.file("gated.toml", GATED);
    let server = yard.serve(&["--pipeline", &pipeline, "--time-limit", "4"]);
    let envelope = yard.envelope("hello", &[]);
    let late = server.post("/api/v1/process", &envelope).refuses(504, "TIMEOUT");
    assert!(yard.path("begun").exists());
    yard.nobody_is_left();
    // Nobody else has what it came to.
    goes_on_from(&yard, &pipeline, &late);
    // Likewise when whoever asked goes away.
    fs::remove_file(yard.path("begun")).expect("it was there");
    let head = server.head("POST", "/api/v1/process") + "content-type: application/json\r\n";
    let stream = http::open(&server.address, &head, envelope.to_string().as_bytes());
    until("it begins", || yard.path("begun").exists().then_some(()));
    drop(stream);
    yard.nobody_is_left();
    server.stop().exits(0);
}

/// Demands that an answer has the envelope as far as it came, and that it can go on there.
#[track_caller]
fn goes_on_from(yard: &Yard, pipeline: &str, left: &http::Reply) {
    keeps("authoring/error", &left.json());
    let envelope = &left.json()["error"]["details"]["envelope"];
    keeps("envelope/envelope", envelope);
    assert_eq!(
        (&envelope["current_stage"], &envelope["terminated"]),
        (&json!("wait"), &json!(false))
    );
    yard.file("go", "");
    let end = yard.processed(envelope, &["--pipeline", pipeline]);
    assert_eq!(text(&end, "terminal_reason"), "completed_successfully");
    fs::remove_file(yard.path("go")).expect("it was there");
}

#[test]
fn a_server_that_is_told_to_stop_hands_back_what_it_carries() {
    let yard = Yard::new();
    let pipeline = yard.file("gated.toml", GATED);
    let server = yard.serve(&["--pipeline", &pipeline]);
    let envelope = yard.envelope("hello", &[]);
    let left = thread::scope(|scope| {
        let asking = scope.spawn(|| server.post("/api/v1/process", &envelope));
        until("it begins", || yard.path("begun").exists().then_some(()));
        server.process.signal(Signal::TERM);
        asking.join().expect("it is answered")
    });
    let left = left.refuses(503, "STOPPING");
    server.process.wait().exits(0);
    yard.nobody_is_left();
    goes_on_from(&yard, &pipeline, &left);
}

#[test]
fn the_events_of_a_run_come_as_they_happen() {
    let yard = Yard::new();
    let pipeline = yard.file("gated.toml", GATED);
    let server = yard.serve(&["--pipeline", &pipeline, "--time-limit", "1"]);
    let run =
        run_of(&server.post("/api/v1/process?durable=true", &yard.envelope("hello", &[])).is(202));
    let head = server.head("GET", &format!("/api/runs/{run}/events"));
    let mut events = Events::of(http::open(&server.address, &head, b""));
    let mut seen = Vec::new();
    while !seen.iter().any(|event: &Value| event["kind"] == "call_started") {
        seen.push(events.next().expect("it has begun"));
    }
    yard.file("go", "");
    while let Some(event) = events.next() {
        seen.push(event);
    }
    let seqs: Vec<_> = seen.iter().map(|event| event["seq"].as_u64().expect("a number")).collect();
    assert_eq!(seqs, (0..seqs.len() as u64).collect::<Vec<_>>());
    assert_eq!(seen.last().map(|event| text(event, "kind")), Some("succeeded"));
    let journal = yard.events(&run);
    assert_eq!(seen.len(), journal.len());
    assert_eq!(seen.last().map(|event| &event["hash"]), journal.last().map(|event| &event["hash"]));
}

#[test]
fn a_server_that_is_told_to_stop_leaves_its_runs_for_the_next() {
    let yard = Yard::new();
    let pipeline = yard.file("gated.toml", GATED);
    let mut server = yard.serve(&["--pipeline", &pipeline, "--time-limit", "1"]);
    let envelope = yard.envelope("hello", &[]);
    let run = run_of(&server.post("/api/v1/process?durable=true", &envelope).is(202));
    until("it begins", || yard.path("begun").exists().then_some(()));
    // What is under way may finish; whoever insists does not wait for it.
    until("it ends", || {
        server.process.signal(Signal::TERM);
        server.process.has_ended().then_some(())
    });
    let out = server.process.wait();
    assert!(!out.stderr.contains("panicked"), "{out:#?}");
    yard.nobody_is_left();
    assert_eq!(yard.home.status(&run), "queued");
    yard.file("go", "");
    let next = yard.serve(&["--pipeline", &pipeline]);
    let (same, end) = next.durable(&envelope);
    assert_eq!((same.as_str(), &end["outputs"]["wait"]), (run.as_str(), &json!({"a": 1})));
    assert_eq!(history(&end).len(), 2);
    yard.run(&["runs", "verify", &run]).exits(0);
    next.stop().exits(0);
}

#[test]
fn a_run_of_more_than_fits_into_a_journal_row_comes_back_whole() {
    let yard = Yard::new();
    yard.file(
        "large.py",
        "import json\nprint(json.dumps({'text': 'é' * 300_000, 'more': list(range(5000))}))",
    );
    let large = "name = \"large\"\n[[stage]]\nname = \"large\"\nagent.effect = \"pure\"\nagent.subprocess.command = [\"python3\", \"large.py\"]\n";
    let pipeline = yard.file("large.toml", large);
    let server = yard.serve(&["--pipeline", &pipeline]);
    let envelope = yard.envelope("hello", &[]);
    let (run, end) = server.durable(&envelope);
    assert_eq!(
        end["outputs"]["large"]["text"].as_str().map(|text| text.chars().count()),
        Some(300_000)
    );
    let (same, again) = server.durable(&envelope);
    assert_eq!((same, &again), (run.clone(), &end));
    assert_eq!(yard.home.show(&run)["output"], end);
    yard.run(&["runs", "verify", &run]).exits(0);
}

#[test]
fn what_can_be_asked_is_told_in_one_document() {
    let yard = Yard::new();
    let server = yard.serve(&[]);
    let document = server.get("/openapi.json").is(200).json();
    assert!(text(&document, "openapi").starts_with("3."));
    let paths = keys(&document["paths"]);
    for path in
        ["/api/v1/process", "/api/runs", "/api/inbox", "/readyz", "/healthz", "/openapi.json"]
    {
        assert!(paths.contains(&path), "{path} is not in {paths:?}");
    }
    assert!(!document.to_string().contains(&server.token));
}

#[test]
fn no_secret_is_written_down_anywhere() {
    const TOKEN: &str = "a-token-of-my-own-0123456789";
    let yard = Yard::new();
    let pipeline = two(&yard);
    let args = ["serve", "--listen", "127.0.0.1:0", "--json", "--pipeline", &pipeline];
    let args = [&args[..], &["--log", "trace"]].concat();
    let consign: Consign = yard.consign(&args).env("CONSIGN_TOKEN", TOKEN);
    let consign = consign.env("OPENAI_API_KEY", "sk-secret-key-of-somebody-0123456789");
    let process = yard.home.let_go_on(consign);
    let url = until("it listens", || {
        let told: Value = serde_json::from_str(process.stdout().lines().next()?).ok()?;
        assert_eq!(told["token"], Value::Null, "a token that was chosen is not printed");
        Some(text(&told, "url").to_owned())
    });
    let address = url.strip_prefix("http://").expect("it is HTTP").to_owned();
    let server = Server { process, address, token: TOKEN.to_owned() };
    let (run, _) = server.durable(&yard.envelope("hello", &[]));
    server.get(&format!("/api/runs/{run}?token={TOKEN}"));
    server.get("/nowhere").is(404);
    // A body that never comes, from somebody who has the token.
    let mut stream = TcpStream::connect(&server.address).expect("it listens");
    let head = server.head("POST", "/api/v1/process");
    stream
        .write_all(
            format!("{head}content-type: application/json\r\ncontent-length: 10\r\n\r\n{{")
                .as_bytes(),
        )
        .expect("it listens");
    stream.shutdown(std::net::Shutdown::Write).expect("it can be shut");
    let _ = stream.read_to_end(&mut Vec::new());
    let out = server.stop().exits(0);
    let mut found = vec![out.stdout, out.stderr];
    let mut folders = vec![yard.home.path()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder").filter_map(Result::ok) {
            match entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                true => folders.push(entry.path()),
                false => found.push(
                    String::from_utf8_lossy(&fs::read(entry.path()).unwrap_or_default())
                        .into_owned(),
                ),
            }
        }
    }
    for secret in [TOKEN, "sk-secret-key-of-somebody"] {
        assert!(!found.iter().any(|text| text.contains(secret)), "{secret} was written down");
    }
}

#[test]
fn whoever_does_not_read_what_goes_wrong_holds_up_nobody() {
    let yard = Yard::new();
    let pipeline = two(&yard);
    let args = ["serve", "--listen", "127.0.0.1:0", "--json", "--pipeline", &pipeline];
    let mut command = yard.consign(&args).env("CONSIGN_TOKEN", "nobody-reads-0123").into_command();
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut server = Killed(command.spawn().expect("the binary starts"));
    let child = &mut server.0;
    let mut said = String::new();
    let mut stdout = BufReader::new(child.stdout.take().expect("a pipe"));
    stdout.read_line(&mut said).expect("it says where it is");
    let told: Value = serde_json::from_str(&said).expect("an object");
    let address = text(&told, "url").strip_prefix("http://").expect("it is HTTP").to_owned();
    let head = |method: &str, path: &str| {
        format!(
            "{method} {path} HTTP/1.1\r\nhost: {address}\r\nauthorization: Bearer nobody-reads-0123\r\n\
             content-type: application/json\r\naccept: application/json\r\nx-request-id: {}\r\n",
            "x".repeat(128)
        )
    };
    // A run whose files somebody has removed: every look at it goes wrong.
    let mut envelope = yard.envelope("hello", &[]);
    envelope["metadata"]["filler"] = json!("x".repeat(200_000));
    let path = "/api/v1/process?durable=true";
    let run = run_of(&http::send(&address, &head("POST", path), envelope.to_string().as_bytes()));
    fs::remove_dir_all(yard.home.path().join("blobs")).expect("large values are there");
    for _ in 0..600 {
        let look = http::send(&address, &head("GET", &format!("/api/runs/{run}/events")), b"");
        look.refuses(500, "DATABASE_ERROR");
    }
    http::send(&address, &head("GET", "/healthz"), b"").is(200);
    kill_process(Pid::from_child(child), Signal::TERM).expect("it is ours");
    let stderr = child.stderr.take();
    let status = child.wait().expect("it ends");
    assert_eq!(status.code(), Some(0));
    let mut told = String::new();
    stderr.expect("a pipe").read_to_string(&mut told).expect("it is text");
    assert!(told.contains("STORE_DAMAGED"), "{told}");
}

/// Does not outlive its test.
struct Killed(Child);

impl Drop for Killed {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

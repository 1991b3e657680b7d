//! Servers as agents, against sockets that answer what a test says.

use std::{
    ffi::OsString,
    net::SocketAddr,
    sync::{Arc, Mutex},
    time::Duration,
};

use consign_engine::{
    Agent, Agents, At, Call, Data, Effect, FaultClass,
    FaultClass::{OutcomeUnknown, Permanent, Transient},
    InMemoryDriver, Left, Nanos, Owner, Retry, RunId, Status,
};
use consign_invokers::http::{Definition, HttpAgent};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    task::JoinHandle,
};

use crate::bench::{Bench, Came, until};

/// A server that says the same to everybody: nothing at all if that is empty, and nothing ever if it
/// hangs.
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    heard: Arc<Mutex<Vec<String>>>,
    task: JoinHandle<()>,
}

impl Server {
    pub(crate) async fn says(answer: impl Into<String>) -> Self {
        let answer = answer.into();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (address, heard) = (listener.local_addr().unwrap(), Arc::<Mutex<Vec<_>>>::default());
        let hears = heard.clone();
        let task = tokio::spawn(async move {
            while let Ok((mut socket, _)) = listener.accept().await {
                let (answer, hears) = (answer.clone(), hears.clone());
                tokio::spawn(async move {
                    let request = read(&mut socket).await;
                    hears.lock().unwrap().push(request);
                    if answer == "hang" {
                        std::future::pending::<()>().await;
                    }
                    let _ = socket.write_all(answer.as_bytes()).await;
                });
            }
        });
        Self { address, heard, task }
    }

    fn heard(&self) -> Vec<String> {
        self.heard.lock().unwrap().clone()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

pub(crate) async fn read(socket: &mut TcpStream) -> String {
    let mut request = Vec::new();
    loop {
        let text = String::from_utf8_lossy(&request).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
            if body.len() >= length.map_or(0, |length| length.parse().unwrap()) {
                return text;
            }
        }
        if socket.read_buf(&mut request).await.unwrap_or(0) == 0 {
            return text;
        }
    }
}

fn answer(status: &str, headers: &str, body: &str) -> String {
    let length = body.len();
    format!(
        "HTTP/1.1 {status}\r\ncontent-length: {length}\r\nconnection: close\r\n{headers}\r\n{body}"
    )
}

fn at(address: SocketAddr) -> Definition {
    let url = format!("http://{address}/agents/x?y=1");
    Definition { allow_private: true, timeout: Duration::from_secs(60), ..Definition::new(url) }
}

async fn bench(definition: Definition, effect: Effect) -> Bench {
    Bench::new(effect, HttpAgent::new(definition, effect).unwrap()).await
}

async fn call(answer: &str, effect: Effect) -> (Came, Vec<String>) {
    let server = Server::says(answer).await;
    let came = bench(at(server.address), effect).await.call(r#"{"n": 1.10}"#).await;
    (came, server.heard())
}

#[tokio::test]
async fn the_input_is_posted_and_the_body_is_the_output() {
    let server = Server::says(answer("200 OK", "", r#"{"m": 2.20}"#)).await;
    let priced = Definition { max_cost: Nanos::new(9), ..at(server.address) };
    let bench = bench(priced, Effect::Keyed).await;
    let (run, drive) = bench.begin(r#"{"n": 1.10}"#).await;
    bench.attend(drive).await;
    let came = bench.came(&run).await;
    assert_eq!((came.output(), &came.note()["status"]), (r#"{"m": 2.20}"#, &200.into()));
    assert_eq!(came.result.as_ref().unwrap().cost, Nanos::new(9));
    let heard = server.heard();
    let [request] = heard.as_slice() else { panic!("{heard:?}") };
    assert!(request.starts_with("POST /agents/x?y=1 HTTP/1.1\r\n"), "{request}");
    assert!(request.ends_with("\r\n\r\n{\"n\": 1.10}"), "{request}");
    let headers = [
        format!("idempotency-key: {run}:step"),
        format!("x-consign-run: {run}"),
        "x-consign-attempt: 1".to_owned(),
        "content-type: application/json".to_owned(),
    ];
    for header in headers {
        assert!(request.contains(&format!("{header}\r\n")), "{header} in {request}");
    }
}

#[tokio::test]
async fn each_answer_has_its_code_and_class() {
    let check = async |answer: &str, code: &str, pure: FaultClass, unsafe_: FaultClass| {
        let effects = [(Effect::Pure, pure), (Effect::Keyed, unsafe_), (Effect::Unsafe, unsafe_)];
        for (effect, class) in effects {
            let (came, heard) = call(answer, effect).await;
            let fault = &came.failure().fault;
            assert_eq!((fault.code.as_ref(), fault.class), (code, class), "{answer}: {fault}");
            assert_eq!(heard.len(), 1, "an attempt is one request");
        }
    };
    let no = |status| answer(status, "", "no");
    check(&no("500 Oops"), "HTTP_AGENT_FAILED", Transient, OutcomeUnknown).await;
    check(&no("503 Busy"), "HTTP_AGENT_FAILED", Transient, Transient).await;
    check(&no("422 Nope"), "HTTP_AGENT_REFUSED", Permanent, Permanent).await;
    let moved = answer("307 Moved", "location: http://127.0.0.1:1/\r\n", "");
    check(&moved, "HTTP_AGENT_REFUSED", Permanent, Permanent).await;
    let words = answer("200 OK", "", "fine");
    check(&words, "HTTP_AGENT_INVALID", Permanent, OutcomeUnknown).await;
    let two = answer("200 OK", "", "{}{}");
    check(&two, "HTTP_AGENT_INVALID", Permanent, OutcomeUnknown).await;
    check("", "HTTP_AGENT_LOST", Transient, OutcomeUnknown).await;
    let cut = "HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{\"a\"";
    check(cut, "HTTP_AGENT_LOST", Transient, OutcomeUnknown).await;
    let flood = answer("200 OK", "", &"1".repeat(11 << 20));
    check(&flood, "HTTP_AGENT_OUTPUT", Permanent, OutcomeUnknown).await;
    let endless = format!("HTTP/1.1 200 OK\r\n\r\n{}", "1".repeat(11 << 20));
    check(&endless, "HTTP_AGENT_OUTPUT", Permanent, OutcomeUnknown).await;
}

#[tokio::test]
async fn a_refusal_says_when_to_come_back_and_what_the_server_said() {
    let said = format!("try later\u{1b}[31m{}", "x".repeat(9_000));
    let busy = answer("429 Slow down", "retry-after: 7\r\n", &said);
    let (came, _) = call(&busy, Effect::Pure).await;
    let fault = &came.failure().fault;
    assert_eq!((fault.class, fault.retry_after), (Transient, Some(7.0)));
    let details: serde_json::Value = fault.details.as_ref().unwrap().to().unwrap();
    let body = details["body"].as_str().unwrap();
    assert!(body.starts_with("try later\u{fffd}[31mx") && body.len() <= 2 << 10, "{body}");
    assert_eq!(came.failure().cost, Some(Nanos::ZERO));
}

#[tokio::test]
async fn a_secret_is_sent_and_never_told() {
    let server = Server::says(answer("401 No", "", "not with Bearer s3cret-token")).await;
    let definition = Definition { bearer: Some("TOKEN".to_owned()), ..at(server.address) };
    let agent = HttpAgent::new(definition.clone(), Effect::Pure).unwrap();
    let agent = agent.with_environment(Arc::new(|_| Some(OsString::from("s3cret-token"))));
    let came = Bench::new(Effect::Pure, agent).await.call("null").await;
    assert!(server.heard()[0].contains("authorization: Bearer s3cret-token\r\n"));
    assert!(came.journal.contains("not with Bearer ***"), "{}", came.journal);
    assert!(!format!("{:?}{}", came.result, came.journal).contains("s3cret"));
    let agent = HttpAgent::new(definition, Effect::Pure).unwrap();
    let agent = agent.with_environment(Arc::new(|_| None));
    let came = Bench::new(Effect::Pure, agent).await.call("null").await;
    assert_eq!(came.code(), "HTTP_AGENT_KEY_MISSING");
    assert_eq!(server.heard().len(), 1);
}

#[tokio::test]
async fn private_addresses_are_not_reached_by_number_or_by_name() {
    let server = Server::says(answer("200 OK", "", "1")).await;
    let port = server.address.port();
    let open = |host: &str, allow_private| {
        let url = format!("http://{host}:{port}/");
        HttpAgent::new(Definition { allow_private, ..Definition::new(url) }, Effect::Pure)
    };
    for host in ["127.0.0.1", "2130706433", "0x7f.1", "127.0.0.1.", "[::ffff:127.0.0.1]", "0"] {
        let Err(fault) = open(host, false) else { panic!("{host}") };
        assert_eq!(fault.code, "HTTP_AGENT_ADDRESS");
    }
    for host in ["localhost", "LOCALHOST"] {
        let bench = Bench::new(Effect::Pure, open(host, false).unwrap()).await;
        let came = bench.call("null").await;
        let fault = &came.failure().fault;
        assert_eq!(
            (fault.code.as_ref(), fault.class),
            ("HTTP_AGENT_ADDRESS", Permanent),
            "{fault}"
        );
        assert!(fault.message.contains("allow_private"), "{fault}");
    }
    // Not every machine knows it by this name.
    let bench = Bench::new(Effect::Pure, open("localhost.", false).unwrap()).await;
    bench.call("null").await.failure();
    assert_eq!(server.heard(), Vec::<String>::new());
    let bench = Bench::new(Effect::Pure, open("localhost", true).unwrap()).await;
    assert_eq!(bench.call("null").await.output(), "1");
}

#[tokio::test]
async fn what_was_not_sent_can_be_tried_again_whatever_it_does() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let came = bench(at(address), Effect::Unsafe).await.call("null").await;
    let failure = came.failure();
    assert_eq!(failure.fault.code, "HTTP_AGENT_UNREACHED");
    assert_eq!((failure.fault.class, failure.cost), (Transient, Some(Nanos::ZERO)));
}

#[tokio::test]
async fn nothing_was_sent_to_whom_no_connection_came_about() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let plain = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((mut socket, _)) = listener.accept().await {
            let _ = socket.write_all(b"this is no TLS").await;
        }
    });
    let mute = Server::says("hang").await;
    for (address, timeout) in [(plain, 60), (mute.address, 1)] {
        let url = format!("https://{address}/");
        let timeout = Duration::from_secs(timeout);
        let definition = Definition { url, timeout, ..at(address) };
        let came = bench(definition, Effect::Unsafe).await.call("null").await;
        let failure = came.failure();
        assert_eq!(failure.fault.code, "HTTP_AGENT_UNREACHED", "{}", failure.fault);
        assert_eq!((failure.fault.class, failure.cost), (Transient, Some(Nanos::ZERO)));
    }
}

#[tokio::test]
async fn who_does_not_answer_is_given_up() {
    let server = Server::says("hang").await;
    let hasty = Definition { timeout: Duration::from_millis(100), ..at(server.address) };
    let came = bench(hasty, Effect::Unsafe).await.call("null").await;
    assert_eq!(came.code(), "HTTP_AGENT_TIMEOUT");
    assert_eq!(came.failure().fault.class, OutcomeUnknown);
    let bench = bench(at(server.address), Effect::Pure).await;
    let (run, drive) = bench.begin("null").await;
    let cancel = async {
        until("it is asked", || server.heard().len() == 2).await;
        bench.cancel(&run).await;
    };
    let (left, ()) = tokio::join!(bench.attend(drive), cancel);
    assert_eq!(left, Left::Closed(Status::Cancelled));
    assert_eq!(bench.came(&run).await.code(), "HTTP_AGENT_CANCELLED");
}

#[tokio::test]
async fn a_keyed_agent_is_asked_what_became_of_a_lost_attempt() {
    let check = async |said: &str, probed: &str, class: Option<FaultClass>| {
        let (lost, probe) = (Server::says(said).await, Server::says(probed).await);
        let probe_url = Some(format!("http://{}/done?a=b", probe.address));
        let bench = bench(Definition { probe_url, ..at(lost.address) }, Effect::Keyed).await;
        let (run, drive) = bench.begin("null").await;
        let left = bench.attend(drive).await;
        assert_eq!(left == Left::Closed(Status::Succeeded), class.is_none(), "{probed}");
        let journal = bench.came(&run).await.journal;
        let told = class.is_none_or(|class| journal.contains(&format!("class: {class:?},")));
        assert!(told, "{probed}: {journal}");
        let asked = probe.heard().join("\n");
        let line = format!("GET /done?a=b&idempotency_key={run}%3Astep HTTP/1.1\r\n");
        assert!(asked.starts_with(&line), "{asked}");
        assert!(asked.contains(&format!("idempotency-key: {run}:step\r\n")), "{asked}");
    };
    for said in [String::new(), answer("500 Oops", "", "no")] {
        check(&said, &answer("200 OK", "", "5"), None).await;
        check(&said, &answer("404 No", "", ""), Some(Transient)).await;
        check(&said, &answer("500 Oops", "", ""), Some(OutcomeUnknown)).await;
        check(&said, &answer("200 OK", "", "not JSON"), Some(OutcomeUnknown)).await;
    }
}

#[tokio::test]
async fn in_the_pipe_nobody_knows_what_a_keyed_agent_did_that_answers_500() {
    let check = async |probed: Option<&str>, unknown: Option<bool>, tries: usize| {
        let server = Server::says(answer("500 Oops", "", "no")).await;
        let probe = Server::says(probed.unwrap_or_default()).await;
        let probe_url = probed.map(|_| format!("http://{}/done", probe.address));
        let definition = Definition { probe_url, ..at(server.address) };
        let agent = HttpAgent::new(definition, Effect::Keyed).unwrap();
        let agents = Agents::default().with("mail", Agent::new(Effect::Keyed, agent));
        let carrier =
            InMemoryDriver::new(RunId::new("carried"), agents, Owner::new("ada"), || At(0));
        let retry = Retry::new(2, Duration::ZERO, Duration::ZERO);
        let input = Data::parse("1").unwrap();
        let call = Call { key: "a".into(), agent: "mail".into(), input, retry };
        let fault = carrier.call(&call).await.result.err();
        assert_eq!(fault.as_ref().map(|fault| !fault.recoverable), unknown, "{fault:?}");
        let details = fault.and_then(|fault| fault.details);
        let told = details.is_some_and(|details| details.as_str().contains("unknown"));
        assert_eq!(told, unknown == Some(true), "{probed:?}");
        let heard = server.heard();
        let same = |request: &String| request.contains("idempotency-key: carried:a\r\n");
        assert!(heard.len() == tries && heard.iter().all(same), "{heard:?}");
    };
    check(None, Some(true), 2).await;
    check(Some(&answer("500 Oops", "", "")), Some(true), 2).await;
    check(Some(&answer("404 No", "", "")), Some(false), 2).await;
    check(Some(&answer("200 OK", "", "5")), None, 1).await;
}

#[tokio::test]
async fn what_may_have_been_begun_is_paid_and_what_was_not_is_free() {
    let check = async |status: &str, cost: Option<Nanos>| {
        for effect in [Effect::Pure, Effect::Unsafe] {
            let (came, _) = call(&answer(status, "", "no"), effect).await;
            assert_eq!(came.failure().cost, cost, "{status} {effect:?}");
        }
    };
    for open in ["408 Slow", "500 Oops", "504 Late"] {
        check(open, None).await;
    }
    for free in ["404 What", "425 Early", "429 Slow down", "503 Busy"] {
        check(free, Some(Nanos::ZERO)).await;
    }
}

#[tokio::test]
async fn a_secret_that_is_repeated_is_not_in_the_output_nor_half_of_it_in_a_refusal() {
    let token = "a-long-t0ken-of-mine";
    let said = async |token: &str, answer: String| {
        let server = Server::says(answer).await;
        let definition = Definition { bearer: Some("TOKEN".to_owned()), ..at(server.address) };
        let agent = HttpAgent::new(definition, Effect::Pure).unwrap();
        let token = OsString::from(token);
        let agent = agent.with_environment(Arc::new(move |_| Some(token.clone())));
        Bench::new(Effect::Pure, agent).await.call("null").await
    };
    let seen = answer("200 OK", "", r#"{"seen": "Bearer a-long-t0ken-of-mine", "n": 1.10}"#);
    let came = said(token, seen).await;
    assert_eq!(came.output(), r#"{"seen":"Bearer ***","n":1.10}"#);
    assert!(!came.journal.contains(token), "{}", came.journal);
    // What is short may be an honest word.
    let honest = answer("200 OK", "", r#"{"run": "ollama"}"#);
    assert_eq!(said("ollama", honest).await.output(), r#"{"run": "ollama"}"#);
    // Secrets make way for fewer letters, until the cut edge comes in sight.
    let came = said(token, answer("401 No", "", &token.repeat(500))).await;
    assert!(!format!("{:?}", came.result).contains("a-long"), "{:?}", came.result);
}

//! The server with accounts, killed at every write boundary of what people do with it: signing up, verifying,
//! submitting, cancelling, approving. After the next start everything that was answered is there, what was not answered
//! can be asked again, and nothing is there twice or by half.

use std::{
    collections::BTreeSet,
    fs,
    io::Write,
    process::{Command, Stdio},
    thread,
};

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::{
    boundaries::{BOUNDARIES, killed_at},
    harness::{
        PATIENCE,
        http::{Reply, try_send},
        text,
    },
    support::{Home, Process, need, until, words},
};

const PASSWORD: &str = "correct horse battery";
const ANNA: &str = "anna@example.com";
const JOBS: &str = "/api/agents/jobs";

/// A person says yes, and then a stage passes everything on.
const RELEASE: &str = "name = \"release\"\n\
    [[stage]]\nname = \"ask\"\nperson = { ask = \"approval\", prompt = \"Release?\" }\ndefault_next = \"pass\"\n\
    [[stage]]\nname = \"pass\"\nagent = \"pass\"\n";

/// A home with a user, who has a token.
struct Service {
    home: Home,
    token: String,
    pipeline: String,
}

impl Service {
    fn new() -> Self {
        let home = Home::new();
        let mut add = home.command(["users", "add", ANNA, "--password-stdin"]);
        let mut add = add.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().expect("it starts");
        let mut input = add.stdin.take().expect("it was asked for");
        input.write_all(PASSWORD.as_bytes()).expect("it reads");
        drop(input);
        assert!(add.wait().expect("our own child").success());
        let token = home.run(["tokens", "create", "--user", ANNA]).succeeds().stdout;
        let pipeline = home.file("release.toml");
        fs::write(&pipeline, RELEASE).expect("a file of ours");
        let pipeline = pipeline.display().to_string();
        Self { home, token: token.trim().to_owned(), pipeline }
    }

    fn args(&self) -> Vec<String> {
        // Each round comes from an address of its own: the limits are not what is tested here.
        let args = ["serve", "--accounts", "--listen", "127.0.0.1:0", "--json", "--pipeline"];
        let args = [&args[..], &[&self.pipeline, "--trusted-proxy", "127.0.0.1"]].concat();
        words(&args)
    }

    fn start(&self, command: Command) -> Serving<'_> {
        Serving { service: self, process: self.home.start(command), address: None }
    }

    fn serve(&self) -> Serving<'_> {
        let mut serving = self.start(self.home.command(self.args()));
        assert!(serving.listens(), "{}", serving.process.stderr());
        serving
    }
}

/// A server, which may be killed at any moment.
struct Serving<'a> {
    service: &'a Service,
    process: Process,
    address: Option<String>,
}

impl Serving<'_> {
    /// Waits until it listens, or is no more.
    fn listens(&mut self) -> bool {
        self.address = until(PATIENCE, "the server listens, or was killed", || {
            let ended = self.process.has_ended();
            let said = self.process.stdout();
            let told = said.split_once('\n').and_then(|(line, _)| serde_json::from_str(line).ok());
            match told.map(|told: Value| text(&told, "url").replace("http://", "")) {
                Some(address) => Some(Some(address)),
                None => ended.then_some(None),
            }
        });
        self.address.is_some()
    }

    /// The answer, if there is one.
    fn ask(&self, method: &str, path: &str, lines: &str, body: &Value) -> Option<Reply> {
        let address = self.address.as_deref()?;
        let head = format!("{method} {path} HTTP/1.1\r\nhost: {address}\r\n{lines}");
        let (head, body) = match body.is_null() {
            true => (head, String::new()),
            false => (head + "content-type: application/json\r\n", body.to_string()),
        };
        try_send(address, &head, body.as_bytes())
    }

    /// As somebody who is not known, from this address.
    fn knock(&self, path: &str, from: usize, body: &Value) -> Option<Reply> {
        let lines = format!("x-forwarded-for: 10.1.{}.{}\r\n", from / 250, from % 250);
        self.ask("POST", path, &lines, body)
    }

    /// With Anna's token.
    fn post(&self, path: &str, key: Option<&str>, body: &Value) -> Option<Reply> {
        let key = key.map_or_else(String::new, |key| format!("idempotency-key: {key}\r\n"));
        let lines = format!("authorization: Bearer {}\r\n{key}", self.service.token);
        self.ask("POST", path, &lines, body)
    }

    fn get(&self, path: &str) -> Option<Reply> {
        let lines = format!("authorization: Bearer {}\r\n", self.service.token);
        self.ask("GET", path, &lines, &Value::Null)
    }

    /// The n-th code that this server mails to an address, if it lives so long: mail is sent behind the answer, and
    /// without a mail server the log has it.
    fn code(&self, email: &str, number: usize) -> Option<String> {
        until(PATIENCE, "the code is sent, or the server was killed", || {
            let log = self.process.stderr();
            let code = log.split(&format!("code for {email}: ")).nth(number);
            match code.and_then(|code| code.get(..6)) {
                Some(code) => Some(Some(code.to_owned())),
                None => self.get("/healthz").is_none().then_some(None),
            }
        })
    }
}

/// What was answered in a life, and what is needed to ask again.
#[derive(Debug, Default)]
struct Life {
    number: usize,
    signed_up: bool,
    code: Option<String>,
    verified: bool,
    submitted: Option<String>,
    /// A job that waits, and whether its cancellation was answered.
    waits: Option<String>,
    cancelled: bool,
    /// A run that waits for approval, and whether that was answered.
    asks: Option<String>,
    approved: bool,
}

impl Life {
    fn email(&self) -> String {
        format!("user-{}@example.com", self.number)
    }

    fn key(&self, of: &str) -> String {
        format!("{of}-{}", self.number)
    }

    fn credentials(&self) -> Value {
        json!({"email": self.email(), "password": PASSWORD})
    }

    /// Does one thing after the other, as far as the server lives.
    fn live(&mut self, server: &Serving<'_>) -> Option<()> {
        server.knock("/auth/signup", self.number, &self.credentials())?.is(201);
        self.signed_up = true;
        self.code = server.code(&self.email(), 1);
        let verify = json!({"email": self.email(), "code": self.code.clone()?});
        server.knock("/auth/verify", self.number, &verify)?.is(200);
        self.verified = true;

        let made = server.post(JOBS, Some(&self.key("done")), &job("trace", "spec"))?.is(201);
        self.submitted = Some(text(&made.json(), "jobId").to_owned());
        let waits = server.post(JOBS, Some(&self.key("waits")), &job("proto", "requirements"))?;
        let waits = text(&waits.is(201).json(), "jobId").to_owned();
        let path = format!("{JOBS}/{waits}/cancel");
        self.waits = Some(waits);
        server.post(&path, None, &Value::Null)?.is(200);
        self.cancelled = true;

        let run = server.post("/api/pipelines/release/runs?wait=30", None, &self.release())?;
        let run = run.json();
        assert_eq!(run["status"], "waiting", "{run}");
        let path = format!("/api/runs/{}/approve", text(&run, "id"));
        self.asks = Some(text(&run, "id").to_owned());
        server.post(&path, None, &json!({}))?.is(200);
        self.approved = true;
        Some(())
    }

    fn release(&self) -> Value {
        json!({"input": {}, "id": self.key("release")})
    }

    /// Looks at what the life left, and ends what it began.
    fn look(&self, server: &Serving<'_>) {
        self.look_at_account(server);
        self.look_at_jobs(server);
        self.look_at_approval(server);
    }

    /// A user is there with a code that counts, or not at all.
    fn look_at_account(&self, server: &Serving<'_>) {
        let knock = |path: &str, body: &Value| {
            server.knock(path, self.number, body).expect("this server lives")
        };
        let email = self.email();
        let login = knock("/auth/login", &self.credentials());
        let code = match (login.status, &self.code) {
            // Its verification was answered, or written and not answered.
            (200, Some(_)) => return,
            (403, _) if !self.verified => {
                login.refuses(403, "EMAIL_NOT_VERIFIED");
                // A code that was told counts still; one that nobody was told is replaced.
                self.code.clone().or_else(|| {
                    knock("/auth/resend", &json!({"email": email})).is(200);
                    server.code(&email, 1)
                })
            }
            (404, None) if !self.signed_up => {
                login.refuses(404, "USER_NOT_FOUND");
                knock("/auth/signup", &self.credentials()).is(201);
                server.code(&email, 1)
            }
            _ => panic!("{self:?}: {login:#?}"),
        };
        knock("/auth/verify", &json!({"email": email, "code": code})).is(200);
        knock("/auth/login", &self.credentials()).is(200);
    }

    /// One job for each key, and a cancelled one stays so.
    fn look_at_jobs(&self, server: &Serving<'_>) {
        let post = |path: &str, key: Option<&str>, body: &Value| {
            server.post(path, key, body).expect("this server lives")
        };
        let again = post(JOBS, Some(&self.key("done")), &job("trace", "spec")).is(201).json();
        let again = text(&again, "jobId").to_owned();
        assert!(self.submitted.as_ref().is_none_or(|first| *first == again));
        until(PATIENCE, "the job completes", || {
            let job = server.get(&format!("{JOBS}/{again}")).expect("this server lives");
            (job.is(200).json()["state"] == "completed").then_some(())
        });

        let again = post(JOBS, Some(&self.key("waits")), &job("proto", "requirements"));
        let again = text(&again.is(201).json(), "jobId").to_owned();
        assert!(self.waits.as_ref().is_none_or(|first| *first == again));
        let shown = || {
            let job = server.get(&format!("{JOBS}/{again}")).expect("this server lives");
            job.is(200).json()
        };
        if self.cancelled {
            assert_eq!(shown()["errorCode"], "JOB_CANCELLED");
        }
        let cancelled = post(&format!("{JOBS}/{again}/cancel"), None, &Value::Null);
        assert!([200, 409].contains(&cancelled.status), "{cancelled:#?}");
        let job = shown();
        assert_eq!((&job["state"], &job["errorCode"]), (&json!("failed"), &json!("JOB_CANCELLED")));
    }

    /// The run is there once, and goes on once.
    fn look_at_approval(&self, server: &Serving<'_>) {
        let release = self.release();
        let run = server.post("/api/pipelines/release/runs?wait=30", None, &release);
        let run = run.expect("this server lives").json();
        let id = text(&run, "id").to_owned();
        assert!(self.asks.as_ref().is_none_or(|first| *first == id));
        if self.approved {
            assert_ne!(run["status"], "waiting", "what was approved asks again: {run}");
        }
        let approve = server.post(&format!("/api/runs/{id}/approve"), None, &json!({}));
        let approve = approve.expect("this server lives");
        assert!([200, 409].contains(&approve.status), "{approve:#?}");
        until(PATIENCE, "the run ends", || {
            let run = server.get(&format!("/api/runs/{id}")).expect("this server lives").json();
            (run["status"] == "succeeded").then_some(())
        });
        let home = &server.service.home;
        let answers =
            home.journal(&id).lines().filter(|line| line.contains("\"answered\"")).count();
        assert_eq!(answers, 1, "{}", home.journal(&id));
    }
}

fn job(kind: &str, member: &str) -> Value {
    json!({"type": kind, "payload": {member: "Scenario: Log in\n  Given a user\n  When they log in\n  Then it works"}})
}

#[test]
fn a_server_that_is_killed_at_every_write_leaves_nothing_half_done() {
    need("strace");
    let service = Service::new();
    // A job that waits can be cancelled: nobody answers over the bridge.
    let settings = service.serve();
    let lines = format!("authorization: Bearer {}\r\n", service.token);
    let bridge = json!({"model": "bridge"});
    let set = settings.ask("PUT", "/api/settings/agents/proto", &lines, &bridge);
    assert!(set.expect("this server lives").status < 300);
    settings.process.kill();

    let (mut kills, mut number) = (0, 0);
    for call in BOUNDARIES {
        for at in 1.. {
            // Every write of the beginning, then every third: the writes of a commit are the same again.
            if at > 12 && at % 3 != 0 {
                continue;
            }
            number += 1;
            let mut life = Life { number, ..Life::default() };
            let args = service.args();
            let mut server = service.start(killed_at(&service.home, call, at, &args));
            let lived = server.listens() && life.live(&server).is_some();
            server.process.kill();
            eprintln!("{call} {at}: {life:?}");
            let server = service.serve();
            life.look(&server);
            server.process.kill();
            if lived {
                break;
            }
            kills += 1;
            assert!(at < 500, "there is no end to {call}");
        }
    }
    service.home.run(["runs", "verify", "--all", "--json"]).succeeds();
    eprintln!("{kills} kills");
    assert!(kills >= 20, "the kills hit nothing: {kills}");
}

#[test]
fn fifty_submissions_at_once_with_one_key_are_one_job_also_over_a_kill() {
    let service = Service::new();
    let submit = |server: &Serving<'_>, key: &str| -> BTreeSet<String> {
        thread::scope(|scope| {
            let one = || server.post(JOBS, Some(key), &job("trace", "spec"));
            let all: Vec<_> = (0..50).map(|_| scope.spawn(one)).collect();
            let all = all.into_iter().filter_map(|one| one.join().expect("it does not panic"));
            all.map(|made| text(&made.is(201).json(), "jobId").to_owned()).collect()
        })
    };
    let server = service.serve();
    let first = submit(&server, "first");
    assert_eq!(first.len(), 1, "{first:?}");
    // The second fifty are killed among them.
    let mut second = thread::scope(|scope| {
        let asking = scope.spawn(|| submit(&server, "second"));
        until(PATIENCE, "one of them is there", || {
            service.home.run(["runs", "list", "--json"]).succeeds().json_lines().get(1).map(|_| ())
        });
        server.process.signal(Signal::KILL);
        asking.join().expect("it does not panic")
    });
    server.process.kill();
    let server = service.serve();
    second.extend(submit(&server, "second"));
    assert_eq!(second.len(), 1, "{second:?}");
    assert_ne!(first, second);
    let list = server.get(JOBS).expect("this server lives").is(200).json();
    let ids =
        list["items"].as_array().expect("a list").iter().map(|job| text(job, "id").to_owned());
    assert_eq!(ids.collect::<BTreeSet<_>>(), &first | &second);
    let other = server.post(JOBS, Some("first"), &job("proto", "requirements"));
    other.expect("this server lives").refuses(409, "IDEMPOTENCY_KEY_REUSED");
    server.process.kill();
    service.home.run(["runs", "verify", "--all", "--json"]).succeeds();
}

#[test]
fn limits_of_attempts_survive_a_kill() {
    let service = Service::new();
    let server = service.serve();
    let knock = |server: &Serving<'_>, path: &str, from, body: &Value| {
        server.knock(path, from, body).expect("this server lives")
    };
    let wrong = json!({"email": ANNA, "password": "wrong wrong wrong"});
    for from in 0..6 {
        knock(&server, "/auth/login", from, &wrong).refuses(401, "INVALID_CREDENTIALS");
    }
    let ben = json!({"email": "ben@example.com", "password": PASSWORD});
    knock(&server, "/auth/signup", 20, &ben).is(201);
    let code = server.code("ben@example.com", 1).expect("it was sent");
    let try_code = |server: &Serving<'_>, code: &str| {
        knock(server, "/auth/verify", 21, &json!({"email": "ben@example.com", "code": code}))
    };
    let other = if code == "000000" { "000001" } else { "000000" };
    for _ in 0..3 {
        try_code(&server, other).refuses(400, "INVALID_CODE");
    }
    server.process.kill();

    let server = service.serve();
    for from in 6..10 {
        knock(&server, "/auth/login", from, &wrong).refuses(401, "INVALID_CREDENTIALS");
    }
    let right = json!({"email": ANNA, "password": PASSWORD});
    let refused = knock(&server, "/auth/login", 10, &right).is(429);
    assert!(refused.header("retry-after").is_some(), "{refused:#?}");
    for _ in 0..2 {
        try_code(&server, other).refuses(400, "INVALID_CODE");
    }
    try_code(&server, &code).refuses(400, "INVALID_CODE");
    // Two more codes, and no fourth.
    server.process.kill();
    let server = service.serve();
    for _ in 0..2 {
        knock(&server, "/auth/resend", 22, &json!({"email": "ben@example.com"})).is(200);
    }
    knock(&server, "/auth/resend", 22, &json!({"email": "ben@example.com"})).is(429);
    knock(&server, "/auth/login", 11, &right).is(429);
}

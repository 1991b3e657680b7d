//! `consign serve` on a disk that fails: it does not pretend that somebody drives what it accepts.

use std::{
    fs,
    io::{Read, Write},
    net::TcpStream,
    path::Path,
    process::Command,
    time::Duration,
};

use rustix::process::Signal;
use serde_json::{Value, json};

use super::Sealed;
use crate::support::{Home, Process, eventually, need, until};

/// A worker holds out for half a minute before a run of its own is left.
const LONG: Duration = Duration::from_secs(90);
const TOKEN: &str = "durability-token-0123456789";

/// Fails in passing until a file called `ok` is there.
const FLAKY: &str = r#"
name = "flaky"
[[stage]]
name = "a"
agent.effect = "idempotent"
agent.limits.max_cost_usd = 0
agent.subprocess.command = ["sh", "-c", "cat > /dev/null; test -e ok || exit 75; echo '{}'"]
tries = 10
"#;

const SERVE: [&str; 6] = ["serve", "--listen", "127.0.0.1:0", "--json", "--time-limit", "1"];

struct Server {
    process: Process,
    address: String,
}

impl Server {
    fn start(home: &Home, mut command: Command) -> Self {
        command.env("CONSIGN_TOKEN", TOKEN);
        let process = home.start(command);
        let address = until(LONG, "the server listens", || {
            let said = process.said();
            let (line, _) = said.split_once('\n')?;
            let told: Value = serde_json::from_str(line).ok()?;
            Some(told["url"].as_str()?.strip_prefix("http://")?.to_owned())
        });
        Self { process, address }
    }

    fn ask(&self, method: &str, path: &str, body: &str) -> (u16, String) {
        let address = &self.address;
        let mut stream = TcpStream::connect(address).expect("it listens");
        stream.set_read_timeout(Some(LONG)).expect("a timeout can be set");
        let request = format!(
            "{method} {path} HTTP/1.1\r\nhost: {address}\r\nauthorization: Bearer {TOKEN}\r\n\
             content-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
            body.len()
        );
        stream.write_all(request.as_bytes()).expect("it listens");
        let mut reply = String::new();
        stream.read_to_string(&mut reply).expect("it answers");
        let (head, body) = reply.split_once("\r\n\r\n").expect("an answer");
        let status = head.split(' ').nth(1).and_then(|word| word.parse().ok());
        (status.expect("a status"), body.to_owned())
    }

    fn status(&self, path: &str) -> u16 {
        self.ask("GET", path, "").0
    }
}

#[test]
fn a_server_whose_disk_is_full_is_not_ready_until_there_is_room_again() {
    let mut home = Home::new();
    let mount = "mkdir \"$1\" && mount -t tmpfs -o size=256m tmpfs \"$1\" && mkdir \"$1/in\"";
    let Some(sealed) = Sealed::new(&home, mount) else { return };
    home.enter(sealed.words(), home.path().join("in"));
    let filler = home.path().with_file_name("filler");
    fs::write(home.file("flaky.toml"), FLAKY).expect("a file of ours");
    let pipeline = home.file("flaky.toml").display().to_string();
    let server =
        Server::start(&home, home.command(SERVE.into_iter().chain(["--pipeline", &pipeline])));
    assert_eq!(server.status("/readyz"), 200);
    // One that is taken again and again, and one that writes as long as there is room.
    let envelope = home.run(["envelope", "new", "hello"]).succeeds().stdout;
    let (accepted, told) = server.ask("POST", "/api/v1/process?durable=true", &envelope);
    assert_eq!(accepted, 202, "{told}");
    let steps = home.detach("sample/steps", &json!({"steps": 10000}), &[]);
    assert!(!sealed.run("cp", &[Path::new("/dev/zero"), &filler]), "there was no end to the disk");
    until(LONG, "it is not ready", || {
        let (status, told) = server.ask("GET", "/readyz", "");
        (status == 503 && told.contains("UNATTENDED")).then_some(())
    });
    assert_eq!(server.status("/healthz"), 200);
    fs::write(home.file("ok"), "").expect("a file of ours");
    assert!(sealed.run("rm", &[&filler]));
    eventually(LONG, "it is ready", || server.status("/readyz") == 200);
    // What was accepted before, and what is from now on, comes to its end.
    eventually(LONG, "the envelope is done", || {
        let (status, now) = server.ask("POST", "/api/v1/process?durable=true", &envelope);
        status == 200 && now.contains("\"completed_successfully\"")
    });
    eventually(LONG, "the steps are done", || home.status(&steps) == "succeeded");
    let told = server.process.told();
    let (gone, back) = ("the store cannot be used", "the store can be used again");
    assert!(told.contains(gone), "{told}");
    assert_eq!(told.matches(gone).count(), told.matches(back).count(), "{told}");
    server.process.signal(Signal::TERM);
    server.process.wait().succeeds();
    home.run(["runs", "verify", "--all"]).succeeds();
}

#[test]
fn a_server_that_cannot_trust_its_disk_any_more_stops() {
    need("strace");
    let home = Home::new();
    home.run(["runs", "list"]).succeeds();
    let log = home.file("strace").display().to_string();
    let (trace, inject) = ("trace=fsync,fdatasync", "inject=fsync,fdatasync:error=EIO:when=10");
    let wrapper = ["strace", "-D", "-f", "-qq", "-o", &log, "-e", trace, "-e", inject];
    let server = Server::start(&home, home.under(wrapper, SERVE));
    let run = json!({"workflow": "sample/steps", "input": {"steps": 1000}}).to_string();
    // It may not come to an answer any more.
    let (status, _) = server.ask("POST", "/api/runs", &run);
    assert!([201, 500, 503].contains(&status), "{status}");
    server.process.wait().ends_with(&["STORE_LOST"]);
}

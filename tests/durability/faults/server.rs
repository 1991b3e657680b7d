//! `consign serve` on a disk that fails: it does not pretend that somebody drives what it accepts.

use std::{fs, path::Path, process::Command, time::Duration};

use serde_json::json;

use super::Sealed;
use crate::{
    harness::http,
    support::{Home, Server, eventually, need, until},
};

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

fn start(home: &Home, mut command: Command) -> Server {
    command.env("CONSIGN_TOKEN", TOKEN);
    Server::with_token(home.start(command), TOKEN)
}

/// Sends an envelope to become a run: the status and the body of the answer.
fn process(server: &Server, envelope: &str) -> (u16, String) {
    let head = server.head_of_json("/api/v1/process?durable=true");
    let reply = http::send(&server.address, &head, envelope.as_bytes());
    (reply.status, reply.body)
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
    let server = start(&home, home.command(SERVE.into_iter().chain(["--pipeline", &pipeline])));
    assert_eq!(server.get("/readyz").status, 200);
    // One that is taken again and again, and one that writes as long as there is room.
    let envelope = home.run(["envelope", "new", "hello"]).succeeds().stdout;
    let (accepted, told) = process(&server, &envelope);
    assert_eq!(accepted, 202, "{told}");
    let steps = home.detach("sample/steps", &json!({"steps": 10000}), &[]);
    assert!(!sealed.run("cp", &[Path::new("/dev/zero"), &filler]), "there was no end to the disk");
    until(LONG, "it is not ready", || {
        let reply = server.get("/readyz");
        (reply.status == 503 && reply.body.contains("UNATTENDED")).then_some(())
    });
    assert_eq!(server.get("/healthz").status, 200);
    fs::write(home.file("ok"), "").expect("a file of ours");
    assert!(sealed.run("rm", &[&filler]));
    eventually(LONG, "it is ready", || server.get("/readyz").status == 200);
    // What was accepted before, and what is from now on, comes to its end.
    eventually(LONG, "the envelope is done", || {
        let (status, now) = process(&server, &envelope);
        status == 200 && now.contains("\"completed_successfully\"")
    });
    eventually(LONG, "the steps are done", || home.status(&steps) == "succeeded");
    let told = server.process.stderr();
    let (gone, back) = ("the store cannot be used", "the store can be used again");
    assert!(told.contains(gone), "{told}");
    assert_eq!(told.matches(gone).count(), told.matches(back).count(), "{told}");
    server.stop().succeeds();
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
    let server = start(&home, home.under(wrapper, SERVE));
    let run = json!({"workflow": "sample/steps", "input": {"steps": 1000}});
    let status = server.post("/api/runs", &run).status;
    assert!([201, 500, 503].contains(&status), "{status}");
    server.process.wait().ends_with(&["STORE_LOST"]);
}

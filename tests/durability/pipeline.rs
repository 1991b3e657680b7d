//! Pipelines under the axe: whatever is killed, and whenever, the envelope comes to what it would have come to,
//! and no stage is recorded twice.

use std::{collections::BTreeSet, fs, thread, time::Duration};

use serde_json::{Value, json};

use crate::{
    harness::http,
    support::{Chance, Home, Look, Server, id, until},
};

/// Kills of the command that drives the run, and of the server.
const KILLS: usize = 25;
const LONG: Duration = Duration::from_secs(60);

/// Asks once, is sent back once, has two rounds of goals and two stages at once: every kind of turn.
const PIPELINE: &str = r#"
name = "every-turn"
max_agent_hops = 40
[[stage]]
name = "understand"
output_key = "intent"
agent.effect = "pure"
agent.limits.max_cost_usd = 0
agent.subprocess.command = ["python3", "step.py", "understand"]
default_next = "plan"
[[stage]]
name = "plan"
agent.effect = "pure"
agent.limits.max_cost_usd = 0
agent.subprocess.command = ["python3", "step.py", "plan"]
default_next = "both"
[[stage]]
name = "both"
parallel = ["left", "right"]
default_next = "critic"
[[stage]]
name = "left"
agent.effect = "pure"
agent.limits.max_cost_usd = 0
agent.subprocess.command = ["python3", "step.py", "left"]
[[stage]]
name = "right"
agent.effect = "pure"
agent.limits.max_cost_usd = 0
agent.subprocess.command = ["python3", "step.py", "right"]
[[stage]]
name = "critic"
agent.effect = "pure"
agent.limits.max_cost_usd = 0
agent.subprocess.command = ["python3", "step.py", "critic"]
default_next = "integration"
[[stage]]
name = "integration"
agent.effect = "pure"
agent.limits.max_cost_usd = 0
agent.subprocess.command = ["python3", "step.py", "integration"]
"#;

const STEP: &str = r#"
import json, sys
envelope, me = json.load(sys.stdin), sys.argv[1]
seen = [record["agent"] for record in envelope["processing_history"]]
out = {"turn": envelope["agent_hop_count"]}
if me == "understand":
    asks = envelope["clarification_response"] is None
    out |= {"intent": "explain", "goals": ["a", "b"], "heard": envelope["clarification_response"],
            "clarification_needed": asks, "clarification_question": "Which?" if asks else None}
elif me == "plan":
    out |= {"plan_id": f"plan-{envelope['agent_hop_count']}", "steps": []}
elif me == "critic":
    if envelope["iteration"] == 0:
        out |= {"verdict": "reintent", "feedback": "again"}
    elif envelope["current_stage_number"] == 1:
        out |= {"verdict": "next_stage", "satisfied_goals": ["a"]}
    else:
        out |= {"verdict": "approved", "satisfied_goals": ["b"]}
elif me == "integration":
    out |= {"final_response": str(len(seen)), "citations": []}
json.dump(out, sys.stdout)
"#;

fn pipeline(home: &Home) -> String {
    fs::write(home.file("step.py"), STEP).expect("a file of ours");
    fs::write(home.file("every.toml"), PIPELINE).expect("a file of ours");
    home.file("every.toml").display().to_string()
}

/// What an envelope comes to, without what differs from one time to the next. Who of two at once was done
/// first is nobody's promise.
fn essence(envelope: &Value) -> Value {
    let mut history: Vec<String> = envelope["processing_history"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|record| format!("{} {} {}", record["agent"], record["status"], record["error"]))
        .collect();
    history.sort();
    let mut outputs: Vec<String> = envelope["outputs"]
        .as_object()
        .expect("an object")
        .iter()
        .map(|(key, output)| format!("{key}: {output}"))
        .collect();
    outputs.sort();
    let mut essence = envelope.clone();
    let members = essence.as_object_mut().expect("an object");
    for name in
        ["envelope_id", "request_id", "session_id", "received_at", "completed_at", "metadata"]
    {
        members.remove(name);
    }
    members.insert("processing_history".to_owned(), json!(history));
    members.insert("outputs".to_owned(), json!(outputs));
    essence
}

/// The command that lets a run go on: it may wait for an answer, or only for its next try.
fn next<'a>(home: &Home, run: &'a str) -> Vec<&'a str> {
    match home.inbox().iter().any(|ask| ask["run"] == run) {
        true => vec!["runs", "answer", run, "--value", "\"this\""],
        false => vec!["runs", "resume", run, "--json"],
    }
}

/// Goes on with a run until it is over, answering what it asks.
fn finish(home: &Home, run: &str) -> Value {
    let mut last = None;
    for _ in 0..100 {
        let shown = home.show(run);
        if let Some("succeeded" | "failed" | "cancelled") = shown["status"].as_str() {
            return shown;
        }
        last = Some(home.run(next(home, run)));
    }
    panic!("it does not end: {last:#?} {:#?} {}", home.show(run), home.journal(run));
}

/// Every turn was recorded once, and the journal is whole.
fn is_recorded_once(home: &Home, run: &str) {
    let look = Look::at(&home.path());
    let completed = look.keys(run, "call_completed");
    let different: BTreeSet<_> = completed.iter().collect();
    assert_eq!(completed.len(), different.len(), "a stage was recorded twice: {completed:?}");
    assert_eq!(look.keys(run, "call_failed"), [""; 0]);
    home.verify(run);
}

#[test]
fn a_pipeline_whose_command_is_killed_again_and_again_comes_to_the_same_envelope() {
    let seed = Chance::seed();
    eprintln!("CONSIGN_SEED={seed} has the same kills again");
    let mut chance = Chance::new(seed);
    let home = Home::new();
    let pipeline = pipeline(&home);
    let calm =
        home.run(["run", &pipeline, "--input", "\"hello\"", "--json"]).exits_with(&[43]).json();
    let calm = finish(&home, &id(&calm));
    assert_eq!(calm["status"], "succeeded", "{calm}");
    let (mut kills, mut hits) = (0, 0);
    while kills < KILLS {
        let name = format!("killed-{kills}");
        let start = ["run", &pipeline, "--input", "\"hello\"", "--id", &name, "--json"];
        let mut command = home.start(home.command(start));
        // Until nothing is left to kill.
        loop {
            let begun = Look::books(&home.path()).runs.get(&name).map(|run| run.seq);
            thread::sleep(chance.millis(1..120));
            let outcome = command.kill();
            kills += 1;
            let now = Look::books(&home.path()).runs.get(&name).cloned();
            let Some(now) = now else {
                command = home.start(home.command(start));
                continue;
            };
            if outcome.signal == Some(9) && Some(now.seq) > begun {
                hits += 1;
            }
            if now.is_closed() || kills >= KILLS {
                break;
            }
            command = home.start(home.command(next(&home, &name)));
        }
        let known = Look::books(&home.path()).runs.contains_key(&name);
        if !known {
            home.run(start).exits_with(&[43]);
        }
        let done = finish(&home, &name);
        assert_eq!(done["status"], "succeeded", "{done}");
        assert_eq!(essence(&done["output"]), essence(&calm["output"]));
        is_recorded_once(&home, &name);
    }
    eprintln!("{kills} kills, {hits} of them in the middle of a run");
    assert!(hits >= 3, "the kills came at the wrong moments");
}

const TOKEN: &str = "durability-token-0123456789";

/// A server that listens.
fn serve(home: &Home, pipeline: &str) -> Server {
    let mut command = home.command([
        "serve",
        "--listen",
        "127.0.0.1:0",
        "--json",
        "--time-limit",
        "5",
        "--pipeline",
        pipeline,
    ]);
    command.env("CONSIGN_TOKEN", TOKEN);
    Server::with_token(home.start(command), TOKEN)
}

/// Sends an envelope to become a run: the run's name and the envelope, unless the server was killed meanwhile.
fn send(address: &str, envelope: &Value) -> Option<(u16, String, Value)> {
    let head = format!(
        "POST /api/v1/process?durable=true HTTP/1.1\r\nhost: {address}\r\n\
         authorization: Bearer {TOKEN}\r\ncontent-type: application/json\r\n"
    );
    let reply = http::try_send(address, &head, envelope.to_string().as_bytes())?;
    let run = reply.header("location").and_then(|place| place.strip_prefix("/api/runs/"));
    let run = run.unwrap_or_default().to_owned();
    Some((reply.status, run, serde_json::from_str(&reply.body).ok()?))
}

fn envelopes(home: &Home, pipeline: &str, count: usize) -> Vec<Value> {
    let new = ["envelope", "new", "hello", "--pipeline", pipeline, "--user", "local"];
    (0..count).map(|_| home.run(new).succeeds().json()).collect()
}

#[test]
fn a_server_that_is_killed_loses_no_durable_request_and_does_none_twice() {
    let seed = Chance::seed();
    eprintln!("CONSIGN_SEED={seed} has the same kills again");
    let mut chance = Chance::new(seed);
    let home = Home::new();
    let pipeline = pipeline(&home);
    let calm =
        home.run(["run", &pipeline, "--input", "\"hello\"", "--json"]).exits_with(&[43]).json();
    let calm = id(&calm);
    let end = essence(&finish(&home, &calm)["output"]);
    let sent = envelopes(&home, &pipeline, 6);
    // What a sender heard of each, the last time that it heard anything.
    let mut heard: Vec<(Option<String>, Value)> =
        sent.iter().map(|envelope| (None, envelope.clone())).collect();
    for _ in 0..8 {
        let server = serve(&home, &pipeline);
        let address = server.address.clone();
        let wait = chance.millis(30..500);
        let told: Vec<_> = thread::scope(|scope| {
            let senders: Vec<_> = heard
                .iter()
                .map(|(_, envelope)| {
                    let (address, mut envelope) = (&address, envelope.clone());
                    if envelope["clarification_pending"] == true {
                        envelope["clarification_response"] = json!("this");
                    }
                    scope.spawn(move || send(address, &envelope))
                })
                .collect();
            thread::sleep(wait);
            let outcome = server.process.kill();
            assert_eq!(outcome.signal, Some(9), "it ended by itself: {outcome:#?}");
            senders.into_iter().map(|sender| sender.join().expect("it does not panic")).collect()
        });
        for ((run, envelope), told) in heard.iter_mut().zip(told) {
            let Some((status, location, now)) = told else { continue };
            assert!([200, 202].contains(&status), "{status}: {now}");
            if let Some(run) = run {
                assert!(location.is_empty() || *run == location, "{run} became {location}");
            }
            if !location.is_empty() {
                *run = Some(location);
            }
            *envelope = now;
        }
    }
    // Nobody is killed any more: all of them end, whoever sends whatever they heard last.
    let server = serve(&home, &pipeline);
    for (run, envelope) in &mut heard {
        let done = until(LONG, "it ends", || {
            if envelope["clarification_pending"] == true {
                envelope["clarification_response"] = json!("this");
            }
            let (status, location, now) = send(&server.address, envelope).expect("it is answered");
            assert!([200, 202].contains(&status), "{status}: {now}");
            if !location.is_empty() {
                let before = run.get_or_insert_with(|| location.clone());
                assert_eq!(*before, location);
            }
            *envelope = now;
            (envelope["terminated"] == true).then(|| envelope.clone())
        });
        assert_eq!(essence(&done), end);
    }
    let look = Look::books(&home.path());
    assert_eq!(look.runs.len(), sent.len() + 1, "each envelope is one run: {:?}", look.runs.keys());
    assert_eq!(look.open_runs().count(), 0);
    for run in look.runs.keys() {
        is_recorded_once(&home, run);
    }
    server.process.kill();
}

#[test]
fn eight_who_send_the_same_envelope_at_once_have_one_run() {
    let home = Home::new();
    let pipeline = pipeline(&home);
    // Two servers on one home: no memory of either can tell.
    let servers = [serve(&home, &pipeline), serve(&home, &pipeline)];
    for envelope in envelopes(&home, &pipeline, 3) {
        let named: BTreeSet<String> = thread::scope(|scope| {
            let senders: Vec<_> = (0..8)
                .map(|number| {
                    let (address, envelope) = (&servers[number % 2].address, &envelope);
                    scope.spawn(move || send(address, envelope).expect("it is answered"))
                })
                .collect();
            senders
                .into_iter()
                .map(|sender| {
                    let (status, run, now) = sender.join().expect("it does not panic");
                    assert!([200, 202].contains(&status), "{status}: {now}");
                    run
                })
                .collect()
        });
        assert_eq!(named.len(), 1, "{named:?}");
        let run = named.first().expect("there is one");
        until(LONG, "it asks", || (home.status(run) == "waiting").then_some(()));
        // And their answers at once: one counts.
        let (_, _, mut waiting) = send(&servers[0].address, &envelope).expect("it is answered");
        thread::scope(|scope| {
            waiting["clarification_response"] = json!("this");
            for number in 0..8 {
                let (address, waiting) = (&servers[number % 2].address, &waiting);
                scope.spawn(move || {
                    let (status, run, now) = send(address, waiting).expect("it is answered");
                    assert!([200, 202].contains(&status), "{status}: {now}");
                    run
                });
            }
        });
        until(LONG, "it ends", || (home.status(run) == "succeeded").then_some(()));
        is_recorded_once(&home, run);
        let look = Look::at(&home.path());
        assert_eq!(look.keys(run, "answered").len(), 1);
    }
    assert_eq!(Look::books(&home.path()).runs.len(), 3);
    for server in servers {
        server.process.kill();
    }
}

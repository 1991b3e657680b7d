//! Envelopes over HTTP as durable runs: which run an envelope is of, whose answer counts, what is waited for, and who goes away meanwhile.

use std::thread;

use rustix::process::Signal;
use serde_json::{Value, json};

use super::{
    http::{self, Events},
    process::asking,
    serve::{GATED, two},
    yard::{Server, Yard, history, keeps, run_of, sorted, timeless},
};
use crate::{home::until, support::text};

/// Somebody outside is to say what a text is.
const PERSON: &str = r#"
name = "triage"
[[stage]]
name = "person"
agent.effect = "pure"
agent.bridge.prompt = "What is this?"
"#;

#[test]
fn another_answer_than_the_first_is_refused_and_changes_nothing() {
    let yard = Yard::new();
    let pipeline = asking(&yard);
    let server = yard.serve(&["--pipeline", &pipeline]);
    let (run, first) = server.durable(&yard.envelope("hello", &[]));
    let saying = |envelope: &Value, member: &str, said: Value| {
        let mut envelope = envelope.clone();
        envelope[member] = said;
        envelope
    };
    let is_refused = |envelope: &Value| {
        let before = yard.home.show(&run)["head"].clone();
        let reply = server.post("/api/v1/process?durable=true", envelope);
        keeps("authoring/error", &reply.refuses(409, "ALREADY_ANSWERED").json());
        assert_eq!(yard.home.show(&run)["head"], before, "nothing changes");
        assert_eq!(server.get("/api/runs").json()["items"].as_array().map(Vec::len), Some(1));
    };
    // Nothing is no answer, before there is one and after.
    let nothing = saying(&first, "clarification_response", json!(" "));
    assert_eq!(server.durable(&nothing), (run.clone(), first.clone()));
    let (_, second) = server.durable(&saying(&first, "clarification_response", json!("one")));
    assert_eq!(server.durable(&nothing), (run.clone(), second.clone()));
    is_refused(&saying(&first, "clarification_response", json!("another")));
    assert_eq!(second["clarification_question"], "What is number 2?");
    // Whoever answers by the inbox counts as well, and as little when they come second.
    let key = server.get(&format!("/api/inbox?run={run}")).json()["items"][0].clone();
    let place = format!("/api/runs/{run}/answers/{}", text(&key, "interaction"));
    server.post(&place, &json!({"value": "two"})).is(200);
    server.post(&place, &json!({"value": "another"})).refuses(409, "ALREADY_ANSWERED");
    // Comes back when the run has gone on as far as it can: from then on only an answer could change it.
    let (_, third) = server.durable(&saying(&second, "clarification_response", json!("two")));
    is_refused(&saying(&second, "clarification_response", json!("another")));
    assert_eq!(third["confirmation_pending"], true);
    let (_, end) = server.durable(&saying(&third, "confirmation_response", json!(false)));
    assert_eq!(end["terminal_reason"], "denied_by_policy");
    is_refused(&saying(&third, "confirmation_response", json!(true)));
    is_refused(&saying(&first, "clarification_response", json!("another")));
    assert_eq!(server.durable(&saying(&third, "confirmation_response", json!(false))).1, end);
}

#[test]
fn an_envelope_is_the_same_in_whatever_order_its_members_are_written() {
    let yard = Yard::new();
    let pipeline = asking(&yard);
    let server = yard.serve(&["--pipeline", &pipeline]);
    let mut envelope = yard.envelope("hello", &[]);
    envelope["metadata"] = json!({"zone": {"y": 1, "x": 2}, "area": 3});
    assert_ne!(sorted(&envelope).to_string(), envelope.to_string());
    let (run, waiting) = server.durable(&envelope);
    assert_eq!(server.durable(&sorted(&envelope)).0, run);
    let mut answered = sorted(&waiting);
    answered["clarification_response"] = json!("this");
    assert_eq!(server.durable(&answered).0, run);
}

#[test]
fn of_those_who_answer_differently_at_once_one_is_heard() {
    let yard = Yard::new();
    let pipeline = asking(&yard);
    let server = yard.serve(&["--pipeline", &pipeline]);
    let (run, waiting) = server.durable(&yard.envelope("hello", &[]));
    let told: Vec<(u16, String)> = thread::scope(|scope| {
        let answer = |number: usize| {
            let (mut envelope, server) = (waiting.clone(), &server);
            envelope["clarification_response"] = json!(format!("answer {}", number / 2));
            scope.spawn(move || {
                let reply = server.post("/api/v1/process?durable=true", &envelope);
                (reply.status, text(&envelope, "clarification_response").to_owned())
            })
        };
        let threads: Vec<_> = (0..8).map(answer).collect();
        threads.into_iter().map(|thread| thread.join().expect("it is answered")).collect()
    });
    let heard: Vec<_> = told.iter().filter(|(status, _)| *status == 200).collect();
    assert_eq!(heard.len(), 2, "who said the same is told the same: {told:?}");
    assert_eq!(heard[0].1, heard[1].1);
    assert!(told.iter().all(|(status, _)| [200, 409].contains(status)), "{told:?}");
    let (_, now) = server.durable(&waiting);
    assert_eq!(now["outputs"]["intent"]["heard"], json!([heard[0].1]));
    yard.run(&["runs", "verify", &run]).exits(0);
}

#[test]
fn an_answer_counts_whether_or_not_its_question_is_still_marked() {
    let yard = Yard::new();
    let pipeline = asking(&yard);
    let server = yard.serve(&["--pipeline", &pipeline]);
    let (run, mut envelope) = server.durable(&yard.envelope("hello", &[]));
    envelope["clarification_pending"] = json!(false);
    envelope["terminal_reason"] = json!(null);
    envelope["clarification_response"] = json!("one");
    let (same, next) = server.durable(&envelope);
    assert_eq!((same, text(&next, "clarification_question")), (run, "What is number 2?"));
}

#[test]
fn an_envelope_whose_outputs_were_changed_is_another_run() {
    let yard = Yard::new();
    let pipeline = asking(&yard);
    let server = yard.serve(&["--pipeline", &pipeline]);
    let (run, envelope) = server.durable(&yard.envelope("hello", &[]));
    let mut changed = envelope.clone();
    changed["outputs"]["intent"]["heard"] = json!(["nobody"]);
    changed["clarification_response"] = json!("one");
    let (other, _) = server.durable(&changed);
    assert_ne!(other, run, "what was changed is not what its run knows");
    assert_eq!(yard.home.show(&run)["status"], "waiting");
    // Another way to write the same numbers is no change.
    let mut rewritten = envelope;
    rewritten["clarification_response"] = json!("one");
    let record = &mut rewritten["processing_history"][0];
    let order = record["stage_order"].as_f64().expect("a number");
    record["stage_order"] = json!(order);
    assert!(rewritten.to_string().contains("\"stage_order\":1.0"), "{rewritten}");
    assert_eq!(server.durable(&rewritten).0, run);
}

#[test]
fn an_envelope_whose_run_waits_for_somebody_says_so() {
    let yard = Yard::new();
    let pipeline = yard.file("person.toml", PERSON);
    let server = yard.serve(&["--pipeline", &pipeline]);
    let envelope = yard.envelope("hello", &[]);
    let can_continue = |envelope: &Value| {
        let told = yard.consign(&["envelope", "can-continue"]).stdin(envelope.to_string()).run();
        told.exits(0).json()["can_continue"].clone()
    };
    assert_eq!(can_continue(&envelope), true);
    let (run, waiting) = server.durable(&envelope);
    keeps("envelope/envelope", &waiting);
    let inbox = server.get(&format!("/api/inbox?run={run}")).is(200).json();
    assert_eq!(waiting["metadata"]["waits"], inbox["items"]);
    assert_eq!(waiting["metadata"]["waits"][0]["kind"], "agent_response");
    assert_eq!(can_continue(&waiting), false);
    // Sent again it is the same run, which waits for the same.
    assert_eq!(server.durable(&waiting), (run.clone(), waiting.clone()));
    // Elsewhere nobody does what the run may have done, unless that is wanted.
    assert_eq!(server.processed("", &waiting), waiting);
    let piped = yard.process(&waiting, &["--pipeline", &pipeline]).exits(0);
    assert_eq!(piped.telling(&format!("note: run {run} of this envelope waits")).json(), waiting);
    yard.run(&["run", &pipeline, "--input", &waiting.to_string()]).fails(1, "INVALID_STATE");
    let mut wanted = waiting.clone();
    wanted["metadata"].as_object_mut().expect("an object").remove("waits");
    let piped = yard.processed(&wanted, &["--pipeline", &pipeline]);
    assert_eq!(piped["errors"][0]["error_type"], "NEEDS_A_RUN");
    let place = format!("/api/runs/{run}/answers/person-1");
    server.post(&place, &json!({"value": {"kind": "note"}})).is(200);
    yard.until_over(&run);
    let (same, end) = server.durable(&waiting);
    assert_eq!((same, &end["metadata"]), (run.clone(), &json!({"run": run})));
    assert_eq!(end["outputs"]["person"], json!({"kind": "note"}));
}

#[test]
fn an_envelope_of_a_run_that_waits_has_what_is_done_at_once_and_it_is_not_done_twice() {
    let yard = Yard::new();
    let pair = r#"
name = "pair"
[[stage]]
name = "both"
parallel = ["person", "pays"]
[[stage]]
name = "person"
agent.effect = "pure"
agent.bridge.prompt = "What is this?"
[[stage]]
name = "pays"
agent.effect = "unsafe"
agent.subprocess.command = ["sh", "-c", "cat > /dev/null; echo paid >> paid; echo 2"]
"#;
    let pair = yard.file("pair.toml", pair);
    let server = yard.serve(&["--pipeline", &pair]);
    let envelope = yard.envelope("hello", &[]);
    let (run, waiting) = until("the payment is done", || {
        let (run, waiting) = server.durable(&envelope);
        (waiting["processing_history"] != json!([])).then_some((run, waiting))
    });
    keeps("envelope/envelope", &waiting);
    assert_eq!(waiting["outputs"], json!({"pays": {"value": 2}}), "{waiting}");
    assert_eq!(server.durable(&waiting), (run.clone(), waiting.clone()));
    // Whoever goes on elsewhere, on purpose or after it was cancelled, does not pay again.
    let go_on = |mut envelope: Value| {
        envelope["metadata"].as_object_mut().expect("an object").remove("waits");
        envelope["terminated"] = json!(false);
        let done = yard.processed(&envelope, &["--pipeline", &pair]);
        let last = done["processing_history"].as_array().and_then(|all| all.last());
        assert_eq!(text(last.expect("a turn"), "agent"), "person", "{done}");
    };
    go_on(waiting.clone());
    yard.run(&["runs", "cancel", &run]).exits(0);
    yard.until_over(&run);
    let (same, cancelled) = server.durable(&waiting);
    assert_eq!((same, &cancelled["terminated"]), (run, &json!(true)));
    go_on(cancelled);
    assert_eq!(std::fs::read_to_string(yard.path("paid")).expect("it is there"), "paid\n");
}

#[test]
fn whoever_waits_for_a_run_is_answered_when_the_server_stops() {
    let yard = Yard::new();
    let pipeline = yard.file("gated.toml", GATED);
    let server = yard.serve(&["--pipeline", &pipeline]);
    let envelope = yard.envelope("hello", &[]);
    let path = "/api/v1/process?durable=true";
    let reply = thread::scope(|scope| {
        let waiting = scope.spawn(|| server.post(path, &envelope));
        until("it begins", || yard.path("begun").exists().then_some(()));
        server.process.signal(Signal::TERM);
        waiting.join().expect("it is answered")
    });
    let run = run_of(&reply.is(202));
    // What was accepted goes on, with this server or with the next.
    yard.file("go", "");
    server.process.wait().exits(0);
    let server = yard.serve(&["--pipeline", &pipeline]);
    let (same, end) = server.durable(&envelope);
    assert_eq!((same, &end["terminated"]), (run, &json!(true)));
}

#[test]
fn a_run_outlives_its_client_and_its_server() {
    let yard = Yard::new();
    let pipeline = yard.file("gated.toml", GATED);
    let server = yard.serve(&["--pipeline", &pipeline]);
    let envelope = yard.envelope("hello", &[]);
    let path = "/api/v1/process?durable=true";
    let head = server.head("POST", path) + "content-type: application/json\r\n";
    let client = http::open(&server.address, &head, envelope.to_string().as_bytes());
    until("it begins", || yard.path("begun").exists().then_some(()));
    drop(client);
    let runs = server.get("/api/runs").is(200).json();
    let run = text(&runs["items"][0], "id").to_owned();
    let events = format!("/api/runs/{run}/events");
    let mut seen = Vec::new();
    let mut stream = Events::of(http::open(&server.address, &server.head("GET", &events), b""));
    while seen.last().is_none_or(|event: &Value| event["kind"] != "call_started") {
        seen.push(stream.next().expect("it has begun"));
    }
    server.process.signal(Signal::KILL);
    assert_eq!(stream.next(), None);
    server.process.wait();
    let server = yard.serve(&["--pipeline", &pipeline]);
    yard.file("go", "");
    let last = format!("last-event-id: {}\r\n", seen.len() - 1);
    let head = server.head("GET", &events) + &last;
    let mut stream = Events::of(http::open(&server.address, &head, b""));
    while let Some(event) = stream.next() {
        seen.push(event);
    }
    assert_eq!(seen, yard.events(&run), "nothing is missing, and nothing came twice");
    assert_eq!(seen.last().map(|event| text(event, "kind")), Some("succeeded"));
    let (same, end) = server.durable(&envelope);
    assert_eq!((same, text(&end, "terminal_reason")), (run, "completed_successfully"));
    assert_eq!(server.get("/api/runs").json()["items"].as_array().map(Vec::len), Some(1));
}

#[test]
fn the_same_request_twice_is_one_run() {
    let yard = Yard::new();
    let pipeline = two(&yard);
    let server = yard.serve(&["--pipeline", &pipeline]);
    let envelope = yard.envelope("hello", &[]);
    let (run, first) = server.durable(&envelope);
    keeps("envelope/envelope", &first);
    assert_eq!(first["metadata"]["run"], run.as_str());
    let (again, second) = server.durable(&envelope);
    assert_eq!((again, &second), (run.clone(), &first));
    // At once, too.
    let other = yard.envelope("hello again", &[]);
    let named: Vec<String> = thread::scope(|scope| {
        let send = || server.durable(&other).0;
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(send)).collect();
        threads.into_iter().map(|thread| thread.join().expect("it is answered")).collect()
    });
    assert!(named.iter().all(|name| *name == named[0]), "{named:?}");
    let runs = server.get("/api/runs").json();
    assert_eq!(runs["items"].as_array().map(Vec::len), Some(2), "{runs}");
    // What it came to is what the pipe comes to, and what the run says.
    let in_the_pipe = yard.processed(&envelope, &["--pipeline", &pipeline]);
    assert_eq!(timeless(&first), timeless(&in_the_pipe));
    let shown = server.get(&format!("/api/runs/{run}")).is(200).json();
    assert_eq!(
        (&shown["status"], &shown["workflow"]),
        (&json!("succeeded"), &json!("pipeline/envelope"))
    );
    assert_eq!(shown["output"], first);
    assert_eq!(yard.home.show(&run)["output"], first);
    yard.run(&["runs", "verify", "--all"]).exits(0);
}

/// Takes an envelope through the pipeline that asks, all over HTTP.
fn answered(server: &Server, envelope: &Value) -> (String, Vec<Value>) {
    let mut sent = vec![envelope.clone()];
    let (run, mut now) = server.durable(envelope);
    for said in ["one", "two"] {
        now["clarification_response"] = json!(said);
        sent.push(now.clone());
        let (same, next) = server.durable(&now);
        assert_eq!(same, run);
        now = next;
    }
    now["confirmation_response"] = json!(true);
    sent.push(now.clone());
    let (same, end) = server.durable(&now);
    assert_eq!(same, run);
    sent.push(end);
    (run, sent)
}

#[test]
fn an_envelope_that_comes_back_with_an_answer_goes_on_in_its_run() {
    let yard = Yard::new();
    let pipeline = asking(&yard);
    let server = yard.serve(&["--pipeline", &pipeline]);
    let (run, sent) = answered(&server, &yard.envelope("hello", &[]));
    let end = sent.last().expect("it ended");
    assert_eq!(end["outputs"]["tell"], json!({"heard": ["one", "two"]}));
    assert_eq!(end["terminal_reason"], "completed_successfully");
    // What was sent on the way, sent again, is still that run, and changes nothing.
    for (number, envelope) in sent.iter().enumerate() {
        let reply = server.post("/api/v1/process?durable=true", envelope).is(200);
        assert_eq!(&reply.json(), end, "what was sent as number {number}");
        if number + 1 < sent.len() {
            assert_eq!(run_of(&reply), run, "what was sent as number {number}");
        }
    }
    let runs = server.get("/api/runs").json();
    assert_eq!(runs["items"].as_array().map(Vec::len), Some(1), "{runs}");
    yard.run(&["runs", "verify", &run]).exits(0);
}

#[test]
fn an_answer_that_is_sent_twice_answers_one_question() {
    let yard = Yard::new();
    let pipeline = asking(&yard);
    let server = yard.serve(&["--pipeline", &pipeline]);
    let (run, mut envelope) = server.durable(&yard.envelope("hello", &[]));
    envelope["clarification_response"] = json!("one");
    let (_, once) = server.durable(&envelope);
    assert_eq!(once["clarification_question"], "What is number 2?");
    // Its sender is not sure that it arrived.
    let (same, twice) = server.durable(&envelope);
    assert_eq!((same, &twice), (run.clone(), &once));
    assert_eq!(twice["outputs"]["intent"]["heard"], json!(["one"]));
    let asked: Vec<_> =
        server.get("/api/inbox").json()["items"].as_array().expect("a list").clone();
    assert_eq!((asked.len(), text(&asked[0], "run")), (1, run.as_str()));
}

#[test]
fn an_envelope_that_went_further_elsewhere_is_another_run() {
    let yard = Yard::new();
    let pipeline = asking(&yard);
    let server = yard.serve(&["--pipeline", &pipeline]);
    let (run, mut envelope) = server.durable(&yard.envelope("hello", &[]));
    // Its holder answers in the pipe instead, while the run still waits.
    envelope["clarification_response"] = json!("one");
    let mut further = yard.processed(&envelope, &["--pipeline", &pipeline]);
    assert_eq!(further["clarification_question"], "What is number 2?");
    further["clarification_response"] = json!("two");
    let (other, next) = server.durable(&further);
    assert_ne!(other, run);
    assert_eq!(next["outputs"]["intent"]["heard"], json!(["one", "two"]));
    assert_eq!(
        yard.home.show(&run)["status"],
        "waiting",
        "it was not answered by what is not for it"
    );
}

#[test]
fn an_answer_from_the_inbox_leads_where_one_in_the_envelope_leads() {
    let yard = Yard::new();
    let pipeline = asking(&yard);
    let server = yard.serve(&["--pipeline", &pipeline]);
    let envelope = yard.envelope("hello", &[]);
    let by_envelope = answered(&server, &yard.envelope("hello", &[])).1.pop().expect("it ended");
    let (run, waiting) = server.durable(&envelope);
    let asked = yard.run(&["inbox", "--run", &run, "--json"]).exits(0).json();
    assert_eq!(
        (text(&asked, "kind"), text(&asked, "prompt")),
        ("clarification", "What is number 1?")
    );
    // By the command line, by the route of answers, and by the command line without a key.
    let key = text(&asked, "interaction");
    yard.run(&["runs", "answer", &run, key, "--value", "\"\""]).fails(1, "CONTRACT_BREACH");
    yard.run(&["runs", "answer", &run, key, "--value", "\"one\""]).exits(0);
    let asked = until("it asks again", || {
        let inbox = server.get(&format!("/api/inbox?run={run}")).is(200).json();
        inbox["items"].as_array()?.first().filter(|ask| ask["interaction"] != key).cloned()
    });
    let place = format!("/api/runs/{run}/answers/{}", text(&asked, "interaction"));
    server.post(&place, &json!({"value": "two"})).is(200);
    until("it wants a yes", || {
        let inbox = server.get("/api/inbox").is(200).json();
        inbox["items"].as_array()?.iter().any(|ask| ask["kind"] == "confirmation").then_some(())
    });
    yard.run(&["runs", "answer", &run, "--value", "true"]).exits(0);
    yard.until_over(&run);
    // The envelope of the first wait comes back late, and is told how things are.
    let (same, end) = server.durable(&waiting);
    assert_eq!(same, run);
    let without_names = |envelope: &Value| {
        let mut envelope = timeless(envelope);
        for name in ["envelope_id", "request_id", "session_id"] {
            envelope[name] = json!("…");
        }
        envelope
    };
    assert_eq!(without_names(&end), without_names(&by_envelope));
}

#[test]
fn where_a_run_was_to_stop_it_is_over_and_another_goes_on_from_there() {
    let yard = Yard::new();
    let pipeline = two(&yard);
    let server = yard.serve(&["--pipeline", &pipeline]);
    let envelope = yard.envelope("hello", &[]);
    let sent = |query: &str, envelope: &Value| {
        let reply = server.post(&format!("/api/v1/process?durable=true{query}"), envelope).is(200);
        (run_of(&reply), reply.json())
    };
    let (run, half) = sent("&until=first", &envelope);
    assert_eq!((&half["current_stage"], &half["terminated"]), (&json!("second"), &json!(false)));
    // Sent again, as it was or as it came back.
    assert_eq!(sent("&until=first", &envelope), (run.clone(), half.clone()));
    assert_eq!(sent("&until=first", &half), (run.clone(), half.clone()));
    for query in ["", "&until=second"] {
        let (other, end) = sent(query, &half);
        assert_ne!(other, run);
        assert_eq!((history(&end).len(), &end["metadata"]["run"]), (2, &json!(other)));
    }
    assert_ne!(sent("", &envelope).0, run);
}

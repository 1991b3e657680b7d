//! `consign process`: an envelope in, an envelope out, and nothing else on standard output.

use std::fs;

use serde_json::{Value, json};

use super::yard::{Yard, history, keeps, timeless};
use crate::support::{Consign, Outcome, text};

/// Two programs, one after the other.
pub(super) const TWO: &str = r#"
name = "two"
[[stage]]
name = "first"
agent.effect = "pure"
agent.subprocess.command = ["sh", "-c", "cat > /dev/null; echo '{\"a\": 1}'"]
default_next = "second"
[[stage]]
name = "second"
agent.effect = "pure"
agent.subprocess.command = ["cat"]
input = { a = "{{outputs.first.a}}", asked = "{{raw_input}}" }
"#;

/// The error of a document that is no envelope: one object on standard output in the document's own
/// form, the same in words on standard error.
#[track_caller]
fn refused(out: Outcome, code: &str) -> Value {
    let out = out.exits(1);
    let whole = out.json();
    assert_eq!(crate::support::keys(&whole), ["errors"], "{out:#?}");
    let errors = whole["errors"].as_array().expect("a list");
    assert_eq!(errors.len(), 1, "{out:#?}");
    keeps("envelope/error", &errors[0]);
    assert_eq!(text(&errors[0], "error_type"), code, "{out:#?}");
    assert!(out.stderr.contains(&format!("error[{code}]: ")), "{out:#?}");
    errors[0].clone()
}

#[test]
fn an_envelope_goes_through_a_pipeline_and_comes_out() {
    let yard = Yard::new();
    let two = yard.file("two.toml", TWO);
    let envelope = yard.envelope("hello", &["--metadata", r#"{"ticket": 7}"#]);
    let out = yard.processed(&envelope, &["--pipeline", &two]);
    assert_eq!(out["outputs"], json!({"first": {"a": 1}, "second": {"a": 1, "asked": "hello"}}));
    assert_eq!(out["terminal_reason"], "completed_successfully");
    assert_eq!((&out["current_stage"], &out["terminated"]), (&json!("end"), &json!(true)));
    assert_eq!(
        (&out["agent_hop_count"], &out["stage_order"]),
        (&json!(2), &json!(["first", "second"]))
    );
    for same in ["envelope_id", "request_id", "session_id", "raw_input", "received_at", "metadata"]
    {
        assert_eq!(out[same], envelope[same], "{same}");
    }
    for record in out["processing_history"].as_array().expect("a list") {
        keeps("envelope/processing-record", record);
    }
    // What is over comes back as it is, to the last byte.
    let line = serde_json::to_string(&out).expect("it is JSON");
    let again = yard.process(&line, &["--pipeline", &two]).exits(0);
    assert_eq!(serde_json::from_str::<Value>(&again.stdout).expect("an envelope"), out);
    let file = yard.file("envelope.json", envelope.to_string());
    let from_file = yard.run(&["process", &file, "--pipeline", &two]).exits(0).json();
    assert_eq!(timeless(&from_file), timeless(&out));
    assert!(!yard.home.path().join("consign.db-journal").exists());
    yard.nobody_is_left();
}

#[test]
fn what_is_no_envelope_is_told_in_the_form_of_the_document() {
    let yard = Yard::new();
    let two = yard.file("two.toml", TWO);
    let good = yard.envelope("hello", &[]);
    for malformed in ["", "{", "[1,", "{\"a\":1,\"a\":2}", "\u{feff}{}", "{} {}", "nonsense"] {
        refused(yard.process(malformed, &["--pipeline", &two]), "MALFORMED");
    }
    let binary = yard.consign(&["process", "--pipeline", &two]).stdin(b"\"\xff\"".to_vec()).run();
    refused(binary, "MALFORMED");
    for other in ["[]", "null", "{}", "3"] {
        refused(yard.process(other, &["--pipeline", &two]), "CONTRACT_BREACH");
    }
    let without = |name: &str, value: Value| {
        let mut envelope = good.clone();
        envelope[name] = value;
        refused(yard.process(&envelope, &["--pipeline", &two]), "CONTRACT_BREACH")
    };
    let told = without("envelope_id", json!("env_XYZ"));
    assert_eq!(told["details"]["breaches"][0]["pointer"], "/envelope_id", "{told}");
    without("terminal_reason", json!("tired"));
    without("outputs", json!([]));
    without("max_agent_hops", json!(0));
    without("outputs", json!({"first": "text"}));
    without("clarification_pending", json!("yes"));
    let told = without("current_stage", json!(null));
    assert!(text(&told, "message").contains("current_stage"), "{told}");
}

#[test]
fn whatever_stands_in_the_way_is_told_in_that_form_too() {
    let yard = Yard::new();
    let two = yard.file("two.toml", TWO);
    let mut envelope = yard.envelope("hello", &[]);
    let told = refused(
        yard.process(&envelope, &["--pipeline", &two, "--until", "third"]),
        "UNKNOWN_STAGE",
    );
    assert!(text(&told["details"], "hint").contains("first, second"), "{told}");
    let bad =
        yard.file("bad.toml", TWO.replace("default_next = \"second\"", "default_next = \"secnd\""));
    let told = refused(yard.process(&envelope, &["--pipeline", &bad]), "PIPELINE_INVALID");
    assert!(
        text(&told, "message")
            .contains("bad.toml:7: there is no stage \"secnd\"; did you mean \"second\"?"),
        "{told}"
    );
    refused(yard.process(&envelope, &["--pipeline", "/no/such.toml"]), "FILE_UNREADABLE");
    let policy =
        yard.file("policy.toml", "default = \"allow\"\n[tools]\ngit_blame = \"perhaps\"\n");
    let told = refused(yard.process(&envelope, &["--policy", &policy]), "POLICY_INVALID");
    assert!(text(&told, "message").contains("line 3"), "{told}");
    let unread = yard.process(&envelope, &["--repo", "/no/such/folder"]).exits(1);
    assert!(unread.stdout.starts_with("{\"errors\":["), "{unread:#?}");
    refused(yard.process(&envelope, &["--repo", &two]), "NOT_A_DIRECTORY");
    let missing = yard.run(&["process", "/no/such/envelope.json", "--pipeline", &two]).exits(1);
    assert!(missing.stdout.starts_with("{\"errors\":["), "{missing:#?}");
    // An envelope that stands at a stage of another pipeline.
    envelope["current_stage"] = json!("elsewhere");
    let told = refused(yard.process(&envelope, &["--pipeline", &two]), "UNKNOWN_STAGE");
    assert!(text(&told, "message").contains("first, second"), "{told}");
}

/// Runs with the largest memory that it had at once on standard error, in kilobytes.
fn weighed(yard: &Yard, args: &[&str], stdin: Vec<u8>) -> (Outcome, u64) {
    let measure = "import resource, subprocess, sys\n\
                   code = subprocess.run(sys.argv[1:]).returncode\n\
                   print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, file=sys.stderr)\n\
                   sys.exit(code)";
    let line = [&["-c", measure, env!("CARGO_BIN_EXE_consign")], args].concat();
    let consign = Consign::of("python3", line).env("CONSIGN_HOME", yard.home.path());
    let out = consign.folder(yard.folder.path()).stdin(stdin).run();
    let peak = out.stderr.lines().last().and_then(|line| line.parse().ok());
    let peak = peak.unwrap_or_else(|| panic!("no measure: {out:#?}"));
    (out, peak)
}

/// What it may take beyond what a small envelope takes; with a hundred MB more it would have held the document.
const MORE_KB: u64 = 70 << 10;

#[test]
fn an_envelope_of_a_hundred_megabytes_is_refused_without_being_held() {
    let yard = Yard::new();
    let two = yard.file("two.toml", TWO);
    let mut envelope = yard.envelope("hello", &[]).to_string().into_bytes();
    let (_, usual) = weighed(&yard, &["process", "--pipeline", &two], envelope.clone());
    let most = usual + MORE_KB;
    let huge = [&b"{\"padding\": \""[..], &vec![b'x'; 100 << 20], b"\"}"].concat();
    let (out, peak) = weighed(&yard, &["process", "--pipeline", &two], huge.clone());
    let told = refused(out, "MALFORMED");
    assert!(text(&told, "message").contains("16777216"), "{told}");
    assert!(peak < most, "it held {peak} KB, and usually {usual}");
    // A line of that size in a stream spoils only itself.
    envelope.push(b'\n');
    let lines = [&envelope[..], &huge, b"\n", &envelope].concat();
    let (out, peak) = weighed(&yard, &["process", "--pipeline", &two, "--stream"], lines);
    let answers = out.exits(1).json_lines();
    assert_eq!(answers.len(), 3);
    assert!(answers[1].get("errors").is_some() && answers[1].get("outputs").is_none());
    assert_eq!(answers[2]["terminated"], true);
    assert!(peak < most, "it held {peak} KB, and usually {usual}");
    let small = yard
        .process(String::from_utf8_lossy(&envelope), &["--pipeline", &two, "--max-bytes", "100"]);
    refused(small, "MALFORMED");
}

#[test]
fn until_stops_after_a_stage_and_the_rest_can_follow() {
    let yard = Yard::new();
    let two = yard.file("two.toml", TWO);
    let envelope = yard.envelope("hello", &[]);
    let whole = yard.processed(&envelope, &["--pipeline", &two]);
    let half = yard.processed(&envelope, &["--pipeline", &two, "--until", "first"]);
    assert_eq!((&half["current_stage"], &half["terminated"]), (&json!("second"), &json!(false)));
    assert_eq!((&half["terminal_reason"], &half["completed_at"]), (&Value::Null, &Value::Null));
    let rest = yard.processed(&half, &["--pipeline", &two]);
    assert_eq!(timeless(&rest), timeless(&whole));
    // The last stage is followed by the end.
    let all = yard.processed(&envelope, &["--pipeline", &two, "--until", "second"]);
    assert_eq!(timeless(&all), timeless(&whole));
}

/// Asks what is meant, twice, and keeps what it was told.
pub(super) const ASKS: &str = r#"
name = "asks"
[[stage]]
name = "understand"
output_key = "intent"
agent.effect = "pure"
agent.limits.max_cost_usd = 0
agent.subprocess.command = ["python3", "ask.py"]
default_next = "act"
[[stage]]
name = "act"
output_key = "execution"
agent.effect = "pure"
agent.limits.max_cost_usd = 0
agent.subprocess.command = ["python3", "act.py"]
default_next = "tell"
[[stage]]
name = "tell"
agent.effect = "pure"
agent.limits.max_cost_usd = 0
agent.subprocess.command = ["cat"]
input.heard = "{{outputs.intent.heard}}"
"#;

pub(super) const ASK_PY: &str = r#"
import json, sys
envelope = json.load(sys.stdin)
heard = envelope["outputs"].get("intent", {}).get("heard", [])
if envelope["clarification_response"]:
    heard = heard + [envelope["clarification_response"]]
asks = len(heard) < 2
question = f"What is number {len(heard) + 1}?" if asks else None
json.dump({"intent": "explain", "goals": ["know"], "heard": heard, "clarification_needed": asks,
           "clarification_question": question}, sys.stdout)
"#;

pub(super) const ACT_PY: &str = r#"
import json, sys
envelope = json.load(sys.stdin)
asks = not envelope["confirmation_response"]
json.dump({"status": "success", "results": [], "evidence": [], "confirmation_needed": asks,
           "confirmation_id": "c1", "confirmation_message": "Shall I?"}, sys.stdout)
"#;

/// Writes the pipeline that asks, with its programs.
pub(super) fn asking(yard: &Yard) -> String {
    yard.file("ask.py", ASK_PY);
    yard.file("act.py", ACT_PY);
    yard.file("asks.toml", ASKS)
}

#[test]
fn a_wait_is_an_envelope_like_any_other_and_goes_on_with_its_answer() {
    let yard = Yard::new();
    let asks = asking(&yard);
    let mut envelope = yard.envelope("hello", &[]);
    for (number, answer) in [(1, "one"), (2, "two")] {
        envelope = yard.processed(&envelope, &["--pipeline", &asks]);
        assert_eq!(envelope["clarification_question"], format!("What is number {number}?"));
        assert_eq!(envelope["clarification_pending"], true);
        assert_eq!(
            (&envelope["terminated"], &envelope["terminal_reason"]),
            (&json!(false), &json!("clarification_required"))
        );
        // Without an answer it stands where it stood.
        let still = yard.processed(&envelope, &["--pipeline", &asks]);
        assert_eq!(timeless(&still), timeless(&envelope));
        envelope["clarification_response"] = json!(answer);
    }
    let mut envelope = yard.processed(&envelope, &["--pipeline", &asks]);
    assert_eq!(
        (&envelope["confirmation_pending"], &envelope["terminal_reason"]),
        (&json!(true), &json!("confirmation_required"))
    );
    assert_eq!(
        (&envelope["confirmation_id"], &envelope["confirmation_message"]),
        (&json!("c1"), &json!("Shall I?"))
    );
    envelope["confirmation_response"] = json!(false);
    let denied = yard.processed(&envelope, &["--pipeline", &asks]);
    assert_eq!(
        (&denied["terminated"], &denied["terminal_reason"]),
        (&json!(true), &json!("denied_by_policy"))
    );
    envelope["confirmation_response"] = json!(true);
    let done = yard.processed(&envelope, &["--pipeline", &asks]);
    assert_eq!(done["outputs"]["tell"], json!({"heard": ["one", "two"]}));
    assert_eq!(done["terminal_reason"], "completed_successfully");
    let ran: Vec<_> = history(&done).into_iter().map(|(stage, _)| stage).collect();
    assert_eq!(ran, ["understand", "understand", "understand", "act", "act", "tell"]);
}

#[test]
fn envelopes_of_earlier_versions_are_read_and_what_nobody_knows_is_kept() {
    let yard = Yard::new();
    let two = yard.file("two.toml", TWO);
    // Numbers and times keep their text.
    let first = r#"{"x_before": {"deep": [1.50, 1e2, 12345678901234567890123]}, "envelope_id": "env_0123456789abcdef",
        "request_id": "req_0123456789abcdef", "user_id": "anonymous", "session_id": "sess_0123456789abcdef",
        "raw_input": "hello", "received_at": "2024-01-02T03:04:05.1234567890+02:00", "outputs": {"older": {"kept": null}},
        "current_stage": "start", "terminated": false, "x_after": "é\u0000\u2028"}"#;
    let out = yard.process(first, &["--pipeline", &two]).exits(0);
    for kept in [
        r#""x_before":{"deep":[1.50,1e2,12345678901234567890123]}"#,
        r#""received_at":"2024-01-02T03:04:05.1234567890+02:00""#,
        r#""older":{"kept":null}"#,
    ] {
        assert!(out.stdout.contains(kept), "{kept} is not in {}", out.stdout);
    }
    let out = out.json();
    keeps("envelope/envelope", &out);
    assert_eq!(out["x_after"], "é\u{0}\u{2028}");
    assert_eq!(
        (&out["max_iterations"], &out["max_llm_calls"], &out["max_agent_hops"]),
        (&json!(3), &json!(10), &json!(21))
    );
    assert_eq!((&out["critic_feedback"], &out["goal_completion_status"]), (&json!([]), &json!({})));
    // 1.1 has goals, and no counters of calls and hops.
    let mut second: Value = serde_json::from_str(first).expect("it is JSON");
    second["completed_stages"] = json!([{"stage_number": 1, "x": [1]}]);
    second["goal_completion_status"] = json!({"know": "pending"});
    second["current_stage"] = json!("second");
    second["outputs"]["first"] = json!({"a": 5});
    let out = yard.processed(&second, &["--pipeline", &two]);
    assert_eq!(out["outputs"]["second"]["a"], 5);
    assert_eq!(out["completed_stages"], second["completed_stages"]);
    assert_eq!(history(&out).len(), 1);
}

#[test]
fn bounds_are_told_in_a_word_and_leave_the_envelope_where_it_was() {
    let yard = Yard::new();
    let two = yard.file("two.toml", TWO);
    let envelope = yard.envelope("hello", &["--max-agent-hops", "1"]);
    let out = yard.processed(&envelope, &["--pipeline", &two]);
    assert_eq!(
        (&out["terminal_reason"], &out["current_stage"]),
        (&json!("max_agent_hops_exceeded"), &json!("second"))
    );
    assert_eq!((&out["terminated"], history(&out).len()), (&json!(true), 1));
    assert!(!text(&out, "termination_reason").is_empty() && out["completed_at"].is_string());
    // Limits of the command are no bounds of the envelope: the stage fails for want of them.
    let envelope = yard.envelope("hello", &[]);
    let out = yard.processed(&envelope, &["--pipeline", &two, "--calls", "1"]);
    assert_eq!(out["terminal_reason"], "tool_failed_fatally");
    assert_eq!(out["errors"][0]["error_type"], "LIMIT_CALLS");
    keeps("envelope/error", &out["errors"][0]);
}

#[test]
fn an_envelope_in_the_pipe_leaves_nothing_in_the_home_and_needs_no_writable_one() {
    let yard = Yard::new();
    yard.file("first.py", "import json, sys\njson.load(sys.stdin)\nprint('{}')");
    let two = yard.file("two.toml", TWO);
    let envelope = yard.envelope("my secret question 4711", &[]);
    yard.processed(&envelope, &["--pipeline", &two]);
    let runs = yard.run(&["runs", "list", "--json"]).exits(0).json_lines();
    assert_eq!(runs, Vec::<Value>::new());
    let mut found = Vec::new();
    let mut folders = vec![yard.home.path()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder").filter_map(Result::ok) {
            match entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                true => folders.push(entry.path()),
                false => found.push(entry.path()),
            }
        }
    }
    for file in found {
        let bytes = fs::read(&file).unwrap_or_default();
        let told = String::from_utf8_lossy(&bytes).contains("4711");
        assert!(!told, "{} has the question", file.display());
    }
}

#[test]
fn a_signal_ends_it_with_whatever_it_had_started() {
    let yard = Yard::new();
    let begun = yard.path("begun");
    yard.file("sleeps.sh", format!("touch {}; exec sleep 600", begun.display()));
    let pipeline = yard.file(
        "sleeps.toml",
        "name = \"sleeps\"\n[[stage]]\nname = \"sleep\"\nagent.effect = \"pure\"\nagent.subprocess.command = [\"sh\", \"sleeps.sh\"]\n",
    );
    let file = yard.file("envelope.json", yard.envelope("hello", &[]).to_string());
    for signal in
        [rustix::process::Signal::TERM, rustix::process::Signal::INT, rustix::process::Signal::KILL]
    {
        let _ = fs::remove_file(&begun);
        let running =
            yard.home.let_go_on(yard.consign(&["process", &file, "--pipeline", &pipeline]));
        crate::home::until("it sleeps", || begun.exists().then_some(()));
        running.signal(signal);
        let out = running.wait();
        assert_ne!(out.code, Some(0), "{out:#?}");
        yard.nobody_is_left();
    }
}

/// One after the other, of which each leaves a trace.
const TRACED: &str = r#"
name = "traced"
[[stage]]
name = "plan"
agent.effect = "pure"
agent.subprocess.command = ["sh", "-c", "cat > /dev/null; echo 1 | tee -a plan"]
default_next = "send"
[[stage]]
name = "send"
agent.effect = "unsafe"
agent.subprocess.command = ["sh", "-c", "cat > /dev/null; echo 2 | tee -a send"]
default_next = "report"
[[stage]]
name = "report"
agent.effect = "pure"
agent.subprocess.command = ["sh", "-c", "cat > /dev/null; echo 3"]
"#;

#[test]
fn until_a_stage_that_is_behind_runs_nothing() {
    let yard = Yard::new();
    let traced = yard.file("traced.toml", TRACED);
    let args = ["--pipeline", traced.as_str(), "--until", "plan"];
    let planned = yard.processed(yard.envelope("hello", &[]), &args);
    assert_eq!(planned["current_stage"], "send");
    let again = yard.process(&planned, &args).exits(0);
    assert_eq!(again.json(), planned, "it comes back as it was");
    assert!(again.stderr.contains("note: at send the envelope is past plan"), "{again:#?}");
    let spared = yard.process(&planned, &[&args[..], &["--json"]].concat()).exits(0);
    assert_eq!((spared.json(), spared.stderr.as_str()), (planned.clone(), ""));
    let line = format!("{planned}\n");
    let streamed = yard.process(&line, &[&args[..], &["--stream"]].concat()).exits(0);
    assert_eq!(streamed.json(), planned);
    assert!(streamed.stderr.contains("note: at send"), "{streamed:#?}");
    let file = yard.file("planned.json", planned.to_string());
    let run = yard.run(&["run", &traced, "--input", &file, "--until", "plan"]).exits(0);
    assert!(run.stderr.contains("note: at send the envelope is past plan"), "{run:#?}");
    let run = yard.durable(&traced, &planned, &["--until", "plan"], 0);
    assert_eq!(run["output"], planned);
    let server = yard.serve(&["--pipeline", &traced]);
    assert_eq!(server.processed("?until=plan", &planned), planned);
    assert!(!yard.path("send").exists(), "a stage after it ran");
    // The stage where it stands is ahead.
    assert_eq!(
        yard.processed(&planned, &["--pipeline", &traced, "--until", "send"])["current_stage"],
        "report"
    );
}

#[test]
fn of_an_unsafe_agent_that_broke_off_the_error_says_that_nobody_knows() {
    let yard = Yard::new();
    for (effect, unknown) in [("unsafe", true), ("keyed", true), ("pure", false)] {
        let kills = format!(
            "name = \"kills\"\n[[stage]]\nname = \"send\"\ntries = 1\nagent.effect = \"{effect}\"\n\
             agent.subprocess.command = [\"sh\", \"-c\", \"kill -9 $$\"]\n"
        );
        let kills = yard.file("kills.toml", kills);
        let out = yard.process(yard.envelope("hello", &[]), &["--pipeline", &kills]).exits(0);
        let note = out.stderr.contains("note: the outcome of stage send is unknown");
        assert_eq!(note, unknown, "{out:#?}");
        let out = out.json();
        let error = &out["errors"][0];
        assert_eq!(error["recoverable"], !unknown, "{effect}: {error}");
        assert_eq!(error["details"]["outcome"] == "unknown", unknown, "{effect}: {error}");
        let told = text(error, "message").contains("send may have done its work");
        assert_eq!(told, unknown, "{effect}: {error}");
        let reason = if unknown { "tool_failed_fatally" } else { "tool_failed_recoverably" };
        assert_eq!(out["terminal_reason"], reason, "{effect}");
    }
}

#[test]
fn with_json_every_failure_is_told_as_json_on_both_sides() {
    let yard = Yard::new();
    let two = yard.file("two.toml", TWO);
    let good = yard.envelope("hello", &[]);
    let check = |stdin: &str, args: &[&str], code: &str| {
        let out = yard.process(stdin, &[args, &["--json"]].concat()).exits(1);
        assert_eq!(out.json()["errors"][0]["error_type"], code, "{out:#?}");
        assert_eq!(text(&out.error(), "code"), code, "{out:#?}");
    };
    check("nonsense", &["--pipeline", &two], "MALFORMED");
    check("{}", &["--pipeline", &two], "CONTRACT_BREACH");
    check("nonsense\n", &["--pipeline", &two, "--stream"], "MALFORMED");
    check(&good.to_string(), &["--pipeline", "/no/such.toml"], "FILE_UNREADABLE");
    check(&good.to_string(), &["--pipeline", &two, "--until", "third"], "UNKNOWN_STAGE");
}

//! Calls that fail are tried again as often as the pipeline says, where their effect allows it.

use serde_json::{Value, json};

use super::yard::Yard;
use crate::support::text;

/// Writes a line each time, and fails as often as it is told to.
const FLAKY: &str = r#"
echo once >> called
[ "$(wc -l < called)" -gt "$1" ] || { echo "not yet" >&2; exit 7; }
echo '{"done": true}'
"#;

fn pipeline(yard: &Yard, more: &str) -> String {
    yard.file("flaky.sh", FLAKY);
    yard.file("flaky.toml", format!("name = \"flaky\"\n[[stage]]\nname = \"try\"\n{more}\n"))
}

fn called(yard: &Yard) -> usize {
    std::fs::read_to_string(yard.path("called")).map_or(0, |text| text.lines().count())
}

fn kinds(events: &[Value], kind: &str) -> Vec<Value> {
    events.iter().filter(|event| event["kind"] == kind).cloned().collect()
}

#[test]
fn a_program_that_fails_four_times_succeeds_at_the_fifth() {
    for way in ["tries = 5", r#"retry = { tries = 5, first = "20ms", factor = 3, most = "100ms" }"#]
    {
        let yard = Yard::new();
        let own = format!(
            "{way}\nagent.effect = \"pure\"\nagent.subprocess.command = [\"sh\", \"flaky.sh\", \"4\"]"
        );
        let run = yard.durable(&pipeline(&yard, &own), &json!({}), &[], 0);
        assert_eq!(called(&yard), 5, "{way}");
        let events = yard.events(text(&run, "id"));
        let failed = kinds(&events, "attempt_failed");
        assert_eq!(failed.len(), 4, "{way}: {events:#?}");
        assert!(failed.iter().all(|event| event["body"]["fault"]["code"] == "EXIT_STATUS"));
        // The waits are in the journal, and grow.
        let again = |event: &Value| event["body"]["retry_at"].as_i64().expect("it is tried again");
        let again: Vec<_> = failed.iter().map(again).collect();
        assert!(again.is_sorted_by(|a, b| a < b), "{again:?}");
        let shown = yard.run(&["runs", "show", text(&run, "id")]).exits(0).stdout;
        assert_eq!(shown.matches("; again in ").count(), 4, "{shown}");
        yard.run(&["runs", "verify", text(&run, "id")]).exits(0);
    }
}

#[test]
fn what_must_not_be_done_twice_asks_after_the_first_failure() {
    let yard = Yard::new();
    let own = "tries = 5\nagent.effect = \"unsafe\"\nagent.subprocess.command = [\"sh\", \"flaky.sh\", \"4\"]";
    let run = yard.durable(&pipeline(&yard, own), &json!({}), &[], 43);
    assert_eq!(called(&yard), 1);
    let asked = yard.run(&["inbox", "--json"]).exits(0).json();
    assert_eq!((asked["run"].clone(), text(&asked, "kind")), (run["id"].clone(), "intervention"));
    assert!(text(&asked, "prompt").contains("exit code 7"), "{asked}");
}

#[test]
fn the_faults_that_are_tried_again_can_be_named() {
    let slow = "agent.timeout_seconds = 0.3\nagent.effect = \"pure\"\n\
                agent.subprocess.command = [\"sh\", \"-c\", \"echo once >> called; sleep 60\"]";
    let fails = "agent.effect = \"pure\"\nagent.subprocess.command = [\"sh\", \"flaky.sh\", \"9\"]";
    let wait = "first = \"1ms\", most = \"1ms\"";
    for (on, own, times, code) in [
        (r#"["!TIMEOUT"]"#, slow, 1, "SUBPROCESS_TIMEOUT"),
        (r#"["TIMEOUT"]"#, slow, 3, "SUBPROCESS_TIMEOUT"),
        (r#"["!TIMEOUT"]"#, fails, 3, "EXIT_STATUS"),
        (r#"["AI_NETWORK_ERROR"]"#, fails, 1, "EXIT_STATUS"),
    ] {
        let yard = Yard::new();
        let own = format!("retry = {{ {wait}, on = {on} }}\n{own}");
        let run = yard.durable(&pipeline(&yard, &own), &json!({}), &[], 1);
        assert_eq!((called(&yard), text(&run["fault"], "code")), (times, code), "{on}");
    }
}

#[test]
fn a_retry_that_makes_no_sense_is_refused_with_its_line() {
    let yard = Yard::new();
    let own = "tries = 2\nretry = { first = \"soon\", on = [\"!TIMEOUT\", \"EXIT_STATUS\"] }\nagent = \"pass\"";
    let told = yard.run(&["pipeline", "check", &pipeline(&yard, own)]).exits(1).stderr;
    for what in ["flaky.toml:4: ", "write retry.tries", "/stages/0/retry/first", "write one kind"] {
        assert!(told.contains(what), "{what}: {told}");
    }
}

#[test]
fn a_missing_key_is_found_before_the_first_call() {
    let yard = Yard::new();
    let own = "agent.effect = \"pure\"\nagent.subprocess.command = [\"sh\", \"flaky.sh\", \"0\"]\n\
               [[stage]]\nname = \"think\"\nagent.model = { name = \"openai/gpt-5-mini\", prompt = \"{{input.raw_input}}\" }";
    let file = pipeline(&yard, own);
    let told = yard.run(&["run", &file, "--input", "{\"x\": 1}"]).exits(1).stderr;
    assert!(
        told.contains("error[AI_KEY_MISSING]: stage \"think\" has no key for openai"),
        "{told}"
    );
    assert_eq!(called(&yard), 0);
    assert_eq!(yard.run(&["runs", "list", "--json"]).exits(0).stdout, "", "nothing was started");
    // A worker may have the key that this process has not.
    let told = yard.run(&["run", &file, "--input", "{\"x\": 1}", "--detach"]).exits(0).stderr;
    assert!(told.contains("note: stage \"think\" has no key for openai"), "{told}");
    // With a script in its place there is no need of one.
    let entries = json!([{"agent": "think", "response": {"y": 2}, "times": 0}]);
    let script = format!("scripted:{}", yard.file("script.json", entries.to_string()));
    yard.run(&["run", &file, "--input", "{\"x\": 1}", "--model", &script]).exits(0);
}

#[test]
fn a_program_that_says_no_json_is_told_that_first() {
    let yard = Yard::new();
    let own = "agent.effect = \"pure\"\nagent.subprocess.command = [\"echo\", \"all is well\"]\nrequired = [\"x\"]";
    let told = yard.run(&["run", &pipeline(&yard, own)]).exits(1).stderr;
    let first = "error[SUBPROCESS_INVALID]: Stage try failed: the program ended with exit code 0, but its stdout is \
                 not one JSON value";
    assert!(told.contains(first), "{told}");
    assert!(told.contains("answers = \"text\""), "{told}");
}

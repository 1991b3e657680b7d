//! Stages that run at once: what they come to, and who of them failed.

use serde_json::json;

use super::yard::Yard;
use crate::support::text;

/// Two that run at once; the one that is named last is done first, or the other way round.
fn race(slow: &str) -> String {
    let says = |name: &str| {
        let pause = if name == slow { "sleep 0.3; " } else { "" };
        format!(r#"["sh", "-c", "cat >/dev/null; {pause}echo '{{\"who\": \"{name}\"}}'"]"#)
    };
    format!(
        r#"
name = "race"
[[stage]]
name = "both"
parallel = ["second", "first"]
[[stage]]
name = "first"
agent.effect = "pure"
agent.subprocess.command = {}
output_key = "one"
[[stage]]
name = "second"
agent.effect = "pure"
agent.subprocess.command = {}
"#,
        says("first"),
        says("second")
    )
}

#[test]
fn the_result_is_what_all_gave_in_the_order_of_the_pipeline_whoever_was_first() {
    let yard = Yard::new();
    let expected = "{\"one\":{\"who\":\"first\"},\"second\":{\"who\":\"second\"}}\n";
    for slow in ["first", "second"] {
        let race = yard.file("race.toml", race(slow));
        let out = yard.run(&["run", &race, "--id", slow]).exits(0);
        assert_eq!(out.stdout, expected, "{slow} is slow");
        let shown = yard.run(&["runs", "show", slow]).exits(0).stdout;
        assert!(shown.contains(expected.trim()), "{shown}");
        let envelope = yard.processed(yard.envelope("?", &[]), &["--pipeline", &race]);
        assert_eq!(envelope["outputs"].to_string(), expected.trim());
        let result = yard.consign(&["envelope", "result"]).stdin(envelope.to_string());
        assert_eq!(result.run().exits(0).stdout, expected);
        let result = yard.consign(&["envelope", "result", "--json"]).stdin(envelope.to_string());
        assert_eq!(text(&result.run().exits(0).json(), "output_key"), "both");
    }
}

#[test]
fn a_stage_that_failed_is_tried_again_without_those_who_are_done() {
    let yard = Yard::new();
    let pair = r#"
name = "pair"
[[stage]]
name = "both"
parallel = ["flaky", "pays"]
[[stage]]
name = "flaky"
agent.effect = "pure"
agent.subprocess.command = ["sh", "-c", "cat > /dev/null; [ -e mended ] && echo 1"]
tries = 1
[[stage]]
name = "pays"
agent.effect = "unsafe"
agent.subprocess.command = ["sh", "-c", "cat > /dev/null; echo paid >> paid; echo 2"]
"#;
    let pair = yard.file("pair.toml", pair);
    let args = ["--pipeline", pair.as_str()];
    let mut failed = yard.processed(yard.envelope("?", &[]), &args);
    assert_eq!(failed["current_stage"], "both", "{failed}");
    failed["terminated"] = json!(false);
    failed["terminal_reason"] = json!(null);
    yard.file("mended", "");
    let done = yard.processed(&failed, &args);
    assert_eq!(done["terminal_reason"], "completed_successfully", "{done}");
    let outputs = r#"{"flaky":{"value":1},"pays":{"value":2}}"#;
    assert_eq!(done["outputs"].to_string(), outputs);
    assert_eq!((&done["agent_hop_count"], &done["metadata"]), (&json!(3), &json!({})));
    assert_eq!(std::fs::read_to_string(yard.path("paid")).expect("it is there"), "paid\n");
}

#[test]
fn nobody_can_stop_after_one_of_several_at_once() {
    let yard = Yard::new();
    let race = yard.file("race.toml", race("first"));
    let told = yard.run(&["run", &race, "--until", "first"]).fails(2, "UNKNOWN_STAGE");
    told.telling("--until both stops when all of them are done");
    let args = ["--pipeline", race.as_str(), "--until", "first"];
    yard.process(yard.envelope("?", &[]), &args).exits(1).naming("UNKNOWN_STAGE");
    yard.run(&["run", &race, "--until", "both"]).exits(0);
}

#[test]
fn a_stage_whose_members_fail_says_which() {
    let yard = Yard::new();
    let race = race("second").replace("cat >/dev/null; echo", "exit 3; echo");
    let race = yard.file("race.toml", race);
    let envelope = yard.processed(yard.envelope("?", &[]), &["--pipeline", &race]);
    assert_eq!(envelope["current_stage"], json!("both"));
    let why = text(&envelope, "termination_reason");
    assert!(
        why.starts_with("Stage both failed in first: the program ended with exit code 3"),
        "{why}"
    );
    let told = "error[EXIT_STATUS]: Stage both failed in first: ";
    yard.run(&["run", &race]).exits(1).telling(told);
}

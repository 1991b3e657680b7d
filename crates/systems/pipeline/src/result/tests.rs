use super::*;
use crate::envelope::{MOST_BYTES, read};

/// An envelope with this history, `AGENT STATUS ORDER WHOLE KEY` each with `-` for nothing, and these
/// outputs.
fn envelope(history: &[&str], outputs: &str) -> Envelope {
    let record = |line: &&str| {
        let words: Vec<_> = line.split(' ').collect();
        let member = |name: &str, at: usize| match words.get(at) {
            None | Some(&"-") => String::new(),
            Some(word) => format!(", {name:?}: {word:?}"),
        };
        format!(
            r#"{{"agent": {:?}, "stage_order": {}, "started_at": "2025-12-10T10:00:00Z", "status": {:?}{}{}}}"#,
            words[0],
            words[2],
            words[1],
            member("parallel", 3),
            member("output_key", 4)
        )
    };
    let history: Vec<_> = history.iter().map(record).collect();
    let text = format!(
        r#"{{"envelope_id": "env_0123456789abcdef", "request_id": "req_0123456789abcdef",
            "user_id": "ada", "session_id": "sess_0123456789abcdef", "raw_input": "?",
            "received_at": "2025-12-10T10:00:00Z", "outputs": {outputs}, "current_stage": "end",
            "stage_order": ["a"], "terminated": true, "processing_history": [{}]}}"#,
        history.join(", ")
    );
    read(text.as_bytes(), MOST_BYTES).unwrap_or_else(|why| panic!("{why}: {text}"))
}

#[track_caller]
fn check(history: &[&str], outputs: &str, expected: Option<(&str, &str)>) {
    let envelope = envelope(history, outputs);
    let found = result(&envelope);
    let found = found.map(|(key, output)| (key, Json::Object(output.into_owned()).to_string()));
    assert_eq!(found, expected.map(|(key, output)| (key, output.to_owned())));
}

const THREE: &str = r#"{"a": {"n": 1}, "b": {"n": 2}, "c": {"n": 3}}"#;

#[test]
fn of_stages_one_after_the_other_the_last_counts() {
    check(&["a success 1", "b success 2"], THREE, Some(("b", r#"{"n":2}"#)));
    check(&["a success 1", "b error 2"], THREE, Some(("a", r#"{"n":1}"#)));
    check(&["a success 1", "b success 2 - c"], THREE, Some(("c", r#"{"n":3}"#)));
    check(&[], THREE, Some(("c", r#"{"n":3}"#)));
    check(&["a success 1"], "{}", None);
}

#[test]
fn an_answer_comes_before_whatever_was_last() {
    let outputs = r#"{"integration": {"final_response": "yes"}, "a": {}}"#;
    let expected = Some(("integration", r#"{"final_response":"yes"}"#));
    check(&["integration success 1", "a success 2"], outputs, expected);
}

#[test]
fn of_stages_at_once_all_count_in_the_order_of_the_pipeline() {
    let all = Some(("all", r#"{"b":{"n":2},"c":{"n":3}}"#));
    check(&["a success 1", "b success 3 all", "c success 4 all"], THREE, all);
    check(&["a success 1", "c success 4 all", "b success 3 all"], THREE, all);
    check(&["b success 3 all", "c success 4 all", "a success 1"], THREE, Some(("a", r#"{"n":1}"#)));
    // Another group before this one is another turn.
    check(&["a success 1 two", "c success 4 all", "b success 3 all"], THREE, all);
}

#[test]
fn of_stages_at_once_only_the_last_time_counts() {
    let one = Some(("all", r#"{"c":{"n":3}}"#));
    let before = ["b success 3 all", "c success 4 all"];
    for now in [["b error 3 all", "c success 4 all"], ["c success 4 all", "b error 3 all"]] {
        check(&[before, now].concat(), THREE, one);
    }
    // A model that gave nothing is no failure of the stage.
    let fell_back = ["b error 3 all", "c success 4 all", "b success 3 all"];
    check(&fell_back, THREE, Some(("all", r#"{"b":{"n":2},"c":{"n":3}}"#)));
}

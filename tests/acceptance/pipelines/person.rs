//! A person as a stage: asked in a run, in the pipe and over HTTP, and answered by a person only.

use serde_json::{Value, json};

use super::yard::{Yard, history, keeps};
use crate::{
    home::until,
    mcp::Conversation,
    support::{Outcome, text},
};

/// A program writes a text, a person says yes or no, a program that must not be called twice counts that it was.
const RELEASE: &str = r#"
name = "release"

[[stage]]
name = "draft"
agent.effect = "pure"
agent.subprocess = { command = ["echo", "version 2"], answers = "text" }
default_next = "approve"

[[stage]]
name = "approve"
person = { ask = "approval", prompt = "Release {{outputs.draft.text}}?" }
default_next = "release"

[[stage]]
name = "release"
agent.effect = "unsafe"
agent.subprocess = { command = ["sh", "-c", "echo once >> released; wc -l < released"], answers = "text" }
default_next = "end"
"#;

/// A person chooses, and another stage says what was chosen.
const CHOICE: &str = r#"
name = "choice"

[[stage]]
name = "title"
person = { ask = "form", prompt = "What is it called?" }
default_next = "colour"

[[stage]]
name = "colour"
default_next = "paint"

[stage.person]
ask = "form"
prompt = "Which colour has {{outputs.title.text}}?"
schema = { type = "object", required = ["colour"], properties = { colour = { enum = ["red", "blue"] } }, additionalProperties = false }

[[stage]]
name = "paint"
agent.effect = "pure"
agent.subprocess = { command = ["cat"], answers = "text" }
input = "{{outputs.colour.colour}} {{outputs.title.text}}"
default_next = "end"
"#;

const ASKED: &str = "Release version 2?\n\nIf you approve, `release` runs next (unsafe: it cannot be repeated). If you \
                     reject, the run ends as denied.";

fn started(yard: &Yard) -> String {
    let pipeline = yard.file("release.toml", RELEASE);
    let run = yard.durable(&pipeline, &json!({}), &[], 43);
    assert_eq!(run["status"], "waiting");
    text(&run, "id").to_owned()
}

fn released(yard: &Yard) -> usize {
    std::fs::read_to_string(yard.path("released")).map_or(0, |text| text.lines().count())
}

fn asked(yard: &Yard, run: &str) -> Value {
    let asked = yard.run(&["inbox", "--run", run, "--json"]).exits(0).json();
    keeps("engine/interaction", &asked);
    asked
}

fn show(yard: &Yard, run: &str) -> Value {
    yard.home.show(run)
}

#[test]
fn an_approval_waits_in_the_inbox_and_says_what_happens_next() {
    let yard = Yard::new();
    let run = started(&yard);
    let ask = asked(&yard, &run);
    assert_eq!((text(&ask, "kind"), text(&ask, "interaction")), ("approval", "approve-2"));
    assert_eq!(text(&ask, "prompt"), ASKED);
    assert!(ask.get("agent").is_none_or(Value::is_null), "{ask}");
    let shown = yard.run(&["runs", "show", &run]).exits(0).stdout;
    assert!(shown.contains(&format!("consign runs approve {run} approve-2")), "{shown}");
    assert!(shown.contains(&format!("consign runs reject {run} approve-2 --why")), "{shown}");
    // Programs that act as agents do not see it.
    let listed = Conversation::begin(&yard.home).call("inbox_list", &json!({}));
    assert!(!listed.to_string().contains("approve-2"), "{listed}");

    yard.run(&["runs", "answer", &run, "--value", "\"yes\""]).fails(1, "CONTRACT_BREACH");
    assert_eq!(released(&yard), 0);
    yard.run(&["runs", "approve", &run, "--why", "checked"]).exits(0);
    let run = show(&yard, &run);
    let outputs = &run["output"]["outputs"];
    assert_eq!(outputs["release"]["text"], "1");
    assert_eq!(
        (&outputs["approve"]["approved"], &outputs["approve"]["why"]),
        (&json!(true), &json!("checked"))
    );
    assert!(text(&outputs["approve"], "by").starts_with("cli:"), "{outputs}");
    let points = yard.run(&["runs", "points", text(&run, "id"), "--json"]).exits(0).stdout;
    assert!(points.contains("\"approve\""), "{points}");
    yard.run(&["runs", "verify", text(&run, "id")]).exits(0);
}

#[test]
fn a_rejection_ends_the_run_as_denied_and_a_retry_asks_again() {
    let yard = Yard::new();
    let run = started(&yard);
    yard.run(&["runs", "reject", &run, "--why", "the changelog is missing"]).exits(0);
    let ended = show(&yard, &run);
    assert_eq!(
        (&ended["status"], &ended["fault"]["code"]),
        (&json!("failed"), &json!("DENIED_BY_POLICY"))
    );
    let told = text(&ended["fault"], "message");
    assert!(told.starts_with("Stage approve was rejected by cli:"), "{told}");
    assert!(told.ends_with(": the changelog is missing"), "{told}");
    let again = yard.run(&["runs", "retry", &run, "--json"]).exits(43).json();
    yard.run(&["runs", "approve", text(&again, "id")]).exits(0);
    assert_eq!(show(&yard, text(&again, "id"))["status"], "succeeded");
    assert_eq!(released(&yard), 1);
}

#[test]
fn a_rejection_goes_where_its_route_or_error_next_leads() {
    let yard = Yard::new();
    let more = "\n[[stage]]\nname = \"shelve\"\nagent = \"pass\"\ndefault_next = \"end\"\n";
    let with = |way: &str| {
        let asks = "Release {{outputs.draft.text}}?\" }\n";
        format!("{}{more}", RELEASE.replace(asks, &format!("{asks}{way}\n")))
    };
    let route = "route = [{ key = \"approved\", equals = false, to = \"shelve\" }]";
    for way in [route, "error_next = \"shelve\""] {
        let pipeline = yard.file("ways.toml", with(way));
        let run = yard.durable(&pipeline, &json!({}), &[], 43);
        let ask = asked(&yard, text(&run, "id"));
        assert!(text(&ask, "prompt").ends_with("If you reject, `shelve` runs next."), "{ask}");
        yard.run(&["runs", "answer", text(&run, "id"), "--value", "false"]).exits(0);
        let ended = show(&yard, text(&run, "id"));
        assert_eq!(ended["status"], "succeeded", "{ended}");
        assert_eq!(ended["output"]["outputs"]["approve"]["approved"], false);
        assert_eq!(ended["output"]["errors"], json!([]));
    }
    let checked = yard.run(&["pipeline", "check", "ways.toml"]).exits(0).stdout;
    assert!(checked.contains("a person: approval"), "{checked}");
    assert!(checked.contains("release (approved)"), "{checked}");
    assert!(checked.contains("shelve (rejected, failed)"), "{checked}");
    let drawn = yard.run(&["pipeline", "draw", "ways.toml", "--format", "mermaid"]).exits(0).stdout;
    assert!(drawn.contains("a person: approval"), "{drawn}");
    let worst = yard.run(&["pipeline", "check", "ways.toml", "--json"]).exits(0).json();
    // Two programs with three tries each, and `pass`; a person is no call and costs nothing.
    assert_eq!(worst["worst"]["hops"], 3, "{worst}");
}

#[test]
fn an_agent_is_refused_and_a_person_is_heard_on_every_surface() {
    let yard = Yard::new();
    let run = started(&yard);
    let answer = json!({"run": run, "interaction": "approve-2", "value": {"approved": true}});
    let refused = Conversation::begin(&yard.home).refused("inbox_answer", &answer);
    assert!(refused.to_string().contains("PERSON_REQUIRED"), "{refused}");
    assert_eq!(yard.home.status(&run), "waiting");
    let said = Conversation::begin_with(&yard.home, &["--as-person"]).call("inbox_answer", &answer);
    assert!(!said.to_string().contains("PERSON_REQUIRED"), "{said}");
    yard.run(&["runs", "resume", &run]);
    let ended = yard.until_over(&run);
    assert!(text(&ended["output"]["outputs"]["approve"], "by").starts_with("mcp:"), "{ended}");

    let server = yard.serve(&[]);
    let run = started(&yard);
    let body = json!({"value": {"approved": false, "why": "no"}});
    server.post(&format!("/api/runs/{run}/answers/approve-2"), &body).is(200);
    let ended = yard.until_over(&run);
    assert!(
        text(&ended["fault"], "message").starts_with("Stage approve was rejected by http:"),
        "{ended}"
    );
}

#[test]
fn a_form_takes_values_that_fit_and_gives_them_on() {
    let yard = Yard::new();
    let pipeline = yard.file("choice.toml", CHOICE);
    let run = yard.durable(&pipeline, &json!({}), &[], 43);
    let run = text(&run, "id");
    assert_eq!(text(&asked(&yard, run), "kind"), "clarification");
    yard.run(&["runs", "answer", run, "--value", "\"\""]).fails(1, "CONTRACT_BREACH");
    yard.run(&["runs", "answer", run, "--value", "\"the door\""]).exits(0);
    let ask = asked(&yard, run);
    assert!(text(&ask, "prompt").starts_with("Which colour has the door?"), "{ask}");
    yard.run(&["runs", "approve", run]).fails(1, "INTERACTION_NOT_FOUND");
    yard.run(&["runs", "answer", run, "--value", r#"{"colour": "green"}"#])
        .fails(1, "CONTRACT_BREACH");
    yard.run(&["runs", "answer", run, "--value", r#"{"colour": "blue"}"#]).exits(0);
    let outputs = &show(&yard, run)["output"]["outputs"];
    assert_eq!(outputs["title"], json!({"text": "the door"}));
    assert_eq!(outputs["colour"], json!({"colour": "blue"}));
    assert_eq!(outputs["paint"]["text"], "\"blue the door\"");
}

/// Takes an envelope through a pipeline by the pipe or over HTTP.
fn both_ways(yard: &Yard, pipeline: &str, check: impl Fn(&dyn Fn(&Value) -> Value)) {
    check(&|envelope| yard.processed(envelope, &["--pipeline", pipeline]));
    let server = yard.serve(&["--pipeline", pipeline]);
    check(&|envelope| server.processed("", envelope));
}

#[test]
fn an_approval_pauses_an_envelope_and_goes_on_when_it_comes_back_with_the_answer() {
    let yard = Yard::new();
    let pipeline = yard.file("release.toml", RELEASE);
    both_ways(&yard, &pipeline, |send| {
        let before = released(&yard);
        let paused = send(&yard.envelope("?", &[]));
        assert_eq!(paused["terminal_reason"], "confirmation_required");
        assert_eq!(
            (&paused["confirmation_pending"], &paused["current_stage"]),
            (&json!(true), &json!("approve"))
        );
        assert_eq!(text(&paused, "confirmation_message"), ASKED);
        assert_eq!(send(&paused), paused, "without an answer it comes back as it was");
        let said = |yes: bool| {
            let mut envelope = paused.clone();
            envelope["confirmation_response"] = json!(yes);
            send(&envelope)
        };
        let no = said(false);
        assert_eq!(no["terminal_reason"], "denied_by_policy");
        assert_eq!(text(&no, "termination_reason"), "Stage approve was rejected by envelope");
        assert_eq!(released(&yard), before);
        let yes = said(true);
        assert_eq!(yes["terminal_reason"], "completed_successfully", "{yes}");
        assert_eq!(
            yes["outputs"]["approve"],
            json!({"approved": true, "why": null, "by": "envelope"})
        );
        let stages: Vec<_> = history(&yes).into_iter().map(|(stage, _)| stage).collect();
        assert_eq!(stages, ["draft", "approve", "release"]);
        assert_eq!(
            (&yes["agent_hop_count"], &yes["confirmation_pending"]),
            (&json!(3), &json!(false))
        );
        assert_eq!(yes["metadata"], json!({}));
    });
    // `--until` stops after the person, and before.
    let envelope = yard.envelope("?", &[]);
    let until = |envelope: &Value, stage: &str| {
        yard.processed(envelope, &["--pipeline", &pipeline, "--until", stage])
    };
    assert_eq!(until(&envelope, "draft")["current_stage"], "approve");
    let mut paused = until(&envelope, "approve");
    assert_eq!(paused["terminal_reason"], "confirmation_required");
    paused["confirmation_response"] = json!(true);
    assert_eq!(until(&paused, "approve")["current_stage"], "release");
}

#[test]
fn a_form_pauses_an_envelope_and_takes_text_or_json() {
    let yard = Yard::new();
    let pipeline = yard.file("choice.toml", CHOICE);
    both_ways(&yard, &pipeline, |send| {
        let says = |envelope: &Value, text: &str| {
            let mut envelope = envelope.clone();
            envelope["clarification_response"] = json!(text);
            send(&envelope)
        };
        let first = send(&yard.envelope("?", &[]));
        assert_eq!(first["clarification_pending"], true);
        let second = says(&first, "the door");
        assert_eq!(second["outputs"]["title"], json!({"text": "the door"}));
        assert_eq!(second["current_stage"], "colour");
        let wrong = says(&second, r#"{"colour": "green"}"#);
        assert_eq!(
            (&wrong["current_stage"], &wrong["clarification_response"]),
            (&json!("colour"), &json!(null))
        );
        assert_eq!(wrong["errors"][0]["error_type"], "CONTRACT_BREACH", "{wrong}");
        let done = says(&wrong, r#"{"colour": "red"}"#);
        assert_eq!(done["terminal_reason"], "completed_successfully", "{done}");
        assert_eq!(done["outputs"]["paint"]["text"], "\"red the door\"");
        assert_eq!(done["clarification_response"], json!(null));
    });
}

#[test]
fn a_durable_envelope_brings_its_answer_back_to_its_run() {
    let yard = Yard::new();
    let pipeline = yard.file("release.toml", RELEASE);
    let server = yard.serve(&["--pipeline", &pipeline]);
    let (run, mut paused) = server.durable(&yard.envelope("?", &[]));
    assert_eq!(paused["confirmation_pending"], true);
    assert!(paused["metadata"].get("waits").is_none(), "{paused}");
    paused["confirmation_response"] = json!(true);
    let (again, done) = server.durable(&paused);
    assert_eq!(again, run);
    assert_eq!(done["terminal_reason"], "completed_successfully", "{done}");
    assert!(text(&done["outputs"]["approve"], "by").starts_with("http:"), "{done}");
    assert_eq!(released(&yard), 1);
}

#[test]
fn a_deadline_passes_and_its_default_counts() {
    let yard = Yard::new();
    let with = |more: &str| {
        let person = "prompt = \"Release {{outputs.draft.text}}?\"";
        let text = RELEASE.replace(person, &format!("{person}, deadline = \"1s\"{more}"));
        yard.file("late.toml", text)
    };
    let start = |pipeline: &str| {
        let run = yard.durable(pipeline, &json!({}), &["--detach"], 0);
        text(&run, "id").to_owned()
    };
    let _worker = yard.home.worker();
    let yes = yard.until_over(&start(&with(", default = true")));
    assert_eq!(
        yes["output"]["outputs"]["approve"],
        json!({"approved": true, "why": null, "by": null})
    );
    let late = start(&with(""));
    let failed = yard.until_over(&late);
    let envelope = &failed["fault"]["details"]["envelope"];
    assert_eq!(envelope["errors"][0]["error_type"], "DEADLINE_PASSED", "{failed}");
    assert_eq!(envelope["current_stage"], "approve");
    let answered: Outcome = yard.run(&["runs", "approve", &late]);
    answered.fails(1, "INVALID_STATE");
    until("the inbox is empty", || {
        yard.run(&["inbox", "--json"]).exits(0).stdout.is_empty().then_some(())
    });
}

#[test]
fn what_is_wrong_with_a_person_is_told_with_its_line() {
    let yard = Yard::new();
    let person = "prompt = \"Release {{outputs.draft.text}}?\"";
    let with = |more: &str| RELEASE.replace(person, &format!("{person}, {more}"));
    for (more, told) in [
        ("deadline = \"2 hours\"", "write a duration such as \"90s\", \"30m\", \"2h\" or \"7d\""),
        ("deadline = \"2h\", default = \"yes\"", "the default of \"approve\" is no answer"),
        ("schema = { type = \"boolean\" }", "`schema` is for ask = \"form\""),
    ] {
        let pipeline = yard.file("wrong.toml", with(more));
        let refused = yard.run(&["pipeline", "check", &pipeline]).fails(1, "PIPELINE_INVALID");
        assert!(
            refused.stderr.contains(told) && refused.stderr.contains("wrong.toml:12:"),
            "{refused:#?}"
        );
    }
}

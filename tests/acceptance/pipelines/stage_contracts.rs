//! Whoever answers in place of a built-in agent is held to the contract of its stage, whichever way the
//! envelope takes: the pipe, a request, a durable run.

use serde_json::{Value, json};

use super::{
    three_ways::repository,
    yard::{Yard, history, timeless},
};
use crate::support::text;

/// A pipeline with one stage, which a built-in agent does.
fn one_stage(yard: &Yard, agent: &str) -> String {
    let pipeline = format!("name = \"one\"\n[[stage]]\nname = \"work\"\nagent = \"{agent}\"\n");
    yard.file(&format!("{agent}.toml"), pipeline)
}

fn script(yard: &Yard, name: &str, entries: &Value) -> String {
    yard.file(name, entries.to_string())
}

/// What breaks the contract of each stage, and where.
fn wrong_outputs() -> [(&'static str, Value, &'static str); 8] {
    [
        ("perception", json!({"normalized_input": 7}), "/normalized_input"),
        ("intent", json!({"intent": "explain", "goals": "to know"}), "/goals"),
        ("plan", json!({"plan_id": "p", "steps": [{"tool": "glob"}]}), "/steps/0"),
        ("execution", json!({"status": "banana", "results": [], "evidence": []}), "/status"),
        ("critic", json!({"verdict": "fine"}), "/verdict"),
        ("critic", json!({"feedback": "none"}), ""),
        ("critic", json!("approved"), ""),
        ("integration", json!({"final_response": ["text"]}), "/final_response"),
    ]
}

#[test]
fn a_script_in_place_of_a_built_in_agent_keeps_the_contract_of_its_stage() {
    let yard = Yard::new();
    let repo = repository(&yard);
    for (agent, output, pointer) in wrong_outputs() {
        let pipeline = one_stage(&yard, agent);
        let entries = json!([{"agent": agent, "response": output, "times": 0}]);
        let script = script(&yard, "script.json", &entries);
        let options = ["--repo", &repo, "--agent-script", &script];
        let envelope = yard.envelope("hello", &[]);
        let piped = [&["--pipeline", &pipeline], &options[..]].concat();
        let carried = yard.processed(&envelope, &piped);
        assert_eq!(carried["terminal_reason"], "tool_failed_fatally", "{agent}: {carried}");
        assert_eq!(carried["outputs"], json!({}), "{agent}: nothing is kept of it");
        assert_eq!(history(&carried), [("work".to_owned(), "error".to_owned())]);
        let error = &carried["errors"][0];
        assert_eq!(error["error_type"], "CONTRACT_BREACH", "{agent}: {error}");
        let told = format!("the output of {agent} breaks its contract: ");
        assert!(text(error, "message").starts_with(&told), "{error}");
        assert_eq!(error["details"]["breaches"][0]["pointer"], pointer, "{agent}: {error}");
        // By the other two ways it comes to the same.
        let run = yard.durable(&pipeline, &envelope, &options, 1);
        assert_eq!(run["fault"]["code"], "CONTRACT_BREACH", "{agent}: {run}");
        let details = &run["fault"]["details"];
        assert_eq!(details["terminal_reason"], "tool_failed_fatally", "{agent}: {run}");
        let failed = &run["fault"]["details"]["envelope"];
        assert_eq!(timeless(failed), timeless(&carried), "{agent}");
        let events = yard.events(text(&run, "id"));
        let failed = events.iter().find(|event| event["kind"] == "call_failed");
        assert_eq!(
            failed.map(|event| &event["body"]["fault"]["code"]),
            Some(&json!("CONTRACT_BREACH"))
        );
        let server = yard.serve(&piped);
        assert_eq!(timeless(&server.processed("", &envelope)), timeless(&carried), "{agent}");
        let (_, durable) = server.durable(&envelope);
        assert_eq!(timeless(&durable), timeless(&carried), "{agent}");
    }
}

#[test]
fn what_keeps_the_contract_is_taken_and_goes_on() {
    let yard = Yard::new();
    let repo = repository(&yard);
    let entries = json!([
        {"agent": "perception", "response": {"normalized_input": "hello", "of_its_own": 1}},
        {"agent": "intent", "response": {"intent": "explain", "goals": ["know"]}},
        {"agent": "plan", "response": {"plan_id": "p", "steps": []}},
        {"agent": "execution", "response": {"status": "success", "results": [], "evidence": []}},
        {"agent": "critic", "response": {"verdict": "approved", "satisfied_goals": ["know"]}},
        {"agent": "integration", "response": "{\"final_response\": \"so it is\"}"},
    ]);
    let script = script(&yard, "script.json", &entries);
    let envelope = yard.envelope("hello", &[]);
    let done = yard.processed(&envelope, &["--repo", &repo, "--agent-script", &script]);
    assert_eq!(done["terminal_reason"], "completed_successfully", "{done}");
    assert_eq!(done["outputs"]["perception"]["of_its_own"], 1, "the contracts are open");
    assert_eq!(done["outputs"]["integration"]["final_response"], "so it is");
}

/// A breach is a failure like any other: `error_next` is where it goes.
#[test]
fn a_stage_whose_contract_was_broken_has_failed() {
    let yard = Yard::new();
    let repo = repository(&yard);
    let pipeline = yard.file(
        "judged.toml",
        "name = \"judged\"\n[[stage]]\nname = \"critic\"\nagent = \"critic\"\nerror_next = \"rest\"\n\
         default_next = \"rest\"\n[[stage]]\nname = \"rest\"\nagent = \"pass\"\n",
    );
    let entries = json!([
        {"agent": "critic", "response": {"verdict": "fine"}},
        {"agent": "pass", "response": {}},
    ]);
    let script = script(&yard, "script.json", &entries);
    let options = ["--pipeline", &pipeline, "--repo", &repo, "--agent-script", &script];
    let done = yard.processed(yard.envelope("hello", &[]), &options);
    assert_eq!(done["terminal_reason"], "completed_successfully", "{done}");
    assert_eq!(done["outputs"], json!({"rest": {}}));
    assert_eq!(done["errors"][0]["error_type"], "CONTRACT_BREACH");
}

/// What a model says for a built-in agent is held to the contract, and then the agent does without it.
#[test]
fn a_model_that_breaks_the_contract_of_a_stage_is_not_believed() {
    let yard = Yard::new();
    let repo = repository(&yard);
    let entries =
        json!([{"agent": "*", "response": {"verdict": "fine"}, "times": 0, "llm_calls": 1}]);
    let model = format!("scripted:{}", script(&yard, "model.json", &entries));
    let envelope = yard.envelope("who calls hash_password?", &["--max-llm-calls", "100"]);
    let done = yard.processed(&envelope, &["--repo", &repo, "--model", &model]);
    assert_eq!(done["terminal_reason"], "completed_successfully", "{done}");
    assert_eq!(done["outputs"]["critic"]["verdict"], "approved", "{done}");
    assert!(history(&done).contains(&("critic".to_owned(), "error".to_owned())), "{done}");
}

/// Agents of the pipeline's own have their own contracts, whatever their stage is called.
#[test]
fn an_agent_of_the_pipelines_own_keeps_its_own_contract() {
    let yard = Yard::new();
    let own = |rest: &str| {
        format!(
            "name = \"own\"\n[[stage]]\nname = \"critic\"\nagent.effect = \"pure\"\n{rest}\
             agent.subprocess.command = [\"sh\", \"-c\", \"cat > /dev/null; echo '{{\\\"verdict\\\": \\\"fine\\\"}}'\"]\n"
        )
    };
    let free = yard.file("free.toml", own(""));
    let done = yard.processed(yard.envelope("hello", &[]), &["--pipeline", &free]);
    assert_eq!(done["outputs"]["critic"], json!({"verdict": "fine"}));
    let held = yard.file("held.toml", own("agent.contract.output = \"envelope/output.critic\"\n"));
    let failed = yard.processed(yard.envelope("hello", &[]), &["--pipeline", &held]);
    assert_eq!(failed["errors"][0]["error_type"], "CONTRACT_BREACH");
}

//! The same envelope by three ways: begun in the pipe, gone on over HTTP, ended as a run, it is what it would
//! have been had it stayed in the pipe.

use serde_json::{Value, json};

use super::{
    process::asking,
    yard::{Yard, timeless},
};
use crate::support::text;

/// Stages that loop once and remember: every one of them adds to what came before.
const LOOPS: &str = r#"
name = "loops"
[[stage]]
name = "collect"
output_key = "intent"
agent.effect = "pure"
agent.subprocess.command = ["python3", "step.py", "collect"]
default_next = "plan"
[[stage]]
name = "plan"
agent.effect = "pure"
agent.subprocess.command = ["python3", "step.py", "plan"]
default_next = "critic"
[[stage]]
name = "critic"
agent.effect = "pure"
agent.subprocess.command = ["python3", "step.py", "critic"]
default_next = "integration"
[[stage]]
name = "integration"
agent.effect = "pure"
agent.subprocess.command = ["python3", "step.py", "integration"]
"#;

const STEP_PY: &str = r#"
import json, sys
envelope, me = json.load(sys.stdin), sys.argv[1]
seen = [record["agent"] for record in envelope["processing_history"]]
feedback, outputs = envelope["critic_feedback"], sorted(envelope["outputs"])
if me == "collect":
    out = {"intent": "explain", "goals": ["a", "b"], "feedback": feedback}
elif me == "plan":
    out = {"plan_id": f"plan-{len(seen)}", "steps": [], "left": envelope["remaining_goals"]}
elif me == "critic":
    if envelope["iteration"] == 0:
        out = {"verdict": "reintent", "feedback": "again"}
    elif envelope["current_stage_number"] == 1:
        out = {"verdict": "next_stage", "satisfied_goals": ["a"]}
    else:
        out = {"verdict": "approved", "satisfied_goals": ["b"]}
else:
    out = {"final_response": " ".join(seen), "citations": []}
out["seen"], out["outputs"] = seen, outputs
json.dump(out, sys.stdout)
"#;

fn loops(yard: &Yard) -> String {
    yard.file("step.py", STEP_PY);
    yard.file("loops.toml", LOOPS)
}

#[test]
fn programs_that_loop_come_to_the_same_whichever_way_the_envelope_takes() {
    let yard = Yard::new();
    let pipeline = loops(&yard);
    let envelope = yard.envelope("hello", &[]);
    let stayed = yard.processed(&envelope, &["--pipeline", &pipeline]);
    assert_eq!(stayed["terminal_reason"], "completed_successfully");
    let seen = "collect plan critic collect plan critic plan critic";
    assert_eq!(stayed["outputs"]["integration"]["final_response"], seen);
    let server = yard.serve(&["--pipeline", &pipeline]);
    // Each of the ways for each of the three legs.
    let pipe = |envelope: &Value, until: &[&str]| {
        yard.processed(envelope, &[&["--pipeline", &pipeline], until].concat())
    };
    let by_run = |envelope: &Value, until: &[&str]| {
        let run = yard.durable(&pipeline, envelope, until, 0);
        run["output"].clone()
    };
    let legs: [&[&str]; 3] = [&["--until", "collect"], &["--until", "critic"], &[]];
    for order in [[0, 1, 2], [1, 2, 3], [2, 3, 0], [3, 0, 1], [3, 3, 3], [2, 2, 2], [1, 3, 2]] {
        let mut envelope = envelope.clone();
        for (leg, way) in legs.iter().zip(order) {
            let query = leg.get(1).map(|until| format!("until={until}")).unwrap_or_default();
            envelope = match way {
                0 => pipe(&envelope, leg),
                1 => server.processed(&format!("?{query}"), &envelope),
                2 => server.processed(&format!("?durable=true&{query}"), &envelope),
                _ => by_run(&envelope, leg),
            };
        }
        assert_eq!(timeless(&envelope), timeless(&stayed), "{order:?}");
    }
    yard.run(&["runs", "verify", "--all"]).exits(0);
}

#[test]
fn a_question_that_is_asked_here_is_answered_there() {
    let yard = Yard::new();
    let pipeline = asking(&yard);
    let server = yard.serve(&["--pipeline", &pipeline]);
    let envelope = yard.envelope("hello", &[]);
    let answer = |envelope: &Value, said: &str| {
        let mut envelope = envelope.clone();
        envelope["clarification_response"] = json!(said);
        envelope
    };
    let pipe = |envelope: &Value| yard.processed(envelope, &["--pipeline", &pipeline]);
    // It stays in the pipe.
    let asked = pipe(&answer(&pipe(&envelope), "one"));
    let mut asked = pipe(&answer(&asked, "two"));
    asked["confirmation_response"] = json!(true);
    let stayed = pipe(&asked);
    assert_eq!(stayed["terminal_reason"], "completed_successfully");
    // Asked in the pipe, answered over HTTP; asked there, answered as a run, and in that run's inbox.
    let first = pipe(&envelope);
    let second = server.processed("", &answer(&first, "one"));
    assert_eq!(second["clarification_question"], "What is number 2?");
    let run = yard.durable(&pipeline, &answer(&second, "two"), &[], 43);
    let id = text(&run, "id");
    assert_eq!(run["waits"][0]["kind"], "confirmation", "{run}");
    server
        .post(
            &format!("/api/runs/{id}/answers/{}", text(&run["waits"][0], "interaction")),
            &json!({"value": true}),
        )
        .is(200);
    // The command that began it is gone: the server goes on with it.
    crate::home::until("the server has finished it", || {
        (yard.home.show(id)["status"] == "succeeded").then_some(())
    });
    let done = yard.home.show(id);
    assert_eq!(timeless(&done["output"]), timeless(&stayed));
    // Asked by a durable request, answered in the pipe.
    let (_, first) = server.durable(&yard.envelope("hello", &[]));
    let second = pipe(&answer(&first, "one"));
    let (_, mut third) = server.durable(&answer(&second, "two"));
    assert_eq!(third["confirmation_pending"], true, "{third}");
    third["confirmation_response"] = json!(true);
    let done = pipe(&third);
    assert_eq!(done["outputs"], stayed["outputs"]);
    assert_eq!(done["terminal_reason"], "completed_successfully");
}

/// A small repository with something to find.
pub(crate) fn repository(yard: &Yard) -> String {
    yard.file("repo/src/auth.py", "import hashlib\n\n\ndef login(name, password):\n    \"\"\"Check the password of a user and open a session.\"\"\"\n    digest = hash_password(password)\n    return open_session(name, digest)\n\n\ndef hash_password(password):\n    return hashlib.sha256(password.encode()).hexdigest()\n\n\ndef open_session(name, digest):\n    return {\"user\": name, \"digest\": digest}\n");
    yard.file("repo/src/shop.py", "from auth import login\n\n\ndef checkout(cart, name, password):\n    session = login(name, password)\n    return sum(item.price for item in cart), session\n");
    yard.file(
        "repo/README.md",
        "# Shop\n\nAuthentication is in src/auth.py: a password is hashed, never kept.\n",
    );
    yard.path("repo").display().to_string()
}

#[test]
fn the_built_in_agents_come_to_the_same_whichever_way_the_envelope_takes() {
    let yard = Yard::new();
    let repo = repository(&yard);
    let server = yard.serve(&["--repo", &repo]);
    let default = yard.file(
        "default.toml",
        include_str!("../../../crates/systems/pipeline/src/file/default.toml"),
    );
    let envelope = yard.envelope("who calls hash_password?", &[]);
    let stayed = yard.processed(&envelope, &["--repo", &repo]);
    assert_eq!(stayed["terminal_reason"], "completed_successfully", "{stayed}");
    let cited = stayed["outputs"]["integration"]["citations"].to_string();
    assert!(cited.contains("src/auth.py:6"), "{cited}");
    let intent = yard.processed(&envelope, &["--repo", &repo, "--until", "intent"]);
    let executed = server.processed("?until=execution", &intent);
    let run = yard.durable(&default, &executed, &["--repo", &repo], 0);
    assert_eq!(timeless(&run["output"]), timeless(&stayed));
    let (_, durable) = server.durable(&intent);
    assert_eq!(timeless(&durable), timeless(&stayed));
}

#[test]
fn the_built_in_agents_ask_in_the_pipe_and_hear_the_answer_anywhere() {
    let yard = Yard::new();
    let repo = repository(&yard);
    let server = yard.serve(&["--repo", &repo]);
    let asked = yard.processed(yard.envelope("what?", &[]), &["--repo", &repo]);
    assert_eq!(
        (&asked["clarification_pending"], &asked["terminated"]),
        (&json!(true), &json!(false)),
        "{asked}"
    );
    let mut answered = asked.clone();
    answered["clarification_response"] = json!("who calls hash_password?");
    let in_the_pipe = yard.processed(&answered, &["--repo", &repo]);
    assert_eq!(in_the_pipe["terminal_reason"], "completed_successfully", "{in_the_pipe}");
    assert_eq!(timeless(&server.processed("", &answered)), timeless(&in_the_pipe));
    assert_eq!(timeless(&server.durable(&answered).1), timeless(&in_the_pipe));
    // The run that asks it itself, answered by the command line.
    let (run, waiting) = server.durable(&asked);
    assert_eq!(waiting["clarification_pending"], true);
    yard.run(&["runs", "answer", &run, "--value", "\"who calls hash_password?\""]).exits(0);
    assert_eq!(timeless(&yard.until_over(&run)["output"]), timeless(&in_the_pipe));
}

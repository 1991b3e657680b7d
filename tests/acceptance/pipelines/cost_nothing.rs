//! `--cost 0`: what is free runs, what is paid does not, and what it would take is said.

use std::fs;

use serde_json::json;

use super::{
    process::{TWO, asking},
    three_ways::repository,
    yard::Yard,
};
use crate::{
    models::{Double, with_keys},
    support::text,
};

/// Programs without a declared cost, and agents of the pipeline's own that declare that they are free.
#[test]
fn programs_of_this_machine_run_whichever_way_the_envelope_takes() {
    let yard = Yard::new();
    let (two, asks) = (yard.file("two.toml", TWO), asking(&yard));
    let run = yard.run(&["run", &two, "--input", "\"hello\"", "--cost", "0"]).exits(0);
    assert_eq!(run.stdout, "{\"a\":1,\"asked\":\"hello\"}\n");
    let run = run.telling(": up to 6 calls, at most $0").telling("succeeded, $0 spent");
    assert!(!run.stderr.contains("unmetered"), "{run:#?}");
    let envelope = yard.envelope("hello", &[]);
    let done = yard.processed(&envelope, &["--pipeline", &two, "--cost", "0"]);
    assert_eq!(done["terminal_reason"], "completed_successfully", "{done}");
    let waits = yard.processed(&envelope, &["--pipeline", &asks, "--cost", "0"]);
    assert_eq!(waits["terminal_reason"], "clarification_required", "{waits}");
    let agent = yard.file(
        "program.toml",
        "name = \"program\"\neffect = \"pure\"\n[subprocess]\ncommand = [\"cat\"]\n",
    );
    yard.run(&["agents", "try", &agent, "--input", "1", "--cost", "0"]).exits(0);
}

#[test]
fn the_built_in_agents_and_the_samples_run() {
    let yard = Yard::new();
    let repo = repository(&yard);
    let asked = ["ask-code", "who calls hash_password?", "--repo", &repo, "--cost", "0"];
    assert!(yard.run(&asked).exits(0).stdout.contains("src/auth.py:6"));
    let envelope = yard.envelope("who calls hash_password?", &[]);
    let done = yard.processed(&envelope, &["--repo", &repo, "--cost", "0"]);
    assert_eq!(done["terminal_reason"], "completed_successfully", "{done}");
    yard.run(&["runs", "start", "sample/steps", "--cost", "0"])
        .exits(0)
        .telling("succeeded, $0 spent");
    let server = yard.serve(&[]);
    let order =
        json!({"id": "free", "workflow": "sample/steps", "input": {}, "limits": {"cost_usd": 0}});
    server.post("/api/runs", &order).is(201);
    assert_eq!(text(&yard.until_over("free"), "status"), "succeeded");
    let order = json!({"workflow": "sample/budget", "input": {}, "limits": {"cost_usd": 0}});
    let refused = server.post("/api/runs", &order).refuses(422, "BUDGET_TOO_SMALL").json();
    let told = "the first call (sample/paid) may cost $0.01, and the run may cost $0";
    assert_eq!(refused["error"]["message"], told);
}

#[test]
fn what_a_person_answers_is_waited_for() {
    let yard = Yard::new();
    let outside = yard.file(
        "outside.toml",
        "name = \"outside\"\n[[stage]]\nname = \"person\"\nagent.effect = \"pure\"\nagent.bridge.prompt = \"?\"\n",
    );
    let waits = yard.durable(&outside, &json!("hello"), &["--cost", "0"], 42);
    assert_eq!(waits["waits"][0]["kind"], "agent_response", "{waits}");
    yard.run(&["runs", "answer", text(&waits, "id"), "--value", "\"so\""]).exits(0);
}

#[test]
fn what_is_paid_is_refused_or_waits_and_says_what_it_takes() {
    let yard = Yard::new();
    let paid = |first: &str| {
        format!(
            "name = \"paid\"\n[[stage]]\nname = \"first\"\nagent.effect = \"pure\"\nagent.limits.max_cost_usd = {first}\n\
             agent.subprocess.command = [\"cat\"]\ndefault_next = \"second\"\n[[stage]]\nname = \"second\"\n\
             agent.effect = \"pure\"\nagent.limits.max_cost_usd = 0.25\nagent.subprocess.command = [\"cat\"]\n"
        )
    };
    let at_first = yard.file("first.toml", paid("0.25"));
    yard.run(&["run", &at_first, "--cost", "0"])
        .fails(1, "BUDGET_TOO_SMALL")
        .telling("the first call (first) may cost $0.25, and the run may cost $0")
        .telling("hint: allow more with `--cost USD`");
    let later = yard.file("later.toml", paid("0"));
    let waits = yard.run(&["run", &later, "--id", "later", "--cost", "0"]).exits(43);
    let told = "The run may cost $0; $0 is spent, $0 is held back, and the next call may cost $0.25. Raise it \
                to go on.";
    assert!(waits.stdout.contains(told), "{waits:#?}");
    assert!(waits.stdout.contains("consign runs raise later --cost 0.25\n"), "{waits:#?}");
    yard.run(&["runs", "raise", "later", "--cost", "0.25"]).exits(0);
    let failed =
        yard.processed(yard.envelope("hello", &[]), &["--pipeline", &later, "--cost", "0"]);
    let error = &failed["errors"][0];
    assert_eq!((&error["agent"], &error["error_type"]), (&json!("second"), &json!("LIMIT_COST")));
    let told = "the limit on cost is $0; $0 is spent, and the next call may cost $0.25. Allow $0.25 to go on";
    assert_eq!(error["message"], told);
}

/// The provider of a model without a price may charge for it; a service is free unless it is declared otherwise.
#[test]
fn what_has_no_known_cost_is_not_called_and_says_so() {
    let yard = Yard::new();
    let double = Double::start(None);
    fs::create_dir_all(yard.home.path()).expect("it can be made");
    fs::write(yard.home.path().join("models.toml"), double.settings()).expect("it can be written");
    let agents = ["agent.model = { name = \"openai/without-a-price\", prompt = \"?\" }"];
    for agent in agents {
        let pipeline = format!(
            "name = \"one\"\n[[stage]]\nname = \"far\"\nagent.effect = \"pure\"\n{agent}\n"
        );
        let pipeline = yard.file("far.toml", pipeline);
        let keyed = |args: &[&str]| with_keys(yard.consign(args), "sk-key-of-nothing-0123456789");
        let told = "the cost of the next call (far) is not known: its model has no price";
        let waits = keyed(&["run", &pipeline, "--cost", "0"]).run().exits(43);
        assert!(
            waits.stdout.contains("The run may cost $0; $0 is spent, $0 is held back, and "),
            "{waits:#?}"
        );
        assert!(waits.stdout.contains(&format!("{told}. Raise it to go on.")), "{waits:#?}");
        assert!(waits.stdout.contains(" --cost 1\n"), "{waits:#?}");
        let envelope = yard.envelope("hello", &[]).to_string();
        let failed = keyed(&["process", "--pipeline", &pipeline, "--cost", "0"]).stdin(envelope);
        let failed = failed.run().exits(0).json();
        let error = &failed["errors"][0];
        assert_eq!(error["error_type"], "LIMIT_COST", "{failed}");
        assert!(text(error, "message").contains(told), "{error}");
    }
    assert!(double.seen().is_empty(), "no provider was asked");
}

//! `bridge watch --model`: a model call like any other, with its books in the run of the creation.

#![expect(clippy::unwrap_used, reason = "a test that unwraps says where it failed")]

use std::fs;

use rustix::process::Signal;
use serde_json::{Value, json};

use super::workshop::{REQUEST, RESPONSE, STATE, Workshop, answer};
use crate::{
    home::until,
    models::{Double, with_keys},
    support::{Consign, Outcome, text},
};

const MODEL: &str = "openai/gpt-5-mini";
/// 1,000 tokens of input and 300 of output, by the price list: $0.25 and $2 for a million.
const PRICE: f64 = 0.000_85;

/// A creation that waits for its first answer, and a double that has all of them.
struct Paid {
    shop: Workshop,
    double: Double,
    run: String,
}

impl Paid {
    /// With more for the first and for every answer of the double, more for `template create`, and more
    /// for `models.toml`.
    fn new(first: &Value, each: &Value, create: &[&str], settings: &str) -> Self {
        let shop = Workshop::new();
        let run = text(&shop.create(create).exits(42).json(), "run").to_owned();
        let of = |phase: &str, subject: &str| {
            answer(&json!({"phase_name": phase, "prompt": subject}), 0.9).to_string()
        };
        let said = [
            of("codebase_analysis", ""),
            of("agent_creation", ""),
            of("agent_enhancement", "route-specialist"),
            of("agent_enhancement", ""),
        ];
        let script: Vec<Value> = said
            .into_iter()
            .enumerate()
            .map(|(at, said)| {
                let mut entry = json!({"text": said});
                for more in [each, first].into_iter().take(if at == 0 { 2 } else { 1 }) {
                    for (name, value) in more.as_object().unwrap() {
                        entry[name] = value.clone();
                    }
                }
                entry
            })
            .collect();
        let double = Double::start(Some(&json!(script).to_string()));
        let file = shop.home.path().join("models.toml");
        fs::write(file, format!("{}{settings}", double.settings())).unwrap();
        Self { shop, double, run }
    }

    fn usual(create: &[&str]) -> Self {
        let usage = json!({"usage": {"input_tokens": 1000, "output_tokens": 300}});
        Self::new(&json!({}), &usage, create, "")
    }

    fn watching(&self, more: &[&str]) -> Consign {
        let project = self.shop.project().to_string_lossy().into_owned();
        let mut args = vec!["bridge", "watch", "--json", "--path", &project, "--model", MODEL];
        args.extend(more);
        with_keys(self.shop.consign(&args), "sk-watch-0123456789")
    }

    fn watch(&self, more: &[&str]) -> Outcome {
        self.watching(more).run()
    }

    fn shown(&self) -> Value {
        self.shop.home.show(&self.run)
    }

    fn spent(&self) -> f64 {
        self.shown()["usage"]["spent_usd"].as_f64().unwrap()
    }

    fn events(&self) -> Vec<Value> {
        let args = ["runs", "show", &self.run, "--events", "--json"];
        self.shop.home.run(&args).exits(0).json_lines()
    }

    /// The events of the calls of models, with this kind.
    fn calls(&self, kind: &str) -> Vec<Value> {
        let ours = |event: &Value| {
            event["kind"] == kind && text(&event["body"], "key").starts_with("model-")
        };
        self.events().into_iter().filter(ours).collect()
    }

    fn account(&self, owner: &str) -> Value {
        let accounts = self.shop.home.run(&["budget", "--json"]).exits(0).json_lines();
        accounts.into_iter().find(|account| account["owner"] == owner).unwrap()
    }
}

fn close(found: f64, expected: f64) -> bool {
    (found - expected).abs() < 1e-9
}

#[test]
fn what_a_model_costs_is_in_the_run_and_in_its_owners_account() {
    let paid = Paid::usual(&["--owner", "alice"]);
    let report = paid.watch(&[]).exits(0).json();
    assert_eq!((&report["status"], &report["fallbacks"]), (&json!("complete"), &json!([])));
    assert_eq!(paid.double.seen().len(), 4);
    let shown = paid.shown();
    assert_eq!((text(&shown, "owner"), text(&shown, "status")), ("alice", "succeeded"));
    assert!(close(paid.spent(), 4.0 * PRICE), "{shown}");
    assert_eq!(shown["limits"]["cost_usd"], json!(10));
    let account = paid.account("alice");
    assert!(close(account["spent_usd"].as_f64().unwrap(), 4.0 * PRICE), "{account}");
    assert_eq!(account["reserved_usd"], json!(0));
    let started = paid.calls("call_started");
    assert_eq!(started.len(), 4);
    for event in &started {
        assert!(event["body"]["reserved"].as_u64() > Some(30_000_000), "{event}");
        assert_eq!(event["body"]["estimate"]["model"], MODEL);
    }
    let agents: Vec<_> = started.iter().map(|event| text(&event["body"], "agent")).collect();
    assert_eq!(agents[0], "architectural-reviewer#model");
    assert_eq!(paid.calls("call_completed").len(), 4);
    paid.shop.home.run(&["runs", "verify", &paid.run]).exits(0);
    let told = paid.shop.home.run(&["runs", "show", &paid.run]).exits(0).stdout;
    assert!(!told.contains("#model"), "{told}");
}

#[test]
fn a_cap_stops_the_watch_before_the_call_that_could_exceed_it() {
    // The first call uses all that it may, the second would not fit.
    let usage = json!({"usage": {"input_tokens": 1000, "output_tokens": 16_384}});
    let paid = Paid::new(&usage, &json!({}), &[], "");
    let told = paid.watch(&["--cost", "0.001"]).exits(43).json();
    assert_eq!((&told["status"], &told["phase"]), (&json!("waiting"), &json!(1)));
    assert_eq!(told["limit"]["code"], "LIMIT_COST");
    assert!(text(&told["limit"], "message").contains("The run may cost $0.001"), "{told}");
    assert_eq!(paid.double.seen().len(), 0, "nobody was called");
    let told = paid.watch(&["--cost", "0.05"]).exits(43).json();
    assert_eq!((&told["phase"], &told["limit"]["code"]), (&json!(5), &json!("LIMIT_COST")));
    assert_eq!(paid.double.seen().len(), 1);
    assert!(paid.spent() > 0.03 && paid.spent() <= 0.05, "{}", paid.spent());
    let there = paid.shop.there();
    assert!(there.contains(STATE) && there.contains(REQUEST), "{there:?}");
    assert_eq!(paid.shop.home.status(&paid.run), "waiting");
    // The command that goes on can be typed as it stands.
    let resume = text(&told, "resume").to_owned();
    assert!(resume.contains("--cost 0.1"), "{resume}");
    let words: Vec<_> = resume.split(' ').skip(1).collect();
    with_keys(paid.shop.consign(&words), "sk-watch-0123456789").run().exits(0);
    assert_eq!(paid.double.seen().len(), 4, "what was answered is not asked again");
    paid.shop.home.run(&["runs", "verify", &paid.run]).exits(0);
}

#[test]
fn a_person_is_told_what_goes_on_after_a_limit() {
    let paid = Paid::usual(&[]);
    let project = paid.shop.project().to_string_lossy().into_owned();
    let args = ["bridge", "watch", "--path", &project, "--model", MODEL, "--cost", "0.001"];
    let told = with_keys(paid.shop.consign(&args), "sk-watch-0123456789").run().exits(43).stdout;
    for words in ["LIMIT_COST", "everything is left in place", "consign bridge watch --path"] {
        assert!(told.contains(words), "{words}: {told}");
    }
    // Raising the limit of the run does, too.
    let raised = paid.shop.home.run(&["runs", "raise", &paid.run, "--cost", "1"]).exits(0);
    assert!(raised.stderr.contains("consign bridge watch"), "{raised:?}");
    paid.watch(&[]).exits(0);
    assert_eq!(paid.shown()["limits"]["cost_usd"], json!(1));
}

#[test]
fn an_owners_budget_stops_the_watch_too() {
    let paid = Paid::usual(&["--owner", "alice"]);
    let budget =
        |cost: &str| paid.shop.home.run(&["budget", "set", "alice", "--cost", cost]).exits(0);
    budget("0.001");
    let told = paid.watch(&[]).exits(43).json();
    assert_eq!(told["limit"]["code"], "LIMIT_OWNER");
    assert!(text(&told["limit"], "raise").starts_with("consign budget set alice"), "{told}");
    assert_eq!(paid.double.seen().len(), 0);
    assert!(budget("1").stderr.contains("consign bridge watch"));
    paid.watch(&[]).exits(0);
}

#[test]
fn nobody_else_can_be_made_to_pay() {
    let paid = Paid::usual(&["--owner", "alice"]);
    let refused = paid.watch(&["--owner", "bob"]).exits(2).error();
    assert_eq!(refused["code"], "OWNER_MISMATCH");
    let refused = paid.shop.create(&["--resume", "--owner", "bob"]).exits(2).error();
    assert_eq!(refused["code"], "OWNER_MISMATCH");
    assert_eq!(paid.double.seen().len(), 0);
    paid.shop.create(&["--resume", "--owner", "alice"]).exits(42);
    paid.watch(&["--owner", "alice"]).exits(0);
}

#[test]
fn a_model_that_a_policy_does_not_allow_is_not_asked() {
    let policy = "[policy.architectural-reviewer]\ndefault = \"anthropic/claude-haiku-4-5\"\n";
    let paid = Paid::new(&json!({}), &json!({}), &[], policy);
    let refused = paid.watch(&[]).exits(1).error();
    assert_eq!(refused["code"], "MODEL_NOT_ALLOWED");
    assert!(refused.to_string().contains("anthropic/claude-haiku-4-5"), "{refused}");
    assert_eq!(paid.double.seen().len(), 0);
    assert_eq!(paid.shop.request()["retry_count"], 0, "nothing was tried");
}

#[test]
fn a_fault_that_passes_is_tried_again_within_the_round() {
    let script = json!({"fault": {"kind": "overloaded"}});
    // The answer of the first entry is never given, so the second is given to the first request.
    let paid = Paid::new(&script, &json!({}), &["--no-agents"], "");
    let first = answer(&json!({"phase_name": "codebase_analysis", "prompt": ""}), 0.9);
    let double = Double::start(Some(&json!([script, {"text": first.to_string()}]).to_string()));
    fs::write(paid.shop.home.path().join("models.toml"), double.settings()).unwrap();
    let report = paid.watch(&[]).exits(0).json();
    assert_eq!((&report["fallbacks"], &report["requests"]), (&json!([]), &json!(1)));
    assert_eq!(double.seen().len(), 2);
    assert_eq!(paid.calls("attempt_failed").len(), 1);
}

#[test]
fn an_answer_that_breaks_its_contract_is_asked_for_again_and_then_done_without() {
    let paid = Paid::usual(&["--no-agents"]);
    let double = Double::start(Some(r#"[{"text": "I have no idea.", "times": 0}]"#));
    fs::write(paid.shop.home.path().join("models.toml"), double.settings()).unwrap();
    let report = paid.watch(&[]).exits(0).json();
    let why = text(&report["fallbacks"][0], "why").to_owned();
    assert!(why.starts_with("VALIDATION_ERROR"), "{why}");
    assert_eq!(double.seen().len(), 2, "once, and once with what was wrong");
    assert!(paid.spent() > 0.0);
}

#[test]
fn an_answer_that_was_paid_for_is_not_paid_for_again() {
    let paid = Paid::new(&json!({"delay_ms": 4000}), &json!({}), &["--no-agents"], "");
    let watch = paid.shop.home.let_go_on(paid.watching(&[]));
    until("the model is asked", || (!paid.calls("call_started").is_empty()).then_some(()));
    // Something is in the way of the response: the journal gets the answer, and the folder does not.
    fs::create_dir(paid.shop.project().join(RESPONSE)).unwrap();
    watch.wait().exits(1);
    assert_eq!(paid.calls("call_completed").len(), 1);
    let spent = paid.spent();
    assert!(spent > 0.0);
    fs::remove_dir(paid.shop.project().join(RESPONSE)).unwrap();
    // Long after its time it counts as well.
    let mut state = paid.shop.read(STATE);
    state["phase_data"]["consign"]["asked_at"] = json!(1);
    paid.shop.put(STATE, state.to_string());
    let report = paid.watch(&[]).exits(0).json();
    assert_eq!((&report["fallbacks"], &report["requests"]), (&json!([]), &json!(1)));
    assert_eq!(paid.double.seen().len(), 1);
    assert!(close(paid.spent(), spent));
}

#[test]
fn whoever_resumes_by_hand_finds_the_answer_that_was_paid_for() {
    let paid = Paid::new(&json!({"delay_ms": 4000}), &json!({}), &["--no-agents"], "");
    let watch = paid.shop.home.let_go_on(paid.watching(&[]));
    until("the model is asked", || (!paid.calls("call_started").is_empty()).then_some(()));
    fs::create_dir(paid.shop.project().join(RESPONSE)).unwrap();
    watch.wait().exits(1);
    fs::remove_dir(paid.shop.project().join(RESPONSE)).unwrap();
    let report = paid.shop.resume().exits(0).json();
    assert_eq!((&report["fallbacks"], &report["requests"]), (&json!([]), &json!(1)));
    assert_eq!(paid.double.seen().len(), 1);
}

#[test]
fn ctrl_c_leaves_everything_in_place_while_a_model_thinks() {
    let paid = Paid::new(&json!({"delay_ms": 60_000}), &json!({}), &["--no-agents"], "");
    let watch = paid.shop.home.let_go_on(paid.watching(&[]));
    until("the model is asked", || (!paid.calls("call_started").is_empty()).then_some(()));
    watch.signal(Signal::INT);
    let told = watch.wait().exits(130).json();
    assert_eq!(told["status"], "waiting");
    assert_eq!(paid.shop.there(), [REQUEST, STATE].map(str::to_owned).into());
    // Nobody knows what became of the attempt: it counts as paid in full, and another is made.
    paid.watch(&[]).exits(0);
    assert_eq!(paid.calls("attempt_lost").len(), 1);
    assert!(paid.spent() > 0.03, "{}", paid.spent());
    paid.shop.home.run(&["runs", "verify", &paid.run]).exits(0);
}

#[test]
fn whoever_answers_in_the_inbox_while_a_model_thinks_is_first() {
    let paid = Paid::new(&json!({"delay_ms": 20_000}), &json!({}), &["--no-agents"], "");
    let watch = paid.shop.home.let_go_on(paid.watching(&[]));
    until("the model is asked", || (!paid.calls("call_started").is_empty()).then_some(()));
    let id = text(&paid.shop.request(), "request_id").to_owned();
    let said = answer(&paid.shop.request(), 0.95).to_string();
    paid.shop.home.run(&["runs", "answer", &paid.run, &id, "--value", &said]).exits(0);
    let report = watch.wait().exits(0).json();
    assert_eq!(report["fallbacks"], json!([]));
    assert_eq!(paid.calls("call_cancelled").len(), 1, "nobody waits for the model any more");
    paid.shop.home.run(&["runs", "verify", &paid.run]).exits(0);
}

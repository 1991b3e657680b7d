//! `consign run PIPELINE`: the user's own agents, durable.

use std::fs;

use rustix::process::Signal;
use serde_json::{Value, json};

use super::{
    process::{TWO, asking},
    yard::{Yard, keeps},
};
use crate::{
    home::until,
    models::{Double, with_keys},
    support::{Consign, root, text},
};

/// Every kind of agent, one after the other.
const SIX: &str = r#"
name = "six"
[[stage]]
name = "built-in"
agent = "pass"
default_next = "model"
[[stage]]
name = "model"
agent = "agents/model.toml"
input.text = "{{input.word}}"
default_next = "program"
[[stage]]
name = "program"
agent.effect = "pure"
agent.limits.max_cost_usd = 0
agent.subprocess.command = ["cat"]
input = { word = "{{input.word}}", summary = "{{outputs.model.summary}}" }
default_next = "service"
[[stage]]
name = "service"
agent = "agents/booking.toml"
input = { room = "{{outputs.program.word}}", day = "2026-12-01" }
default_next = "tool"
[[stage]]
name = "tool"
agent = "agents/glossary.toml"
input.word = "{{outputs.program.word}}"
default_next = "outside"
[[stage]]
name = "outside"
agent.effect = "pure"
agent.bridge.prompt = "What of {{input.meaning}}?"
input.meaning = "{{outputs.tool.meaning}}"
default_next = "last"
[[stage]]
name = "last"
agent.effect = "pure"
agent.limits.max_cost_usd = 0
agent.subprocess.command = ["cat"]
input = { booked = "{{outputs.service.booking}}", said = "{{outputs.outside.said}}", summary = "{{outputs.model.summary}}" }
"#;

const MODEL: &str = r#"
name = "model"
effect = "pure"
[contract]
output = "summary.schema.json"
[model]
name = "openai/gpt-5-mini"
prompt = "Sum this up: {{input.text}}"
files = ["../style.md"]
max_tokens = 200
"#;

const SUMMARY: &str = r#"{"type": "object", "required": ["summary"], "additionalProperties": false,
    "properties": {"summary": {"type": "string"}, "nothing": {"const": null}}}"#;

fn example(name: &str) -> String {
    fs::read_to_string(root().join("examples/agents").join(name)).expect("an example")
}

/// The files of the pipeline with every kind of agent, and the service that it asks.
fn six(yard: &Yard) -> (String, crate::harness::Process) {
    let service = Consign::of(
        "python3",
        [root().join("examples/agents/booking_server.py").display().to_string(), "0".to_owned()],
    );
    let service = yard.home.let_go_on(service);
    let port = until("the service listens", || {
        let said = service.stdout();
        let (_, port) =
            said.trim_end_matches('\n').rsplit_once(':').filter(|_| said.ends_with('\n'))?;
        Some(port.to_owned())
    });
    yard.file("agents/model.toml", MODEL);
    yard.file("agents/summary.schema.json", SUMMARY);
    yard.file("style.md", "Be brief, as in 4711.");
    yard.file("agents/booking.toml", example("booking.toml").replace("4021", &port));
    yard.file("agents/glossary.toml", example("glossary.toml"));
    yard.file("agents/glossary_server.py", example("glossary_server.py"));
    (yard.file("six.toml", SIX), service)
}

fn double(yard: &Yard) -> Double {
    let double = Double::start(Some(r#"[{"json": {"summary": "short"}, "times": 0}]"#));
    fs::create_dir_all(yard.home.path()).expect("it can be made");
    fs::write(yard.home.path().join("models.toml"), double.settings()).expect("it can be written");
    double
}

fn keyed(yard: &Yard, args: &[&str]) -> Consign {
    with_keys(yard.consign(args), "sk-key-of-the-six-0123456789")
}

const BOOKED: &str = r#"{"booked":1,"said":"fine","summary":"short"}"#;

#[test]
fn every_kind_of_agent_works_in_one_durable_run() {
    let yard = Yard::new();
    let (pipeline, _service) = six(&yard);
    let double = double(&yard);
    let input = r#"{"word": "journal"}"#;
    let args = ["run", &pipeline, "--input", input, "--json"];
    let waiting = keyed(&yard, &args).run().exits(42).json();
    let id = text(&waiting, "id");
    let asked = yard.run(&["inbox", "--json"]).exits(0).json();
    assert_eq!(text(&asked, "prompt"), "What of all that happened in a run, in order?");
    let value = r#"{"said": "fine"}"#;
    let answer = ["runs", "answer", id, text(&asked, "interaction"), "--value", value];
    keyed(&yard, &answer).run().exits(0);
    let done = match text(&yard.home.show(id), "status") {
        "succeeded" => yard.home.show(id),
        _ => keyed(&yard, &["runs", "resume", id, "--json"]).run().exits(0).json(),
    };
    let envelope = &done["output"];
    keeps("envelope/envelope", envelope);
    assert_eq!(envelope["outputs"]["last"].to_string(), BOOKED);
    assert_eq!((&envelope["llm_call_count"], &envelope["agent_hop_count"]), (&json!(1), &json!(7)));
    assert_eq!(double.seen().len(), 1);
    assert!(done["usage"]["spent_usd"].as_f64() > Some(0.0), "{done}");
    yard.run(&["runs", "verify", id]).exits(0);
    let shown = yard.run(&["runs", "show", id]).exits(0).stdout;
    assert!(!shown.contains("sk-key-of-the-six"));
    let journal = yard.run(&["runs", "show", id, "--events", "--json"]).exits(0).stdout;
    assert!(!journal.contains("sk-key-of-the-six"));
    yard.nobody_is_left_but_the(&["booking_server.py"]);
}

#[test]
fn what_becomes_of_the_files_is_nothing_to_a_run_that_began_with_them() {
    let yard = Yard::new();
    let (pipeline, _service) = six(&yard);
    let double = double(&yard);
    // It waits before all the agents that are files: the bridge comes first.
    let first = "name = \"six\"\n[[stage]]\nname = \"ask\"\nagent.effect = \"pure\"\nagent.bridge.prompt = \"Go?\"\ndefault_next = \"built-in\"\n";
    yard.file("six.toml", SIX.replacen("\nname = \"six\"\n", first, 1));
    let input = r#"{"word": "journal"}"#;
    let waiting = keyed(&yard, &["run", &pipeline, "--input", input, "--json", "--detach"])
        .run()
        .exits(0)
        .json();
    let id = text(&waiting, "id");
    // The pipeline is gone, one definition is another, the others and what they name are gone.
    fs::remove_file(&pipeline).expect("it was there");
    yard.file("agents/booking.toml", "name = \"booking\"\n[bridge]\nprompt = \"changed\"\n");
    for gone in ["model.toml", "summary.schema.json", "glossary.toml"] {
        fs::remove_file(yard.path("agents").join(gone)).expect("it was there");
    }
    fs::remove_file(yard.path("style.md")).expect("it was there");
    let _worker = yard.home.let_go_on(keyed(&yard, &["worker", "--json"]));
    for value in [r#"{"said": "go"}"#, r#"{"said": "fine"}"#] {
        let asked = until("it asks", || {
            let asked = yard.run(&["inbox", "--run", id, "--json"]).exits(0).json_lines();
            assert_ne!(text(&yard.home.show(id), "status"), "failed", "{}", yard.home.show(id));
            asked.into_iter().next()
        });
        assert_ne!(text(&asked, "prompt"), "changed");
        assert_eq!(text(&asked, "kind"), "agent_response", "{asked}");
        yard.run(&["runs", "answer", id, text(&asked, "interaction"), "--value", value]).exits(0);
    }
    let done = yard.until_over(id);
    assert_eq!(text(&done, "status"), "succeeded", "{done}");
    assert_eq!(done["output"]["outputs"]["last"].to_string(), BOOKED);
    let asked = double.seen().pop().expect("it was asked");
    assert!(text(&asked, "body").contains("Be brief, as in 4711."), "{asked}");
    yard.run(&["runs", "verify", id]).exits(0);
}

#[test]
fn what_the_last_stage_gave_is_on_standard_output_whatever_form_the_input_has() {
    let yard = Yard::new();
    let two = yard.file("two.toml", TWO);
    let check = |input: &str, stdin: &str, asked: &str| {
        let args = ["run", &two, "--input", input];
        let out = yard.consign(&args).stdin(stdin).run().exits(0);
        let given: Value = serde_json::from_str(&out.stdout).unwrap_or_else(|_| panic!("{out:#?}"));
        assert_eq!(given, json!({"a": 1, "asked": asked}));
    };
    check("\"hello\"", "", "hello");
    check("{\"n\": 1.50}", "", "{\"n\":1.50}");
    check("[1, 2]", "", "[1,2]");
    check("-", "\"from stdin\"", "from stdin");
    check("-", "plain words\nof two lines\n", "plain words\nof two lines");
    check(&yard.file("in.json", "{\"n\": 2}"), "", "{\"n\":2}");
    check(&yard.file("in.txt", "words in a file\n"), "", "words in a file");
    check("in.txt", "", "words in a file");
    let envelope = yard.envelope("by envelope", &[]);
    check(&envelope.to_string(), "", "by envelope");
    let out = yard.run(&["run", &two]).exits(0);
    assert_eq!(out.stdout, "{\"a\":1,\"asked\":\"{}\"}\n");
    // What is meant to be JSON and is not, and an envelope that is none.
    yard.run(&["run", &two, "--input", "{"]).fails(2, "INPUT_MALFORMED");
    yard.run(&["run", &two, "--input", "/no/such/file"]).exits(1);
    let torn = yard.file("torn.json", "{\"n\": ");
    yard.run(&["run", &two, "--input", &torn]).fails(1, "INPUT_MALFORMED");
    let mut broken = envelope;
    broken["terminated"] = json!("no");
    yard.run(&["run", &two, "--input", &broken.to_string()]).fails(1, "CONTRACT_BREACH");
    let stopped = yard.durable(&two, &json!("x"), &["--until", "first"], 0);
    assert_eq!(
        (&stopped["status"], &stopped["output"]["current_stage"]),
        (&json!("succeeded"), &json!("second"))
    );
    yard.run(&["run", &two, "--until", "third"])
        .fails(2, "UNKNOWN_STAGE")
        .telling("it has first, second");
}

#[test]
fn a_run_that_stops_before_it_came_to_its_stage_says_so() {
    let yard = Yard::new();
    let fork = r#"
name = "fork"
[[stage]]
name = "split"
agent.effect = "pure"
agent.subprocess.command = ["sh", "-c", "cat > /dev/null; echo '{\"way\": \"right\"}'"]
default_next = "left"
[[stage.route]]
key = "way"
equals = "right"
to = "right"
[[stage]]
name = "left"
agent = "pass"
[[stage]]
name = "right"
agent = "pass"
"#;
    let fork = yard.file("fork.toml", fork);
    let told = "note: no way leads from right to left: it stopped before right";
    let args = ["run", &fork, "--until", "left", "--id", "short"];
    yard.run(&args).exits(0).telling(told);
    let piped = yard.process(yard.envelope("?", &[]), &["--pipeline", &fork, "--until", "left"]);
    piped.exits(0).telling(told);
    // Whoever stops where it was to stop has nothing to say; of what is behind it that is said once.
    let out = yard.run(&["run", &fork, "--until", "split"]).exits(0);
    assert!(!out.stderr.contains("note"), "{out:#?}");
    let mut past = yard.envelope("?", &[]);
    past["current_stage"] = json!("right");
    let args = ["run", &fork, "--until", "split", "--input", &past.to_string()];
    let out = yard.run(&args).exits(0);
    assert_eq!(out.stderr.matches("the envelope is past split").count(), 1, "{out:#?}");
}

#[test]
fn a_run_under_the_same_name_is_the_same_run() {
    let yard = Yard::new();
    let two = yard.file("two.toml", TWO);
    let first = yard.durable(&two, &json!("hello"), &["--id", "mine"], 0);
    let second = yard.durable(&two, &json!("hello"), &["--id", "mine"], 0);
    for same in ["id", "head", "seq", "output"] {
        assert_eq!(first[same], second[same], "{same}");
    }
    assert_eq!(first["id"], "mine");
    let again = yard
        .run(&["run", &two, "--input", "\"hello\"", "--id", "mine", "--detach", "--json"])
        .exits(0)
        .json();
    assert_eq!(again["head"], first["head"]);
    // Another question, or another pipeline, is another run, and cannot have that name.
    yard.run(&["run", &two, "--input", "\"other\"", "--id", "mine"]).fails(1, "RUN_EXISTS");
    yard.file("two.toml", TWO.replace("\\\"a\\\": 1", "\\\"a\\\": 2"));
    yard.run(&["run", &two, "--input", "\"hello\"", "--id", "mine"]).fails(1, "RUN_EXISTS");
    assert_eq!(yard.run(&["runs", "list", "--json"]).exits(0).json_lines().len(), 1);
    // An envelope that is sent twice under one name.
    yard.file("two.toml", TWO);
    let envelope = yard.envelope("hello", &[]);
    let first = yard.durable(&two, &envelope, &["--id", "its"], 0);
    assert_eq!(yard.durable(&two, &envelope, &["--id", "its"], 0)["head"], first["head"]);
}

#[test]
fn a_run_that_is_left_to_the_workers_is_ended_by_one() {
    let yard = Yard::new();
    let asks = asking(&yard);
    let args = ["run", &asks, "--input", "\"hello\"", "--detach"];
    let out = yard.run(&args).exits(0);
    let id = out.stdout.trim().to_owned();
    assert_eq!(yard.home.status(&id), "queued");
    let worker = yard.home.worker();
    let mut before = String::new();
    for (kind, value) in
        [("clarification", "\"one\""), ("clarification", "\"two\""), ("confirmation", "true")]
    {
        let asked = until("it asks", || {
            let asked = yard
                .run(&["inbox", "--run", &id, "--json"])
                .exits(0)
                .json_lines()
                .into_iter()
                .next()?;
            (text(&asked, "interaction") != before).then_some(asked)
        });
        assert_eq!(text(&asked, "kind"), kind);
        text(&asked, "interaction").clone_into(&mut before);
        yard.run(&["runs", "answer", &id, &before, "--value", value]).exits(0);
    }
    let done = yard.until_over(&id);
    assert_eq!(done["output"]["outputs"]["tell"], json!({"heard": ["one", "two"]}));
    worker.signal(Signal::TERM);
    worker.wait().exits(0);
    yard.run(&["runs", "verify", &id]).exits(0);
    yard.nobody_is_left();
}

#[test]
fn a_limit_is_a_wait_and_whoever_raises_it_lets_the_run_go_on() {
    let yard = Yard::new();
    let two = yard.file("two.toml", TWO);
    let waiting = yard.durable(&two, &json!("hello"), &["--calls", "1"], 43);
    let id = text(&waiting, "id");
    assert_eq!(
        (&waiting["status"], &waiting["waits"][0]["kind"]),
        (&json!("waiting"), &json!("limit"))
    );
    yard.run(&["runs", "raise", id, "--calls", "10"]).exits(0);
    let done = match text(&yard.home.show(id), "status") {
        "succeeded" => yard.home.show(id),
        _ => yard.home.json(&["runs", "resume", id], 0),
    };
    assert_eq!(done["output"]["outputs"]["second"], json!({"a": 1, "asked": "hello"}));
    let completed =
        yard.events(id).iter().filter(|event| event["kind"] == "call_completed").count();
    assert_eq!(completed, 2, "nothing was done twice");
    // The same with money.
    let priced = TWO.replace(
        "agent.effect = \"pure\"",
        "agent.effect = \"pure\"\nagent.limits.max_cost_usd = 0.5",
    );
    let priced = yard.file("priced.toml", priced);
    let waiting = yard.durable(&priced, &json!("hello"), &["--cost", "0.75"], 43);
    let id = text(&waiting, "id");
    assert!(waiting["usage"]["spent_usd"].as_f64() <= Some(0.75), "{waiting}");
    yard.run(&["runs", "raise", id, "--cost", "2"]).exits(0);
    let shown = yard.home.show(id);
    let done = if shown["status"] == "succeeded" {
        shown
    } else {
        yard.home.json(&["runs", "resume", id], 0)
    };
    assert_eq!(done["usage"]["spent_usd"], json!(1));
    yard.run(&["run", &priced, "--cost", "0.1"]).fails(1, "BUDGET_TOO_SMALL");
    for run in yard.run(&["runs", "list", "--json"]).exits(0).json_lines() {
        yard.run(&["runs", "verify", text(&run, "id")]).exits(0);
    }
}

#[test]
fn a_certified_run_is_one_that_is_sure_to_end_within_its_limits() {
    let yard = Yard::new();
    let priced = TWO.replace(
        "agent.effect = \"pure\"",
        "agent.effect = \"pure\"\nagent.limits.max_cost_usd = 0.5",
    );
    let priced = yard.file("priced.toml", priced);
    let worst =
        yard.run(&["pipeline", "check", &priced, "--json"]).exits(0).json()["worst"].clone();
    assert_eq!((&worst["calls"], &worst["cost_usd"]), (&json!(6), &json!(3)));
    yard.run(&["run", &priced, "--certified", "--cost", "2.99"]).fails(1, "NOT_CERTIFIED");
    yard.run(&["run", &priced, "--certified", "--cost", "3", "--calls", "5"])
        .fails(1, "NOT_CERTIFIED");
    let run =
        yard.durable(&priced, &json!("x"), &["--certified", "--cost", "3", "--calls", "6"], 0);
    assert_eq!(run["certificate"]["cost_usd"], json!(3));
    // What cannot be priced cannot be certified.
    let unpriced = "name = \"unpriced\"\n[[stage]]\nname = \"far\"\nagent.model = { name = \"ollama/any\", prompt = \"?\" }\n";
    let unpriced =
        yard.file("unpriced.toml", unpriced.replace("ollama/any", "openai/no-such-price"));
    let keyed = yard.consign(&["run", &unpriced, "--certified", "--cost", "3"]);
    with_keys(keyed, "sk-key-of-nothing-0123456789").run().fails(1, "NOT_CERTIFIED");
    assert_eq!(
        yard.run(&["runs", "list", "--json"]).exits(0).json_lines().len(),
        1,
        "what is refused leaves nothing"
    );
}

#[test]
fn a_cancelled_run_stops_its_program_and_keeps_what_it_had() {
    let yard = Yard::new();
    let slow = TWO.replace("\"cat\"", "\"sh\", \"-c\", \"touch begun; exec sleep 600\"");
    let slow = yard.file("slow.toml", slow);
    let id = yard
        .run(&["run", &slow, "--input", "\"hello\"", "--detach"])
        .exits(0)
        .stdout
        .trim()
        .to_owned();
    let _worker = yard.home.worker();
    until("it sleeps", || yard.path("begun").exists().then_some(()));
    yard.run(&["runs", "cancel", &id]).exits(0);
    let over = yard.until_over(&id);
    assert_eq!(text(&over, "status"), "cancelled");
    yard.nobody_is_left();
    yard.run(&["runs", "verify", &id]).exits(0);
    let done: Vec<_> =
        yard.events(&id).into_iter().filter(|event| event["kind"] == "call_completed").collect();
    assert_eq!(done.len(), 1);
    assert_eq!(done[0]["body"]["output"], json!({"a": 1}));
}

#[test]
fn a_script_stands_in_for_every_agent_of_a_pipeline() {
    let yard = Yard::new();
    let (pipeline, _service) = six(&yard);
    let script = json!([
        {"agent": "model", "response": {"summary": "short"}, "llm_calls": 1},
        {"agent": "program", "response": {"word": "w", "summary": "s"}},
        {"agent": "service", "response": {"booking": 1, "room": "w", "day": "d"}},
        {"agent": "tool", "response": {"word": "w", "meaning": "m"}},
        {"agent": "outside", "response": {"said": "fine"}},
        {"agent": "last", "response": {"booked": 1, "said": "fine", "summary": "short"}},
        {"agent": "built-in", "response": {}},
        {"agent": "pass", "response": {}},
    ]);
    let script = yard.file("script.json", script.to_string());
    let calls = yard.path("calls.jsonl").display().to_string();
    let input = json!({"word": "journal"});
    let run =
        yard.durable(&pipeline, &input, &["--agent-script", &script, "--invocations", &calls], 0);
    assert_eq!(run["output"]["outputs"]["last"].to_string(), BOOKED);
    let told = fs::read_to_string(&calls).expect("they were written");
    assert_eq!(told.lines().count(), 7, "{told}");
    // In the pipe, too: nobody is asked, and nobody is started.
    let mut envelope = yard.envelope("x", &[]);
    envelope["metadata"] = json!({"input": input});
    let carried = yard.processed(&envelope, &["--pipeline", &pipeline, "--agent-script", &script]);
    assert_eq!(carried["outputs"], run["output"]["outputs"]);
}

#[test]
fn in_the_pipe_an_agent_that_only_a_run_can_wait_for_is_told_so() {
    let yard = Yard::new();
    let pipeline = yard.file(
        "bridge.toml",
        "name = \"bridge\"\n[[stage]]\nname = \"outside\"\nagent.effect = \"pure\"\nagent.bridge.prompt = \"?\"\n",
    );
    let out = yard.processed(yard.envelope("x", &[]), &["--pipeline", &pipeline]);
    assert_eq!(out["errors"][0]["error_type"], "NEEDS_A_RUN");
    assert_eq!(out["terminal_reason"], "tool_failed_fatally");
    // The same envelope as a run waits, and is answered.
    let (mut repaired, server) = (out, yard.serve(&["--pipeline", &pipeline]));
    repaired["terminated"] = json!(false);
    let (run, waiting) = server.durable(&repaired);
    assert_eq!(
        (&waiting["terminated"], &waiting["current_stage"]),
        (&json!(false), &json!("outside"))
    );
    yard.run(&["runs", "answer", &run, "--value", "{\"said\": 1}"]).exits(0);
    assert_eq!(yard.until_over(&run)["output"]["outputs"]["outside"], json!({"said": 1}));
}

/// Two models at once, of which nobody has a key.
const KEYLESS: &str = r#"
name = "keyless"
[[stage]]
name = "both"
parallel = ["one", "other"]
[[stage]]
name = "one"
agent.model.name = "openai/gpt-5-mini"
[[stage]]
name = "other"
agent.model.name = "anthropic/claude-haiku-4-5"
"#;

#[test]
fn whoever_lacks_keys_is_told_which_and_sent_to_no_page() {
    let yard = Yard::new();
    let keyless = yard.file("keyless.toml", KEYLESS);
    let told = yard.run(&["run", &keyless, "--input", "\"?\""]).exits(1);
    let told = told
        .telling("stage \"one\" has no key for openai; stage \"other\" has no key for anthropic")
        .telling("set OPENAI_API_KEY, or `consign keys set openai`; set ANTHROPIC_API_KEY, or");
    assert!(!told.stderr.contains("Settings"), "{}", told.stderr);
}

//! Every provider: whole answers, streamed ones, answers by schema, tool calls; what was used and what
//! it cost, to the token and the nano-dollar.

use consign_engine::Nanos;
use consign_testkit::programs::call;
use serde_json::{Value, json};

use crate::stage::{PLAIN, PROVIDERS, SCHEMA, double, provider, told, world};

/// 800 tokens of fresh input, 200 from a cache, 300 of output, by each provider's price list.
const COSTS: [u64; 5] = [
    800 * 250 + 200 * 25 + 300 * 2_000,
    800 * 3_000 + 200 * 300 + 300 * 15_000,
    800 * 200 + 200 * 20 + 300 * 1_500,
    800 * 300 + 200 * 30 + 300 * 2_500,
    0,
];

const USAGE: &str =
    r#""usage": {"input_tokens": 1000, "cached_tokens": 200, "output_tokens": 300}"#;

#[tokio::test(start_paused = true)]
async fn what_was_used_and_what_it_cost_is_exact_whole_and_streamed() {
    for (model, cost) in PROVIDERS.into_iter().zip(COSTS) {
        for stream in [false, true] {
            let script = format!(r#"[{{"text": "Hello there.", {USAGE}, "chunks": 3}}]"#);
            let double = double(&script);
            let world = world(&double, model, &format!("{PLAIN}stream = {stream}\n")).await;
            let run = world.submit(call("a", "agent").given(r#""Hi""#)).await;
            let _worker = world.worker().await;
            let row = world.until_closed(&run).await;
            assert_eq!(world.output(&run).await, r#""Hello there.""#, "{model} {stream}");
            let told = told(&world, &run).await;
            let used: Value = told.completed.unwrap().used.unwrap().to().unwrap();
            let mut usage = json!({"input_tokens": 1000, "output_tokens": 300});
            // Ollama does not say what came from a cache.
            if provider(model) != "ollama" {
                usage["cached_tokens"] = 200.into();
            }
            assert_eq!(used["usage"], usage, "{model} {stream}");
            assert_eq!(used["model"], model);
            assert_eq!(row.figures.spent, Nanos::new(cost), "{model} {stream}");
            let seen = double.seen();
            assert_eq!((seen.len(), seen[0].stream), (1, stream));
            assert_eq!(seen[0].provider.as_str(), provider(model), "it speaks to its own double");
            world.proves(&run).await;
        }
    }
}

#[tokio::test(start_paused = true)]
async fn the_estimate_is_in_the_journal_and_never_below_what_was_used() {
    let long = "The quick brown fox — größer als 日本語 — jumps over it. ".repeat(40);
    for model in PROVIDERS {
        let world = world(&double("[]"), model, SCHEMA).await;
        let run = world.submit(call("a", "agent").given(&json!(long).to_string())).await;
        let _worker = world.worker().await;
        world.until_closed(&run).await;
        let told = told(&world, &run).await;
        let started = told.started.unwrap();
        let estimate: Value = started.estimate.unwrap().to().unwrap();
        let completed = told.completed.unwrap();
        let used: Value = completed.used.unwrap().to().unwrap();
        let (worst, real) = (&estimate["input_tokens"], &used["usage"]["input_tokens"]);
        assert!(
            worst.as_u64() >= real.as_u64() && real.as_u64() > Some(400),
            "{model} {worst} {real}"
        );
        assert_eq!(estimate["max_output_tokens"], 500);
        assert!(started.reserved >= completed.paid.nanos, "{model}");
        assert_eq!(estimate["exact"], model.starts_with("openai/"));
    }
}

#[tokio::test(start_paused = true)]
async fn answers_are_held_to_the_schema_by_every_provider() {
    for model in PROVIDERS {
        for stream in [false, true] {
            let double = double("[]");
            let world = world(&double, model, &format!("{SCHEMA}stream = {stream}\n")).await;
            let run = world.submit(call("a", "agent").given(r#""Judge.""#)).await;
            let _worker = world.worker().await;
            world.until_closed(&run).await;
            let output: Value = serde_json::from_str(&world.output(&run).await).unwrap();
            assert_eq!(output["verdict"], "accept", "{model} {stream}");
            assert!(output["score"].is_u64());
            // The provider was told, and not only the validator asked.
            let body = &double.seen()[0].body;
            assert!(body.contains("verdict") && body.contains("reject"), "{model}: {body}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_model_may_ask_for_tools() {
    let tools = format!(
        "{PLAIN}[[model.tools]]\nname = \"search\"\ndescription = \"Looks something up\"\n\
         [model.tools.parameters]\ntype = \"object\"\nproperties = {{ q = {{ type = \"string\" }} }}\n"
    );
    for model in PROVIDERS {
        let script = r#"[{"tool_calls": [{"name": "search", "arguments": {"q": "x"}}]}]"#;
        let world = world(&double(script), model, &tools).await;
        let run = world.submit(call("a", "agent").given(r#""Find x""#)).await;
        let _worker = world.worker().await;
        world.until_closed(&run).await;
        let output: Value = serde_json::from_str(&world.output(&run).await).unwrap();
        let call = &output["tool_calls"][0];
        assert_eq!(call["name"], "search", "{model}");
        let arguments: Value = serde_json::from_str(call["arguments"].as_str().unwrap()).unwrap();
        assert_eq!(arguments, json!({"q": "x"}), "{model}");
    }
}

#[tokio::test(start_paused = true)]
async fn the_system_prompt_and_files_are_sent_and_the_temperature_is_zero() {
    let folder = tempfile::tempdir().unwrap();
    let notes = folder.path().join("notes.md");
    std::fs::write(&notes, "The answer is in the attic.").unwrap();
    let rest = format!(
        "{PLAIN}system = \"Be brief.\"\nprompt = \"Where? {{{{input.what}}}}\"\nfiles = [{:?}]\n",
        notes.display().to_string()
    );
    for model in PROVIDERS {
        let double = double("[]");
        let world = world(&double, model, &rest).await;
        let run = world.submit(call("a", "agent").given(r#"{"what": "the key"}"#)).await;
        let _worker = world.worker().await;
        world.until_closed(&run).await;
        let body = &double.seen()[0].body;
        for text in ["Be brief.", "Where? the key", "in the attic"] {
            assert!(body.contains(text), "{model}: {text} in {body}");
        }
        // OpenAI's thinking models take none but their own.
        let temperature = provider(model) != "openai";
        assert_eq!(body.contains(r#""temperature":0"#), temperature, "{model}: {body}");
    }
}

#[tokio::test(start_paused = true)]
async fn words_come_as_they_are_said() {
    for model in PROVIDERS {
        let script = r#"[{"text": "one two three four", "chunks": 4, "chunk_delay_ms": 1000}]"#;
        let world = world(&double(script), model, PLAIN).await;
        let run = world.submit(call("a", "agent").given(r#""count""#)).await;
        let worker = world.worker().await;
        world.until_event(&run, "call_started a").await;
        let mut listening = worker.engine().listen(&run);
        world.until_closed(&run).await;
        let later: Vec<_> = std::iter::from_fn(|| listening.pieces.try_recv().ok()).collect();
        assert!(later.len() > 1, "{model}: {later:?}");
        let pieces = listening.so_far.into_iter().chain(later);
        let all: String = pieces.map(|piece| piece.text.to_string()).collect();
        assert_eq!(all, "one two three four", "{model}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_call_is_cut_off_and_taken_for_paid() {
    let script =
        r#"[{"fault": {"kind": "stall", "after_chunks": 1}, "text": "a b c d", "chunks": 4}]"#;
    let world = world(&double(script), "openai/gpt-5-mini", PLAIN).await;
    let run = world.submit(call("a", "agent").given(r#""Hi""#)).await;
    let _worker = world.worker().await;
    world.until_event(&run, "call_started a").await;
    world.settle().await;
    let before = world.row(&run).await;
    world.cancel(&run).await;
    let row = world.until_closed(&run).await;
    assert_eq!(row.status, consign_engine::Status::Cancelled);
    assert_eq!(row.figures.spent, before.figures.reserved, "nobody knows what it came to");
    assert!(row.at.since(before.at).as_secs() < 10, "it listens when it is told to stop");
}

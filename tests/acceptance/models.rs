//! `consign models`: the double, one call to it, and the list.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    process::{Child, Stdio},
};

use serde_json::{Value, json};

use crate::{
    home::Home,
    support::{Consign, Folder, keys, text},
};

/// The double of the providers, for as long as it is wanted.
pub(crate) struct Double {
    child: Child,
    pub(crate) url: String,
}

impl Double {
    pub(crate) fn start(script: Option<&str>) -> Self {
        let folder = Folder::new();
        let mut args =
            ["models", "double", "--listen", "127.0.0.1:0", "--json"].map(str::to_owned).to_vec();
        if let Some(script) = script {
            args.extend(["--script".to_owned(), folder.file("script.json", script)]);
        }
        let mut command = Consign::new(args).into_command();
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::inherit());
        let mut child = command.spawn().expect("the double starts");
        let mut line = String::new();
        let stdout = child.stdout.take().expect("standard output is a pipe");
        BufReader::new(stdout).read_line(&mut line).expect("it says where it listens");
        let told: Value = serde_json::from_str(&line).unwrap_or_else(|_| panic!("{line:?}"));
        Self { child, url: text(&told, "listening").to_owned() }
    }

    /// What it was asked, oldest first.
    pub(crate) fn seen(&self) -> Vec<Value> {
        let address = self.url.strip_prefix("http://").expect("it is reached by HTTP");
        let mut stream = TcpStream::connect(address).expect("it listens");
        let request = format!("GET /double/seen HTTP/1.0\r\nhost: {address}\r\n\r\n");
        stream.write_all(request.as_bytes()).expect("it listens");
        let mut told = String::new();
        stream.read_to_string(&mut told).expect("it answers");
        let (_, body) = told.split_once("\r\n\r\n").expect("there is a body");
        let told: Value = serde_json::from_str(body).unwrap_or_else(|_| panic!("{told:?}"));
        told["requests"].as_array().expect("it is a list").clone()
    }

    /// A home whose providers are all this double, with keys in the environment of its commands.
    pub(crate) fn settings(&self) -> String {
        let provider = |name: &str, path: &str| {
            format!("[providers.{name}]\nbase_url = \"{}/{name}/{path}\"\n", self.url)
        };
        let paths = [("openai", "v1"), ("anthropic", "v1"), ("xai", "v1"), ("google", "v1beta")];
        let all = paths.iter().chain(&[("ollama", "v1"), ("compatible", "v1")]);
        all.map(|(name, path)| provider(name, path)).collect()
    }
}

impl Drop for Double {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

const KEYS: [&str; 4] = ["OPENAI_API_KEY", "ANTHROPIC_API_KEY", "XAI_API_KEY", "GEMINI_API_KEY"];

/// `consign ARGS` with a key for everybody.
pub(crate) fn with_keys(consign: Consign, key: &str) -> Consign {
    KEYS.iter().fold(consign, |consign, name| consign.env(name, key))
}

#[test]
fn every_provider_answers_through_the_command_line() {
    let (home, double) = (Home::new(), Double::start(None));
    for (model, path) in [
        ("openai/gpt-5-mini", "openai/v1"),
        ("anthropic/claude-sonnet-4-5", "anthropic/v1"),
        ("xai/grok-code-fast-1", "xai/v1"),
        ("google/gemini-2.5-flash", "google/v1beta"),
        ("ollama/qwen3", "ollama/v1"),
        ("compatible/some-model", "compatible/v1"),
    ] {
        let url = format!("{}/{path}", double.url);
        for more in [&[][..], &["--stream"]] {
            let args = ["models", "test", model, "--base-url", &url, "--json"];
            let consign = with_keys(home.consign(&[&args[..], more].concat()), "any-key-will-do");
            let told = consign.run().exits(0).json();
            assert_eq!(
                keys(&told),
                ["answered_by", "cost_usd", "model", "stop", "text", "took_ms", "usage"]
            );
            assert_eq!(text(&told, "model"), model);
            assert!(text(&told, "text").contains("Say in one short sentence"), "{told}");
            assert!(told["usage"]["input_tokens"].as_u64() > Some(0), "{told}");
        }
    }
}

/// One model of each provider, its path at the double, and what 800 tokens of fresh input, 200 from a
/// cache and 300 of output cost by its price list.
const PRICED: [(&str, &str, f64); 5] = [
    ("openai/gpt-5-mini", "openai/v1", 0.000_805),
    ("anthropic/claude-sonnet-4-5", "anthropic/v1", 0.006_96),
    ("xai/grok-code-fast-1", "xai/v1", 0.000_614),
    ("google/gemini-2.5-flash", "google/v1beta", 0.000_996),
    ("ollama/qwen3", "ollama/v1", 0.0),
];

const VERDICT: &str = r#"{"type": "object", "required": ["verdict"], "additionalProperties": false,
    "properties": {"verdict": {"enum": ["accept", "reject"]}}}"#;

#[test]
fn what_was_used_and_what_it_cost_is_exact_over_the_wire_too() {
    let script = r#"[{"json": {"verdict": "accept"}, "chunks": 4, "times": 0,
        "usage": {"input_tokens": 1000, "cached_tokens": 200, "output_tokens": 300}}]"#;
    let (home, folder, double) = (Home::new(), Folder::new(), Double::start(Some(script)));
    let schema = folder.file("verdict.schema.json", VERDICT);
    for (model, path, cost) in PRICED {
        let url = format!("{}/{path}", double.url);
        for (stream, more) in [
            (false, &[][..]),
            (true, &["--stream"]),
            (false, &["--schema", &schema]),
            (true, &["--schema", &schema, "--stream"]),
        ] {
            let args = ["models", "test", model, "--base-url", &url, "--json"];
            let consign = with_keys(home.consign(&[&args[..], more].concat()), "any-key-will-do");
            let told = consign.run().exits(0).json();
            let said: Value = serde_json::from_str(text(&told, "text")).expect("it is JSON");
            assert_eq!(said, json!({"verdict": "accept"}), "{model} {more:?}");
            let mut usage = json!({"input_tokens": 1000, "output_tokens": 300});
            // Ollama does not say what came from a cache.
            if !model.starts_with("ollama/") {
                usage["cached_tokens"] = 200.into();
            }
            assert_eq!(told["usage"], usage, "{model} {more:?}");
            assert_eq!(told["cost_usd"].as_f64(), Some(cost), "{model} {more:?}");
            let seen = double.seen().pop().expect("it was asked");
            assert_eq!(seen["stream"], stream, "{model} {more:?}");
            let asked = text(&seen, "body").contains("reject");
            assert_eq!(asked, more.contains(&"--schema"), "{model} {more:?}: {seen}");
        }
    }
    assert_eq!(double.seen().len(), 4 * PRICED.len());
}

#[test]
fn what_breaks_on_the_wire_has_its_code_with_every_provider() {
    let script = r#"[
        {"contains": "cut_off", "fault": {"kind": "cut_off"}, "text": "a b c", "chunks": 3, "times": 0},
        {"contains": "bad_json", "fault": {"kind": "bad_json"}, "text": "a b c", "times": 0},
        {"contains": "huge", "fault": {"kind": "huge", "megabytes": 20}, "times": 0},
        {"contains": "breaks", "fault": {"kind": "breaks_schema"}, "times": 0}]"#;
    let (home, folder, double) = (Home::new(), Folder::new(), Double::start(Some(script)));
    let schema = folder.file("verdict.schema.json", VERDICT);
    for (model, path, _) in PRICED {
        let url = format!("{}/{path}", double.url);
        for (prompt, code, words) in [
            ("cut_off", "AI_NETWORK_ERROR", ""),
            ("bad_json", "AI_INVALID_RESPONSE", ""),
            ("huge", "AI_INVALID_RESPONSE", "more than 16777216 bytes"),
            ("breaks", "AI_INVALID_RESPONSE", "unexpected"),
        ] {
            let args = ["models", "test", model, "--base-url", &url, "--prompt", prompt];
            let schema = if prompt == "breaks" { &["--schema", &schema][..] } else { &[] };
            for more in [&["--json"][..], &["--json", "--stream"]] {
                let args = [&args[..], schema, more].concat();
                let told = with_keys(home.consign(&args), "any-key-will-do").run();
                assert_eq!(text(&told.error(), "code"), code, "{args:?}");
                told.fails(1, code).telling(words);
            }
        }
    }
    assert_eq!(double.seen().len(), 8 * PRICED.len(), "nothing is tried again");
}

#[test]
fn an_answer_of_many_lines_is_shown_as_it_was_said() {
    let double = |text: &str| {
        // Each letter is a piece of its own, and so is each line break.
        let entry = json!([{"text": text, "chunks": text.len(), "times": 0}]);
        Double::start(Some(&entry.to_string()))
    };
    let home = Home::new();
    for (said, shown) in [
        ("one\ntwo\n\n  three", "one\ntwo\n\n  three\n"),
        ("one\r\ntwo\r\n", "one\ntwo\n"),
        ("\n- a\n- b\n\n", "\n- a\n- b\n\n"),
    ] {
        let double = double(said);
        let args = ["models", "test", "gpt-5-mini", "--base-url", &double.url, "--color", "never"];
        let streamed = [&args[..], &["--stream"]].concat();
        for args in [&args[..], &streamed] {
            let piped = with_keys(home.consign(args), "any").run().exits(0);
            assert_eq!(piped.stdout, shown, "{said:?}");
            let terminal = home.terminal().set("OPENAI_API_KEY", "any").consign(args).exits(0);
            // What it cost is told on the same terminal.
            let (before, after) = terminal.stdout.split_at(shown.len());
            assert_eq!(before, shown, "{said:?} {args:?}");
            assert!(after.starts_with("openai/gpt-5-mini (gpt-5-mini): "), "{terminal:#?}");
        }
    }
}

#[test]
fn a_host_alone_means_the_providers_own_path() {
    let (home, double) = (Home::new(), Double::start(None));
    for model in ["gpt-5-mini", "anthropic/claude-haiku-4-5", "google/gemini-2.5-flash"] {
        let args = ["models", "test", model, "--base-url", &double.url, "--json"];
        with_keys(home.consign(&args), "any").run().exits(0);
    }
    let consign = home.consign(&["models", "test", "gpt-5-mini", "--json"]);
    with_keys(consign, "any").env("OPENAI_BASE_URL", &double.url).run().exits(0);
}

#[test]
fn what_goes_wrong_is_told_with_its_code_its_cause_and_a_hint() {
    let script = r#"[{"fault": {"kind": "unauthorized"}}, {"fault": {"kind": "not_found"}},
                     {"fault": {"kind": "rate_limited", "retry_after": 7}}]"#;
    let (home, double) = (Home::new(), Double::start(Some(script)));
    let url = format!("{}/openai/v1", double.url);
    let args = ["models", "test", "gpt-5-mini", "--base-url", &url];
    let test =
        |more: &[&str]| with_keys(home.consign(&[&args[..], more].concat()), "sk-bad-bad-bad");
    let told = test(&[]).run().fails(1, "AI_AUTH_ERROR");
    assert!(!told.stderr.contains("sk-bad"), "{told:?}");
    test(&[]).run().fails(1, "AI_MODEL_NOT_FOUND").telling("hint: ");
    let error = test(&["--json"]).run().exits(1).error();
    assert_eq!(
        (text(&error, "code"), error["details"]["retryAfter"].as_f64()),
        ("AI_RATE_LIMITED", Some(7.0))
    );
    let nobody = ["models", "test", "gpt-5-mini", "--base-url", "http://127.0.0.1:1/v1"];
    with_keys(home.consign(&nobody), "any").run().fails(1, "AI_NETWORK_ERROR");
    home.consign(&args).run().fails(1, "AI_KEY_MISSING").telling("consign keys set");
}

#[test]
fn prices_can_be_looked_at_and_overridden() {
    let home = Home::new();
    let list =
        |home: &Home| home.consign(&["models", "list", "--json"]).run().exits(0).json_lines();
    let price = |rows: &[Value], name: &str| {
        let row = rows.iter().find(|row| row["model"] == name);
        row.map(|row| row["output_usd_per_million"].clone())
    };
    let rows = list(&home);
    assert!(rows.iter().all(|row| !text(row, "as_of").is_empty()));
    assert_eq!(price(&rows, "openai/gpt-5-mini"), Some(2.into()));
    std::fs::create_dir_all(home.path()).unwrap();
    let own = "as_of = \"2026-11-01\"\n[models.\"openai/gpt-5-mini\"]\ninput = 1\noutput = 3.5\n";
    std::fs::write(home.path().join("prices.toml"), own).unwrap();
    assert_eq!(price(&list(&home), "openai/gpt-5-mini"), Some(3.5.into()));
    std::fs::write(home.path().join("prices.toml"), "[models").unwrap();
    home.consign(&["models", "list"])
        .run()
        .fails(1, "CONFIG_INVALID")
        .telling("prices.toml: line 1");
}

#[test]
fn a_script_that_makes_no_sense_is_refused_with_its_place() {
    let folder = Folder::new();
    let script = folder.file("bad.json", r#"[{"text": "a"}, {"texts": "b"}]"#);
    let args = ["models", "double", "--listen", "127.0.0.1:0", "--script", &script];
    Consign::new(args).run().fails(1, "SCRIPT_INVALID").telling("texts");
}

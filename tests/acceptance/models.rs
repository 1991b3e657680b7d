//! `consign models`: the double, one call to it, and the list.

use std::{
    io::{BufRead, BufReader},
    process::{Child, Stdio},
};

use serde_json::Value;

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
    let keyless = home.consign(&args);
    let keyless = KEYS.iter().fold(keyless, |consign, name| consign.env(name, ""));
    keyless.run().fails(1, "AI_KEY_MISSING").telling("consign keys set");
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

use super::*;
use crate::asked::{Input, Wants};

fn asked(provider: Provider, model: &str, said: &str) -> Asked {
    let input = Input { last_user: said.to_owned(), ..Input::default() };
    let (model, wants) = (model.to_owned(), Wants::Text);
    Asked { provider, model, stream: false, include_usage: false, input, wants, max_tokens: None }
}

fn text(entry: Option<Entry>) -> String {
    match entry.map(|entry| entry.saying) {
        Some(Saying::Text(text)) => text,
        other => format!("{other:?}"),
    }
}

#[test]
fn entries_are_taken_in_order_once_each_by_those_they_fit() {
    let mut script: Script = r#"[
        {"model": "gpt-5-mini", "text": "a", "times": 2},
        {"provider": "anthropic", "text": "b"},
        {"contains": "rain", "model": "*", "text": "c"},
        {"text": "d", "times": 0}
    ]"#
    .parse()
    .unwrap();
    let mut take = |provider, model, said: &str| text(script.take(&asked(provider, model, said)));
    assert_eq!(take(Provider::Anthropic, "claude", "rain"), "b");
    assert_eq!(take(Provider::OpenAi, "gpt-5-mini", "rain"), "a");
    assert_eq!(take(Provider::OpenAi, "gpt-5-mini", "rain"), "a");
    assert_eq!(take(Provider::OpenAi, "gpt-5-mini", "rain?"), "c");
    assert_eq!(take(Provider::OpenAi, "gpt-5-mini", "rain"), "d");
    assert_eq!(take(Provider::Anthropic, "claude", "rain"), "d");
}

#[test]
fn keys_that_are_named_are_the_only_ones() {
    let script: Script =
        r#"[{"keys": ["key-1"]}, {"provider": "xai", "keys": ["key-2"]}]"#.parse().unwrap();
    assert!(script.accepts(Provider::OpenAi, "key-1"));
    assert!(!script.accepts(Provider::OpenAi, "key-2"));
    assert!(script.accepts(Provider::Xai, "key-2"));
    assert!(Script::default().accepts(Provider::Google, "any"));
    assert!(!format!("{script:?}").contains("key-"));
}

#[test]
fn a_bad_script_is_refused_with_the_place_and_the_reason() {
    let check = |script: &str, says: &[&str]| {
        let error = script.parse::<Script>().map(|_| ()).unwrap_err().to_string();
        for part in says {
            assert!(error.contains(part), "{script}: {error}");
        }
    };
    check("{", &["not JSON"]);
    check("{}", &["not an array"]);
    check("[1]", &["script[0]", "object"]);
    check(r#"[{"text": "a"}, {"texts": "b"}]"#, &["script[1]", "`texts`"]);
    check(r#"[{"model": "a"}]"#, &["script[0]", "an entry needs an answer"]);
    check(r#"[{"text": "a", "modle": "b"}]"#, &["script[0]", "`modle`"]);
    check(r#"[{"fault": {"kind": "stall", "secs": 1}}]"#, &["script[0]", "`secs`"]);
    check(r#"[{"fault": {"kind": "empty", "secs": 1}}]"#, &["script[0]", "`secs`"]);
    check(r#"[{"fault": {"kind": "nonsense"}}]"#, &["script[0]", "`nonsense`"]);
    check(r#"[{"text": "a", "usage": {"tokens": 1}}]"#, &["script[0]", "`tokens`"]);
    check(r#"[{"text": "a", "json": 1}]"#, &["script[0]", "`json`"]);
    check(r#"[{"tool_calls": [{"name": "a", "arguments": 1}]}]"#, &["`arguments`"]);
    check(r#"[{"keys": ["a"], "text": "b"}]"#, &["`keys`"]);
    check(r#"[{"text": "a", "provider": "nobody"}]"#, &["script[0]", "nobody"]);
    check(r#"[{"fault": {"kind": "server_error", "status": 200}}]"#, &["`status`"]);
    check(
        r#"[{"fault": {"kind": "cut_off", "after_chunks": 1, "after_bytes": 1}}]"#,
        &["`after_chunks`"],
    );
    let many = format!("[{}]", vec!["0"; MOST_ENTRIES + 1].join(","));
    check(&many, &["10001 entries"]);
}

#[test]
fn json_null_is_an_answer() {
    let mut script: Script = r#"[{"json": null}]"#.parse().unwrap();
    let entry = script.take(&asked(Provider::OpenAi, "m", ""));
    assert!(matches!(entry.unwrap().saying, Saying::Json(Value::Null)));
}

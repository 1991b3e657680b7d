//! Requests that a provider would refuse.

use serde_json::{Value, json};

use crate::stand::{Stand, question};

fn with(mut body: Value, name: &str, value: Value) -> Value {
    body[name] = value;
    body
}

fn without(mut body: Value, name: &str) -> Value {
    body.as_object_mut().unwrap().remove(name);
    body
}

#[tokio::test]
async fn bad_requests_are_refused_in_the_providers_words() {
    let stand = Stand::unscripted().await;
    let check = async |dialect: &str, body: Value, says: &str| {
        let (path, _) = question(dialect, "", false);
        let raw = stand.post(path, &body).await;
        assert_eq!(raw.status, 400, "{body}: {raw:?}");
        let message = raw.json()["error"]["message"].as_str().unwrap().to_owned();
        assert!(message.contains(says), "{body}: {message}");
    };
    let openai = || question("openai", "Hello.", false).1;
    check("openai", json!([]), "could not parse the JSON body").await;
    check("openai", without(openai(), "model"), "you must provide a model").await;
    check("openai", without(openai(), "messages"), "'messages'").await;
    check("openai", with(openai(), "messages", json!([])), "empty array").await;
    check("openai", with(openai(), "messages", json!([{ "role": "me", "content": "" }])), "'me'")
        .await;
    check("openai", with(openai(), "messages", json!("text")), "expected an array").await;
    check(
        "openai",
        with(openai(), "wisdom", json!(1)),
        "Unrecognized request argument supplied: wisdom",
    )
    .await;
    check("openai", with(openai(), "max_tokens", json!(9)), "Use 'max_completion_tokens' instead")
        .await;
    check("openai", with(openai(), "temperature", json!(0)), "does not support 0 with this model")
        .await;
    check(
        "openai",
        with(openai(), "response_format", json!({ "type": "json_object" })),
        "the word 'json'",
    )
    .await;
    let open = json!({ "type": "json_schema", "json_schema": { "name": "a", "strict": true,
        "schema": { "type": "object", "properties": {} } } });
    check("openai", with(openai(), "response_format", open), "'additionalProperties'").await;
    let stray = json!([{ "role": "tool", "tool_call_id": "a", "content": "" }]);
    check("openai", with(openai(), "messages", stray), "must be a response").await;
    let call =
        json!({ "id": "a", "type": "function", "function": { "name": "b", "arguments": "{}" } });
    let unanswered =
        json!([{ "role": "assistant", "tool_calls": [call] }, { "role": "user", "content": "c" }]);
    check("openai", with(openai(), "messages", unanswered), "did not have response messages: a")
        .await;
    let impossible =
        json!({ "type": "json_schema", "json_schema": { "name": "a", "schema": { "not": {} } } });
    check("openai", with(openai(), "response_format", impossible), "no answer for this schema")
        .await;

    let anthropic = || question("anthropic", "Hello.", false).1;
    check("anthropic", without(anthropic(), "max_tokens"), "max_tokens: Field required").await;
    check(
        "anthropic",
        with(anthropic(), "max_tokens", json!("9")),
        "max_tokens: Input should be a valid integer",
    )
    .await;
    check(
        "anthropic",
        with(anthropic(), "wisdom", json!(1)),
        "wisdom: Extra inputs are not permitted",
    )
    .await;
    check("anthropic", with(anthropic(), "temperature", json!(1.5)), "temperature: range: 0..1")
        .await;
    check(
        "anthropic",
        with(anthropic(), "messages", json!([{ "role": "user", "content": "" }])),
        "non-empty",
    )
    .await;
    check(
        "anthropic",
        with(anthropic(), "messages", json!([{ "role": "user" }])),
        "messages.0.content: Field required",
    )
    .await;
    let stray =
        json!([{ "role": "user", "content": [{ "type": "tool_result", "tool_use_id": "a" }] }]);
    check(
        "anthropic",
        with(anthropic(), "messages", stray),
        "messages.0.content.0: unexpected `tool_use_id`",
    )
    .await;

    let google = || question("google", "Hello.", false).1;
    check("google", without(google(), "contents"), "contents is not specified").await;
    check("google", with(google(), "wisdom", json!(1)), "Unknown name \"wisdom\"").await;
    check(
        "google",
        with(google(), "generationConfig", json!({ "wisdom": 1 })),
        "at 'generation_config'",
    )
    .await;
    check(
        "google",
        with(google(), "contents", json!([{ "role": "me", "parts": [] }])),
        "valid role",
    )
    .await;
    check(
        "google",
        with(google(), "generation_config", json!({ "response_schema": { "type": "STRING" } })),
        "response_mime_type",
    )
    .await;
    stand.end().await;
}

#[tokio::test]
async fn a_key_is_needed_where_providers_need_one() {
    let stand = Stand::new(json!([{ "provider": "xai", "keys": ["right"] }])).await;
    let check = async |path: &str, head: &str, status: u16| {
        let body =
            r#"{"model": "m", "messages": [{"role": "user", "content": "a"}], "max_tokens": 9}"#;
        let request = format!(
            "POST {path} HTTP/1.1\r\nhost: a\r\nconnection: close\r\n{head}content-length: {}\r\n\r\n{body}",
            body.len()
        );
        assert_eq!(stand.raw(&request).await.status, status, "{path} {head}");
    };
    let (version, bearer) = ("anthropic-version: 2023-06-01\r\n", "authorization: Bearer any\r\n");
    check("/openai/v1/chat/completions", "", 401).await;
    check("/openai/v1/chat/completions", "authorization: Basic any\r\n", 401).await;
    check("/openai/v1/chat/completions", bearer, 200).await;
    check("/ollama/v1/chat/completions", "", 200).await;
    check("/v1/chat/completions", "", 200).await;
    check("/v1/messages", version, 401).await;
    check("/v1/messages", &format!("{version}x-api-key: any\r\n"), 200).await;
    check("/v1/messages", "x-api-key: any\r\n", 400).await;
    check("/v1beta/models/m:generateContent", "", 401).await;
    // There are no contents: but the key was good.
    check("/v1beta/models/m:generateContent", "x-goog-api-key: any\r\n", 400).await;
    check("/v1beta/models/m:generateContent?key=any", "", 400).await;
    check("/xai/v1/chat/completions", "", 401).await;
    check("/xai/v1/chat/completions", bearer, 400).await;
    check("/xai/v1/chat/completions", "authorization: Bearer right\r\n", 200).await;
    stand.end().await;
}

#[tokio::test]
async fn other_addresses_are_answered_as_the_neighbourhood_would() {
    let stand = Stand::unscripted().await;
    let get = async |path: &str| {
        let head = "host: a\r\nconnection: close\r\nauthorization: Bearer any\r\n";
        stand.raw(&format!("GET {path} HTTP/1.1\r\n{head}\r\n")).await
    };
    assert_eq!(get("/healthz").await.json(), json!({ "status": "ok" }));
    assert_eq!(get("/nowhere").await.json()["error"]["message"], "Invalid URL (GET /nowhere)");
    assert_eq!(get("/anthropic/v1/nowhere").await.json()["error"]["type"], "not_found_error");
    assert_eq!(get("/v1beta/nowhere").await.json()["error"]["status"], "NOT_FOUND");
    assert_eq!(get("/v1/chat/completions").await.status, 405);
    assert_eq!(get("/v1/models").await.json()["data"][0]["object"], "model");
    assert_eq!(get("/anthropic/v1/models").await.json()["has_more"], false);
    assert!(get("/v1beta/models").await.json()["models"][0]["name"].is_string());
    let seen = get("/double/seen").await.json();
    assert_eq!(seen["requests"].as_array().unwrap().len(), 7);
    stand.end().await;
}

#[tokio::test]
async fn a_body_that_is_too_large_is_refused_and_the_reason_can_be_read() {
    let stand = Stand::unscripted().await;
    let (path, body) = question("anthropic", &"a".repeat(33 << 20), false);
    let raw = stand.post(path, &body).await;
    assert_eq!(raw.status, 413);
    assert_eq!(raw.json()["error"]["type"], "request_too_large");
    stand.end().await;
}

#[tokio::test]
async fn a_deep_or_broken_body_is_refused() {
    let stand = Stand::unscripted().await;
    for body in
        ["", "{", "nul", "\u{0}", "\u{feff}{}", &"[".repeat(1 << 20), &"{\"a\":".repeat(1 << 18)]
    {
        let request = format!(
            "POST /openai/v1/chat/completions HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\
             authorization: Bearer any\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        );
        assert_eq!(stand.raw(&request).await.status, 400);
    }
    let deep = format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000));
    let body = format!(
        r#"{{"model": "gpt-5-mini", "messages": [{{"role": "user", "content": "a"}}], "tools": [
            {{"type": "function", "function": {{"name": "a", "parameters": {deep}}}}}]}}"#
    );
    let request = format!(
        "POST /openai/v1/chat/completions HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\
         authorization: Bearer any\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    assert_eq!(stand.raw(&request).await.status, 400);
    stand.end().await;
}

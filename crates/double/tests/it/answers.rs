//! The answers themselves: their form, their counts and their limits.

use serde_json::{Value, json};

use crate::stand::{DIALECTS, Stand, question};

fn tokens(text: &str) -> u64 {
    tiktoken::get_encoding("o200k_base").unwrap().encode(text).len() as u64
}

/// The text of an answer in any dialect.
fn text(dialect: &str, answer: &Value) -> String {
    let place = match dialect {
        "openai" => "/choices/0/message/content",
        "anthropic" => "/content/0/text",
        _ => "/candidates/0/content/parts/0/text",
    };
    answer.pointer(place).and_then(Value::as_str).unwrap_or_else(|| panic!("{answer}")).to_owned()
}

/// Input and output tokens.
fn counts(dialect: &str, answer: &Value) -> (u64, u64) {
    let (input, output) = match dialect {
        "openai" => ("/usage/prompt_tokens", "/usage/completion_tokens"),
        "anthropic" => ("/usage/input_tokens", "/usage/output_tokens"),
        _ => ("/usageMetadata/promptTokenCount", "/usageMetadata/candidatesTokenCount"),
    };
    let count = |place| answer.pointer(place).and_then(Value::as_u64).unwrap_or_default();
    (count(input), count(output))
}

#[tokio::test]
async fn without_a_script_a_little_of_the_question_comes_back_and_is_counted() {
    let stand = Stand::unscripted().await;
    for dialect in DIALECTS {
        let said = "What is the weather like in Zürich today?";
        let (path, body) = question(dialect, said, false);
        let answer = stand.post(path, &body).await.json();
        let text = text(dialect, &answer);
        assert_eq!(text, format!("You said: \"{said}\". This is the answer."));
        assert_eq!(counts(dialect, &answer), (tokens(said), tokens(&text)), "{dialect}");
    }
    stand.end().await;
}

#[tokio::test]
async fn a_limit_on_tokens_is_kept() {
    let stand = Stand::new(json!([{ "times": 0, "text": "one two three four five" }])).await;
    for (dialect, reason) in DIALECTS.into_iter().zip(["length", "max_tokens", "MAX_TOKENS"]) {
        let (path, mut body) = question(dialect, "Count.", false);
        match dialect {
            "openai" => body["max_completion_tokens"] = 3.into(),
            "anthropic" => body["max_tokens"] = 3.into(),
            _ => body["generationConfig"] = json!({ "maxOutputTokens": 3 }),
        }
        let answer = stand.post(path, &body).await.json();
        assert_eq!(text(dialect, &answer), "one two three");
        assert_eq!(counts(dialect, &answer).1, 3);
        assert!(answer.to_string().contains(&format!("\"{reason}\"")), "{answer}");
    }
    stand.end().await;
}

#[tokio::test]
async fn counts_of_the_script_are_told_in_each_dialects_way() {
    let usage = json!({ "input_tokens": 100, "cached_tokens": 60, "cache_write_tokens": 30,
        "output_tokens": 50, "reasoning_tokens": 20 });
    let stand = Stand::new(json!([{ "times": 0, "text": "a", "usage": usage }])).await;
    let check = async |path: &str, body: &Value, expected: &[(&str, u64)]| {
        let answer = stand.post(path, body).await.json();
        for (place, count) in expected {
            assert_eq!(answer.pointer(place), Some(&json!(count)), "{place} of {answer}");
        }
    };
    let (path, body) = question("openai", "Hello.", false);
    check(
        path,
        &body,
        &[
            ("/usage/prompt_tokens", 100),
            ("/usage/prompt_tokens_details/cached_tokens", 60),
            ("/usage/completion_tokens", 50),
            ("/usage/completion_tokens_details/reasoning_tokens", 20),
            ("/usage/total_tokens", 150),
        ],
    )
    .await;
    // xAI counts reasoning beside the completion.
    check(
        "/xai/v1/chat/completions",
        &body,
        &[
            ("/usage/completion_tokens", 30),
            ("/usage/completion_tokens_details/reasoning_tokens", 20),
            ("/usage/total_tokens", 150),
        ],
    )
    .await;
    let (path, body) = question("anthropic", "Hello.", false);
    check(
        path,
        &body,
        &[
            ("/usage/input_tokens", 10),
            ("/usage/cache_read_input_tokens", 60),
            ("/usage/cache_creation_input_tokens", 30),
            ("/usage/output_tokens", 50),
        ],
    )
    .await;
    let (path, body) = question("google", "Hello.", false);
    check(
        path,
        &body,
        &[
            ("/usageMetadata/promptTokenCount", 100),
            ("/usageMetadata/cachedContentTokenCount", 60),
            ("/usageMetadata/candidatesTokenCount", 30),
            ("/usageMetadata/thoughtsTokenCount", 20),
            ("/usageMetadata/totalTokenCount", 150),
        ],
    )
    .await;
    stand.end().await;
}

#[tokio::test]
async fn system_prompts_tools_and_schemas_are_counted_as_they_were_sent() {
    let stand = Stand::unscripted().await;
    // With spaces that no second writing would have.
    let schema = r#"{ "type":  "object", "properties": {} }"#;
    let tool = format!(
        r#"{{ "type": "function", "function": {{ "name": "look", "parameters": {schema} }} }}"#
    );
    let body = format!(
        r#"{{"model": "qwen3:8b", "messages": [{{"role": "system", "content": "Be brief."}},
            {{"role": "user", "content": [{{"type": "text", "text": "Hello."}}]}}], "tools": [{tool}],
            "response_format": {{"type": "json_schema", "json_schema": {{"name": "a", "schema": {schema}}}}}}}"#
    );
    let request = format!(
        "POST /ollama/v1/chat/completions HTTP/1.1\r\nhost: a\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    let answer = stand.raw(&request).await.json();
    let expected: u64 = ["Be brief.", "Hello.", &tool, schema].into_iter().map(tokens).sum();
    assert_eq!(counts("openai", &answer).0, expected);
    assert_eq!(text("openai", &answer), "{}");
    stand.end().await;
}

#[tokio::test]
async fn a_stream_of_openai_has_a_role_first_and_counts_last_if_they_were_asked_for() {
    let stand = Stand::new(json!([{ "times": 0, "text": "abcd", "chunks": 2 }])).await;
    let (path, mut body) = question("openai", "Hello.", true);
    let plain = stand.post(path, &body).await;
    assert!(!plain.body.contains("usage"));
    body["stream_options"] = json!({ "include_usage": true });
    let raw = stand.post(path, &body).await;
    let events = raw.events();
    assert_eq!(events.len(), 6, "{events:?}");
    assert_eq!(events[5], "[DONE]");
    let json: Vec<Value> =
        events[..5].iter().map(|event| serde_json::from_str(event).unwrap()).collect();
    assert_eq!(json[0]["choices"][0]["delta"]["role"], "assistant");
    assert_eq!(json[1]["choices"][0]["delta"]["content"], "ab");
    assert_eq!(json[1]["usage"], Value::Null);
    assert_eq!(json[3]["choices"][0]["finish_reason"], "stop");
    assert_eq!((&json[4]["choices"], &json[4]["usage"]["prompt_tokens"]), (&json!([]), &json!(2)));
    assert!(json.iter().all(|event| event["id"] == json[0]["id"]));
    stand.end().await;
}

#[tokio::test]
async fn a_stream_of_anthropic_has_its_events_in_order() {
    let stand = Stand::new(json!([{ "text": "abcd", "chunks": 1,
        "tool_calls": [{ "name": "look", "arguments": { "at": 1 } }] }]))
    .await;
    let (path, body) = question("anthropic", "Hello.", true);
    let raw = stand.post(path, &body).await;
    let names: Vec<&str> =
        raw.body.lines().filter_map(|line| line.strip_prefix("event: ")).collect();
    assert_eq!(
        names,
        [
            "message_start",
            "content_block_start",
            "ping",
            "content_block_delta",
            "content_block_stop",
            "content_block_start",
            "content_block_delta",
            "content_block_delta",
            "content_block_stop",
            "message_delta",
            "message_stop",
        ]
    );
    assert!(raw.body.contains("\"stop_reason\":\"tool_use\""));
    stand.end().await;
}

#[tokio::test]
async fn a_stream_of_google_without_events_is_one_array() {
    let stand = Stand::new(json!([{ "text": "abcd", "chunks": 2 }])).await;
    let (path, body) = question("google", "Hello.", true);
    let raw = stand.post(path.trim_end_matches("?alt=sse"), &body).await;
    let chunks = raw.json();
    assert_eq!(chunks.as_array().unwrap().len(), 3);
    assert_eq!(chunks[2]["candidates"][0]["finishReason"], "STOP");
    stand.end().await;
}

#[tokio::test]
async fn a_forced_tool_is_called_with_arguments_that_fit() {
    let stand = Stand::new(json!([{ "model": "scripted", "json": { "city": "Bern" } }])).await;
    let schema = json!({ "type": "object", "properties": { "city": { "type": "string" } }, "required": ["city"] });
    let tool = json!({ "name": "look", "input_schema": schema });
    let (path, mut body) = question("anthropic", "Hello.", false);
    body["tools"] = json!([tool]);
    body["tool_choice"] = json!({ "type": "tool", "name": "look" });
    let answer = stand.post(path, &body).await.json();
    assert_eq!(answer["content"][0]["input"], json!({ "city": "text" }), "{answer}");
    body["model"] = "scripted".into();
    let answer = stand.post(path, &body).await.json();
    assert_eq!(answer["content"][0]["input"], json!({ "city": "Bern" }));
    // Tools that may be called are not, unless the script says so.
    body["tool_choice"] = json!({ "type": "auto" });
    assert_eq!(stand.post(path, &body).await.json()["stop_reason"], "end_turn");
    stand.end().await;
}

#[tokio::test]
async fn a_word_of_a_list_comes_from_google_without_quotes() {
    let stand = Stand::unscripted().await;
    let (path, mut body) = question("google", "Choose.", false);
    let schema = json!({ "type": "STRING", "format": "enum", "enum": ["left", "right"] });
    body["generationConfig"] =
        json!({ "responseMimeType": "text/x.enum", "responseSchema": schema });
    assert_eq!(text("google", &stand.post(path, &body).await.json()), "left");
    stand.end().await;
}

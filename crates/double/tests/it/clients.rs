//! Somebody else's client, against each provider: it reads what the double writes.

use futures_util::StreamExt;
use genai::{
    Client, ModelIden, ServiceTarget,
    adapter::AdapterKind,
    chat::{
        ChatMessage, ChatOptions, ChatRequest, ChatStreamEvent, JsonSpec, StopReason, StreamEnd,
        Tool, ToolResponse, Usage,
    },
    resolver::{AuthData, Endpoint},
};
use serde_json::{Value, json};

use crate::stand::Stand;

const PROVIDERS: [(AdapterKind, &str, &str); 5] = [
    (AdapterKind::OpenAI, "/openai/v1/", "gpt-4o-mini"),
    (AdapterKind::Xai, "/xai/v1/", "grok-code-fast-1"),
    (AdapterKind::Anthropic, "/anthropic/v1/", "claude-sonnet-4-5"),
    (AdapterKind::Gemini, "/google/v1beta/", "gemini-2.5-flash"),
    (AdapterKind::OpenAI, "/ollama/v1/", "qwen3:8b"),
];

/// The client wants TLS even where nothing is encrypted.
fn client() -> Client {
    let _ = rustls::crypto::ring::default_provider().install_default();
    Client::builder().with_reqwest(reqwest::Client::new()).build().unwrap()
}

fn target(stand: &Stand, (adapter, base, model): (AdapterKind, &str, &str)) -> ServiceTarget {
    ServiceTarget {
        endpoint: Endpoint::from_owned(stand.url(base)),
        auth: AuthData::from_single("test-key"),
        model: ModelIden::new(adapter, model),
    }
}

fn tokens(text: &str) -> i32 {
    i32::try_from(tiktoken::get_encoding("o200k_base").unwrap().encode(text).len()).unwrap()
}

fn request() -> ChatRequest {
    ChatRequest::from_system("Be brief.").append_message(ChatMessage::user("What is new in Bern?"))
}

fn counts(usage: &Usage) -> (i32, i32) {
    (usage.prompt_tokens.unwrap_or_default(), usage.completion_tokens.unwrap_or_default())
}

const ANSWER: &str = "You said: \"What is new in Bern?\". This is the answer.";

#[tokio::test]
async fn a_completion_is_read_with_its_counts() {
    let (stand, client) = (Stand::unscripted().await, client());
    for provider in PROVIDERS {
        let answer = client.exec_chat(target(&stand, provider), request(), None).await.unwrap();
        assert_eq!(answer.first_text(), Some(ANSWER), "{provider:?}");
        let expected = (tokens("Be brief.") + tokens("What is new in Bern?"), tokens(ANSWER));
        assert_eq!(counts(&answer.usage), expected, "{provider:?}");
        assert!(matches!(answer.stop_reason, Some(StopReason::Completed(_))), "{provider:?}");
    }
    assert_eq!(stand.double.seen().len(), PROVIDERS.len());
    stand.end().await;
}

async fn streamed(
    client: &Client,
    target: ServiceTarget,
    request: ChatRequest,
) -> (String, StreamEnd) {
    let options = ChatOptions::default()
        .with_capture_usage(true)
        .with_capture_content(true)
        .with_capture_tool_calls(true);
    let mut stream = client.exec_chat_stream(target, request, Some(&options)).await.unwrap().stream;
    let (mut text, mut end) = (String::new(), None);
    while let Some(event) = stream.next().await {
        match event.unwrap() {
            ChatStreamEvent::Chunk(chunk) => text.push_str(&chunk.content),
            ChatStreamEvent::End(its) => end = Some(its),
            ChatStreamEvent::Start
            | ChatStreamEvent::ReasoningChunk(_)
            | ChatStreamEvent::ThoughtSignatureChunk(_)
            | ChatStreamEvent::ToolCallChunk(_)
            | ChatStreamEvent::Heartbeat => {}
        }
    }
    (text, end.unwrap())
}

#[tokio::test]
async fn a_streamed_completion_is_read_with_its_counts() {
    let (stand, client) = (Stand::unscripted().await, client());
    for provider in PROVIDERS {
        let (text, end) = streamed(&client, target(&stand, provider), request()).await;
        assert_eq!(text, ANSWER, "{provider:?}");
        let expected = (tokens("Be brief.") + tokens("What is new in Bern?"), tokens(ANSWER));
        assert_eq!(counts(&end.captured_usage.unwrap()), expected, "{provider:?}");
    }
    stand.end().await;
}

#[tokio::test]
async fn an_answer_is_bound_to_its_schema() {
    let (stand, client) = (Stand::unscripted().await, client());
    let schema = json!({
        "type": "object",
        "properties": {
            "status": { "enum": ["done", "stuck"] },
            "steps": { "type": "array", "items": { "type": "string" }, "minItems": 1 },
        },
        "required": ["status", "steps"],
        "additionalProperties": false,
    });
    let options = ChatOptions::default().with_response_format(JsonSpec::new("verdict", schema));
    for provider in PROVIDERS {
        let target = target(&stand, provider);
        let answer = client.exec_chat(target, request(), Some(&options)).await.unwrap();
        let value: Value = serde_json::from_str(answer.first_text().unwrap()).unwrap();
        assert_eq!(value, json!({ "status": "done", "steps": ["text"] }), "{provider:?}");
        assert!(answer.usage.prompt_tokens.unwrap() > 20, "the schema is counted: {provider:?}");
    }
    stand.end().await;
}

#[tokio::test]
async fn a_tool_call_is_made_and_its_result_is_taken() {
    let arguments = json!({ "city": "Bern", "days": 2 });
    let script = json!([{ "times": 0, "contains": "Bern", "tool_calls": [{ "name": "look", "arguments": arguments }] }]);
    let (stand, client) = (Stand::new(script).await, client());
    let schema = json!({ "type": "object", "properties": { "city": { "type": "string" } } });
    let tool = Tool::new("look").with_description("Looks outside.").with_schema(schema);
    for provider in PROVIDERS {
        let asked = request().append_tool(tool.clone());
        let target = target(&stand, provider);
        let answer = client.exec_chat(target.clone(), asked.clone(), None).await.unwrap();
        let calls = answer.into_tool_calls();
        assert_eq!(calls.len(), 1, "{provider:?}");
        assert_eq!((calls[0].fn_name.as_str(), &calls[0].fn_arguments), ("look", &arguments));
        // The same as a stream.
        let (_, end) = streamed(&client, target.clone(), asked.clone()).await;
        let again = end.captured_into_tool_calls().unwrap();
        assert_eq!(
            (again[0].fn_name.as_str(), &again[0].fn_arguments),
            ("look", &arguments),
            "{provider:?}"
        );
        // And on with the result.
        let result = ToolResponse::new(calls[0].call_id.clone(), "sunny");
        let onward = asked
            .append_message(calls)
            .append_message(result)
            .append_message(ChatMessage::user("And now?"));
        let answer = client.exec_chat(target, onward, None).await.unwrap();
        assert_eq!(answer.first_text(), Some("You said: \"And now?\". This is the answer."));
    }
    stand.end().await;
}

#[tokio::test]
async fn errors_are_read_as_errors() {
    let fault = json!({ "kind": "rate_limited", "retry_after": 1 });
    let (stand, client) = (Stand::new(json!([{ "times": 0, "fault": fault }])).await, client());
    for provider in PROVIDERS {
        let error = client.exec_chat(target(&stand, provider), request(), None).await.unwrap_err();
        assert!(format!("{error:?}").contains("429"), "{provider:?}: {error:?}");
    }
    stand.end().await;
}

//! Questions, byte for byte.

use consign_engine::Data;

use crate::{
    ModelName, Provider,
    chat::{AnswerSchema, File, Message, Request, Tool, ToolCall},
    transport::Secret,
    wire,
};

const CLOSED: &str = r#"{"type":"object","properties":{"n":{"type":"integer","minimum":1}},"required":["n"],"additionalProperties":false}"#;

fn plain() -> Request {
    Request {
        system: Some("Be brief.".into()),
        messages: vec![Message::user("How many?")],
        max_tokens: 100,
        ..Request::default()
    }
}

fn bound() -> Request {
    let schema = AnswerSchema { name: "count".into(), schema: Data::parse(CLOSED).unwrap() };
    Request { schema: Some(schema), stream: true, ..plain() }
}

fn with_tools() -> Request {
    let call = |id: &str, arguments: &str| {
        let (id, name, arguments) = (id.into(), "look".into(), arguments.into());
        ToolCall { id, name, arguments }
    };
    let result = |id: &str, content: &str| {
        let (id, name, content) = (id.into(), "look".into(), content.into());
        Message::Tool { id, name, content }
    };
    let calls = vec![call("c1", r#"{"at":1}"#), call("gemini-call-1", "not json")];
    Request {
        messages: vec![
            Message::user("How many?"),
            Message::Assistant { text: "I look.".into(), tool_calls: calls },
            result("c1", "one"),
            result("gemini-call-1", "no"),
            Message::Assistant { text: String::new(), tool_calls: Vec::new() },
        ],
        tools: vec![Tool {
            name: "look".into(),
            description: "Looks.".into(),
            parameters: Data::parse(r#"{"type":"object"}"#).unwrap(),
        }],
        temperature: 0.5,
        ..plain()
    }
}

fn check(name: &str, base: &str, request: &Request, url: &str, body: &str) {
    let name: ModelName = name.parse().unwrap();
    let sent = wire::request(&name, base, request);
    assert_eq!(sent.url, url);
    assert_eq!(std::str::from_utf8(&sent.body).unwrap(), body, "{name}");
    assert!(sent.secret.is_none());
}

#[test]
fn a_question_to_a_chat_completion() {
    check(
        "openai/gpt-5-mini",
        "http://h/v1/",
        &plain(),
        "http://h/v1/chat/completions",
        r#"{"model":"gpt-5-mini","messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"How many?"}],"max_completion_tokens":100}"#,
    );
    check(
        "ollama/qwen3:8b",
        "http://h/v1",
        &Request { system: None, ..plain() },
        "http://h/v1/chat/completions",
        r#"{"model":"qwen3:8b","messages":[{"role":"user","content":"How many?"}],"temperature":0.0,"max_tokens":100}"#,
    );
    check(
        "xai/grok-4",
        "http://h/v1",
        &bound(),
        "http://h/v1/chat/completions",
        &[
            r#"{"model":"grok-4","messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"How many?"}],"response_format":{"type":"json_schema","json_schema":{"name":"count","strict":true,"schema":"#,
            CLOSED,
            r#"}},"temperature":0.0,"max_completion_tokens":100,"stream":true,"stream_options":{"include_usage":true}}"#,
        ]
        .concat(),
    );
    check(
        "openai/gpt-4o",
        "http://h/v1",
        &with_tools(),
        "http://h/v1/chat/completions",
        r#"{"model":"gpt-4o","messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"How many?"},{"role":"assistant","content":"I look.","tool_calls":[{"id":"c1","type":"function","function":{"name":"look","arguments":"{\"at\":1}"}},{"id":"gemini-call-1","type":"function","function":{"name":"look","arguments":"not json"}}]},{"role":"tool","content":"one","tool_call_id":"c1"},{"role":"tool","content":"no","tool_call_id":"gemini-call-1"},{"role":"assistant","content":""}],"tools":[{"type":"function","function":{"name":"look","description":"Looks.","parameters":{"type":"object"}}}],"temperature":0.5,"max_completion_tokens":100}"#,
    );
}

#[test]
fn a_schema_that_does_not_fit_strict_mode_is_sent_as_it_is() {
    let open = r#"{"type": "object", "properties": {"n": {"type": "integer"}}}"#;
    let schema = AnswerSchema { name: "count".into(), schema: Data::parse(open).unwrap() };
    let request = Request { schema: Some(schema), ..Request::default() };
    let sent = wire::request(&"openai/gpt-4o".parse().unwrap(), "http://h", &request);
    let body = String::from_utf8_lossy(&sent.body).into_owned();
    assert!(body.contains(&format!(r#""strict":false,"schema":{open}"#)), "{body}");
}

#[test]
fn a_question_to_anthropics_messages() {
    let loose = r#"{"type":"object","properties":{"n":{"type":"integer","description":"(minimum: 1)"}},"required":["n"],"additionalProperties":false}"#;
    check(
        "anthropic/claude-sonnet-4-5",
        "http://h/v1",
        &bound(),
        "http://h/v1/messages",
        &[
            r#"{"model":"claude-sonnet-4-5","max_tokens":100,"system":"Be brief.","messages":[{"role":"user","content":"How many?"}],"output_config":{"format":{"type":"json_schema","schema":"#,
            loose,
            r#"}},"temperature":0.0,"stream":true}"#,
        ]
        .concat(),
    );
    check(
        "anthropic/claude-3-5-haiku-latest",
        "http://h/v1",
        &Request { stream: false, ..bound() },
        "http://h/v1/messages",
        &[
            r#"{"model":"claude-3-5-haiku-latest","max_tokens":100,"system":"Be brief.\n\nAnswer with one JSON value and nothing else: no prose, no code fence. It must be valid against this JSON Schema:\n"#,
            &CLOSED.replace('"', "\\\""),
            r#"","messages":[{"role":"user","content":"How many?"}],"temperature":0.0}"#,
        ]
        .concat(),
    );
    check(
        "anthropic/claude-opus-4-7",
        "http://h/v1",
        &with_tools(),
        "http://h/v1/messages",
        r#"{"model":"claude-opus-4-7","max_tokens":100,"system":"Be brief.","messages":[{"role":"user","content":"How many?"},{"role":"assistant","content":[{"type":"text","text":"I look."},{"type":"tool_use","id":"c1","name":"look","input":{"at":1}},{"type":"tool_use","id":"gemini-call-1","name":"look","input":{"unreadable":"not json"}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":"one"},{"type":"tool_result","tool_use_id":"gemini-call-1","content":"no"}]}],"tools":[{"name":"look","description":"Looks.","input_schema":{"type":"object"}}]}"#,
    );
    let sent = wire::request(&"anthropic/x".parse().unwrap(), "http://h", &plain());
    assert_eq!(sent.headers, [("anthropic-version", "2023-06-01".to_owned())]);
}

#[test]
fn a_question_to_generate_content() {
    check(
        "google/gemini-2.5-flash",
        "http://h/v1beta",
        &bound(),
        "http://h/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse",
        &[
            r#"{"systemInstruction":{"parts":[{"text":"Be brief."}]},"contents":[{"role":"user","parts":[{"text":"How many?"}]}],"generationConfig":{"temperature":0.0,"maxOutputTokens":100,"responseMimeType":"application/json","responseJsonSchema":"#,
            CLOSED,
            "}}",
        ]
        .concat(),
    );
    check(
        "google/gemini-3-pro",
        "http://h/v1beta",
        &with_tools(),
        "http://h/v1beta/models/gemini-3-pro:generateContent",
        r#"{"systemInstruction":{"parts":[{"text":"Be brief."}]},"contents":[{"role":"user","parts":[{"text":"How many?"}]},{"role":"model","parts":[{"text":"I look."},{"functionCall":{"id":"c1","name":"look","args":{"at":1}},"thoughtSignature":"skip_thought_signature_validator"},{"functionCall":{"name":"look","args":{"unreadable":"not json"}}}]},{"role":"user","parts":[{"functionResponse":{"id":"c1","name":"look","response":{"result":"one"}}},{"functionResponse":{"name":"look","response":{"result":"no"}}}]}],"tools":[{"functionDeclarations":[{"name":"look","description":"Looks.","parametersJsonSchema":{"type":"object"}}]}],"generationConfig":{"temperature":0.5,"maxOutputTokens":100}}"#,
    );
    // The second generation takes tools or a schema, not both.
    let both = Request { schema: bound().schema, ..with_tools() };
    let sent = wire::request(&"google/gemini-2.5-pro".parse().unwrap(), "http://h", &both);
    let body = String::from_utf8_lossy(&sent.body).into_owned();
    assert!(body.contains("valid against this JSON Schema") && !body.contains("responseMimeType"));
}

#[test]
fn files_go_with_the_users_words_everywhere() {
    let files = vec![File { name: "a.txt".into(), text: "inside".into() }];
    let messages = vec![Message::User { text: "Why?".into(), files: files.clone() }];
    let request = Request { messages, ..Request::default() };
    let shown = serde_json::to_string(&wire::with_files("Why?", &files)).unwrap();
    for provider in Provider::ALL {
        let name = ModelName { provider, model: "m".into() };
        let sent = wire::request(&name, "http://h", &request);
        assert!(String::from_utf8_lossy(&sent.body).contains(&shown), "{provider}");
    }
}

#[test]
fn a_key_goes_into_a_header_and_never_into_the_address() {
    let check = |provider, header: &str, value: &str| {
        let (name, secret) = wire::secret_header(provider, &Secret::new("k-1".into()));
        assert_eq!((name, secret.reveal()), (header, value));
        let name = ModelName { provider, model: "m".into() };
        assert!(!wire::request(&name, "http://h", &plain()).url.contains("k-1"));
    };
    check(Provider::OpenAi, "authorization", "Bearer k-1");
    check(Provider::Xai, "authorization", "Bearer k-1");
    check(Provider::Ollama, "authorization", "Bearer k-1");
    check(Provider::Compatible, "authorization", "Bearer k-1");
    check(Provider::Anthropic, "x-api-key", "k-1");
    check(Provider::Google, "x-goog-api-key", "k-1");
}

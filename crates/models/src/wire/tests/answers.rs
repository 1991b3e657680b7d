//! Whole answers.

use consign_contracts::authoring::ErrorCode;
use proptest::prelude::*;

use crate::{
    Provider,
    chat::{Answer, Stop, ToolCall, Usage},
    wire,
};

fn usage(input: u64, cached: u64, written: u64, output: u64, reasoning: u64) -> Option<Usage> {
    Some(Usage {
        input_tokens: input,
        cached_tokens: cached,
        cache_write_tokens: written,
        output_tokens: output,
        reasoning_tokens: reasoning,
    })
}

fn call(id: &str, name: &str, arguments: &str) -> ToolCall {
    ToolCall { id: id.into(), name: name.into(), arguments: arguments.into() }
}

fn check(provider: Provider, body: &str, expected: Answer) {
    assert_eq!(wire::answer(provider, body.as_bytes()), Ok(expected), "{body}");
}

#[test]
fn a_chat_completion_is_read() {
    check(
        Provider::OpenAi,
        r#"{"id":"x","model":"gpt-5-mini-2025-08-07","choices":[{"index":0,"message":{"role":"assistant","content":"Two.","refusal":null},"finish_reason":"stop"}],"usage":{"prompt_tokens":30,"completion_tokens":12,"total_tokens":42,"prompt_tokens_details":{"cached_tokens":8},"completion_tokens_details":{"reasoning_tokens":10}}}"#,
        Answer {
            text: "Two.".into(),
            usage: usage(30, 8, 0, 12, 10),
            model: "gpt-5-mini-2025-08-07".into(),
            ..Answer::default()
        },
    );
    // xAI counts its reasoning beside the completion.
    check(
        Provider::Xai,
        r#"{"choices":[{"message":{"content":"Two."}}],"usage":{"prompt_tokens":30,"completion_tokens":2,"total_tokens":132,"completion_tokens_details":{"reasoning_tokens":100}}}"#,
        Answer { text: "Two.".into(), usage: usage(30, 0, 0, 102, 100), ..Answer::default() },
    );
    check(
        Provider::Ollama,
        r#"{"choices":[{"message":{"content":null,"tool_calls":[{"id":"c1","function":{"name":"f","arguments":"{\"a\":1}"}},{"id":"c2","function":{"name":"g","arguments":{"b":2}}}]},"finish_reason":"stop"}]}"#,
        Answer {
            tool_calls: vec![call("c1", "f", r#"{"a":1}"#), call("c2", "g", r#"{"b":2}"#)],
            stop: Stop::Tools,
            ..Answer::default()
        },
    );
    let check_stop = |choice: &str, text: &str, stop| {
        let body = format!(r#"{{"choices":[{choice}]}}"#);
        check(Provider::OpenAi, &body, Answer { text: text.into(), stop, ..Answer::default() });
    };
    check_stop(r#"{"message":{"content":"Tw"},"finish_reason":"length"}"#, "Tw", Stop::Length);
    check_stop(r#"{"message":{"content":""},"finish_reason":"content_filter"}"#, "", Stop::Refused);
    check_stop(
        r#"{"message":{"content":null,"refusal":"No."},"finish_reason":"stop"}"#,
        "No.",
        Stop::Refused,
    );
    check_stop(
        r#"{"message":{"content":[{"type":"thinking","text":"h"},{"type":"text","text":"T"}]}}"#,
        "T",
        Stop::End,
    );
}

#[test]
fn anthropics_messages_are_read() {
    check(
        Provider::Anthropic,
        r#"{"type":"message","model":"claude-x","content":[{"type":"thinking","thinking":"hm","signature":"s"},{"type":"text","text":"Tw"},{"type":"text","text":"o."},{"type":"tool_use","id":"t1","name":"f","input":{"a":[1]}},{"type":"tool_use","id":"t2","name":"g","input":{}}],"stop_reason":"tool_use","usage":{"input_tokens":5,"cache_creation_input_tokens":20,"cache_read_input_tokens":300,"output_tokens":40}}"#,
        Answer {
            text: "Two.".into(),
            tool_calls: vec![call("t1", "f", r#"{"a":[1]}"#), call("t2", "g", "{}")],
            usage: usage(325, 300, 20, 40, 0),
            model: "claude-x".into(),
            stop: Stop::Tools,
        },
    );
    let check_stop = |reason: &str, stop| {
        let body = format!(r#"{{"content":[],"stop_reason":"{reason}","error":null}}"#);
        check(Provider::Anthropic, &body, Answer { stop, ..Answer::default() });
    };
    check_stop("end_turn", Stop::End);
    check_stop("max_tokens", Stop::Length);
    check_stop("refusal", Stop::Refused);
    check_stop("something_new", Stop::End);
}

#[test]
fn generated_content_is_read() {
    check(
        Provider::Google,
        r#"{"modelVersion":"gemini-2.5-flash","candidates":[{"content":{"role":"model","parts":[{"text":"hm","thought":true},{"text":"Two."},{"functionCall":{"name":"f","args":{"a":1}}},{"functionCall":{"id":"i","name":"g"}}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":30,"cachedContentTokenCount":8,"toolUsePromptTokenCount":2,"candidatesTokenCount":4,"thoughtsTokenCount":16,"totalTokenCount":52}}"#,
        Answer {
            text: "Two.".into(),
            tool_calls: vec![call("gemini-call-0", "f", r#"{"a":1}"#), call("i", "g", "{}")],
            usage: usage(32, 8, 0, 20, 16),
            model: "gemini-2.5-flash".into(),
            stop: Stop::Tools,
        },
    );
    check(
        Provider::Google,
        r#"{"promptFeedback":{"blockReason":"SAFETY"},"usageMetadata":{"promptTokenCount":30}}"#,
        Answer { usage: usage(30, 0, 0, 0, 0), stop: Stop::Refused, ..Answer::default() },
    );
    check(
        Provider::Google,
        r#"{"candidates":[{"finishReason":"MAX_TOKENS"}]}"#,
        Answer { stop: Stop::Length, ..Answer::default() },
    );
}

#[test]
fn what_is_no_answer_is_said_to_be_none() {
    let check = |body: &str, code| {
        for provider in Provider::ALL {
            let trouble = wire::answer(provider, body.as_bytes()).unwrap_err();
            assert_eq!((trouble.code, trouble.passing), (code, true), "{provider} {body}");
        }
    };
    for body in ["", "{", "[]", "7", "null", "{}", r#"{"choices":[]}"#, r#"{"content":7}"#] {
        check(body, ErrorCode::AiInvalidResponse);
    }
    check(&"[".repeat(100_000), ErrorCode::AiInvalidResponse);
    check(r#"{"error":{"message":"broken"}}"#, ErrorCode::AiProviderError);
}

#[test]
fn counts_that_are_absurd_are_none_or_stay_within_bounds() {
    let counted = |provider, body: String| wire::answer(provider, body.as_bytes()).unwrap().usage;
    for count in ["-1", "1.5", "1e99", "\"7\"", "null"] {
        let openai = format!(
            r#"{{"choices":[{{"message":{{"content":"x"}}}}],"usage":{{"prompt_tokens":{count},"completion_tokens":1}}}}"#
        );
        assert_eq!(counted(Provider::OpenAi, openai), None);
    }
    let most = u64::MAX;
    let anthropic = format!(
        r#"{{"content":[],"usage":{{"input_tokens":{most},"cache_read_input_tokens":{most},"output_tokens":1}}}}"#
    );
    assert_eq!(counted(Provider::Anthropic, anthropic).unwrap().input_tokens, most);
}

#[test]
fn a_thousand_calls_are_no_answer() {
    let calls = vec![r#"{"function":{"name":"f"}}"#; 1000].join(",");
    let body = format!(r#"{{"choices":[{{"message":{{"tool_calls":[{calls}]}}}}]}}"#);
    assert!(wire::answer(Provider::OpenAi, body.as_bytes()).is_err());
}

#[test]
fn a_models_name_is_kept_short_and_plain() {
    let body = format!(
        r#"{{"model":"a\u001b[31m{}","choices":[{{"message":{{"content":"x"}}}}]}}"#,
        "b".repeat(500)
    );
    let model = wire::answer(Provider::OpenAi, body.as_bytes()).unwrap().model;
    assert_eq!((model.chars().count(), &model[..5]), (200, "a[31m"));
}

proptest! {
    #[test]
    fn noise_is_never_taken_for_an_answer(noise in prop::collection::vec(any::<u8>(), 0..200)) {
        for provider in Provider::ALL {
            prop_assert!(wire::answer(provider, &noise).is_err());
        }
    }
}

//! Answers in pieces, cut everywhere.

use consign_contracts::authoring::ErrorCode;
use proptest::prelude::*;

use crate::{
    Provider, Trouble,
    chat::{Answer, Stop, ToolCall, Usage},
    wire::Reader,
};

const OPENAI: &str = concat!(
    ": a comment\n\n",
    r#"data: {"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}],"usage":null}"#,
    "\n\n",
    r#"data: {"choices":[{"delta":{"content":"Tw"}}]}"#,
    "\n\n",
    r#"data: {"choices":[{"delta":{"content":"ö."}}]}"#,
    "\n\n",
    r#"data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"c1","type":"function","function":{"name":"f","arguments":""}}]}}]}"#,
    "\n\n",
    r#"data: {"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"a\""}},{"index":1,"id":"c2","function":{"name":"g","arguments":"{}"}}]}}]}"#,
    "\n\n",
    r#"data: {"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":":1}"}}]}}]}"#,
    "\n\n",
    r#"data: {"choices":[{"delta":{},"finish_reason":"tool_calls"}]}"#,
    "\n\n",
    r#"data: {"choices":[],"usage":{"prompt_tokens":30,"completion_tokens":12,"prompt_tokens_details":{"cached_tokens":8}}}"#,
    "\n\ndata: [DONE]\n\n",
);

const ANTHROPIC: &str = concat!(
    "event: message_start\r\n",
    r#"data: {"type":"message_start","message":{"model":"m","content":[],"usage":{"input_tokens":10,"cache_read_input_tokens":8,"cache_creation_input_tokens":12,"output_tokens":1}}}"#,
    "\r\n\r\nevent: ping\r\ndata: {\"type\": \"ping\"}\r\n\r\n",
    r#"data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}"#,
    "\r\n\r\n",
    r#"data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Tw"}}"#,
    "\r\n\r\n",
    r#"data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"ö."}}"#,
    "\r\n\r\n",
    r#"data: {"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"c1","name":"f","input":{}}}"#,
    "\r\n\r\n",
    r#"data: {"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"a\""}}"#,
    "\r\n\r\n",
    r#"data: {"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":":1}"}}"#,
    "\r\n\r\n",
    r#"data: {"type":"content_block_start","index":2,"content_block":{"type":"tool_use","id":"c2","name":"g","input":{}}}"#,
    "\r\n\r\n",
    r#"data: {"type":"content_block_stop","index":2}"#,
    "\r\n\r\n",
    r#"data: {"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":12}}"#,
    "\r\n\r\n",
    "event: message_stop\r\ndata: {\"type\":\"message_stop\"}\r\n\r\n",
);

const GEMINI: &str = concat!(
    r#"data: {"modelVersion":"m","candidates":[{"content":{"parts":[{"text":"hm","thought":true},{"text":"Tw"}]}}],"usageMetadata":{"promptTokenCount":30}}"#,
    "\n\n",
    r#"data: {"candidates":[{"content":{"parts":[{"text":"ö."},{"functionCall":{"id":"c1","name":"f","args":{"a":1}}}]}}]}"#,
    "\n\n",
    r#"data: {"candidates":[{"content":{"parts":[{"functionCall":{"id":"c2","name":"g","args":{}}}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":30,"cachedContentTokenCount":8,"candidatesTokenCount":12}}"#,
    "\n\n",
);

fn streams() -> [(Provider, &'static str); 3] {
    [(Provider::OpenAi, OPENAI), (Provider::Anthropic, ANTHROPIC), (Provider::Google, GEMINI)]
}

fn expected(provider: Provider) -> Answer {
    let call = |id: &str, name: &str, arguments: &str| {
        let (id, name, arguments) = (id.into(), name.into(), arguments.into());
        ToolCall { id, name, arguments }
    };
    Answer {
        text: "Twö.".into(),
        tool_calls: vec![call("c1", "f", r#"{"a":1}"#), call("c2", "g", "{}")],
        usage: Some(Usage {
            input_tokens: 30,
            cached_tokens: 8,
            cache_write_tokens: if provider == Provider::Anthropic { 12 } else { 0 },
            output_tokens: 12,
            reasoning_tokens: 0,
        }),
        model: "m".into(),
        stop: Stop::Tools,
    }
}

fn read(provider: Provider, pieces: &[&[u8]]) -> (String, Result<Answer, Trouble>) {
    let mut heard = String::new();
    let mut reader = Reader::new(provider, 1 << 20);
    let mut on_delta = |delta: &str| heard.push_str(delta);
    let pushed = pieces.iter().try_for_each(|piece| reader.push(piece, &mut on_delta));
    let answer = pushed.and_then(|()| reader.finish(&mut on_delta));
    (heard, answer)
}

#[test]
fn a_stream_gives_the_same_answer_wherever_it_is_split() {
    for (provider, stream) in streams() {
        let bytes = stream.as_bytes();
        for at in 0..=bytes.len() {
            let (heard, answer) = read(provider, &[&bytes[..at], &bytes[at..]]);
            assert_eq!(answer, Ok(expected(provider)), "{provider} split at {at}");
            assert_eq!(heard, "Twö.");
        }
        let single: Vec<&[u8]> = bytes.chunks(1).collect();
        assert_eq!(read(provider, &single).1, Ok(expected(provider)));
    }
}

#[test]
fn a_stream_that_is_cut_off_before_its_end_mark_is_no_answer() {
    for (provider, stream) in streams() {
        let mark = match provider {
            Provider::OpenAi => r#""finish_reason":"tool_calls"}]}"#,
            Provider::Anthropic => r#"{"type":"message_stop"}"#,
            Provider::Google => r#""candidatesTokenCount":12}}"#,
            Provider::Xai | Provider::Ollama | Provider::Compatible => unreachable!(),
        };
        let end = stream.find(mark).unwrap() + mark.len();
        for at in 0..stream.len() {
            let (heard, answer) = read(provider, &[&stream.as_bytes()[..at]]);
            assert!("Twö.".starts_with(&heard));
            match answer {
                Ok(answer) => {
                    assert!(at >= end, "{provider} cut at {at}: {answer:?}");
                    let usage = answer.usage.or(expected(provider).usage);
                    assert_eq!(Answer { usage, ..answer }, expected(provider));
                }
                Err(trouble) => {
                    assert!(at < end, "{provider} cut at {at}");
                    assert_eq!((trouble.code, trouble.passing), (ErrorCode::AiNetworkError, true));
                }
            }
        }
    }
}

#[test]
fn what_comes_after_the_end_is_not_listened_to() {
    for (provider, stream) in [(Provider::OpenAi, OPENAI), (Provider::Anthropic, ANTHROPIC)] {
        let more =
            format!("{stream}data: {{\"choices\":[{{\"delta\":{{\"content\":\"!\"}}}}]}}\n\nx");
        assert_eq!(read(provider, &[more.as_bytes()]).1, Ok(expected(provider)));
    }
}

#[test]
fn an_error_in_a_stream_is_the_answer_to_it() {
    let check = |provider, begin: &str, event: &str, code, passing| {
        let stream = format!("{begin}{event}\n\n");
        let trouble = read(provider, &[stream.as_bytes()]).1.unwrap_err();
        assert_eq!((trouble.code, trouble.passing), (code, passing), "{event}");
    };
    let half = |stream: &'static str| &stream[..stream.find("ö").unwrap() - 60];
    let start = half(ANTHROPIC).rfind("\r\n\r\n").unwrap() + 4;
    check(
        Provider::Anthropic,
        &ANTHROPIC[..start],
        "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}",
        ErrorCode::AiProviderError,
        true,
    );
    check(
        Provider::OpenAi,
        "",
        r#"data: {"error":{"message":"slow down","code":"rate_limit_exceeded"}}"#,
        ErrorCode::AiRateLimited,
        true,
    );
    check(Provider::OpenAi, "", "data: {not json}\n\n", ErrorCode::AiInvalidResponse, true);
    check(Provider::Google, "", "data: \u{0}\n\n", ErrorCode::AiInvalidResponse, true);
}

#[test]
fn a_stream_that_is_blocked_or_cut_short_by_the_provider_says_so() {
    let check = |provider, stream: &str, stop| {
        assert_eq!(read(provider, &[stream.as_bytes()]).1.unwrap().stop, stop, "{stream}");
    };
    check(Provider::Google, r#"data: {"promptFeedback":{"blockReason":"OTHER"}}"#, Stop::Refused);
    check(
        Provider::Google,
        r#"data: {"candidates":[{"finishReason":"MAX_TOKENS"}]}"#,
        Stop::Length,
    );
    check(Provider::OpenAi, r#"data: {"choices":[{"finish_reason":"length"}]}"#, Stop::Length);
    check(
        Provider::OpenAi,
        "data: {\"choices\":[{\"delta\":{\"refusal\":\"No.\"}}]}\n\ndata: {\"choices\":[{\"finish_reason\":\"stop\"}]}\n\n",
        Stop::Refused,
    );
}

#[test]
fn calls_that_are_counted_wildly_are_kept_apart_and_bounded() {
    let event = |index: u64| {
        format!(
            "data: {{\"choices\":[{{\"delta\":{{\"tool_calls\":[{{\"index\":{index},\"id\":\"i{index}\"}}]}}}}]}}\n\n"
        )
    };
    let few: String = [u64::MAX, 0, 7].map(event).concat() + "data: [DONE]\n\n";
    let calls = read(Provider::OpenAi, &[few.as_bytes()]).1.unwrap().tool_calls;
    assert_eq!(calls.len(), 3);
    let many: String = (0..1000).map(event).collect();
    let trouble = read(Provider::OpenAi, &[many.as_bytes()]).1.unwrap_err();
    assert_eq!(trouble.code, ErrorCode::AiInvalidResponse);
}

proptest! {
    #[test]
    fn noise_in_a_stream_does_no_harm(
        noise in prop::collection::vec(any::<u8>(), 0..60),
        at in 0usize..500,
    ) {
        for (provider, stream) in streams() {
            let (before, after) = stream.as_bytes().split_at(at.min(stream.len()));
            let _ = read(provider, &[before, &noise, after]);
        }
    }
}

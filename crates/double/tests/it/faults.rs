//! Every fault, byte by byte.

use serde_json::{Value, json};
use tokio::io::AsyncReadExt;

use crate::stand::{DIALECTS, Raw, Stand, post, question};

/// Asks the same in every dialect of a double whose every answer is spoiled alike.
async fn each(entry: Value, stream: bool, check: impl Fn(&str, &Raw)) {
    let mut entry = entry;
    entry["times"] = 0.into();
    let stand = Stand::new(json!([entry])).await;
    for dialect in DIALECTS {
        let (path, body) = question(dialect, "Hello.", stream);
        check(dialect, &stand.post(path, &body).await);
    }
    stand.end().await;
}

#[tokio::test]
async fn refusals_have_the_status_and_the_words_of_the_provider() {
    let check = |fault: Value, status: [u16; 3], words: [&'static str; 3]| async move {
        each(json!({ "fault": fault }), true, |dialect, raw| {
            let at = DIALECTS.iter().position(|known| *known == dialect).unwrap();
            assert_eq!(raw.status, status[at], "{dialect} {raw:?}");
            assert!(raw.header("content-type").unwrap().starts_with("application/json"));
            let error = &raw.json()["error"];
            let word = match dialect {
                "openai" => error["code"].as_str().or(error["type"].as_str()),
                "anthropic" => error["type"].as_str(),
                _ => error["status"].as_str(),
            };
            assert_eq!(word, Some(words[at]), "{raw:?}");
        })
        .await;
    };
    check(
        json!({ "kind": "unauthorized" }),
        [401, 401, 401],
        ["invalid_api_key", "authentication_error", "unauthenticated"].map(upper_for_google),
    )
    .await;
    check(
        json!({ "kind": "not_found" }),
        [404, 404, 404],
        ["model_not_found", "not_found_error", "NOT_FOUND"],
    )
    .await;
    check(
        json!({ "kind": "rate_limited" }),
        [429, 429, 429],
        ["rate_limit_exceeded", "rate_limit_error", "RESOURCE_EXHAUSTED"],
    )
    .await;
    check(
        json!({ "kind": "quota" }),
        [429, 400, 429],
        ["insufficient_quota", "invalid_request_error", "RESOURCE_EXHAUSTED"],
    )
    .await;
    check(
        json!({ "kind": "server_error" }),
        [500, 500, 500],
        ["server_error", "api_error", "INTERNAL"],
    )
    .await;
    check(
        json!({ "kind": "overloaded" }),
        [529, 529, 529],
        ["server_error", "overloaded_error", "UNAVAILABLE"],
    )
    .await;
    check(
        json!({ "kind": "overloaded", "status": 503 }),
        [503, 503, 503],
        ["server_error", "overloaded_error", "UNAVAILABLE"],
    )
    .await;
}

fn upper_for_google(word: &'static str) -> &'static str {
    if word == "unauthenticated" { "UNAUTHENTICATED" } else { word }
}

#[tokio::test]
async fn a_rate_limit_says_when_to_come_back_or_does_not() {
    let after = |fault: Value| async move {
        let stand = Stand::new(json!([{ "fault": fault }])).await;
        let (path, body) = question("openai", "Hello.", false);
        let raw = stand.post(path, &body).await;
        stand.end().await;
        raw.header("retry-after").map(str::to_owned)
    };
    assert_eq!(after(json!({ "kind": "rate_limited" })).await, None);
    assert_eq!(after(json!({ "kind": "rate_limited", "retry_after": 7 })).await, Some("7".into()));
    let date = "Fri, 31 Dec 1999 23:59:59 GMT";
    let verbatim = after(json!({ "kind": "rate_limited", "retry_after_date": date })).await;
    assert_eq!(verbatim, Some(date.to_ascii_lowercase()));
    let soon = after(json!({ "kind": "rate_limited", "retry_after_date": 60 })).await.unwrap();
    assert!(soon.ends_with(" gmt"), "{soon}");
}

#[tokio::test]
async fn google_says_when_to_come_back_in_the_body_too() {
    let fault = json!({ "kind": "rate_limited", "retry_after": 7 });
    let stand = Stand::new(json!([{ "fault": fault }])).await;
    let (path, body) = question("google", "Hello.", false);
    let raw = stand.post(path, &body).await;
    assert_eq!(raw.json()["error"]["details"][0]["retryDelay"], "7s");
    stand.end().await;
}

#[tokio::test]
async fn proxies_answer_with_pages() {
    for stream in [false, true] {
        for (kind, status) in [("bad_gateway", 502), ("wrong_content_type", 200)] {
            each(json!({ "fault": { "kind": kind } }), stream, |_, raw| {
                assert_eq!(raw.status, status);
                assert_eq!(raw.header("content-type"), Some("text/html; charset=utf-8"));
                assert!(raw.body.starts_with("<!doctype html>"));
            })
            .await;
        }
    }
}

#[tokio::test]
async fn a_stream_is_cut_off_after_so_many_chunks() {
    let fault = json!({ "kind": "cut_off", "after_chunks": 2 });
    let entry = json!({ "text": "abcdef", "chunks": 6, "fault": fault });
    each(entry, true, |dialect, raw| {
        assert_eq!(raw.status, 200);
        assert!(!raw.whole, "{dialect} {raw:?}");
        // Two chunks, and what opens a stream before them.
        let before = match dialect {
            "openai" => 1,
            "anthropic" => 3,
            _ => 0,
        };
        assert_eq!(raw.events().len(), before + 2, "{dialect} {raw:?}");
        assert!(raw.events().last().unwrap().contains("\"b\""), "{raw:?}");
    })
    .await;
}

#[tokio::test]
async fn a_body_is_cut_off_after_so_many_bytes() {
    for stream in [false, true] {
        let fault = json!({ "kind": "cut_off", "after_bytes": 21 });
        each(json!({ "text": "abcdef", "fault": fault }), stream, |dialect, raw| {
            assert_eq!((raw.body.len(), raw.whole), (21, false), "{dialect} {raw:?}");
        })
        .await;
    }
}

#[tokio::test]
async fn a_body_that_is_cut_off_is_shorter_than_it_said() {
    each(json!({ "fault": { "kind": "cut_off" } }), false, |_, raw| {
        let length: usize = raw.header("content-length").unwrap().parse().unwrap();
        assert_eq!(raw.body.len(), length / 2);
    })
    .await;
}

#[tokio::test]
async fn even_a_cut_that_comes_late_comes_before_the_end() {
    for fault in [
        json!({ "kind": "cut_off", "after_chunks": 99 }),
        json!({ "kind": "cut_off", "after_bytes": 1_000_000 }),
    ] {
        for stream in [false, true] {
            each(json!({ "text": "abcdef", "fault": fault }), stream, |dialect, raw| {
                assert!(!raw.whole, "{dialect} {raw:?}");
                assert!(!raw.body.contains("[DONE]\n\n"));
            })
            .await;
        }
    }
}

#[tokio::test]
async fn json_is_bad_in_the_right_content_type() {
    for stream in [false, true] {
        each(
            json!({ "text": "abcdef", "fault": { "kind": "bad_json" } }),
            stream,
            |dialect, raw| {
                assert!(raw.whole && raw.status == 200, "{raw:?}");
                let expected = if stream { "text/event-stream" } else { "application/json" };
                assert!(raw.header("content-type").unwrap().starts_with(expected));
                let is_json = |text: &str| serde_json::from_str::<Value>(text).is_ok();
                if stream {
                    assert!(raw.events().iter().any(|event| !is_json(event)), "{dialect} {raw:?}");
                } else {
                    assert!(!is_json(&raw.body), "{dialect} {raw:?}");
                }
            },
        )
        .await;
    }
}

#[tokio::test]
async fn an_error_ends_a_stream_in_the_middle() {
    let fault = json!({ "kind": "stream_error", "after_chunks": 1 });
    let entry = json!({ "text": "abcdef", "chunks": 3, "fault": fault });
    each(entry.clone(), true, |dialect, raw| {
        assert!(raw.whole && raw.status == 200, "{raw:?}");
        let last: Value = serde_json::from_str(raw.events().last().unwrap()).unwrap();
        assert!(last["error"]["message"].is_string(), "{dialect} {last}");
        assert_eq!(raw.body.contains("event: error\n"), dialect == "anthropic");
    })
    .await;
    each(entry, false, |_, raw| assert_eq!(raw.status, 500)).await;
}

#[tokio::test]
async fn a_huge_answer_is_as_large_as_it_should_be_and_can_be_read() {
    each(json!({ "fault": { "kind": "huge", "megabytes": 3 } }), false, |_, raw| {
        assert!(raw.whole && raw.header("content-length").is_none());
        assert!(raw.body.len() > 3 << 20 && raw.body.len() < (3 << 20) + 2_000);
        raw.json();
    })
    .await;
    each(json!({ "fault": { "kind": "huge", "megabytes": 3 } }), true, |_, raw| {
        assert!(raw.whole && raw.body.len() > 3 << 20);
        let is_json = |event: &&str| serde_json::from_str::<Value>(event).is_ok();
        assert!(raw.events().iter().all(|event| *event == "[DONE]" || is_json(event)));
    })
    .await;
}

#[tokio::test]
async fn a_stalled_stream_sends_what_it_has_and_ends_only_with_the_double() {
    let fault = json!({ "kind": "stall", "after_chunks": 1 });
    let stand = Stand::new(json!([{ "text": "abcdef", "chunks": 3, "fault": fault }])).await;
    let (path, body) = question("openai", "Hello.", true);
    let mut stream = stand.connect(&post(path, &body)).await;
    let mut text = String::new();
    let mut piece = [0; 4096];
    while !text.contains("\"ab\"") {
        let count = stream.read(&mut piece).await.unwrap();
        assert!(count > 0, "{text}");
        text.push_str(std::str::from_utf8(&piece[..count]).unwrap());
    }
    stand.end().await;
    let mut rest = Vec::new();
    let _ = stream.read_to_end(&mut rest).await;
    assert!(!String::from_utf8_lossy(&rest).contains("\"cd\""));
}

#[tokio::test]
async fn a_connection_without_a_request_does_not_keep_the_double_from_ending() {
    let stand = Stand::unscripted().await;
    let _silent = stand.connect("POST /v1/chat/completions HTTP/1.1\r\n").await;
    let _slow = stand
        .connect("POST /v1/messages HTTP/1.1\r\nhost: a\r\ncontent-length: 100\r\n\r\n{")
        .await;
    // Both are known to be there once a third has been answered.
    assert_eq!(
        stand.raw("GET /healthz HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n").await.status,
        200
    );
    stand.end().await;
}

#[tokio::test]
async fn answers_can_be_empty_refused_or_beside_the_schema() {
    each(json!({ "fault": { "kind": "empty" } }), false, |dialect, raw| {
        let json = raw.json();
        match dialect {
            "openai" => assert_eq!(json["choices"][0]["message"]["content"], ""),
            "anthropic" => assert_eq!(json["content"], json!([])),
            _ => assert!(json["candidates"][0]["content"].get("parts").is_none()),
        }
    })
    .await;
    each(json!({ "fault": { "kind": "breaks_schema" } }), false, |_, raw| {
        assert!(raw.body.contains("unexpected"));
    })
    .await;
    let refused = |by: &'static str, expected: [&'static str; 3]| async move {
        for stream in [false, true] {
            each(json!({ "fault": { "kind": "refused", "by": by } }), stream, |dialect, raw| {
                let at = DIALECTS.iter().position(|known| *known == dialect).unwrap();
                assert!(raw.body.contains(expected[at]), "{dialect} {raw:?}");
            })
            .await;
        }
    };
    refused(
        "model",
        ["\"refusal\":\"I'm", "\"stop_reason\":\"refusal\"", "\"finishReason\":\"SAFETY\""],
    )
    .await;
    refused(
        "filter",
        ["content_filter", "\"stop_reason\":\"refusal\"", "\"blockReason\":\"SAFETY\""],
    )
    .await;
}

//! What goes wrong at providers: the right code, the right number of tries, the right waits.

use std::time::Duration;

use consign_contracts::authoring::ErrorCode;
use consign_engine::{Retry, Status};
use consign_testkit::programs::call;
use serde_json::Value;

use crate::stage::{PLAIN, PROVIDERS, double, told, world};

/// A fault as the double has it, what it becomes, how often it is tried, and how long the provider
/// asks to be left alone.
struct Case {
    fault: &'static str,
    code: ErrorCode,
    tries: usize,
    wait: Option<u64>,
    /// Only where a stream is wanted.
    streamed: bool,
}

const fn case(fault: &'static str, code: ErrorCode, tries: usize) -> Case {
    Case { fault, code, tries, wait: None, streamed: false }
}

fn cases() -> Vec<Case> {
    use ErrorCode::{
        AiAuthError, AiInvalidResponse, AiModelNotFound, AiNetworkError, AiProviderError,
        AiRateLimited,
    };
    vec![
        case(r#"{"kind": "unauthorized"}"#, AiAuthError, 1),
        case(r#"{"kind": "not_found"}"#, AiModelNotFound, 1),
        case(r#"{"kind": "rate_limited"}"#, AiRateLimited, 3),
        Case {
            wait: Some(7),
            ..case(r#"{"kind": "rate_limited", "retry_after": 7}"#, AiRateLimited, 3)
        },
        case(r#"{"kind": "server_error"}"#, AiProviderError, 3),
        case(r#"{"kind": "overloaded"}"#, AiProviderError, 3),
        case(r#"{"kind": "bad_gateway"}"#, AiProviderError, 3),
        case(r#"{"kind": "slow_first_byte", "ms": 400000}"#, AiNetworkError, 3),
        Case {
            streamed: true,
            ..case(r#"{"kind": "stall", "after_chunks": 1}"#, AiNetworkError, 3)
        },
        case(r#"{"kind": "cut_off", "after_chunks": 1}"#, AiNetworkError, 3),
        case(r#"{"kind": "wrong_content_type"}"#, AiInvalidResponse, 3),
        case(r#"{"kind": "bad_json"}"#, AiInvalidResponse, 3),
        case(r#"{"kind": "huge", "megabytes": 20}"#, AiInvalidResponse, 1),
        case(r#"{"kind": "empty"}"#, AiNetworkError, 3),
        case(r#"{"kind": "refused"}"#, AiProviderError, 1),
        Case { streamed: true, ..case(r#"{"kind": "stream_error"}"#, AiProviderError, 3) },
    ]
}

#[tokio::test(start_paused = true)]
async fn every_fault_becomes_its_code_with_its_tries_and_waits() {
    for model in PROVIDERS {
        for case in cases() {
            for stream in [false, true] {
                if stream || !case.streamed {
                    check(model, &case, stream).await;
                }
            }
        }
    }
}

async fn check(model: &str, case: &Case, stream: bool) {
    let what = format!("{model} {} stream={stream}", case.fault);
    let script = format!(
        r#"[{{"text": "one two three", "chunks": 3, "fault": {}, "times": 0}}]"#,
        case.fault
    );
    let double = double(&script);
    let world = world(&double, model, &format!("{PLAIN}stream = {stream}\n")).await;
    let retry = Retry { tries: 3, first: Duration::from_secs(1), longest: Duration::from_secs(60) };
    let run = world.submit(call("a", "agent").given(r#""Hi""#).retried(retry)).await;
    let _worker = world.worker().await;
    let row = world.until_closed(&run).await;
    assert_eq!(row.status, Status::Failed, "{what}");
    let told = told(&world, &run).await;
    let gone = told.gone.unwrap();
    assert_eq!(gone.fault.code, case.code.as_str(), "{what}: {:?}", gone.fault);
    assert_eq!(gone.fault.message, case.code.user_message().unwrap(), "{what}");
    assert_eq!(gone.fault.dialect.as_deref(), Some("authoring"), "{what}");
    assert_eq!((told.failed.len() + 1, double.seen().len()), (case.tries, case.tries), "{what}");
    for (attempt, (failed, waited)) in told.failed.iter().enumerate() {
        assert_eq!(failed.fault.code, case.code.as_str(), "{what}");
        // Doubling, spread over its upper half; never less than the provider asks for.
        let most = 1000 << attempt;
        match case.wait {
            Some(seconds) => {
                assert_eq!(*waited, seconds * 1000, "{what}");
                let details: Value = failed.fault.details.as_ref().unwrap().to().unwrap();
                assert_eq!(details["retryAfter"], seconds as f64, "{what}");
            }
            None => assert!((most / 2..=most).contains(waited), "{what}: {waited} ms"),
        }
    }
    // What nobody can tell is taken for spent; what was refused cost nothing.
    let unpaid = matches!(
        case.code,
        ErrorCode::AiAuthError | ErrorCode::AiModelNotFound | ErrorCode::AiRateLimited
    );
    if unpaid {
        assert!(row.figures.spent.is_zero(), "{what}");
    }
    assert!(row.figures.reserved.is_zero(), "{what}");
}

#[tokio::test(start_paused = true)]
async fn a_used_up_quota_is_not_waited_for() {
    for model in ["openai/gpt-5-mini", "xai/grok-code-fast-1"] {
        let double = double(r#"[{"fault": {"kind": "quota"}, "times": 0}]"#);
        let world = world(&double, model, PLAIN).await;
        let run = world.submit(call("a", "agent").given(r#""Hi""#)).await;
        let _worker = world.worker().await;
        world.until_closed(&run).await;
        let gone = told(&world, &run).await.gone.unwrap();
        assert_eq!(
            (gone.fault.code.as_ref(), double.seen().len()),
            ("AI_RATE_LIMITED", 1),
            "{model}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_fault_that_passes_is_forgotten() {
    for model in PROVIDERS {
        let script = r#"[{"fault": {"kind": "overloaded"}}, {"text": "there"}]"#;
        let double = double(script);
        let world = world(&double, model, PLAIN).await;
        let retry =
            Retry { tries: 3, first: Duration::from_secs(1), longest: Duration::from_secs(9) };
        let run = world.submit(call("a", "agent").given(r#""Hi""#).retried(retry)).await;
        let _worker = world.worker().await;
        world.until_closed(&run).await;
        assert_eq!(world.output(&run).await, r#""there""#);
        assert_eq!(double.seen().len(), 2);
    }
}

#[tokio::test(start_paused = true)]
async fn after_five_failures_in_a_row_a_provider_is_left_alone() {
    let double = double(r#"[{"fault": {"kind": "server_error"}, "times": 0}]"#);
    let world = world(&double, "openai/gpt-5-mini", PLAIN).await;
    let retry = Retry { tries: 7, first: Duration::from_secs(1), longest: Duration::from_secs(1) };
    let run = world.submit(call("a", "agent").given(r#""Hi""#).retried(retry)).await;
    let _worker = world.worker().await;
    world.until_closed(&run).await;
    let told = told(&world, &run).await;
    // Five go out; the sixth is held back and waits for the pause to be over; the seventh goes out.
    assert_eq!((told.failed.len() + 1, double.seen().len()), (7, 6));
    let (held, waited) = &told.failed[5];
    let details: Value = held.fault.details.as_ref().unwrap().to().unwrap();
    assert!(details["cause"].as_str().unwrap().contains("5 times in a row"), "{details}");
    assert!((28_000..=30_000).contains(waited), "{waited} ms");
    assert!(held.paid.nanos.is_zero());
}

//! What goes wrong at providers: the right code, the right number of tries, the right waits, the right
//! price.

use std::{ops::RangeInclusive, time::Duration};

use consign_contracts::authoring::ErrorCode;
use consign_engine::{Nanos, Retry, Status};
use consign_testkit::{programs::call, world::Setting};
use serde_json::Value;

use crate::stage::{PLAIN, PROVIDERS, agent, double, models, provider, told, world};

/// A fault as the double has it, and what is made of it.
struct Case {
    fault: &'static str,
    code: ErrorCode,
    tries: usize,
    paid: Paid,
    /// What engineers are told, in part.
    cause: &'static str,
    /// How long the provider asks to be left alone, in milliseconds.
    wait: Option<RangeInclusive<u64>>,
    /// Whole, streamed, or both.
    streams: &'static [bool],
    /// Who has no way to say it.
    except: &'static str,
}

/// What an attempt is taken to have cost.
#[derive(Clone, Copy)]
enum Paid {
    Nothing,
    /// All that was held back, because nobody knows.
    InFull,
    /// What the provider said that it counted.
    ByUsage,
}

const fn case(fault: &'static str, code: ErrorCode, tries: usize, paid: Paid) -> Case {
    Case { fault, code, tries, paid, cause: "", wait: None, streams: &[false, true], except: "" }
}

fn cases() -> Vec<Case> {
    use ErrorCode::{
        AiAuthError, AiInvalidResponse, AiModelNotFound, AiNetworkError, AiProviderError,
        AiRateLimited,
    };
    use Paid::{ByUsage, InFull, Nothing};
    vec![
        case(r#"{"kind": "unauthorized"}"#, AiAuthError, 1, Nothing),
        case(r#"{"kind": "not_found"}"#, AiModelNotFound, 1, Nothing),
        case(r#"{"kind": "rate_limited"}"#, AiRateLimited, 3, Nothing),
        Case {
            wait: Some(7_000..=7_000),
            ..case(r#"{"kind": "rate_limited", "retry_after": 7}"#, AiRateLimited, 3, Nothing)
        },
        Case {
            // The date is by the clock on the wall, which goes on meanwhile.
            wait: Some(200_000..=300_000),
            ..case(
                r#"{"kind": "rate_limited", "retry_after_date": 300}"#,
                AiRateLimited,
                3,
                Nothing,
            )
        },
        case(r#"{"kind": "server_error"}"#, AiProviderError, 3, Nothing),
        case(r#"{"kind": "overloaded"}"#, AiProviderError, 3, Nothing),
        case(r#"{"kind": "bad_gateway"}"#, AiProviderError, 3, InFull),
        Case {
            cause: "no answer within 300s",
            ..case(r#"{"kind": "slow_first_byte", "ms": 400000}"#, AiNetworkError, 3, InFull)
        },
        Case {
            cause: "the answer stalled",
            ..case(r#"{"kind": "stall", "after_chunks": 1}"#, AiNetworkError, 3, InFull)
        },
        case(r#"{"kind": "cut_off", "after_chunks": 1}"#, AiNetworkError, 3, InFull),
        Case {
            cause: "the answer has the content type text/html",
            ..case(r#"{"kind": "wrong_content_type"}"#, AiInvalidResponse, 3, InFull)
        },
        case(r#"{"kind": "bad_json"}"#, AiInvalidResponse, 3, InFull),
        Case {
            cause: "more than 1048576 bytes",
            ..case(r#"{"kind": "huge", "megabytes": 2}"#, AiInvalidResponse, 1, InFull)
        },
        Case {
            cause: "the answer is empty",
            ..case(r#"{"kind": "empty"}"#, AiNetworkError, 3, ByUsage)
        },
        Case { except: "ollama", ..case(r#"{"kind": "refused"}"#, AiProviderError, 1, ByUsage) },
        case(r#"{"kind": "refused", "by": "filter"}"#, AiProviderError, 1, ByUsage),
        Case {
            streams: &[true],
            ..case(r#"{"kind": "stream_error"}"#, AiProviderError, 3, InFull)
        },
        Case {
            streams: &[false],
            ..case(r#"{"kind": "stream_error"}"#, AiProviderError, 3, Nothing)
        },
    ]
}

/// A hundred tokens of input and ten of output, by each provider's price list.
const COSTS: [u64; 5] = [
    100 * 250 + 10 * 2_000,
    100 * 3_000 + 10 * 15_000,
    100 * 200 + 10 * 1_500,
    100 * 300 + 10 * 2_500,
    0,
];

#[tokio::test(start_paused = true)]
async fn every_fault_becomes_its_code_with_its_tries_waits_and_price() {
    for (model, cost) in PROVIDERS.into_iter().zip(COSTS) {
        for case in cases().iter().filter(|case| case.except != provider(model)) {
            for stream in case.streams {
                check(model, Nanos::new(cost), case, *stream).await;
            }
        }
    }
}

async fn check(model: &str, counted: Nanos, case: &Case, stream: bool) {
    let what = format!("{model} {} stream={stream}", case.fault);
    let script = format!(
        r#"[{{"text": "one two three", "chunks": 3, "fault": {}, "times": 0,
              "usage": {{"input_tokens": 100, "output_tokens": 10}}}}]"#,
        case.fault
    );
    let double = double(&script);
    let models = models(&double, "[patience]\nmax_answer_mb = 1\n");
    let agent = agent(&models, model, &format!("{PLAIN}stream = {stream}\n"));
    let world = Setting::new().real("agent", agent).await;
    let run = world.submit(call("a", "agent").given(r#""Hi""#).retried(Retry::default())).await;
    let _worker = world.worker().await;
    let row = world.until_closed(&run).await;
    assert_eq!(row.status, Status::Failed, "{what}");
    let told = told(&world, &run).await;
    let gone = told.gone.unwrap();
    assert_eq!((told.failed.len() + 1, double.seen().len()), (case.tries, case.tries), "{what}");
    for (attempt, (failed, waited)) in told.failed.iter().enumerate() {
        let details: Value = failed.fault.details.as_ref().unwrap().to().unwrap();
        // Half a second, doubled, each spread over its upper half; never less than is asked for.
        let most = 500 << attempt;
        let wait = case.wait.clone().unwrap_or(most / 2..=most);
        assert!(wait.contains(waited), "{what}: {waited} ms");
        let asked = case.wait.is_some().then_some(*waited as f64 / 1000.0);
        let told = details["retryAfter"].as_f64();
        let near = asked.zip(told).is_some_and(|(asked, told)| (asked - told).abs() < 0.002);
        assert!(near || asked == told, "{what}: {waited} ms, {details}");
    }
    let reserved = told.started.unwrap().reserved;
    let (nanos, assumed) = match case.paid {
        Paid::Nothing => (Nanos::ZERO, false),
        Paid::InFull => (reserved, true),
        Paid::ByUsage => (counted, false),
    };
    let failed = told.failed.into_iter().map(|(failed, _)| (failed.fault, failed.paid));
    for (fault, paid) in failed.chain([(gone.fault, gone.paid)]) {
        assert_eq!(fault.code, case.code.as_str(), "{what}: {fault:?}");
        assert_eq!(fault.message, case.code.user_message().unwrap(), "{what}");
        assert_eq!(fault.dialect.as_deref(), Some("authoring"), "{what}");
        let details: Value = fault.details.unwrap().to().unwrap();
        assert!(details["cause"].as_str().unwrap().contains(case.cause), "{what}: {details}");
        assert_eq!((paid.nanos, paid.assumed), (nanos, assumed), "{what}");
    }
    let spent = nanos.times(case.tries as u64);
    assert_eq!((row.figures.spent, row.figures.reserved), (spent, Nanos::ZERO), "{what}");
}

#[tokio::test(start_paused = true)]
async fn a_used_up_quota_is_waited_for_only_where_it_looks_like_haste() {
    for (model, code, tries) in [
        ("openai/gpt-5-mini", "AI_RATE_LIMITED", 1),
        ("anthropic/claude-sonnet-4-5", "AI_PROVIDER_ERROR", 1),
        ("xai/grok-code-fast-1", "AI_RATE_LIMITED", 3),
        ("google/gemini-2.5-flash", "AI_RATE_LIMITED", 3),
        ("ollama/qwen3", "AI_RATE_LIMITED", 3),
    ] {
        let double = double(r#"[{"fault": {"kind": "quota"}, "times": 0}]"#);
        let world = world(&double, model, PLAIN).await;
        let run = world.submit(call("a", "agent").given(r#""Hi""#).retried(Retry::default())).await;
        let _worker = world.worker().await;
        let row = world.until_closed(&run).await;
        let told = told(&world, &run).await;
        let gone = told.gone.unwrap();
        assert_eq!((gone.fault.code.as_ref(), double.seen().len()), (code, tries), "{model}");
        assert_eq!(told.failed.len() + 1, tries, "{model}");
        assert!(row.figures.spent.is_zero() && !gone.paid.assumed, "{model}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_fault_that_passes_is_forgotten() {
    for model in PROVIDERS {
        let script = r#"[{"fault": {"kind": "overloaded"}}, {"text": "there"}]"#;
        let double = double(script);
        let world = world(&double, model, PLAIN).await;
        let retry = Retry::new(3, Duration::from_secs(1), Duration::from_secs(9));
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
    let retry = Retry::new(7, Duration::from_secs(1), Duration::from_secs(1));
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

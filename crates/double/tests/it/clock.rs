//! The double in the same process, where time is tokio's.

use std::{sync::Arc, time::Duration};

use consign_double::Double;
use consign_models::transport::{Broken, Incoming, Outgoing, Secret, Transport};
use futures_util::StreamExt;
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::stand::question;

async fn send(double: &Arc<Double>, stream: bool) -> Incoming {
    let (path, body) = question("openai", "Hello.", stream);
    let secret = Some(("authorization", Secret::new("Bearer test-key".to_owned())));
    let url = format!("http://double{path}");
    let request = Outgoing { url, headers: Vec::new(), secret, body: body.to_string().into() };
    let transport: Arc<dyn Transport> = Arc::clone(double) as _;
    transport.send(request).await.unwrap()
}

fn double(script: Value) -> Arc<Double> {
    Double::new(script.to_string().parse().unwrap())
}

async fn text(mut incoming: Incoming) -> (String, Option<Broken>) {
    let mut bytes = Vec::new();
    while let Some(piece) = incoming.body.next().await {
        match piece {
            Ok(piece) => bytes.extend_from_slice(&piece),
            Err(broken) => return (String::from_utf8(bytes).unwrap(), Some(broken)),
        }
    }
    (String::from_utf8(bytes).unwrap(), None)
}

#[tokio::test(start_paused = true)]
async fn the_first_byte_waits_as_long_as_the_script_says() {
    let slow = json!({ "kind": "slow_first_byte", "ms": 90_000 });
    let late = json!({ "kind": "rate_limited" });
    let double = double(json!([{ "fault": slow }, { "delay_ms": 1_500, "fault": late }]));
    let start = Instant::now();
    assert_eq!(send(&double, true).await.status, 200);
    assert_eq!(start.elapsed(), Duration::from_secs(90));
    assert_eq!(send(&double, true).await.status, 429);
    assert_eq!(start.elapsed(), Duration::from_millis(91_500));
}

#[tokio::test(start_paused = true)]
async fn chunks_come_at_the_pace_of_the_script() {
    let double = double(json!([{ "text": "abcd", "chunks": 4, "chunk_delay_ms": 250 }]));
    let start = Instant::now();
    let (body, broken) = text(send(&double, true).await).await;
    assert_eq!(broken, None);
    assert!(body.ends_with("data: [DONE]\n\n"));
    assert_eq!(start.elapsed(), Duration::from_millis(750));
}

#[tokio::test(start_paused = true)]
async fn a_stall_lasts_as_long_as_it_should_or_for_ever() {
    let stall = |ms: Value| json!({ "fault": { "kind": "stall", "ms": ms } });
    let double = double(json!([stall(json!(60_000)), stall(Value::Null), stall(json!(60_000))]));
    let start = Instant::now();
    let (body, _) = text(send(&double, true).await).await;
    assert!(body.ends_with("data: [DONE]\n\n"));
    assert_eq!(start.elapsed(), Duration::from_secs(60));
    let incoming = send(&double, true).await;
    let day = Duration::from_secs(86_400);
    assert!(tokio::time::timeout(day, text(incoming)).await.is_err());
    // Without a stream too.
    let start = Instant::now();
    let (body, _) = text(send(&double, false).await).await;
    assert!(serde_json::from_str::<Value>(&body).is_ok());
    assert_eq!(start.elapsed(), Duration::from_secs(60));
}

#[tokio::test]
async fn a_cut_is_an_error_after_what_was_sent() {
    let fault = json!({ "kind": "cut_off", "after_chunks": 1 });
    let double = double(json!([{ "text": "abcd", "chunks": 2, "fault": fault }]));
    let (body, broken) = text(send(&double, true).await).await;
    assert!(body.contains("\"ab\"") && !body.contains("\"cd\""));
    assert!(matches!(broken, Some(Broken::Lost(_))));
}

#[tokio::test]
async fn what_was_seen_holds_no_key() {
    let double = double(json!([]));
    send(&double, true).await;
    let seen = double.seen();
    assert_eq!(seen.len(), 1);
    assert_eq!(seen[0].path, "/openai/v1/chat/completions");
    assert_eq!(seen[0].model.as_deref(), Some("gpt-5-mini"));
    assert!(seen[0].stream && seen[0].key.is_some() && seen[0].body.contains("Hello."));
    assert!(seen[0].headers.contains(&"authorization".to_owned()));
    assert!(!format!("{seen:?}").contains("test-key"));
}

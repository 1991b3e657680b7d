//! Runs as they go.

use std::time::Duration;

use consign_contracts::{Contract, json};
use consign_server::{Options, Wire};
use serde_json::json;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

use crate::{client::Frame, world::World};

fn ids(frames: &[Frame]) -> Vec<u64> {
    frames.iter().filter_map(|frame| frame.id).collect()
}

#[tokio::test]
async fn a_stream_has_every_event_once_and_ends_with_the_run() {
    let world = World::new().await;
    let run = world.start("sample/steps", json!({"steps": 150})).await;
    let target = format!("/api/runs/{run}/events");
    let frames = world.events(&target, None).await.rest().await;
    let last = world.until_closed(&run).await.seq.0;
    assert!(last > 300);
    assert_eq!(ids(&frames), (0..=last).collect::<Vec<_>>());
    assert_eq!(frames.last().unwrap().data["kind"], "succeeded");
    let contract = Contract::find("engine/event").unwrap();
    for frame in &frames {
        let text = frame.data.to_string();
        assert!(contract.schema().check(&json::parse(text.as_bytes()).unwrap()).is_valid());
        assert_eq!(frame.data["seq"], frame.id.unwrap());
    }
    // Whoever comes back after the end is told not to.
    assert_eq!(world.events(&target, Some(last)).await.status, 204);
    assert_eq!(world.events(&target, Some(last + 7)).await.status, 204);
    assert_eq!(world.events(&format!("{target}?after={last}"), None).await.status, 204);
}

#[tokio::test]
async fn whoever_lost_the_connection_goes_on_without_a_gap_or_a_repetition() {
    let world = World::new().await;
    let run = world.start("sample/approval", json!({"asks": 3})).await;
    let target = format!("/api/runs/{run}/events");
    let mut seen = Vec::new();
    for number in 1..=3 {
        let last = seen.last().copied();
        // The address stays what it was at first; the header counts.
        let mut events = world.events(&format!("{target}?after=0"), last).await;
        if number == 1 {
            // Some of it is there, the rest comes while we listen.
            while let Some(frame) = events.next().await {
                seen.push(frame.id.unwrap());
                if frame.data["kind"] == "asked" && frame.data["body"]["key"] == "ask-3" {
                    break;
                }
            }
        }
        let answer = world
            .post(&format!("/api/runs/{run}/answers/ask-{number}"), &json!({"value": true}))
            .await;
        assert_eq!(answer.status, 200);
        let frame = events.next().await.unwrap();
        assert_eq!(frame.data["kind"], "answered");
        seen.push(frame.id.unwrap());
    }
    let rest = world.events(&target, seen.last().copied()).await.rest().await;
    seen.extend(ids(&rest));
    let last = world.until_closed(&run).await.seq.0;
    assert_eq!(seen, (1..=last).collect::<Vec<_>>());
}

#[tokio::test]
async fn words_come_without_an_id_and_from_their_beginning_for_whoever_comes_late() {
    let world = World::new().await;
    let run = world.start("agent/call", json!({"agent": "talker", "input": {}})).await;
    let target = format!("/api/runs/{run}/events");
    let mut early = world.events(&target, None).await;
    while early.next().await.unwrap().data["kind"] != "call_started" {}
    let text = |text: &str, offset: usize, reset: bool| {
        let mut data = json!({"activity": "call", "attempt": 1, "offset": offset, "text": text});
        if reset {
            data["reset"] = json!(true);
        }
        Frame { id: None, name: Some("text".to_owned()), data, comment: false }
    };
    world.cues.send("one ".to_owned()).unwrap();
    assert_eq!(early.next().await, Some(text("one ", 0, true)));
    world.cues.send("two\n".to_owned()).unwrap();
    assert_eq!(early.next().await, Some(text("two\n", 4, false)));
    let mut late = world.events(&target, None).await;
    while late.next().await.unwrap().data["kind"] != "call_started" {}
    assert_eq!(late.next().await, Some(text("one two\n", 0, true)));
    world.cues.send("three".to_owned()).unwrap();
    assert_eq!(late.next().await, Some(text("three", 8, false)));
    world.cues.send(String::new()).unwrap();
    let rest = late.rest().await;
    assert_eq!(rest.last().unwrap().data["kind"], "succeeded");
    assert!(rest.iter().all(|frame| frame.id.is_some()));
}

#[tokio::test]
async fn a_stream_with_nothing_to_say_says_so() {
    let options = Options { keep_alive: Duration::from_millis(20), ..Options::default() };
    let world = World::with(options, Wire::default()).await;
    let run = world.start("sample/approval", json!({})).await;
    let mut events = world.events(&format!("/api/runs/{run}/events"), None).await;
    while !events.any().await.unwrap().comment {}
}

#[tokio::test]
async fn streams_are_bounded_and_hold_nobody_else_up() {
    let options = Options { max_streams: 1, max_requests: 1, ..Options::default() };
    let world = World::with(options, Wire::default()).await;
    let run = world.start("sample/approval", json!({})).await;
    let target = format!("/api/runs/{run}/events");
    let mut first = world.events(&target, None).await;
    first.next().await.unwrap();
    let answer = world.get(&target).await;
    answer.is(503, "OVERLOADED");
    assert_eq!(answer.header("retry-after"), Some("1"));
    assert_eq!(world.get("/api/runs").await.status, 200);
}

#[tokio::test]
async fn a_page_of_events_is_there_for_whoever_wants_json() {
    let world = World::new().await;
    let run = world.start("sample/steps", json!({"steps": 3})).await;
    let last = world.until_closed(&run).await.seq.0;
    let page = async |query: &str| {
        let target = format!("/api/runs/{run}/events{query}");
        let request = world.request("GET", &target).header("accept", "application/json");
        let page = world.ask(request, "").await.json();
        let seqs: Vec<_> = page["items"]
            .as_array()
            .unwrap()
            .iter()
            .map(|event| event["seq"].as_u64().unwrap())
            .collect();
        (seqs, page["cursor"].as_u64())
    };
    assert_eq!(page("").await, ((0..=last).collect(), None));
    assert_eq!(page("?limit=2").await, (vec![0, 1], Some(1)));
    assert_eq!(page("?limit=2&after=1").await, (vec![2, 3], Some(3)));
    assert_eq!(page(&format!("?after={}", last - 1)).await, (vec![last], None));
    assert_eq!(page(&format!("?after={last}")).await, (vec![], None));
    assert_eq!(page(&format!("?after={}", u64::MAX - 1)).await, (vec![], None));
}

/// A run of thirty calls with inputs and outputs of 300 KB each.
async fn large(world: &World) -> (String, u64) {
    let inputs: Vec<_> = (0..30).map(|_| "x".repeat(300_000)).collect();
    let input = json!({"agent": "sample/echo", "inputs": inputs});
    let run = world.start("agent/map", input).await;
    let last = world.until_closed(&run).await.seq.0;
    (run, last)
}

#[tokio::test]
async fn a_page_ends_when_it_is_large_and_the_next_goes_on_there() {
    let world = World::new().await;
    let (run, last) = large(&world).await;
    let (mut seen, mut after, mut pages) = (Vec::new(), None, 0);
    loop {
        let query = after.map_or(String::new(), |after: u64| format!("&after={after}"));
        let target = format!("/api/runs/{run}/events?limit=1000{query}");
        let request = world.request("GET", &target).header("accept", "application/json");
        let page = world.ask(request, "").await;
        let items = page.json()["items"].as_array().unwrap().clone();
        // All but the last of a page fit into four megabytes.
        let largest = items.last().map_or(0, |item| item.to_string().len());
        assert!(page.text.len() - largest < 5 << 20, "{}", page.text.len());
        seen.extend(items.iter().map(|item| item["seq"].as_u64().unwrap()));
        pages += 1;
        after = page.json()["cursor"].as_u64();
        if after.is_none() {
            break;
        }
    }
    assert_eq!(seen, (0..=last).collect::<Vec<_>>());
    assert!(pages >= 3, "{pages}");
}

/// Whoever reads slowly has us hold what is sent next: that must not be all of it.
#[tokio::test]
async fn a_stream_of_large_events_comes_in_small_pieces() {
    let world = World::new().await;
    let (run, last) = large(&world).await;
    let request = format!(
        "GET /api/runs/{run}/events HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {}\r\nconnection: close\r\n\r\n",
        world.token.reveal()
    );
    let mut stream = TcpStream::connect(world.address).await.unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut all = Vec::new();
    stream.read_to_end(&mut all).await.unwrap();
    let head = all.windows(4).position(|four| four == b"\r\n\r\n").unwrap() + 4;
    let (mut rest, mut pieces) = (&all[head..], Vec::new());
    loop {
        let line = rest.iter().position(|byte| *byte == b'\n').unwrap();
        let size = std::str::from_utf8(&rest[..line]).unwrap().trim();
        let size = usize::from_str_radix(size, 16).unwrap();
        if size == 0 {
            break;
        }
        pieces.push(&rest[line + 1..line + 1 + size]);
        rest = &rest[line + 1 + size + 2..];
    }
    let events = |piece: &[u8]| String::from_utf8_lossy(piece).matches("\ndata: ").count();
    assert_eq!(pieces.iter().map(|piece| events(piece)).sum::<usize>() as u64, last + 1);
    for piece in pieces {
        assert!(piece.len() < 1 << 20 || events(piece) == 1, "{} bytes at once", piece.len());
    }
}

#[tokio::test]
async fn a_stream_that_cannot_be_is_refused() {
    let world = World::new().await;
    let run = world.start("sample/approval", json!({})).await;
    world.get("/api/runs/nobody/events").await.is(404, "RUN_NOT_FOUND");
    for query in ["after=-1", "after=x", "after=18446744073709551615", "from=1"] {
        world.get(&format!("/api/runs/{run}/events?{query}")).await.is(400, "VALIDATION_ERROR");
    }
    let odd = world.request("GET", &format!("/api/runs/{run}/events")).header("last-event-id", "x");
    world.ask(odd, "").await.is(400, "VALIDATION_ERROR");
}

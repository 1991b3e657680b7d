//! Every way in which a call can end, over a network that is a script.

use std::sync::Mutex;

use async_trait::async_trait;
use bytes::Bytes;
use futures_util::{StreamExt, stream};

use super::*;
use crate::{
    Provider,
    chat::{Message, Usage},
    transport::{Broken, Incoming},
};

const KEY: &str = "sk-test-0123456789abcdef";

/// What the other side does with a question.
#[derive(Clone)]
enum Act {
    Say(&'static str),
    Wait(u64),
    Break,
}

#[derive(Clone)]
struct Script {
    status: u16,
    headers: Vec<(&'static str, &'static str)>,
    /// Before the head.
    wait: u64,
    acts: Vec<Act>,
    broken: Option<Broken>,
    sent: Arc<Mutex<Vec<Outgoing>>>,
}

#[async_trait]
impl Transport for Script {
    async fn send(&self, request: Outgoing) -> Result<Incoming, Broken> {
        self.sent.lock().unwrap().push(request);
        tokio::time::sleep(Duration::from_secs(self.wait)).await;
        if let Some(broken) = &self.broken {
            return Err(broken.clone());
        }
        let own = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        let body = stream::iter(self.acts.clone()).filter_map(|act| async move {
            match act {
                Act::Say(text) => Some(Ok(Bytes::from_static(text.as_bytes()))),
                Act::Break => Some(Err(Broken::Lost("reset".to_owned()))),
                Act::Wait(seconds) => {
                    tokio::time::sleep(Duration::from_secs(seconds)).await;
                    None
                }
            }
        });
        let headers = self.headers.iter().map(own).collect();
        Ok(Incoming { status: self.status, headers, body: body.boxed() })
    }
}

fn says(kind: &'static str, acts: &[Act]) -> Script {
    Script {
        status: 200,
        headers: vec![("content-type", kind)],
        wait: 0,
        acts: acts.to_vec(),
        broken: None,
        sent: Arc::default(),
    }
}

fn json(body: &'static str) -> Script {
    says("application/json; charset=utf-8", &[Act::Say(body)])
}

fn events(acts: &[Act]) -> Script {
    says("text/event-stream", acts)
}

fn refuses(status: u16, headers: &[(&'static str, &'static str)], body: &'static str) -> Script {
    Script { status, headers: headers.to_vec(), ..json(body) }
}

fn target(name: &str) -> Target {
    let key = Some(Secret::new(KEY.to_owned()));
    Target { name: name.parse().unwrap(), base_url: None, key }
}

async fn ask(script: &Script, target: &Target, stream: bool) -> Result<Answer, Refused> {
    let request = Request {
        messages: vec![Message::user("How many?")],
        max_tokens: 10,
        stream,
        ..Request::default()
    };
    let patience = Patience { max_body: 10_000, ..Patience::default() };
    let client = Client::new(Arc::new(script.clone())).with_patience(patience);
    let mut heard = String::new();
    let answer = client.ask(target, &request, &mut |delta| heard.push_str(delta)).await;
    if let Ok(answer) = &answer
        && stream
    {
        assert_eq!(heard, answer.text);
    }
    answer
}

const ANSWER: &str = r#"{"choices":[{"message":{"content":"Two."},"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":2}}"#;
const USAGE: Usage = Usage {
    input_tokens: 3,
    cached_tokens: 0,
    cache_write_tokens: 0,
    output_tokens: 2,
    reasoning_tokens: 0,
};
const HALF: &str = "data: {\"choices\":[{\"delta\":{\"content\":\"Two.\"}}]}\n\n";
const END: &str = "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n";

#[tokio::test(start_paused = true)]
async fn an_answer_comes_whole_or_in_pieces() {
    let check = async |script: Script, stream: bool| {
        let answer = ask(&script, &target("openai/gpt-5"), stream).await.unwrap();
        assert_eq!(answer.text, "Two.");
        let sent = script.sent.lock().unwrap();
        let (header, secret) = sent[0].secret.as_ref().unwrap();
        assert_eq!((*header, secret.reveal()), ("authorization", format!("Bearer {KEY}").as_str()));
        assert_eq!(sent[0].url, "https://api.openai.com/v1/chat/completions");
        assert_eq!(sent.len(), 1);
    };
    check(json(ANSWER), false).await;
    check(Script { headers: Vec::new(), ..json(ANSWER) }, false).await;
    check(Script { wait: 299, ..json(ANSWER) }, false).await;
    check(events(&[Act::Say(HALF), Act::Say(END), Act::Say("data: [DONE]\n\n")]), true).await;
    // The wait for the first word is the wait for the first byte.
    check(events(&[Act::Wait(290), Act::Say(HALF), Act::Wait(59), Act::Say(END)]), true).await;
    // A server that does not stream answers all the same.
    check(json(ANSWER), true).await;
    // What is complete is an answer, whatever becomes of the line after it.
    check(events(&[Act::Say(HALF), Act::Say(END), Act::Break]), true).await;
    check(events(&[Act::Say(HALF), Act::Say(END), Act::Wait(1000)]), true).await;
    check(events(&[Act::Say(HALF), Act::Say("data: [DONE]\n\n"), Act::Say("{oops")]), true).await;
}

#[tokio::test(start_paused = true)]
async fn every_fault_has_its_code_and_its_price() {
    use Charged::{Nothing, Unknown, Usage as Counted};
    use ErrorCode as E;
    type Expected = (E, bool, Charged, Option<u64>);
    let check = async |script: Script, stream: bool, expected: Expected| {
        let refused = ask(&script, &target("openai/gpt-5"), stream).await.unwrap_err();
        let Trouble { code, passing, retry_after, what, .. } = refused.trouble;
        let waits = retry_after.map(|wait| wait.as_secs());
        assert_eq!((code, passing, refused.charged, waits), expected, "{what}");
        assert_eq!(script.sent.lock().unwrap().len(), 1, "one call is one request");
    };
    let broken = |broken| Script { broken: Some(broken), ..json("") };

    // Statuses.
    for status in [401, 403] {
        check(refuses(status, &[], "{}"), false, (E::AiAuthError, false, Nothing, None)).await;
    }
    check(refuses(404, &[], "{}"), true, (E::AiModelNotFound, false, Nothing, None)).await;
    check(refuses(429, &[], "{}"), true, (E::AiRateLimited, true, Nothing, None)).await;
    check(
        refuses(429, &[("retry-after", "20")], "{}"),
        true,
        (E::AiRateLimited, true, Nothing, Some(20)),
    )
    .await;
    check(
        refuses(429, &[("retry-after", "999999999")], "{}"),
        true,
        (E::AiRateLimited, true, Nothing, Some(86_400)),
    )
    .await;
    check(
        refuses(429, &[("retry-after", "5")], r#"{"error":{"code":"insufficient_quota"}}"#),
        false,
        (E::AiRateLimited, false, Nothing, None),
    )
    .await;
    for status in [302, 400, 405, 413, 415, 422] {
        check(refuses(status, &[], "no"), false, (E::AiProviderError, false, Nothing, None)).await;
    }
    for status in [409, 500, 503, 529] {
        let script = refuses(status, &[("retry-after-ms", "3000")], "<html>");
        check(script, true, (E::AiProviderError, true, Nothing, Some(3))).await;
    }
    for status in [408, 502, 504, 524] {
        check(refuses(status, &[], ""), true, (E::AiProviderError, true, Unknown, None)).await;
    }

    // The line.
    let lost = (E::AiNetworkError, true, Unknown, None);
    check(broken(Broken::Unreached("h".into())), false, (E::AiNetworkError, true, Nothing, None))
        .await;
    check(broken(Broken::Lost("reset".into())), false, lost).await;
    check(
        broken(Broken::Unrecorded("not in there".into())),
        false,
        (E::AiNetworkError, false, Nothing, None),
    )
    .await;
    check(Script { wait: 301, ..json(ANSWER) }, false, lost).await;
    check(events(&[Act::Wait(301), Act::Say(END)]), true, lost).await;
    check(events(&[Act::Say(HALF), Act::Wait(61), Act::Say(END)]), true, lost).await;
    check(events(&[Act::Say(HALF), Act::Break]), true, lost).await;
    check(events(&[Act::Say(HALF)]), true, lost).await;
    check(events(&[]), true, lost).await;
    check(says("application/json", &[Act::Say("{"), Act::Break]), false, lost).await;
    check(says("application/json", &[Act::Say("{"), Act::Wait(61)]), false, lost).await;

    // What is said.
    let wrong = (E::AiInvalidResponse, true, Unknown, None);
    check(says("text/html", &[Act::Say("<html>")]), false, wrong).await;
    check(says("text/html", &[Act::Say("<html>")]), true, wrong).await;
    check(events(&[Act::Say(END)]), false, wrong).await;
    check(json("{\"choices\":"), false, wrong).await;
    check(json("{}"), false, wrong).await;
    check(events(&[Act::Say("data: {oops}\n\n")]), true, wrong).await;
    let long: &'static str = Box::leak("x".repeat(6000).into_boxed_str());
    let huge = (E::AiInvalidResponse, false, Unknown, None);
    check(says("application/json", &[Act::Say(long), Act::Say(long)]), false, huge).await;
    check(events(&[Act::Say(long), Act::Say(long)]), true, huge).await;
    check(
        events(&[Act::Say(HALF), Act::Say("data: {\"error\":{\"type\":\"server_error\"}}\n\n")]),
        true,
        (E::AiProviderError, true, Unknown, None),
    )
    .await;
    check(
        json(
            r#"{"choices":[{"message":{"content":""},"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":2}}"#,
        ),
        false,
        (E::AiNetworkError, true, Counted(USAGE), None),
    )
    .await;
    check(events(&[Act::Say(END)]), true, lost).await;
    check(
        json(
            r#"{"choices":[{"message":{"content":" "},"finish_reason":"length"}],"usage":{"prompt_tokens":3,"completion_tokens":2}}"#,
        ),
        false,
        (E::AiProviderError, false, Counted(USAGE), None),
    )
    .await;
    check(
        json(
            r#"{"choices":[{"message":{"content":"Tw"},"finish_reason":"content_filter"}],"usage":{"prompt_tokens":3,"completion_tokens":2}}"#,
        ),
        false,
        (E::AiProviderError, false, Counted(USAGE), None),
    )
    .await;
}

#[tokio::test]
async fn what_cannot_be_asked_is_not_sent() {
    let check = async |target: Target, code| {
        let script = json(ANSWER);
        let refused = ask(&script, &target, false).await.unwrap_err();
        assert_eq!((refused.trouble.code, refused.trouble.passing), (code, false));
        assert_eq!(refused.charged, Charged::Nothing);
        assert!(script.sent.lock().unwrap().is_empty());
        assert!(!refused.trouble.what.contains("hush"));
    };
    for name in ["openai/x", "anthropic/x", "xai/x", "google/x"] {
        check(Target { key: None, ..target(name) }, ErrorCode::AiKeyMissing).await;
        let key = Some(Secret::new(" \n".to_owned()));
        check(Target { key, ..target(name) }, ErrorCode::AiKeyMissing).await;
    }
    let key = Some(Secret::new("two\nhush".to_owned()));
    check(Target { key, ..target("openai/x") }, ErrorCode::AiAuthError).await;
    check(target("compatible/x"), ErrorCode::AiProviderError).await;
    for base in ["", "here", "ftp://h/v1", "http://h/v1?hush=1", "http://me:hush@h/v1"] {
        let base_url = Some(base.to_owned());
        check(Target { base_url, ..target("openai/x") }, ErrorCode::AiProviderError).await;
    }
}

#[tokio::test]
async fn who_needs_no_key_is_asked_without_one() {
    let script = json(ANSWER);
    let ollama = Target { key: None, ..target("ollama/x") };
    ask(&script, &ollama, false).await.unwrap();
    assert!(script.sent.lock().unwrap()[0].secret.is_none());
}

#[tokio::test]
async fn a_key_that_is_handed_back_goes_no_further() {
    let echoes: [&'static str; 4] = [
        r#"{"error":{"message":"Bad key sk-test-0123456789abcdef, sk-test-\u0030123456789abcdef or sk-\u0000test-0123456789abcdef"}}"#,
        "no such key: sk-test-0123456789abcdef",
        r#"{"error":"sk-test-0123456789abcdef"}"#,
        Box::leak(format!("{} {KEY}", "y".repeat(470)).into_boxed_str()),
    ];
    for provider in Provider::ALL {
        for echo in echoes {
            let base_url = Some("http://127.0.0.1/v1".to_owned());
            let target = Target { base_url, ..target(&format!("{provider}/x")) };
            let scripts = [
                refuses(401, &[], echo),
                refuses(500, &[("retry-after", KEY)], echo),
                json(echo),
                says(KEY, &[Act::Say(echo)]),
                Script { broken: Some(Broken::Lost(KEY.to_owned())), ..json("") },
            ];
            for script in scripts {
                let refused = ask(&script, &target, false).await.unwrap_err();
                let shown = format!("{refused:?} {:?}", refused.trouble.fault());
                assert!(!shown.contains("sk-test-01"), "{shown}");
            }
        }
    }
}

#[tokio::test]
async fn the_providers_words_are_bounded_and_on_one_line() {
    let long: &'static str = Box::leak("é\u{1b}[31m\n".repeat(1000).into_boxed_str());
    let refused = ask(&refuses(400, &[], long), &target("openai/x"), false).await.unwrap_err();
    assert_eq!(refused.trouble.what.chars().count(), 500);
    assert!(!refused.trouble.what.contains(char::is_control));
}

#[tokio::test]
async fn a_key_in_an_answer_goes_no_further_whole_or_in_pieces() {
    let whole = r#"{"model":"m sk-test-0123456789abcdef","choices":[{"message":{"content":"It is sk-test-0123456789abcdef.","tool_calls":[{"id":"sk-test-0123456789abcdef","type":"function","function":{"name":"f","arguments":"{\"k\":\"sk-test-0123456789abcdef\"}"}}]},"finish_reason":"stop"}]}"#;
    let pieces = [
        Act::Say("data: {\"choices\":[{\"delta\":{\"content\":\"It is sk-te\"}}]}\n\n"),
        Act::Say("data: {\"choices\":[{\"delta\":{\"content\":\"st-0123456789ab\"}}]}\n\n"),
        Act::Say("data: {\"choices\":[{\"delta\":{\"content\":\"cdef.\"}}]}\n\n"),
        Act::Say(END),
    ];
    for (script, stream) in [(json(whole), false), (json(whole), true), (events(&pieces), true)] {
        // What is heard is held against the text of the answer.
        let answer = ask(&script, &target("openai/x"), stream).await.unwrap();
        assert_eq!(answer.text, "It is ***.");
        assert!(!format!("{answer:?}").contains("sk-test-01"), "{answer:?}");
    }
    let broken = events(&[pieces[0].clone(), pieces[1].clone(), Act::Break]);
    let request =
        Request { messages: vec![Message::user("?")], stream: true, ..Request::default() };
    let mut heard = String::new();
    let client = Client::new(Arc::new(broken));
    let asked = client.ask(&target("openai/x"), &request, &mut |delta| heard.push_str(delta)).await;
    assert!(asked.is_err());
    assert_eq!(heard, "It is ", "most of a key is as good as all of it");
}

#[tokio::test]
async fn a_word_that_is_taken_for_a_key_stays_in_answers() {
    let key = Some(Secret::new("ollama".to_owned()));
    let target = Target { key, ..target("ollama/x") };
    let said = r#"{"choices":[{"message":{"content":"Run ollama first"},"finish_reason":"stop"}]}"#;
    for stream in [false, true] {
        let answer = ask(&json(said), &target, stream).await.unwrap();
        assert_eq!(answer.text, "Run ollama first");
    }
    let refused = ask(&refuses(401, &[], "no such key: ollama"), &target, false).await;
    assert!(!refused.unwrap_err().trouble.what.contains("ollama"));
}

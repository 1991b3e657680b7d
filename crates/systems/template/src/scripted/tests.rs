//! Scripts as people write them, and what is remembered.

use consign_contracts::{
    bridge::{AgentName, PhaseName},
    wire::{Integer, Message, Uuid},
};
use serde_json::json;

use super::*;

const REVIEWER: &str = "architectural-reviewer";

fn request(agent: AgentName) -> AgentRequest {
    AgentRequest {
        request_id: Uuid("550e8400-e29b-41d4-a716-446655440000".to_owned()),
        version: "1.0".to_owned(),
        phase: Integer::from(5),
        phase_name: PhaseName::AgentCreation,
        agent_name: agent,
        prompt: "p".repeat(100),
        context: None,
        timeout_seconds: Some(Integer::from(240)),
        created_at: Timestamp("2026-01-31T12:00:00Z".to_owned()),
        retry_count: Some(Integer::from(1)),
    }
}

fn ask(agent: &mut Scripted, name: AgentName) -> AgentResponse {
    let response = agent.invoke(&request(name));
    let again = AgentResponse::from_json(response.to_json().as_bytes());
    assert_eq!(again.as_ref(), Ok(&response), "what it writes keeps the contract");
    response
}

#[test]
fn entries_are_taken_in_order_and_as_often_as_they_say() {
    let mut agent = Scripted::new()
        .answers(REVIEWER, "one")
        .answers("agent-content-enhancer", "two")
        .times(2)
        .answers_json(REVIEWER, &json!({"three": 3}))
        .confident(0.9)
        .fails("*", ErrorType::InvocationFailed, "it broke")
        .times(0);
    let asked = [
        AgentName::AgentContentEnhancer,
        AgentName::ArchitecturalReviewer,
        AgentName::ArchitecturalReviewer,
        AgentName::AgentContentEnhancer,
        AgentName::AgentContentEnhancer,
        AgentName::ArchitecturalReviewer,
    ];
    let said: Vec<_> = asked
        .map(|name| {
            let response = ask(&mut agent, name);
            response.response.or(response.error_message).unwrap_or_default()
        })
        .to_vec();
    assert_eq!(said, ["two", "one", r#"{"three":3}"#, "two", "it broke", "it broke"]);
}

#[test]
fn what_was_asked_is_remembered_until_it_is_reset() {
    let mut agent = Scripted::new().answers(REVIEWER, "one");
    ask(&mut agent, AgentName::ArchitecturalReviewer);
    ask(&mut agent, AgentName::AgentContentEnhancer);
    let expected = Invocation {
        agent_name: REVIEWER.to_owned(),
        prompt: "p".repeat(100),
        timeout_seconds: 240,
        request_id: "550e8400-e29b-41d4-a716-446655440000".to_owned(),
        phase: 5,
        retry_count: 1,
    };
    assert_eq!(agent.invocations(REVIEWER), [expected]);
    assert_eq!(agent.invocations("*").len(), 2);
    agent.reset();
    assert_eq!(agent.invocations("*"), []);
    let response = ask(&mut agent, AgentName::ArchitecturalReviewer);
    assert_eq!(response.error_type, Some(ErrorType::AgentNotFound), "the entry stays taken");
}

#[test]
fn every_failure_has_its_status_and_type() {
    for error in ErrorType::ALL {
        let mut agent = Scripted::new().fails(REVIEWER, *error, "why");
        let response = ask(&mut agent, AgentName::ArchitecturalReviewer);
        let timeout = *error == ErrorType::Timeout;
        let status = if timeout { ResponseStatus::Timeout } else { ResponseStatus::Error };
        assert_eq!((response.status, response.error_type), (status, Some(*error)));
        assert_eq!((response.response, response.error_message.as_deref()), (None, Some("why")));
    }
    let mut agent = Scripted::new().cancels(REVIEWER, "enough");
    let response = ask(&mut agent, AgentName::ArchitecturalReviewer);
    assert_eq!((response.status, response.error_type), (ResponseStatus::Cancelled, None));
}

#[test]
fn a_delay_beyond_the_timeout_is_a_timeout() {
    let mut request = request(AgentName::ArchitecturalReviewer);
    request.timeout_seconds = Some(Integer::from(0));
    let mut agent = Scripted::new()
        .answers(REVIEWER, "late")
        .delayed(Duration::from_secs(3600))
        .answers(REVIEWER, "in time");
    let begun = Instant::now();
    let response = agent.invoke(&request);
    assert!(begun.elapsed() < Duration::from_secs(60));
    assert_eq!(response.status, ResponseStatus::Timeout);
    assert_eq!(response.error_type, Some(ErrorType::Timeout));
    assert_eq!(agent.invoke(&request).response.as_deref(), Some("in time"));
}

#[test]
fn a_file_says_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("script.json");
    let script = json!([
        {"agent": REVIEWER, "response": {"a": 1}, "duration_seconds": 105.3, "delay_ms": 1,
         "metadata": {"model": "m", "tokens_used": 0, "confidence": 0.92}},
        {"agent": REVIEWER, "status": "timeout"},
        {"agent": REVIEWER, "status": "cancelled"},
        {"agent": REVIEWER, "status": "error", "error_type": "PARSE_ERROR", "error_message": "no"},
        {"agent": REVIEWER, "status": "error", "error_type": "AI_RATE_LIMITED", "error_message": "no"},
        {"agent": "*", "response": "text", "times": 0},
    ]);
    std::fs::write(&path, script.to_string()).unwrap();
    let mut agent = Scripted::from_file(&path).unwrap();
    let mut next = || ask(&mut agent, AgentName::ArchitecturalReviewer);
    let first = next();
    assert_eq!(first.response.as_deref(), Some(r#"{"a":1}"#));
    assert_eq!(first.duration_seconds.as_ref().map(Number::as_str), Some("105.3"));
    let metadata = first.metadata.unwrap();
    assert_eq!(metadata.confidence.as_ref().map(Number::as_str), Some("0.92"));
    assert_eq!(metadata.tokens_used, Some(Integer::from(0)));
    let told: Vec<_> = (0..5).map(|_| next()).map(|r| (r.status, r.error_type)).collect();
    assert_eq!(
        told,
        [
            (ResponseStatus::Timeout, Some(ErrorType::Timeout)),
            (ResponseStatus::Cancelled, None),
            (ResponseStatus::Error, Some(ErrorType::ParseError)),
            (ResponseStatus::Error, Some(ErrorType::Unknown)),
            (ResponseStatus::Success, None),
        ]
    );
    assert!(next().response.is_some());
}

#[test]
fn a_bad_file_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("script.json");
    let why = Scripted::from_file(&path).unwrap_err();
    assert!(why.contains("script.json"), "{why}");
    std::fs::write(&path, r#"[{"agent": "a"}]"#).unwrap();
    let why = Scripted::from_file(&path).unwrap_err();
    assert!(why.contains("entry 1: it has no `response`"), "{why}");
    for beyond in [json!({"metadata": {"confidence": 1.01}}), json!({"duration_seconds": -1})] {
        let mut entry = beyond;
        entry["agent"] = "*".into();
        entry["response"] = "x".into();
        std::fs::write(&path, json!([entry]).to_string()).unwrap();
        let why = Scripted::from_file(&path).unwrap_err();
        assert!(why.contains("entry 1: `confidence` must be from 0 to 1"), "{why}");
    }
}

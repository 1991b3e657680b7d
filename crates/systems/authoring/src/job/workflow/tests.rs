//! What the workflow opens, and what it refuses.

use super::*;

fn trace(input: &str) -> Result<Progress, Fault> {
    JobWorkflow(AgentType::Trace).start(&Data::parse(input).expect("a test writes JSON"))
}

#[test]
fn a_bad_input_is_refused_before_anything_is_written() {
    let code = |input: &str| trace(input).err().map(|fault| fault.code.into_owned());
    let invalid = Some("VALIDATION_ERROR".to_owned());
    assert_eq!(code(r#"{"type": "trace", "payload": {"spec": "a. b."}}"#), None);
    assert_eq!(code(r#"{"type": "proto", "payload": {"goal": "a"}}"#), invalid);
    assert_eq!(code(r#"{"type": "trace", "payload": {"spec": ""}}"#), invalid);
    assert_eq!(code(r#"{"type": "trace", "payload": {"spec": "a"}, "owner": "x"}"#), invalid);
    assert_eq!(code("[]"), invalid);
}

#[test]
fn the_first_call_plans_and_the_label_says_pending() {
    let workflow = JobWorkflow(AgentType::Trace);
    let first = trace(r#"{"type": "trace", "payload": {"spec": "a. b."}}"#).expect("it is good");
    assert_eq!(workflow.label(&first, &[]).as_deref(), Some("pending"));
    let Next::Open(open) = workflow.decide(&first) else { panic!("it has something to do") };
    let [Activity::Call(call)] = open.as_slice() else { panic!("it calls one agent") };
    assert_eq!((call.key.as_str(), &*call.agent), ("plan", "authoring/trace.plan"));
}

#[test]
fn jobs_without_a_model_are_sure_to_cost_nothing() {
    let bound = |kind: AgentType, input: &str| {
        let input = Data::parse(input).expect("a test writes JSON");
        JobWorkflow(kind).bound(&input, &Limits::default(), &Settings::default())
    };
    let free = Some(consign_engine::Nanos::ZERO);
    let trace = bound(AgentType::Trace, r#"{"type": "trace", "payload": {"spec": "a. b."}}"#);
    assert_eq!((trace.cost, trace.calls), (free, Some(2)));
    let proto = bound(AgentType::Proto, r#"{"type": "proto", "payload": {"goal": "a"}}"#);
    assert_eq!((proto.cost, proto.calls), (free, Some(3)));
    let model =
        r#"{"type": "trace", "payload": {"spec": "a"}, "settings": {"model": "gpt-5-mini"}}"#;
    assert_eq!(bound(AgentType::Trace, model), Bound::default());
}

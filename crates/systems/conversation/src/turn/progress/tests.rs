use consign_engine::FaultClass;
use serde_json::json;

use super::*;
use crate::turn::{steps::StepStatus, workflow};

fn progress(message: &str) -> TurnProgress {
    let input = json!({
        "session": "s",
        "conversation": "c",
        "number": 0,
        "message": message,
        "guard": {"is_safe": true},
        "persona": "General",
        "asked_at": 0,
    });
    workflow::begin(TurnInput::read(&Data::of(&input)).unwrap())
}

/// The keys of what should be open.
fn open(progress: &TurnProgress) -> Vec<String> {
    let key = |wanted: Wanted| match wanted {
        Wanted::Search { key, .. }
        | Wanted::Write { key, .. }
        | Wanted::Verify { key }
        | Wanted::Check { key } => key,
        Wanted::Save => "save".to_owned(),
    };
    progress.wanted().into_iter().map(key).collect()
}

/// Each step: tool, status, and the code that its description ends with.
fn steps(progress: &TurnProgress) -> Vec<String> {
    progress
        .steps()
        .iter()
        .map(|step| {
            let status = match step.status {
                StepStatus::InProgress => "…",
                StepStatus::Completed => "ok",
                StepStatus::Failed => step.description.rsplit(": ").next().unwrap_or_default(),
            };
            format!("{} {status}", step.tool_call)
        })
        .collect()
}

fn passage(id: &str) -> Value {
    json!({"chunk_id": id, "source_id": "src_a", "content": "It is 14 days."})
}

fn found(ids: &[&str]) -> Data {
    let results: Vec<_> = ids.iter().map(|id| passage(id)).collect();
    Data::of(&json!({"results": results, "total_found": ids.len()}))
}

fn answer(content: &str) -> Value {
    json!({"content": content, "citations": [], "tone_used": "General",
           "follow_up_suggestions": [], "confidence_score": 0.5})
}

fn verified(holds: bool) -> Data {
    Data::of(&json!({"response": answer("It is 14 days [1]."), "holds": holds,
                     "reasons": if holds { json!([]) } else { json!(["it cites nothing"]) }}))
}

fn checked(is_safe: bool) -> Data {
    Data::of(&json!({"is_safe": is_safe, "sanitized_content": "", "reasoning": "an address",
                     "risk_category": if is_safe { "none" } else { "pii" }}))
}

/// Gives the one call that is open this output.
fn give(progress: &mut TurnProgress, output: &Data) {
    let open = open(progress);
    assert_eq!(open.len(), 1, "{open:?}");
    progress.completed(&open[0], output, At(1_000));
}

fn fail(progress: &mut TurnProgress, fault: &Fault) {
    let open = open(progress);
    assert_eq!(open.len(), 1, "{open:?}");
    progress.failed(&open[0], fault, At(1_000));
}

fn write(progress: &mut TurnProgress) {
    give(progress, &Data::of(&answer("It is 14 days.")));
}

fn fault(code: &str, class: FaultClass) -> Fault {
    let mut fault = Fault::permanent("X", "why");
    (fault.code, fault.class) = (code.to_owned().into(), class);
    fault
}

fn timeout() -> Fault {
    fault("TIMEOUT", FaultClass::OutcomeUnknown)
}

#[test]
fn a_turn_goes_from_search_to_record() {
    let mut turn = progress("How long is the notice period?");
    assert_eq!(steps(&turn), ["guardrails.input ok", "planner ok", "memory …"]);
    assert_eq!(open(&turn), ["memory-3"]);
    give(&mut turn, &found(&["doc_1:0"]));
    assert_eq!(open(&turn), ["tailor-4"]);
    write(&mut turn);
    give(&mut turn, &verified(true));
    give(&mut turn, &checked(true));
    assert_eq!(open(&turn), ["save"]);
    give(&mut turn, &Data::of(&json!({"kept": true})));
    assert_eq!(open(&turn), Vec::<String>::new());
    let end = turn.end().unwrap();
    assert!(end.execution_plan.iter().all(|step| step.status == StepStatus::Completed));
    let numbers: Vec<_> = end.execution_plan.iter().map(|step| step.step_id).collect();
    assert_eq!(numbers, [1, 2, 3, 4, 5, 6]);
    assert!((end.processing_time_total_ms - 1.0).abs() < 1e-9 && end.failures.is_empty());
}

#[test]
fn parts_are_searched_side_by_side_and_passages_are_kept_once() {
    let mut turn = progress("What is the fee and when is it due?");
    assert_eq!(open(&turn), ["memory-3", "memory-4"]);
    turn.completed("memory-4", &found(&["doc_1:0", "doc_1:1"]), At(1));
    turn.completed("memory-3", &found(&["doc_1:0"]), At(2));
    assert_eq!(turn.context().len(), 2);
    assert_eq!(open(&turn), ["tailor-5"]);
}

#[test]
fn a_search_without_results_is_made_broader_and_then_refused() {
    let mut turn = progress("How long is the notice period?");
    give(&mut turn, &found(&[]));
    assert_eq!(open(&turn), ["memory-4"]);
    let wanted = turn.wanted();
    assert!(matches!(wanted[..], [Wanted::Search { broad: Some((8, least)), .. }] if least < 0.31));
    give(&mut turn, &found(&[]));
    assert_eq!(open(&turn), ["tailor-5"], "the tailor writes that there is nothing");
    let expected = [
        "guardrails.input ok",
        "planner ok",
        "memory ERR_MEMORY_NO_RESULTS",
        "memory ERR_MEMORY_NO_RESULTS",
        "tailor …",
    ];
    assert_eq!(steps(&turn), expected);
    assert_eq!(turn.failures.len(), 2);
    assert!(turn.failures[0].recoverable);
}

#[test]
fn an_unsupported_answer_is_asked_for_strictly_and_then_not_known() {
    let mut turn = progress("How long is the notice period?");
    give(&mut turn, &found(&["doc_1:0"]));
    write(&mut turn);
    give(&mut turn, &verified(false));
    assert!(matches!(
        turn.wanted()[..],
        [Wanted::Write { manner: Manner { strict: true, .. }, .. }]
    ));
    write(&mut turn);
    give(&mut turn, &verified(false));
    assert!(turn.said().starts_with("I don't know"), "{}", turn.said());
    give(&mut turn, &checked(true));
    give(&mut turn, &Data::of(&json!({})));
    let end = turn.end().unwrap();
    assert_eq!(end.failures.len(), 2);
    assert!(end.failures.iter().all(|failed| failed.error_code == HALLUCINATION));
    assert_eq!(end.final_response["confidence_score"], 0.0);
}

#[test]
fn an_answer_that_is_not_safe_is_asked_for_again_and_then_blocked() {
    let mut turn = progress("How long is the notice period?");
    give(&mut turn, &found(&["doc_1:0"]));
    write(&mut turn);
    give(&mut turn, &verified(true));
    give(&mut turn, &checked(false));
    assert!(matches!(turn.wanted()[..], [Wanted::Write { manner: Manner { safe: true, .. }, .. }]));
    write(&mut turn);
    give(&mut turn, &verified(true));
    give(&mut turn, &checked(false));
    assert_eq!(open(&turn), ["save"]);
    assert_eq!(turn.said(), warning(UNSAFE));
    give(&mut turn, &Data::of(&json!({})));
    let fault = turn.end().unwrap_err();
    assert_eq!(fault.code, UNSAFE);
    let details = fault.details.unwrap().to::<Value>().unwrap();
    assert_eq!(details["agent_id"], "guardrails");
    assert_eq!(details["recoverable"], false);
    assert_eq!(details["details"]["risk_category"], "pii");
}

#[test]
fn what_takes_too_long_is_tried_once_more_as_a_step_of_its_own() {
    // Each agent of a turn, by the outputs that lead to it.
    let to: [(&str, Vec<Data>); 3] = [
        ("memory", vec![]),
        ("tailor", vec![found(&["doc_1:0"])]),
        ("guardrails", vec![found(&["doc_1:0"]), Data::of(&answer("a")), verified(true)]),
    ];
    for (agent, outputs) in to {
        let mut turn = progress("How long is the notice period?");
        outputs.iter().for_each(|output| give(&mut turn, output));
        let before = turn.steps().len();
        fail(&mut turn, &timeout());
        assert_eq!(turn.steps().len(), before + 1, "{agent}");
        fail(&mut turn, &timeout());
        assert_eq!(open(&turn), ["save"], "{agent}");
        give(&mut turn, &Data::of(&json!({})));
        let fault = turn.end().unwrap_err();
        assert_eq!(fault.code, TIMEOUT, "{agent}");
        assert_eq!(turn.failures.len(), 2, "{agent}");
    }
}

#[test]
fn the_codes_of_the_document_are_acted_on_when_an_agent_says_them() {
    let permanent = |code: &str| fault(code, FaultClass::Permanent);
    let mut turn = progress("How long is the notice period?");
    fail(&mut turn, &permanent(NO_RESULTS));
    assert_eq!(open(&turn), ["memory-4"]);
    give(&mut turn, &found(&["doc_1:0"]));
    fail(&mut turn, &permanent(HALLUCINATION));
    assert!(matches!(
        turn.wanted()[..],
        [Wanted::Write { manner: Manner { strict: true, .. }, .. }]
    ));
    write(&mut turn);
    give(&mut turn, &verified(true));
    fail(&mut turn, &permanent(UNSAFE));
    assert!(matches!(turn.wanted()[..], [Wanted::Write { manner: Manner { safe: true, .. }, .. }]));
}

#[test]
fn any_other_failure_stops_the_turn_and_is_kept() {
    for code in ["AGENT_NOT_FOUND", "AI_KEY_INVALID", "DATABASE_ERROR"] {
        let mut turn = progress("How long is the notice period?");
        give(&mut turn, &found(&["doc_1:0"]));
        fail(&mut turn, &fault(code, FaultClass::Permanent));
        assert_eq!(open(&turn), ["save"]);
        give(&mut turn, &Data::of(&json!({})));
        assert_eq!(turn.end().unwrap_err().code, code);
    }
    let mut turn = progress("How long is the notice period?");
    give(&mut turn, &Data::of(&json!("nonsense")));
    assert_eq!(turn.steps().len(), 4, "a memory that gave nothing of its contract found nothing");
}

#[test]
fn what_came_late_changes_nothing() {
    let mut turn = progress("How long is the notice period?");
    give(&mut turn, &found(&["doc_1:0"]));
    let before = turn.clone();
    turn.completed("memory-3", &found(&["doc_2:0"]), At(0));
    turn.completed("verifier-9", &verified(true), At(0));
    assert_eq!(turn, before);
}

#[test]
fn an_answer_that_is_of_no_form_or_was_refused_is_not_supported() {
    let refused = Fault {
        details: Some(Data::of(&json!({"refused": true}))),
        ..fault("AI_PROVIDER_ERROR", FaultClass::Permanent)
    };
    let form = |code: &str| fault(code, FaultClass::Permanent);
    for (wrong, told) in [
        (form("AI_INVALID_RESPONSE"), "the answer is not of its form"),
        (form("CONTRACT_BREACH"), "the answer is not of its form"),
        (refused, "the model refused to answer this"),
    ] {
        let mut turn = progress("How long is the notice period?");
        give(&mut turn, &found(&["doc_1:0"]));
        fail(&mut turn, &wrong);
        assert!(matches!(
            turn.wanted()[..],
            [Wanted::Write { manner: Manner { strict: true, .. }, .. }]
        ));
        fail(&mut turn, &wrong);
        assert!(turn.said().starts_with("I don't know"), "{}", turn.said());
        assert_eq!(turn.failures.len(), 2);
        for failed in &turn.failures {
            assert_eq!(
                (failed.error_code.as_str(), failed.message.as_str()),
                (HALLUCINATION, told)
            );
            assert!(failed.recoverable && failed.timestamp.is_some());
            let details = failed.details.as_ref().unwrap();
            assert_eq!(details["code"], *wrong.code, "what it was is not lost");
        }
    }
}

#[test]
fn trying_again_may_help_with_the_documents_own_codes_and_with_what_says_so() {
    for (code, says_so, may_help) in [
        (NO_RESULTS, false, true),
        (HALLUCINATION, false, true),
        (TIMEOUT, false, true),
        (INJECTION, true, false),
        ("AI_RATE_LIMITED", true, true),
        ("AI_KEY_INVALID", false, false),
    ] {
        let fault = Fault { recoverable: says_so, ..fault(code, FaultClass::Permanent) };
        assert_eq!(failure("tailor", &fault).recoverable, may_help, "{code}");
    }
    // Of two unsafe answers the first is recoverable, whoever says so.
    let mut turn = progress("How long is the notice period?");
    for _ in 0..2 {
        if open(&turn)[0].starts_with("memory") {
            give(&mut turn, &found(&["doc_1:0"]));
        }
        write(&mut turn);
        give(&mut turn, &verified(true));
        fail(&mut turn, &fault(UNSAFE, FaultClass::Permanent));
    }
    let again: Vec<_> = turn.failures.iter().map(|failed| failed.recoverable).collect();
    assert_eq!(again, [true, false]);
}

#[test]
fn a_search_that_stops_the_turn_leaves_none_under_way() {
    let mut turn = progress("What is the fee and when is it due?");
    turn.failed("memory-3", &fault("DATABASE_ERROR", FaultClass::Permanent), At(1));
    assert_eq!(open(&turn), ["save"]);
    let told = steps(&turn);
    assert_eq!(told[2..], ["memory DATABASE_ERROR", "memory CANCELLED"]);
}

//! Envelopes on their way in and out: nothing is lost, everything that is missing gets its default.

use std::fs;

use consign_contracts::{
    envelope::Envelope,
    json::{Json, Object},
    wire::{Message, Wire},
};
use consign_engine::At;
use consign_pipeline::{
    Bounds,
    envelope::{MOST_BYTES, Names, NotAnEnvelope, Session, fill, fresh, read},
    file,
};
use proptest::prelude::*;

use crate::{drive::MORNING, row::parsed};

/// Every member that has a default, and the default.
const DEFAULTS: &[(&str, &str)] = &[
    ("received_at", r#""2027-01-15T08:00:00.000000Z""#),
    ("stage_order", "[]"),
    ("iteration", "0"),
    ("max_iterations", "3"),
    ("llm_call_count", "0"),
    ("max_llm_calls", "10"),
    ("agent_hop_count", "0"),
    ("max_agent_hops", "21"),
    ("terminal_reason", "null"),
    ("termination_reason", "null"),
    ("clarification_pending", "false"),
    ("clarification_question", "null"),
    ("clarification_response", "null"),
    ("confirmation_pending", "false"),
    ("confirmation_id", "null"),
    ("confirmation_message", "null"),
    ("confirmation_response", "null"),
    ("completed_stages", "[]"),
    ("current_stage_number", "1"),
    ("max_stages", "5"),
    ("all_goals", "[]"),
    ("remaining_goals", "[]"),
    ("goal_completion_status", "{}"),
    ("prior_plans", "[]"),
    ("critic_feedback", "[]"),
    ("errors", "[]"),
    ("completed_at", "null"),
    ("processing_history", "[]"),
    ("metadata", "{}"),
];

const REQUIRED: [&str; 8] = [
    "envelope_id",
    "request_id",
    "user_id",
    "session_id",
    "raw_input",
    "outputs",
    "current_stage",
    "terminated",
];

/// The golden files of a contract of the document.
fn golden(contract: &str) -> Vec<(String, Json<'static>)> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../contracts/tests/golden/envelope");
    let files = fs::read_dir(format!("{folder}/{contract}")).unwrap();
    let read = files.map(|file| {
        let path = file.unwrap().path();
        (path.display().to_string(), parsed(&fs::read_to_string(&path).unwrap()))
    });
    let read: Vec<_> = read.collect();
    assert!(read.len() >= 2, "{contract}");
    read
}

fn through(document: &Json<'_>) -> Envelope {
    let text = document.to_string();
    read(text.as_bytes(), MOST_BYTES).unwrap_or_else(|why| panic!("{why}: {text}"))
}

/// Fills an envelope, and checks that nothing but the missing was changed.
fn check(document: &Json<'_>) -> Result<Json<'static>, String> {
    let mut envelope = through(document);
    if envelope.write() != *document {
        return Err(format!("it was read as {}", envelope.write()));
    }
    fill(&mut envelope, MORNING);
    let written = envelope.write();
    let (before, after) = (document.as_object().unwrap(), written.as_object().unwrap());
    for (name, value) in before.iter() {
        if after.get(name) != Some(value) {
            return Err(format!("{name} was {value} and is {:?}", after.get(name)));
        }
    }
    for (name, default) in DEFAULTS {
        if before.get(name).is_none() && after.get(name) != Some(&parsed(default)) {
            return Err(format!("{name} became {:?}, not {default}", after.get(name)));
        }
    }
    let known =
        |name: &str| REQUIRED.contains(&name) || DEFAULTS.iter().any(|(known, _)| *known == name);
    if let Some(name) = after.keys().find(|name| before.get(name).is_none() && !known(name)) {
        return Err(format!("where does {name} come from?"));
    }
    let verdict = Envelope::contract().schema().check(&written);
    if let Some(breach) = verdict.breaches.first() {
        return Err(breach.to_string());
    }
    let again = through(&written);
    let mut filled = again.clone();
    fill(&mut filled, At(0));
    if filled.write() != written || again.write() != written {
        return Err("it changes when it is filled again".to_owned());
    }
    Ok(written)
}

#[test]
fn every_example_of_an_envelope_keeps_what_it_has_and_gets_what_is_missing() {
    for (name, document) in golden("envelope") {
        check(&document).unwrap_or_else(|why| panic!("{name}: {why}"));
    }
}

/// The other examples of the document, where an envelope holds them.
#[test]
fn every_example_of_a_part_survives_in_an_envelope() {
    let outputs = ["perception", "intent", "plan", "execution", "critic", "integration"];
    let parts = outputs.iter().map(|key| (format!("output.{key}"), format!("/outputs/{key}")));
    let lists = [("error", "/errors"), ("processing-record", "/processing_history")];
    let lists = lists.map(|(contract, place)| (contract.to_owned(), place.to_owned()));
    for (contract, place) in parts.chain(lists) {
        for (name, part) in golden(&contract) {
            let mut document = smallest();
            let value = if place.starts_with("/outputs") {
                part.clone()
            } else {
                Json::Array(vec![part.clone()])
            };
            document.set_at(&place, value.clone()).unwrap();
            let written = check(&document).unwrap_or_else(|why| panic!("{name}: {why}"));
            assert_eq!(written.at(&place), Some(&value), "{name}");
        }
    }
}

fn smallest() -> Json<'static> {
    parsed(
        r#"{"envelope_id": "env_0123456789abcdef", "request_id": "req_0123456789abcdef",
            "user_id": "ada", "session_id": "sess_0123456789abcdef", "raw_input": "",
            "outputs": {}, "current_stage": "start", "terminated": false}"#,
    )
}

#[test]
fn the_smallest_envelope_gets_every_default() {
    let written = check(&smallest()).unwrap();
    assert_eq!(written.as_object().unwrap().len(), REQUIRED.len() + DEFAULTS.len());
}

#[test]
fn a_new_envelope_is_one() {
    let bounds = Bounds { iterations: 7, llm_calls: 8, agent_hops: 9, stages: 2 };
    let names =
        |session| Names { envelope: [0xab; 8], request: [0, 1, 2, 3, 4, 5, 6, 255], session };
    let envelope = fresh("Why?", "ada", &names(Session::New([0x10; 8])), &bounds, MORNING);
    let written = check(&envelope.write()).unwrap();
    assert_eq!(written, envelope.write(), "nothing is missing");
    for (pointer, value) in [
        ("/envelope_id", r#""env_abababababababab""#),
        ("/request_id", r#""req_00010203040506ff""#),
        ("/session_id", r#""sess_1010101010101010""#),
        ("/user_id", r#""ada""#),
        ("/raw_input", r#""Why?""#),
        ("/current_stage", r#""start""#),
        ("/terminated", "false"),
        ("/outputs", "{}"),
        ("/max_iterations", "7"),
        ("/max_llm_calls", "8"),
        ("/max_agent_hops", "9"),
        ("/max_stages", "2"),
        ("/received_at", r#""2027-01-15T08:00:00.000000Z""#),
    ] {
        assert_eq!(written.at(pointer), Some(&parsed(value)), "{pointer}");
    }
    let known = Session::Known("sess_0123456789abcdef".to_owned());
    let envelope = fresh("", "", &names(known), &file::default().bounds, MORNING);
    assert_eq!(envelope.session_id, "sess_0123456789abcdef");
    check(&envelope.write()).unwrap();
}

#[test]
fn what_is_no_envelope_is_refused() {
    let refused = |text: &str, most: usize| read(text.as_bytes(), most).unwrap_err();
    let whole = smallest().to_string();
    for (text, said) in [
        ("", "not JSON"),
        ("{", "not JSON"),
        ("[]", "no envelope"),
        ("null", "no envelope"),
        (&whole.replace("env_0123456789abcdef", "env_0123456789abcdeg"), "/envelope_id"),
        (&whole.replace("\"user_id\":\"ada\",", ""), "user_id"),
        (&whole.replace("\"outputs\":{}", "\"outputs\":{\"plan\":[]}"), "/outputs/plan"),
        (&whole.replace("\"terminated\":false", "\"terminated\":null"), "/terminated"),
        (
            &whole.replace("\"terminated\":false", "\"terminated\":false,\"iteration\":null"),
            "/iteration",
        ),
        (
            &whole.replace("\"terminated\":false", "\"terminated\":false,\"max_stages\":0"),
            "/max_stages",
        ),
        (
            &whole.replace("\"terminated\":false", "\"terminated\":false,\"received_at\":null"),
            "/received_at",
        ),
        (
            &whole.replace(
                "\"terminated\":false",
                "\"terminated\":false,\"terminal_reason\":\"tired\"",
            ),
            "/terminal_reason",
        ),
    ] {
        let why = refused(text, MOST_BYTES).to_string();
        assert!(why.contains(said), "{text}: {why}");
    }
    assert!(matches!(refused(&whole, whole.len() - 1), NotAnEnvelope::Malformed(_)));
    assert!(read(whole.as_bytes(), whole.len()).is_ok());
}

/// Any value, with numbers as people write them.
fn anything() -> BoxedStrategy<Json<'static>> {
    let leaf = prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::Bool),
        prop::sample::select(
            &["0", "1.10", "-0.0", "1e400", "123456789012345678901234567890", "2.50E-3"][..]
        )
        .prop_map(parsed),
        "[a-zé\"/~]{0,6}".prop_map(|text| Json::String(text.into())),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Json::Array),
            prop::collection::vec(("[a-c~/]{1,2}", inner), 0..3).prop_map(object),
        ]
    })
    .boxed()
}

fn object(members: Vec<(String, Json<'static>)>) -> Json<'static> {
    let mut object = Object::new();
    for (name, value) in members {
        object.set(name, value);
    }
    Json::Object(object)
}

fn an_object() -> BoxedStrategy<Json<'static>> {
    prop::collection::vec(("[a-c~/]{1,2}", anything()), 0..3).prop_map(object).boxed()
}

fn words(words: &'static [&'static str]) -> BoxedStrategy<Json<'static>> {
    prop::sample::select(words).prop_map(parsed).boxed()
}

fn list(item: BoxedStrategy<Json<'static>>) -> BoxedStrategy<Json<'static>> {
    prop::collection::vec(item, 0..3).prop_map(Json::Array).boxed()
}

/// What a member may be.
fn value(member: &str) -> BoxedStrategy<Json<'static>> {
    let text = || words(&[r#""""#, r#""one""#, r#""zwei\n\u00e9""#, r#""sess_0""#]);
    match member {
        "received_at" => {
            words(&[r#""2025-12-10T10:00:00Z""#, r#""2025-12-10T10:00:00.123456+05:30""#])
        }
        "completed_at" => words(&["null", r#""2025-12-10T10:00:00.1Z""#]),
        "stage_order" | "all_goals" | "remaining_goals" | "critic_feedback" => list(text()),
        "iteration" | "llm_call_count" | "agent_hop_count" => {
            words(&["0", "3", "1.0", "1e2", "99999999999999999999"])
        }
        "max_iterations"
        | "max_llm_calls"
        | "max_agent_hops"
        | "max_stages"
        | "current_stage_number" => words(&["1", "3", "10e-1", "1e400"]),
        "terminal_reason" => words(&["null", r#""denied_by_policy""#, r#""max_stages""#]),
        "clarification_pending" | "confirmation_pending" => words(&["true", "false"]),
        "confirmation_response" => words(&["true", "false", "null"]),
        "completed_stages" | "prior_plans" | "errors" | "processing_history" => list(an_object()),
        "goal_completion_status" => {
            words(&["{}", r#"{"a": "pending", "": "failed", "b": "satisfied"}"#])
        }
        "metadata" => an_object(),
        _ => prop_oneof![Just(Json::Null), text()].boxed(),
    }
}

fn any_envelope() -> BoxedStrategy<Json<'static>> {
    let members: Vec<_> = DEFAULTS
        .iter()
        .map(|(name, _)| prop::option::of(value(name)).prop_map(move |value| (*name, value)))
        .collect();
    let outputs = prop::collection::vec(("[a-c.]{1,3}", an_object()), 0..3).prop_map(object);
    let unknown = prop::collection::vec(("x[a-z]{0,3}", anything()), 0..3);
    let stage = words(&[r#""start""#, r#""plan""#, r#""anywhere else""#, r#""""#]);
    (members, outputs, unknown, stage, any::<bool>())
        .prop_map(|(members, outputs, unknown, stage, terminated)| {
            let Json::Object(mut envelope) = smallest() else { unreachable!("it is an object") };
            envelope.set("outputs", outputs);
            envelope.set("current_stage", stage);
            envelope.set("terminated", Json::Bool(terminated));
            for (name, value) in members {
                // A reason that is no such word would be no envelope.
                if let Some(value) = value.filter(|value| value.as_str() != Some("max_stages")) {
                    envelope.set(name, value);
                }
            }
            for (name, value) in unknown {
                envelope.set(name, value);
            }
            Json::Object(envelope)
        })
        .boxed()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_envelope_survives_and_is_filled_once(document in any_envelope()) {
        prop_assert_eq!(check(&document).map(|_| ()), Ok(()), "{}", document);
    }
}

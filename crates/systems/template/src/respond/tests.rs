use std::{fs, os::unix::fs::symlink, path::Path, sync::Barrier, thread};

use consign_contracts::bridge::ResponseStatus;
use tempfile::TempDir;

use super::*;

const ID: &str = "550e8400-e29b-41d4-a716-446655440000";
const OTHER: &str = "650e8400-e29b-41d4-a716-446655440000";
const NOW: At = At(1_763_460_000_000_000);

fn request_of(id: &str) -> String {
    let prompt = "Say what this project is made of. ".repeat(4);
    format!(
        r#"{{"request_id": "{id}", "version": "1.0", "phase": 1, "phase_name": "codebase_analysis",
        "agent_name": "architectural-reviewer", "prompt": "{prompt}",
        "created_at": "2025-11-18T10:30:00Z"}}"#
    )
}

fn project(request: &str) -> TempDir {
    let project = tempfile::tempdir().unwrap();
    fs::write(project.path().join(REQUEST), request).unwrap();
    project
}

fn answer(project: &Path, text: &str) -> Result<(), RespondError> {
    let request = pending(project)?;
    let took = Some(Duration::from_millis(2500));
    respond(project, ID, &wrap(&request, text.to_owned(), took, None, NOW)?)
}

fn names(project: &Path) -> Vec<String> {
    let entries = fs::read_dir(project).unwrap();
    let mut names: Vec<_> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn an_answer_becomes_a_response_of_its_contract() {
    let project = project(&request_of(ID));
    answer(project.path(), r#"{"a":1}"#).unwrap();
    let text = fs::read_to_string(project.path().join(RESPONSE)).unwrap();
    let document = json::parse(text.as_bytes()).unwrap();
    assert!(AgentResponse::contract().schema().is_valid(&document));
    let response = AgentResponse::read(&document).unwrap();
    assert_eq!(response.status, ResponseStatus::Success);
    assert_eq!(response.response.as_deref(), Some(r#"{"a":1}"#));
    assert_eq!(response.duration_seconds.unwrap().as_str(), "2.500");
    assert_eq!(names(project.path()), [REQUEST, RESPONSE]);
}

#[test]
fn giving_up_says_why() {
    let project = project(&request_of(ID));
    let request = pending(project.path()).unwrap();
    respond(project.path(), ID, &give_up(&request, "no time", None, NOW)).unwrap();
    let text = fs::read_to_string(project.path().join(RESPONSE)).unwrap();
    let response = AgentResponse::read(&json::parse(text.as_bytes()).unwrap()).unwrap();
    assert_eq!(response.status, ResponseStatus::Cancelled);
    assert_eq!(response.error_message.as_deref(), Some("no time"));
    assert_eq!(response.response, None);
}

#[test]
fn whatever_is_wrong_with_a_request_nothing_is_written() {
    type Check = fn(&RespondError) -> bool;
    let cases: [(&str, &str, Check); 5] = [
        ("another is pending", &request_of(OTHER), |it| matches!(it, RespondError::NotPending(_))),
        ("half a file", r#"{"request_id": "#, |it| matches!(it, RespondError::Malformed(_))),
        ("an empty file", "", |it| matches!(it, RespondError::Malformed(_))),
        ("no request", r#"{"request_id": 7}"#, |it| matches!(it, RespondError::Breached { .. })),
        ("an unknown field", &request_of(ID).replacen('{', r#"{"x": 1, "#, 1), |it| {
            matches!(it, RespondError::Breached { .. })
        }),
    ];
    for (what, request, expected) in cases {
        let project = project(request);
        let refused = answer(project.path(), "{}").unwrap_err();
        assert!(expected(&refused), "{what}: {refused}");
        assert_eq!(names(project.path()), [REQUEST], "{what}");
    }
    let empty = tempfile::tempdir().unwrap();
    assert!(matches!(answer(empty.path(), "{}"), Err(RespondError::NotPending(_))));
    let gone = empty.path().join("gone");
    assert!(matches!(answer(&gone, "{}"), Err(RespondError::Folder { .. })));
}

#[test]
fn links_and_other_things_are_never_followed() {
    let elsewhere = project(&request_of(ID));
    let project = tempfile::tempdir().unwrap();
    let place = project.path().join(REQUEST);
    symlink(elsewhere.path().join(REQUEST), &place).unwrap();
    assert!(matches!(answer(project.path(), "{}"), Err(RespondError::NoFile { .. })));
    fs::remove_file(&place).unwrap();
    fs::create_dir(&place).unwrap();
    assert!(matches!(answer(project.path(), "{}"), Err(RespondError::NoFile { .. })));
    fs::remove_dir(&place).unwrap();
    fs::write(&place, request_of(ID)).unwrap();
    // A response that is a link is there, wherever it leads.
    let target = elsewhere.path().join("target");
    symlink(&target, project.path().join(RESPONSE)).unwrap();
    assert!(matches!(answer(project.path(), "{}"), Err(RespondError::AlreadyAnswered)));
    assert!(!target.exists());
}

#[test]
fn an_answer_over_its_bound_is_refused() {
    let project = project(&request_of(ID));
    let long = "x".repeat(MOST_ANSWER + 1);
    assert!(matches!(answer(project.path(), &long), Err(RespondError::TooLarge { .. })));
    // As it is written: an escape is two bytes.
    let escaped = "\n".repeat(MOST_ANSWER / 2);
    assert!(matches!(answer(project.path(), &escaped), Err(RespondError::TooLarge { .. })));
    assert_eq!(names(project.path()), [REQUEST]);
    answer(project.path(), &long[1000..]).unwrap();
}

#[test]
fn a_response_to_another_request_or_out_of_contract_is_refused() {
    let project = project(&request_of(ID));
    let request = pending(project.path()).unwrap();
    let good = wrap(&request, "{}".to_owned(), None, None, NOW).unwrap();
    let refused = respond(project.path(), OTHER, &good);
    assert!(matches!(refused, Err(RespondError::NotPending(_))));
    let bad = AgentResponse { version: "one".to_owned(), ..good };
    let refused = respond(project.path(), ID, &bad);
    assert!(matches!(refused, Err(RespondError::Breached { file: RESPONSE, .. })));
    assert_eq!(names(project.path()), [REQUEST]);
}

#[test]
fn of_many_at_once_exactly_one_gets_through() {
    for _ in 0..20 {
        let project = project(&request_of(ID));
        let (path, gate) = (project.path(), &Barrier::new(8));
        let won: Vec<_> = thread::scope(|scope| {
            let answer = |number: usize| {
                gate.wait();
                match answer(path, &number.to_string()) {
                    Ok(()) => Some(number),
                    Err(RespondError::AlreadyAnswered) => None,
                    Err(other) => panic!("{other}"),
                }
            };
            let all: Vec<_> = (0..8).map(|number| scope.spawn(move || answer(number))).collect();
            all.into_iter().filter_map(|it| it.join().unwrap()).collect()
        });
        assert_eq!(won.len(), 1);
        let text = fs::read_to_string(path.join(RESPONSE)).unwrap();
        assert!(text.contains(&format!(r#""response": "{}""#, won[0])), "{text}");
        assert_eq!(names(path), [REQUEST, RESPONSE]);
    }
}

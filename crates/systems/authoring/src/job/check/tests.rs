//! Every rule of a submission, as data: a payload, and the place that must be named.

use super::*;
use crate::job::JobSettings;

fn input(kind: AgentType, payload: &str, strict: bool, defaults: Option<&str>) -> JobInput {
    let data = |text: &str| Data::parse(text).expect("a test writes JSON");
    JobInput {
        kind: kind.as_str().to_owned(),
        payload: data(payload),
        requires_strict_validation: strict.then_some(true),
        settings: JobSettings { defaults: defaults.map(data), ..JobSettings::default() },
        submitted: None,
        revision: None,
    }
}

/// The place of the first breach; empty if there is none.
fn place(kind: AgentType, payload: &str) -> String {
    match check(kind, &input(kind, payload, false, None)) {
        Ok(()) => String::new(),
        Err(invalid) => invalid.issues.first().map(|(at, _)| at.clone()).unwrap_or_default(),
    }
}

#[test]
fn a_trace_has_a_specification() {
    let check =
        |payload: &str, at: &str| assert_eq!(place(AgentType::Trace, payload), at, "{payload}");
    check(r#"{"spec": "Login: enter email, submit"}"#, "");
    check(r#"{"spec": "a. b.", "more": 1}"#, "");
    check(r#"{}"#, "/payload");
    check(r#"{"spec": ""}"#, "/payload/spec");
    check(r#"{"spec": " \n\t"}"#, "/payload/spec");
    check(r#"{"spec": 1}"#, "/payload/spec");
    check(r#"{"spec": "a", "owner": "o"}"#, "/payload/repo");
    check(r#"{"spec": "a", "repo": "r"}"#, "/payload/owner");
    check(r#"{"spec": "a", "owner": "o/o", "repo": "r"}"#, "/payload/owner");
    check(r#"{"spec": "a", "owner": "o", "repo": ".."}"#, "/payload/repo");
    check(r#"{"spec": "a", "baseBranch": "a..b"}"#, "/payload/baseBranch");
    check(r#"{"spec": "a", "branchStrategy": "none"}"#, "/payload/branchStrategy");
    check(r#"{"spec": "a", "dryRun": "yes"}"#, "/payload/dryRun");
}

#[test]
fn broken_gherkin_names_its_line() {
    let payload = r#"{"spec": "Feature: x\n  Scenario: a\n    Given b\n  nonsense here\n"}"#;
    let refused = check(AgentType::Trace, &input(AgentType::Trace, payload, false, None));
    let refused = refused.expect_err("the third line from the end is no Gherkin");
    assert!(refused.line.is_some(), "{refused:?}");
    assert!(refused.fault().details.expect("there are details").as_str().contains("\"line\":"));
}

#[test]
fn a_proto_says_what_to_build() {
    let check =
        |payload: &str, at: &str| assert_eq!(place(AgentType::Proto, payload), at, "{payload}");
    check(r#"{"goal": "a todo list"}"#, "");
    check(r#"{"requirements": " ", "goal": "a todo list"}"#, "");
    check(r#"{}"#, "/payload");
    check(r#"{"requirements": " "}"#, "/payload/requirements");
    check(r#"{"goal": ""}"#, "/payload/goal");
    check(r#"{"goal": "a", "owner": "o"}"#, "/payload/repo");
}

#[test]
fn a_scribe_stays_in_its_repository_and_off_its_base() {
    let check = |more: &str, at: &str| {
        let payload = format!(r#"{{"owner": "o", "repo": "r", "baseBranch": "main"{more}}}"#);
        assert_eq!(place(AgentType::Scribe, &payload), at, "{more}");
    };
    check("", "");
    check(
        r#", "featureBranch": "docs/x", "outputTargets": ["README.md"], "targetPath": "docs/""#,
        "",
    );
    check(r#", "featureBranch": "main""#, "/payload/featureBranch");
    check(r#", "featureBranch": "a b""#, "/payload/featureBranch");
    check(r#", "outputTargets": ["README.md", "/etc/x"]"#, "/payload/outputTargets/1");
    check(r#", "outputTargets": ["../x"]"#, "/payload/outputTargets/0");
    let many =
        |count: usize| format!(r#", "outputTargets": ["a.md"{}]"#, r#", "a.md""#.repeat(count - 1));
    check(&many(100), "");
    check(&many(101), "/payload/outputTargets");
    check(r#", "targetPath": ".git/hooks/""#, "/payload/targetPath");
    check(r#", "targetPath": ".github/workflows/""#, "/payload/targetPath");
    check(r#", "targetPath": ".github/workflows/", "requiresApproval": true"#, "");
    check(r#", "branchPattern": "docs/{timestamp}-{jobId}""#, "");
    check(r#", "branchPattern": "docs/{user}""#, "/payload/branchPattern");
    check(r#", "branchPattern": "docs//{date}""#, "/payload/branchPattern");
    check(r#", "prTitleTemplate": "Docs for {repo}""#, "");
    check(r#", "prTitleTemplate": "Docs for {team}""#, "/payload/prTitleTemplate");
    check(r#", "prBodyTemplate": null"#, "");
    check(r#", "passes": 3"#, "/payload/passes");
    check(r#", "docPack": "huge""#, "/payload/docPack");
    assert_eq!(place(AgentType::Scribe, r#"{"owner": "o", "repo": "r"}"#), "/payload");
}

#[test]
fn a_mode_takes_what_was_saved() {
    let kind = AgentType::Scribe;
    let with = |payload: &str, defaults| check(kind, &input(kind, payload, false, defaults));
    let saved = Some(r#"{"owner": "o", "repo": "r", "baseBranch": "main"}"#);
    assert_eq!(with(r#"{"mode": "run"}"#, saved), Ok(()));
    assert!(with(r#"{"mode": "run"}"#, None).is_err());
    assert!(with(r#"{"mode": "test"}"#, Some(r#"{"owner": "o", "repo": "r"}"#)).is_err());
    assert!(with(r#"{"mode": "run", "featureBranch": "main"}"#, saved).is_err());
}

#[test]
fn strict_validation_refuses_what_the_contract_does_not_name() {
    let kind = AgentType::Trace;
    let payload = r#"{"spec": "a. b.", "speed": 9}"#;
    assert_eq!(check(kind, &input(kind, payload, false, None)), Ok(()));
    let refused = check(kind, &input(kind, payload, true, None)).expect_err("`speed` is unknown");
    assert_eq!(refused.issues[0].0, "/payload/speed");
}

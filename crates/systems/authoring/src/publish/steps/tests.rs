//! The order of publishing, and what each failure leaves, as data.

use consign_engine::At;
use serde_json::json;

use super::*;
use crate::publish::look::BranchChoice;

const BASE: &str = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";

fn order(manual: bool, approved: bool) -> Order<'static> {
    Order {
        site: Site {
            owner: "o".to_owned(),
            repo: "demo".to_owned(),
            folder: None,
            base_branch: "main".to_owned(),
        },
        rule: BranchRule {
            agent: "scribe".to_owned(),
            choice: BranchChoice::Pattern("docs/x".to_owned()),
            submitted: Some(At(0)),
        },
        manual,
        approved,
        files: vec![File { path: "A.md", content: "a" }, File { path: "B.md", content: "b" }],
        title: None,
        body: None,
    }
}

fn looked() -> serde_json::Value {
    json!({"looked": {"base": BASE, "branch": "docs/x",
        "names": {"at": 0, "agent": "scribe", "job": "j", "repo": "demo"}}, "files": [null, "b1"]})
}

/// Plays it through with these answers: an object is an answer, a text a failure.
fn play(order: &Order<'_>, answers: &[serde_json::Value]) -> (Vec<String>, Publication) {
    let (mut publication, mut keys) = (Publication::default(), Vec::new());
    for answer in answers {
        let next = publication.next(order);
        if next == Next::Over {
            break;
        }
        let call = publication.call(order, next).expect("there is a call for each step");
        keys.push(call.key.to_string());
        match answer.as_str() {
            Some(why) => publication.failed(next, &Fault::permanent("REPOSITORY_DENIED", why)),
            None => {
                publication.done(next, &Data::of(answer));
            }
        }
    }
    assert_eq!(publication.next(order), Next::Over, "{keys:?}");
    (keys, publication)
}

fn branch(is_there: bool, error: Option<&str>) -> serde_json::Value {
    json!({"is_there": is_there, "created": is_there && error.is_none(), "error": error})
}

fn commit(sha: &str) -> serde_json::Value {
    json!({"sha": sha, "message": "m"})
}

#[test]
fn each_write_is_a_call_of_its_own() {
    let pull = json!({"url": "https://github.com/o/demo/pull/1"});
    let answers = [looked(), branch(true, None), commit("1"), commit("2"), pull];
    let (keys, done) = play(&order(false, false), &answers);
    assert_eq!(keys, ["look", "branch", "commit:0", "commit:1", "pull_request"]);
    assert_eq!(done.error(), None);
    let (keys, _) = play(&order(true, false), &[looked(), commit("1"), commit("2")]);
    assert_eq!(keys, ["look", "commit:0", "commit:1"]);
}

#[test]
fn a_file_is_generated_or_updated_and_replaces_only_what_was_seen() {
    let order = order(false, false);
    let mut publication = Publication::default();
    publication.done(Next::Look, &Data::of(&looked()));
    let input = |at: usize| {
        let call = publication.call(&order, Next::Commit(at)).expect("there is a call");
        call.input.to::<serde_json::Value>().expect("it is JSON")
    };
    assert_eq!(input(0)["message"], "docs: generate A.md via Scribe agent");
    assert_eq!(input(0)["expected"], serde_json::Value::Null);
    assert_eq!(input(1)["message"], "docs: update B.md via Scribe agent");
    assert_eq!(input(1)["expected"], "b1");
}

#[test]
fn without_a_branch_nothing_is_committed() {
    let (keys, done) = play(&order(false, false), &[looked(), branch(false, Some("denied"))]);
    assert_eq!(keys, ["look", "branch"]);
    assert_eq!(done.error().as_deref(), Some("the branch: denied"));
    // One that is there already will do.
    let pull = json!({"url": "u"});
    let answers = [looked(), branch(true, Some("denied")), commit("1"), commit("2"), pull];
    let (keys, done) = play(&order(false, false), &answers);
    assert_eq!((keys.len(), done.branch.is_some_and(|branch| branch.created)), (5, false));
}

#[test]
fn a_branch_that_cannot_be_made_after_all_tries_is_used_if_it_was_there() {
    let no_answer = || json!("no answer");
    let (keys, done) = play(&order(false, false), &[looked(), no_answer()]);
    assert_eq!(keys, ["look", "branch"]);
    let made = done.branch.expect("it is told");
    assert_eq!((made.is_there, made.created), (false, false));
    let mut there = looked();
    there["looked"]["head"] = BASE.into();
    let answers = [there, no_answer(), commit("1"), commit("2"), json!({"url": "u"})];
    let (keys, done) = play(&order(false, false), &answers);
    assert_eq!(keys.len(), 5);
    assert_eq!(done.committed(&order(false, false)).count(), 2);
    let made = done.branch.as_ref().expect("it is told");
    assert_eq!((made.is_there, made.created), (true, false));
    assert_eq!(done.error().as_deref(), Some("the branch: no answer"));
}

#[test]
fn what_fails_ends_it_and_says_why() {
    let failed = |answers: &[serde_json::Value]| {
        let (keys, done) = play(&order(false, false), answers);
        (keys.len(), done.error().unwrap_or_default())
    };
    let unreachable = || json!("no answer");
    assert_eq!(failed(&[unreachable()]), (1, "no answer".to_owned()));
    assert_eq!(failed(&[looked(), unreachable()]), (2, "the branch: no answer".to_owned()));
    assert_eq!(
        failed(&[looked(), branch(true, None), commit("1"), unreachable()]),
        (4, "no answer".to_owned())
    );
    // A pull request that cannot be opened takes nothing from what was committed.
    let (_, done) = play(
        &order(false, false),
        &[looked(), branch(true, None), commit("1"), commit("2"), unreachable()],
    );
    assert_eq!(done.error().as_deref(), Some("the pull request: no answer"));
    assert_eq!(done.committed(&order(false, false)).count(), 2);
}

#[test]
fn a_file_that_somebody_changed_is_left_to_them() {
    let conflict = json!({"error": "A.md: A.md was changed by somebody else"});
    let answers = [looked(), branch(true, None), conflict, commit("2"), json!({"url": "u"})];
    let (_, done) = play(&order(false, false), &answers);
    let order = order(false, false);
    let committed: Vec<_> = done.committed(&order).map(|(path, _, _)| path).collect();
    assert_eq!(committed, ["B.md"]);
    assert!(done.error().is_some_and(|why| why.contains("somebody else")));
}

#[test]
fn what_was_approved_is_looked_at_again_before_the_first_write() {
    let order = order(false, true);
    let mut publication = Publication::default();
    publication.done(Next::Look, &Data::of(&looked()));
    assert_eq!(publication.next(&order), Next::Recheck);
    let moved = publication.done(Next::Recheck, &Data::of(&json!({"same": false, "base": "b2"})));
    assert_eq!(moved, Then::Moved { base: "b2".to_owned(), head: None });
    // It is looked at once more after it was approved once more.
    assert_eq!(
        (publication.next(&order), publication.key(Next::Recheck)),
        (Next::Recheck, "recheck:2".to_owned())
    );
    publication.done(Next::Recheck, &Data::of(&json!({"same": true, "base": BASE})));
    assert_eq!(publication.next(&order), Next::Branch);
}

//! Runs that failed or were cancelled go on as new runs, and nothing that was finished is done again.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::yard::Yard;
use crate::{home::until, support::text};

/// Writes its name down, and does what a file beside it says: nothing, fail, or wait.
const WORK: &str = r#"
echo "$1" >> called
if [ -e "broken-$1" ]; then echo "$1 is broken" >&2; exit 1; fi
while [ -e "slow-$1" ]; do sleep 0.02; done
echo "{\"name\": \"$1\"}"
"#;

fn stage(name: &str) -> String {
    format!(
        "[[stage]]\nname = \"{name}\"\ntries = 1\nagent.effect = \"pure\"\nagent.subprocess.command = [\"sh\", \"work.sh\", \"{name}\"]\n"
    )
}

fn pipeline(yard: &Yard, stages: usize) -> String {
    yard.file("work.sh", WORK);
    let mut text = "name = \"work\"\nmax_agent_hops = 60\n".to_owned();
    for at in 1..=stages {
        let _ = write!(text, "{}", stage(&format!("s{at}")));
    }
    yard.file("work.toml", text)
}

/// What was called since the last time this was asked, in order.
fn called(yard: &Yard) -> Vec<String> {
    let path = yard.path("called");
    let text = std::fs::read_to_string(&path).unwrap_or_default();
    let _ = std::fs::remove_file(&path);
    text.lines().map(str::to_owned).collect()
}

fn names(range: std::ops::RangeInclusive<usize>) -> Vec<String> {
    range.map(|at| format!("s{at}")).collect()
}

fn retried(yard: &Yard, run: &str, more: &[&str]) -> Value {
    let child = yard.run(&[&["runs", "retry", run, "--json"], more].concat()).exits(0).json();
    for run in [run, text(&child, "id")] {
        yard.run(&["runs", "verify", run]).exits(0);
    }
    let shown = yard.run(&["runs", "show", text(&child, "id")]).exits(0).stdout;
    assert!(shown.contains(run), "it names its parent: {shown}");
    child
}

/// A run of eight stages whose sixth fails.
fn failed(yard: &Yard) -> (String, String) {
    let file = pipeline(yard, 8);
    yard.file("broken-s6", "");
    let run = yard.durable(&file, &json!({}), &[], 1);
    assert_eq!(text(&run["fault"], "code"), "EXIT_STATUS");
    assert_eq!(run["fault"]["details"]["stage"], "s6");
    assert_eq!(called(yard), names(1..=6));
    (text(&run, "id").to_owned(), file)
}

#[test]
fn a_run_that_failed_at_its_sixth_stage_goes_on_there_once_that_is_mended() {
    let yard = Yard::new();
    let (run, _) = failed(&yard);
    std::fs::remove_file(yard.path("broken-s6")).expect("it is there");
    let child = retried(&yard, &run, &[]);
    assert_eq!(called(&yard), names(6..=8));
    assert_eq!(child["parents"][0]["run"], run.as_str());
    // From where the user says.
    retried(&yard, &run, &["--from", "s3"]);
    assert_eq!(called(&yard), names(3..=8));
}

#[test]
fn a_run_that_is_retried_twice_is_retried_once() {
    let yard = Yard::new();
    let (run, _) = failed(&yard);
    std::fs::remove_file(yard.path("broken-s6")).expect("it is there");
    let first = retried(&yard, &run, &[]);
    assert_eq!(called(&yard), names(6..=8));
    let second = retried(&yard, &run, &[]);
    assert_eq!((called(&yard), &second["id"]), (Vec::new(), &first["id"]));
    // Another name makes another run.
    retried(&yard, &run, &["--id", "once-more"]);
    assert_eq!(called(&yard), names(6..=8));
}

#[test]
fn a_retry_of_a_retry_can_begin_before_its_own_beginning() {
    let yard = Yard::new();
    let (run, _) = failed(&yard);
    let again = yard.run(&["runs", "retry", &run, "--id", "again"]).exits(1);
    again.telling("EXIT_STATUS");
    assert_eq!(called(&yard), ["s6"]);
    std::fs::remove_file(yard.path("broken-s6")).expect("it is there");
    let points = yard.run(&["runs", "points", "again", "--json"]).exits(0).json_lines();
    let all: Vec<_> = points.iter().map(|point| text(point, "point")).collect();
    assert_eq!(all, ["start", "s1", "s2", "s3", "s4", "s5"]);
    let of: Vec<_> = points.iter().map(|point| text(point, "run")).collect();
    assert_eq!((of[4], of[5]), (run.as_str(), "again"));
    let third = yard.run(&["runs", "retry", "again", "--from", "s3", "--json"]).exits(0).json();
    assert_eq!(called(&yard), names(3..=8));
    yard.run(&["runs", "verify", text(&third, "id")]).exits(0);
}

#[test]
fn a_new_stage_in_front_is_not_skipped_without_a_word() {
    let yard = Yard::new();
    let (run, file) = failed(&yard);
    let whole = std::fs::read_to_string(&file).expect("it is there");
    let gate = "[[stage]]\nname = \"gate\"\nperson = { ask = \"approval\", prompt = \"Go on?\" }\n";
    let at = whole.find("[[stage]]\nname = \"s6\"").expect("it has six");
    let gated = yard.file("gated.toml", format!("{}{gate}{}", &whole[..at], &whole[at..]));
    yard.run(&["runs", "retry", &run, "--pipeline", &gated])
        .fails(1, "FORK_IMPOSSIBLE")
        .telling("the stage \"gate\" is new before \"s6\" and would be skipped");
    assert_eq!(called(&yard), Vec::<String>::new());
    // So is one that stood behind it before.
    let (head, tail) = (&whole[..at], &whole[at..]);
    let behind = yard.file("behind.toml", format!("{head}{tail}{gate}"));
    yard.run(&["run", &behind, "--id", "behind"]).exits(1);
    called(&yard);
    yard.run(&["runs", "retry", "behind", "--pipeline", &gated]).fails(1, "FORK_IMPOSSIBLE");
    assert_eq!(called(&yard), Vec::<String>::new());
    // From the stage before it the way leads through it.
    let waits = yard.run(&["runs", "retry", &run, "--pipeline", &gated, "--from", "s5"]).exits(43);
    assert!(waits.stdout.contains("Go on?"), "{waits:#?}");
    assert_eq!(called(&yard), ["s5"]);
}

/// The last program must not be called twice, and a person says yes before it.
const RELEASE: &str = r#"
name = "release"
[[stage]]
name = "ok"
person = { ask = "approval", prompt = "Release?" }
[[stage]]
name = "send"
agent.effect = "unsafe"
agent.subprocess.command = ["sh", "work.sh", "send"]
[[stage]]
name = "last"
agent.effect = "pure"
agent.subprocess.command = ["sh", "work.sh", "last"]
"#;

#[test]
fn what_must_not_be_done_twice_is_repeated_only_when_a_person_says_so() {
    let yard = Yard::new();
    yard.file("work.sh", WORK);
    let release = yard.file("release.toml", RELEASE);
    yard.run(&["run", &release, "--id", "done"]).exits(43);
    yard.run(&["runs", "approve", "done"]).exits(0);
    assert_eq!(called(&yard), ["send", "last"]);
    for wish in
        [&["runs", "fork", "done", "--at", "ok"][..], &["runs", "retry", "done", "--from", "send"]]
    {
        yard.run(wish).fails(1, "UNSAFE_REPEATED").telling("send-2 would be made again");
        // A program that acts for an agent may not go on from what a person answered.
        let agent = yard.consign(wish).env("CONSIGN_KEPT", "1").run();
        agent.fails(1, "PERSON_REQUIRED");
    }
    assert_eq!(called(&yard), Vec::<String>::new());
    yard.run(&["runs", "fork", "done", "--at", "ok", "--repeat-unsafe"]).exits(0);
    assert_eq!(called(&yard), ["send", "last"]);
    // Behind it nothing of that is repeated.
    yard.run(&["runs", "fork", "done", "--at", "send"]).exits(0);
    assert_eq!(called(&yard), ["last"]);
}

#[test]
fn a_yes_that_is_typed_twice_is_no_yes_to_the_next_question() {
    let yard = Yard::new();
    let two = "name = \"two\"\n[[stage]]\nname = \"staging\"\nperson = { ask = \"approval\", prompt = \"Staging?\" }\n\
               [[stage]]\nname = \"production\"\nperson = { ask = \"approval\", prompt = \"Production?\" }\n";
    let two = yard.file("two.toml", two);
    yard.run(&["run", &two, "--id", "two"]).exits(43);
    yard.run(&["runs", "approve", "two"]).exits(0);
    yard.run(&["runs", "approve", "two"])
        .fails(2, "INTERACTION_AMBIGUOUS")
        .telling("consign runs approve two production-2");
    yard.run(&["runs", "approve", "two", "production-2"]).exits(0);
    assert_eq!(yard.home.show("two")["status"], "succeeded");
}

#[test]
fn a_retry_can_take_the_pipeline_as_it_is_now() {
    let yard = Yard::new();
    let (run, file) = failed(&yard);
    let mended = std::fs::read_to_string(&file).expect("it is there");
    let mended = mended.replace("\"work.sh\", \"s6\"", "\"work.sh\", \"other\"");
    yard.file("work.toml", mended);
    retried(&yard, &run, &["--pipeline", &file]);
    assert_eq!(called(&yard), ["other", "s7", "s8"]);
}

#[test]
fn a_run_that_was_cancelled_goes_on_where_it_was() {
    let yard = Yard::new();
    let file = pipeline(&yard, 8);
    yard.file("slow-s6", "");
    yard.run(&["run", &file, "--detach", "--id", "late"]).exits(0);
    let worker = yard.home.let_go_on(yard.consign(&["worker"]));
    until("the sixth works", || (yard.path("called").exists()).then_some(()));
    until("the sixth works", || {
        let text = std::fs::read_to_string(yard.path("called")).unwrap_or_default();
        text.contains("s6").then_some(())
    });
    yard.run(&["runs", "cancel", "late"]).exits(0);
    yard.until_over("late");
    drop(worker);
    assert_eq!(called(&yard), names(1..=6));
    std::fs::remove_file(yard.path("slow-s6")).expect("it is there");
    retried(&yard, "late", &[]);
    assert_eq!(called(&yard), names(6..=8));
}

#[test]
fn of_those_that_run_at_once_only_what_failed_is_done_again() {
    let yard = Yard::new();
    yard.file("work.sh", WORK);
    let file = yard.file(
        "both.toml",
        format!(
            "name = \"both\"\n{}[[stage]]\nname = \"both\"\nparallel = [\"left\", \"right\"]\n{}{}{}",
            stage("first"),
            stage("left"),
            stage("right"),
            stage("last")
        ),
    );
    yard.file("broken-right", "");
    let run = yard.durable(&file, &json!({}), &[], 1);
    let mut before = called(&yard);
    before.sort();
    assert_eq!(before, ["first", "left", "right"]);
    std::fs::remove_file(yard.path("broken-right")).expect("it is there");
    let child = retried(&yard, text(&run, "id"), &[]);
    assert_eq!(called(&yard), ["right", "last"]);
    assert_eq!(child["output"]["outputs"]["left"]["name"], "left");
}

#[test]
fn a_run_of_twenty_stages_can_be_forked_at_every_recovery_point() {
    let yard = Yard::new();
    let file = pipeline(&yard, 20);
    let run = yard.durable(&file, &json!({}), &[], 0);
    let run = text(&run, "id");
    assert_eq!(called(&yard), names(1..=20));
    let points = yard.run(&["runs", "points", run, "--json"]).exits(0).json_lines();
    let all = points.iter().map(|point| text(point, "point"));
    // After the last stage nothing is left to do.
    assert_eq!(all.collect::<Vec<_>>(), [vec!["start".to_owned()], names(1..=19)].concat());
    for (at, point) in points.iter().enumerate() {
        let fork = ["runs", "fork", run, "--at", text(point, "point"), "--json"];
        let child = yard.run(&fork).exits(0).json();
        assert_eq!(called(&yard), names(at + 1..=20), "{point}");
        yard.run(&["runs", "verify", text(&child, "id")]).exits(0);
    }
}

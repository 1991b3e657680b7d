//! What a person approves is what is published: the very bytes, on the very commit.

#![expect(clippy::unwrap_used, reason = "a test that unwraps says where it failed")]

use consign_authoring::job::{Approval, Progress};
use consign_engine::{Data, Key, RunId, Speaker};
use consign_testkit::world::{World, refusal};
use serde_json::{Value, json};

use crate::{
    repository::{Double, sample},
    scribe::{input, outcome, setting, submission, world},
};

fn wanted() -> Value {
    input(json!({"requiresApproval": true}), "rules")
}

async fn question(world: &World, run: &RunId) -> Approval {
    world.until_waiting(run).await;
    let progress: Progress = world.desk().look(run).await.unwrap().state.to().unwrap();
    progress.approval().unwrap()
}

fn yes(approval: &Approval) -> String {
    json!({"approved": true, "digest": approval.digest}).to_string()
}

async fn asked(double: &Double) -> (World, RunId, Approval) {
    let world = world(setting(double)).await;
    let run = world.desk().submit(submission(&wanted())).await.unwrap().run;
    let worker = world.worker().await;
    let approval = question(&world, &run).await;
    worker.kill().await;
    (world, run, approval)
}

#[tokio::test(start_paused = true)]
async fn what_was_approved_is_published_byte_for_byte() {
    let double = sample();
    let (world, run, approval) = asked(&double).await;
    assert_eq!(double.writes(), Vec::<String>::new());
    assert_eq!(approval.base, double.state().branches.get("main").cloned());
    let progress: Progress = world.desk().look(&run).await.unwrap().state.to().unwrap();
    let seen: Value = progress.result().unwrap().to().unwrap();
    // An answer to something else is refused.
    let stale = json!({"approved": true, "digest": "0".repeat(64)}).to_string();
    let refused = refusal(world.try_answer(&run, "approval", &stale).await);
    assert_eq!(refused.code, "CONTRACT_BREACH");
    world.answer(&run, "approval", &yes(&approval)).await;
    let worker = world.worker().await;
    world.until_closed(&run).await;
    let result: Value = outcome(&world, &run).await.result.to().unwrap();
    let branch = result["branch"].as_str().unwrap();
    assert_eq!(
        double.text(branch, "README.md").as_deref(),
        seen["artifacts"][0]["content"].as_str()
    );
    worker.kill().await;
}

#[tokio::test(start_paused = true)]
async fn an_approval_whose_ground_moved_is_asked_for_again() {
    type Change = fn(&Double);
    let changes: [Change; 3] = [
        |double| double.change("main", "src/more.rs", "pub fn more() {}\n"),
        |double| double.change("main", "README.md", "# Mine\n\nBy a person.\n"),
        |double| {
            // Somebody makes the branch first, and writes the same file there.
            let main = double.state().branches["main"].clone();
            double.state().branches.insert("docs/scribe-1707350400".to_owned(), main);
            double.change("docs/scribe-1707350400", "README.md", "# Theirs\n");
        },
    ];
    for change in changes {
        let double = sample();
        let (world, run, first) = asked(&double).await;
        change(&double);
        let worker = world.worker().await;
        world.answer(&run, "approval", &yes(&first)).await;
        let second = question(&world, &run).await;
        assert_eq!(double.writes(), Vec::<String>::new());
        assert_eq!(second.key, Key::from("approval:2"));
        assert_ne!(second.digest, first.digest);
        let refused = refusal(world.try_answer(&run, "approval:2", &yes(&first)).await);
        assert_eq!(refused.code, "CONTRACT_BREACH");
        world.answer(&run, "approval:2", &yes(&second)).await;
        world.until_closed(&run).await;
        let result: Value = outcome(&world, &run).await.result.to().unwrap();
        assert_eq!((&result["ok"], &result["filesUpdated"]), (&json!(true), &json!(1)), "{result}");
        worker.kill().await;
    }
}

#[tokio::test(start_paused = true)]
async fn looking_again_decides_nothing() {
    let double = sample();
    let (world, run, first) = asked(&double).await;
    let worker = world.worker().await;
    let look = r#"{"approved": false, "refresh": true}"#;
    world.answer(&run, "approval", look).await;
    let second = question(&world, &run).await;
    assert_eq!((&second.key, &second.digest), (&Key::from("approval:2"), &first.digest));
    double.change("main", "src/more.rs", "pub fn more() {}\n");
    world.answer(&run, "approval:2", look).await;
    let third = question(&world, &run).await;
    assert_eq!(third.key, Key::from("approval:3"));
    assert_ne!(third.digest, first.digest);
    assert_eq!(double.writes(), Vec::<String>::new());
    world.answer(&run, "approval:3", r#"{"approved": false}"#).await;
    world.until_closed(&run).await;
    worker.kill().await;
}

#[tokio::test(start_paused = true)]
async fn of_two_approvals_one_counts() {
    let double = sample();
    let (world, run, approval) = asked(&double).await;
    let value = Data::parse(yes(&approval)).unwrap();
    let (ada, bob) = (Speaker::person("ada"), Speaker::person("bob"));
    let desk = world.desk();
    let (one, other) = tokio::join!(
        desk.answer(&run, &approval.key, &value, &ada),
        desk.answer(&run, &approval.key, &value, &bob),
    );
    assert_eq!(u8::from(one.is_ok()) + u8::from(other.is_ok()), 1);
    let worker = world.worker().await;
    world.until_closed(&run).await;
    assert_eq!(double.writes().len(), 3);
    worker.kill().await;
}

#[tokio::test(start_paused = true)]
async fn a_workflow_file_is_written_only_when_it_was_approved() {
    let double = sample();
    let world = world(setting(&double)).await;
    let targets = json!([".github/workflows/README.md"]);
    let open = input(json!({"outputTargets": targets}), "rules");
    let refused = refusal(world.desk().submit(submission(&open)).await);
    assert_eq!(refused.code, "VALIDATION_ERROR");
    let asks = input(json!({"outputTargets": targets, "requiresApproval": true}), "rules");
    let run = world.desk().submit(submission(&asks)).await.unwrap().run;
    let worker = world.worker().await;
    let approval = question(&world, &run).await;
    world.answer(&run, approval.key.as_str(), &yes(&approval)).await;
    world.until_closed(&run).await;
    assert_eq!(double.writes().len(), 3);
    worker.kill().await;
}

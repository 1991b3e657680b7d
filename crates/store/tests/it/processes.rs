//! Several processes on one home. Each is this test program, told to play a part.

use std::{
    fs,
    io::{BufRead, BufReader},
    process::{Child, Command},
    time::Duration,
};

use consign_engine::{
    Seq, Status,
    journal::Chain,
    store::{Error, Refusal, Store, Tick},
};
use consign_testkit::draft::{DAWN, Draft, advice, new_run};

use crate::ground::{self, Home, held, open, step};

/// Starts a process that plays a part of this module.
fn play(part: &str, home: &Home, name: &str) -> Child {
    ground::play(&[], &format!("processes::{part}"), home, name)
}

/// What the other process prints.
fn lines(child: &mut Child) -> impl Iterator<Item = String> + use<> {
    BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok)
}

fn part() -> Option<(consign_store::SqliteStore, String)> {
    ground::part().map(|(home, name)| (open(&home), name))
}

const ADVICE: u64 = 30;

#[tokio::test]
#[ignore = "a part that another test has played"]
async fn advises_and_steps() {
    let Some((store, name)) = part() else { return };
    let mut own = held(&store, &name).await;
    for _ in 0..ADVICE {
        store.commit(step(&own)).await.unwrap();
        own = store.row(&own.id).await.unwrap();
        loop {
            let shared = store.row(&"shared".into()).await.unwrap();
            match store.deliver(advice(&shared, &name)).await {
                Ok(()) => break,
                Err(Error::Refused(Refusal::Moved { .. })) => {}
                Err(error) => panic!("{error}"),
            }
        }
    }
}

#[tokio::test]
async fn processes_write_in_turn_and_nothing_is_lost() {
    let home = Home::new();
    let store = home.open();
    held(&store, "shared").await;
    let names = ["one", "two", "three"];
    let children = names.map(|name| play("advises_and_steps", &home, name));
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    let expected = [("shared", 3 * ADVICE), ("one", ADVICE), ("two", ADVICE), ("three", ADVICE)];
    for (name, events) in expected {
        let row = store.row(&name.into()).await.unwrap();
        let mut chain = Chain::default();
        for event in store.events(&row.id, Seq(0), usize::MAX).await.unwrap() {
            chain.take(&event).unwrap();
        }
        assert_eq!(chain.head(), Some((Seq(events), row.head)), "{name}");
    }
}

#[tokio::test]
#[ignore = "a part that another test has played"]
async fn holds_a_run_for_life() {
    let Some((store, name)) = part() else { return };
    let _alive = store.enlist(&"w1".into()).await.unwrap();
    held(&store, &name).await;
    println!("it is mine");
    std::thread::sleep(Duration::from_secs(60));
}

#[tokio::test]
async fn the_runs_of_a_killed_process_go_on_at_once() {
    let home = Home::new();
    let store = home.open();
    let mut child = play("holds_a_run_for_life", &home, "one");
    assert!(lines(&mut child).any(|line| line.contains("it is mine")));
    assert_eq!(store.reclaim().await.unwrap(), 0, "its holder lives");
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(store.reclaim().await.unwrap(), 1);
    assert_eq!(store.row(&"one".into()).await.unwrap().status, Status::Queued);
}

#[tokio::test]
async fn what_another_process_writes_is_noticed() {
    let home = Home::new();
    let store = home.open();
    held(&store, "shared").await;
    let mut child = play("advises_and_steps", &home, "one");
    let mut tick = Tick::default();
    while store.row(&"shared".into()).await.unwrap().seq < Seq(ADVICE) {
        tick = store.changed(tick).await;
    }
    assert!(child.wait().unwrap().success());
}

#[tokio::test]
#[ignore = "a part that another test has played"]
async fn steps_until_it_is_killed() {
    let Some((store, name)) = part() else { return };
    let mut row = held(&store, &name).await;
    loop {
        store.commit(step(&row)).await.unwrap();
        row = store.row(&row.id).await.unwrap();
        println!("written {}", row.seq);
    }
}

#[tokio::test]
async fn what_a_killed_process_was_answered_is_there() {
    let home = Home::new();
    let mut child = play("steps_until_it_is_killed", &home, "one");
    let mut lines =
        lines(&mut child).filter_map(|line| line.strip_prefix("written ")?.parse().ok());
    let answered = lines.by_ref().find(|seq| *seq >= 20).unwrap();
    child.kill().unwrap();
    let answered: u64 = lines.last().unwrap_or(answered);
    child.wait().unwrap();
    let store = home.open();
    let row = store.row(&"one".into()).await.unwrap();
    assert!(row.seq >= Seq(answered), "{} of {answered}", row.seq);
    let events = store.events(&row.id, Seq(0), usize::MAX).await.unwrap();
    let mut chain = Chain::default();
    events.iter().for_each(|event| chain.take(event).unwrap());
    assert_eq!(chain.head(), Some((row.seq, row.head)));
}

#[tokio::test]
#[ignore = "a part that another test has played"]
async fn keeps_a_large_value() {
    let Some((store, name)) = part() else { return };
    let run = new_run(name.as_str());
    let state = format!("\"{}\"", "x".repeat(100_000));
    let first = Draft::first(&run, DAWN).snapshot(state).held_by("w1");
    store.create(run, first).await.unwrap();
}

#[tokio::test]
async fn folders_that_others_made_are_synced_before_large_values_are_named() {
    let home = Home::new();
    home.open().close().await;
    // As somebody made them who was killed before he could sync them.
    for number in 0..=255 {
        fs::create_dir(home.path().join(format!("blobs/{number:02x}"))).unwrap();
    }
    let trace = home.path().join("trace");
    let strace = ["strace", "-f", "-y", "-e", "trace=fsync", "-o", trace.to_str().unwrap()];
    if !Command::new("strace")
        .args(["-o", "/dev/null", "true"])
        .status()
        .is_ok_and(|it| it.success())
    {
        eprintln!("SKIPPED: no strace here, so this was not tested");
        return;
    }
    let mut child = ground::play(&strace, "processes::keeps_a_large_value", &home, "one");
    assert!(child.wait().unwrap().success());
    let trace = fs::read_to_string(trace).unwrap();
    assert_eq!(home.blobs().len(), 1);
    assert!(trace.lines().any(|line| line.contains("/blobs>")), "{trace}");
}

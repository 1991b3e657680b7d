//! Whatever somebody does to a journal is found, and to what is kept beside it.

mod beside;

use std::sync::Arc;

use consign_engine::{
    Actor, At, Disproof, RunId, Seq, Status, Stop,
    journal::{Advised, Body, Break, Content, Hash, Record, Salt},
};
use consign_testkit::{
    draft::json,
    programs::{ask, call, sequence},
    scripted::Scripted,
    world::{Forger, World},
};

type Change<T> = fn(&mut T);

/// A finished run, and somebody who got at the database.
async fn forged() -> (World, RunId, Arc<Forger>) {
    let forger = Arc::new(Forger::default());
    let world = World::with_agent("echo", Scripted::echo()).watched_by(forger.clone()).await;
    let run = world.submit(sequence([call("a", "echo"), ask("q"), call("b", "echo")])).await;
    let worker = world.worker().await;
    world.until_waiting(&run).await;
    world.answer(&run, "q", "1").await;
    world.until_closed(&run).await;
    worker.stop(Stop::Drain).await;
    world.proves(&run).await;
    (world, run, forger)
}

async fn found(world: &World, run: &RunId) -> Disproof {
    world.verify(run, None).await.expect_err("it is found")
}

#[tokio::test(start_paused = true)]
async fn a_changed_event_is_found_whatever_was_changed() {
    let (world, run, forger) = forged().await;
    let journal = world.journal(&run).await;
    let changes: [Change<Record>; 5] = [
        |record| record.actor = Actor::from("mallory"),
        |record| record.at = At(record.at.0 + 1),
        |record| record.kind = "advised".into(),
        |record| {
            let Content::Kept(body, salt) = &record.content else { return };
            let mut text = body.as_str().to_owned();
            text.insert(1, ' ');
            record.content = Content::Kept(json(text), *salt);
        },
        |record| {
            let Content::Kept(body, _) = &record.content else { return };
            record.content = Content::Kept(body.clone(), Salt([9; 16]));
        },
    ];
    for place in 0..journal.len() {
        for change in changes {
            let mut forged = journal.clone();
            change(&mut forged[place]);
            if forged[place] == journal[place] {
                continue;
            }
            forger.journal(&run, forged);
            let disproof = found(&world, &run).await;
            let seq = Seq(place as u64);
            let later = Seq(place as u64 + 1);
            let told = [Break::Changed { seq }.into(), Break::Backwards { seq: later }.into()];
            assert!(told.contains(&disproof), "{disproof:?}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_removed_event_is_found() {
    let (world, run, forger) = forged().await;
    let journal = world.journal(&run).await;
    let last = journal.len() - 1;
    for place in 0..=last {
        let mut forged = journal.clone();
        forged.remove(place);
        forger.journal(&run, forged);
        let disproof = found(&world, &run).await;
        let (expected, found) = (Seq(place as u64), Seq(place as u64 + 1));
        if place == last {
            let (expected, found) = (Seq(last as u64), Seq(last as u64 - 1));
            assert_eq!(disproof, Break::Cut { expected, found }.into());
        } else {
            assert_eq!(disproof, Break::Order { expected, found }.into());
        }
    }
    forger.journal(&run, Vec::new());
    assert_eq!(found(&world, &run).await, Break::Empty.into());
}

#[tokio::test(start_paused = true)]
async fn swapped_events_are_found_also_when_they_are_renumbered() {
    let (world, run, forger) = forged().await;
    let journal = world.journal(&run).await;
    for place in 0..journal.len() - 1 {
        let mut forged = journal.clone();
        forged.swap(place, place + 1);
        forger.journal(&run, forged.clone());
        let Disproof::Chain(Break::Order { .. }) = found(&world, &run).await else {
            panic!("swapped at {place}");
        };
        for (number, record) in forged.iter_mut().enumerate() {
            record.seq = Seq(number as u64);
        }
        forger.journal(&run, forged);
        let Disproof::Chain(Break::Unlinked { .. }) = found(&world, &run).await else {
            panic!("renumbered at {place}");
        };
    }
}

/// The journal from `place` on, written anew with hashes that hold.
fn rewritten(journal: &[Record], place: usize) -> Vec<Record> {
    let mut forged = journal[..place].to_vec();
    for record in &journal[place..] {
        let (seq, at, actor) = (record.seq, record.at, record.actor.clone());
        let body = record.body().expect("it can be read").expect("it is not redacted");
        let prev = forged.last().map(|record: &Record| record.hash);
        forged.push(Record::new(seq, at, actor, &body, Salt([9; 16]), prev));
    }
    forged
}

#[tokio::test(start_paused = true)]
async fn a_journal_that_is_written_anew_is_found_by_the_runs_own_head() {
    let (world, run, forger) = forged().await;
    let journal = world.journal(&run).await;
    for place in 0..journal.len() {
        let forged = rewritten(&journal, place);
        forger.journal(&run, forged);
        let disproof = found(&world, &run).await;
        let by_head = matches!(disproof, Disproof::Chain(Break::Head { .. }));
        assert!(by_head || matches!(disproof, Disproof::State { .. }), "{disproof:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_whole_run_that_is_written_anew_is_found_by_a_head_kept_elsewhere() {
    let (world, run, forger) = forged().await;
    let journal = world.journal(&run).await;
    let expected = journal.last().unwrap().hash;
    for record in &journal {
        assert!(world.verify(&run, Some(record.hash)).await.is_ok(), "any head of it will do");
    }
    forger.whole(&run, rewritten(&journal, 3));
    let disproof = world.verify(&run, Some(expected)).await.unwrap_err();
    let by_head = disproof == Disproof::from(Break::Rewritten { expected });
    let by_state = matches!(disproof, Disproof::State { .. });
    assert!(by_head || by_state, "{disproof:?}");
}

#[tokio::test(start_paused = true)]
async fn a_journal_that_is_cut_together_with_its_run_is_found_by_its_state() {
    let (world, run, forger) = forged().await;
    let journal = world.journal(&run).await;
    for end in 1..journal.len() {
        forger.whole(&run, journal[..end].to_vec());
        let disproof = world.verify(&run, None).await;
        assert!(disproof.is_err(), "cut after event {end}: {disproof:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn the_journal_of_another_run_is_found() {
    let (world, run, forger) = forged().await;
    let other = world.submit(ask("q")).await;
    let journal = world.journal(&other).await;
    forger.whole(&run, journal);
    let Disproof::Chain(Break::OtherRun { found }) = found(&world, &run).await else {
        panic!("it passed for its own");
    };
    assert_eq!(found, other.to_string());
}

#[tokio::test(start_paused = true)]
async fn another_state_or_status_than_the_journal_tells_is_found() {
    let (world, run, forger) = forged().await;
    forger.state(&run, json(r#"{"frame":{},"state":{}}"#));
    let Disproof::State { seq } = found(&world, &run).await else { panic!("it passed") };
    assert_eq!(seq, world.desk().store().load(&run).await.unwrap().snapshot.seq);
    let (world, run, forger) = forged().await;
    forger.status(&run, Status::Cancelled);
    let Disproof::Status { kept, told } = found(&world, &run).await else { panic!("it passed") };
    assert_eq!((kept.as_str(), told.as_str()), ("cancelled", "succeeded"));
}

#[tokio::test(start_paused = true)]
async fn an_event_that_cannot_follow_is_found_although_its_hash_holds() {
    let (world, run, forger) = forged().await;
    let mut journal = world.journal(&run).await;
    journal.remove(1);
    for (number, record) in journal.iter_mut().enumerate() {
        record.seq = Seq(number as u64);
    }
    forger.whole(&run, rewritten(&journal, 0));
    let Disproof::Impossible { seq, .. } = found(&world, &run).await else { panic!("it passed") };
    assert_eq!(seq, Seq(1));
}

#[tokio::test(start_paused = true)]
async fn a_redacted_journal_still_holds() {
    let (world, run, forger) = forged().await;
    let mut journal = world.journal(&run).await;
    for record in &mut journal {
        let Content::Kept(body, salt) = &record.content else { panic!("nothing is redacted yet") };
        let bound = Hash::of(format!("{salt}\n{}", body.as_str()).as_bytes());
        record.content = Content::Redacted(bound);
    }
    forger.journal(&run, journal.clone());
    let proof = world.verify(&run, None).await.unwrap();
    assert_eq!((proof.events, proof.head), (8, journal[7].hash));
    assert_eq!(proof.state, Err("event 0 is redacted".to_owned()));
    journal[3].content = Content::Redacted(Hash([0; 32]));
    forger.journal(&run, journal);
    assert_eq!(found(&world, &run).await, Break::Changed { seq: Seq(3) }.into());
}

#[tokio::test(start_paused = true)]
async fn an_event_of_no_known_kind_is_found() {
    let (world, run, forger) = forged().await;
    let mut journal = world.journal(&run).await;
    let last = journal.pop().unwrap();
    let body = Body::from(Advised { text: "psst".to_owned() });
    let prev = journal.last().map(|record| record.hash);
    let mut odd = Record::new(last.seq, last.at, last.actor, &body, Salt([1; 16]), prev);
    odd.kind = "whispered".into();
    journal.push(odd);
    forger.whole(&run, journal);
    assert!(matches!(found(&world, &run).await, Disproof::Chain(_)));
}

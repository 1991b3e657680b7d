//! Cases about reading: runs and their events come back as they were written.

use consign_engine::{
    At, Data, RunId, Seq, Status,
    journal::{Body, Chain, Record},
    store::{Ends, Error, NewRun, Row},
};

use super::{Scene, StorePlace};
use crate::draft::{DAWN, Draft, advice, claim_of, new_run};

/// A held run with `count` events.
async fn long(scene: &Scene, count: u64) -> Row {
    let mut row = scene.held("long", "w1").await;
    while row.seq.0 + 1 < count {
        row = scene.step(&row, Draft::after(&row).completes("call", row.seq.to_string())).await;
    }
    row
}

pub async fn a_run_is_its_newest_snapshot_and_the_events_since(place: &dyn StorePlace) {
    let scene = Scene::open(place).await;
    let row = long(&scene, 4).await;
    let loaded = scene.load(&row.id).await.expect("the run is there");
    assert_eq!((loaded.snapshot.seq, loaded.tail.len()), (Seq(0), 3));

    let draft = Draft::after(&row).completes("a", "1").snapshot("[4]").completes("b", "2");
    let written = draft.clone().by(&claim_of(&row)).step;
    let row = scene.step(&row, draft).await;
    let loaded = scene.load(&row.id).await.expect("the run is there");
    assert_eq!(Some(loaded.snapshot), written.snapshot);
    assert_eq!(loaded.tail, written.records[1..]);

    let row = scene.step(&row, Draft::after(&row).snapshot("[5]")).await;
    let loaded = scene.load(&row.id).await.expect("the run is there");
    assert_eq!(loaded.snapshot.state.as_str(), "[5]");
    assert_eq!((loaded.snapshot.seq, loaded.snapshot.head), (row.seq, row.head));
    assert_eq!((loaded.tail, loaded.row), (vec![], row));
}

pub async fn events_are_read_page_by_page(place: &dyn StorePlace) {
    let scene = Scene::open(place).await;
    let row = long(&scene, 10).await;
    let check = async |from: u64, most: usize, expected: &[u64]| {
        let events = scene.events(&row.id, Seq(from), most).await.expect("events");
        let found: Vec<_> = events.iter().map(|record| record.seq.0).collect();
        assert_eq!(found, expected, "{most} events from {from}");
    };
    check(0, 3, &[0, 1, 2]).await;
    check(3, 3, &[3, 4, 5]).await;
    check(8, 3, &[8, 9]).await;
    check(10, 3, &[]).await;
    check(99, 3, &[]).await;
    check(4, 0, &[]).await;
    check(7, usize::MAX, &[7, 8, 9]).await;
}

pub async fn a_page_of_events_ends_with_the_one_that_fills_it(place: &dyn StorePlace) {
    let scene = Scene::open(place).await;
    // Small enough for a row, and large enough for a file of its own.
    let (small, large) =
        (format!("\"{}\"", "x".repeat(2_000)), format!("\"{}\"", "y".repeat(200_000)));
    let mut row = scene.held("large", "w1").await;
    for output in [&small, &small, &large, &large, &small] {
        row = scene.step(&row, Draft::after(&row).completes("call", output.as_str())).await;
    }
    let whole = scene.events(&row.id, Seq(0), 99).await.expect("events");
    let sizes: Vec<_> = whole.iter().map(Record::size).collect();
    assert!(sizes[1] > 2_000 && sizes[3] > 200_000, "{sizes:?}");
    let check = async |from: usize, most: usize, bytes: usize, expected: &[usize]| {
        let first = Seq(from as u64);
        let page = scene.events_within(&row.id, first, most, bytes).await.expect("events");
        let expected: Vec<_> = expected.iter().map(|at| whole[*at].clone()).collect();
        assert_eq!(page, expected, "{most} events from {from} within {bytes} bytes");
    };
    check(0, 99, usize::MAX, &[0, 1, 2, 3, 4, 5]).await;
    check(1, 2, usize::MAX, &[1, 2]).await;
    check(1, 99, sizes[1], &[1]).await;
    check(1, 99, sizes[1] + 1, &[1, 2]).await;
    check(1, 99, 10_000, &[1, 2, 3]).await;
    check(3, 99, 10_000, &[3]).await;
    check(3, 99, sizes[3] + sizes[4] + 1, &[3, 4, 5]).await;
    check(4, 99, 0, &[4]).await;
    check(4, 0, 10_000, &[]).await;
    check(6, 99, 10_000, &[]).await;
}

pub async fn each_event_names_the_one_before_it(place: &dyn StorePlace) {
    let scene = Scene::open(place).await;
    let row = long(&scene, 6).await;
    let row = scene.brings(advice(&row, "be brief")).await;
    let whole = scene.events(&row.id, Seq(0), 99).await.expect("events");
    let mut chain = Chain::default();
    for record in &whole {
        chain.take(record).expect("the chain holds");
    }
    assert_eq!(chain.head(), Some((row.seq, row.head)));

    let mut paged: Vec<Record> = Vec::new();
    for seq in 0..whole.len() as u64 {
        paged.extend(scene.events(&row.id, Seq(seq), 1).await.expect("events"));
    }
    assert_eq!(paged, whole, "also where a page begins");
}

pub async fn events_of_one_run_are_not_those_of_another(place: &dyn StorePlace) {
    let scene = Scene::open(place).await;
    let long = long(&scene, 5).await;
    let short = scene.queued("short").await;
    assert_eq!(scene.events(&short.id, Seq(0), 99).await.expect("events").len(), 1);
    assert_eq!(scene.events(&long.id, Seq(0), 99).await.expect("events").len(), 5);
}

/// The row of a run with its first and its newest event is what the other calls say.
async fn ends_agree(scene: &Scene, run: &RunId) -> Ends {
    let ends = scene.ends(run).await.expect("the run is there");
    assert_eq!(ends.row, scene.see(run).await);
    let whole = scene.events(run, Seq(0), usize::MAX).await.expect("events");
    assert_eq!((ends.first.as_ref(), ends.newest.as_ref()), (whole.first(), whole.last()));
    let newest = ends.newest.as_ref().map(|record| (record.seq, record.hash));
    assert_eq!(newest, Some((ends.row.seq, ends.row.head)));
    ends
}

pub async fn a_run_is_read_from_both_ends(place: &dyn StorePlace) {
    let scene = Scene::open(place).await;
    let short = scene.queued("short").await;
    let ends = ends_agree(&scene, &short.id).await;
    assert_eq!(ends.first, ends.newest, "of a run with one event both are the same");

    let row = long(&scene, 3).await;
    let seen = ends_agree(&scene, &row.id).await;
    assert_ne!(seen.first, seen.newest);
    // Large enough for a file of its own, and there on both ways.
    let large = format!("\"{}\"", "y".repeat(200_000));
    let row = scene.step(&row, Draft::after(&row).completes("call", large.as_str())).await;
    let ends = ends_agree(&scene, &row.id).await;
    assert!(ends.newest.is_some_and(|newest| newest.size() > 200_000));
    assert_eq!(ends.first, seen.first);

    // What is delivered counts, and so does what closes the run.
    let row = scene.brings(advice(&row, "be brief")).await;
    ends_agree(&scene, &row.id).await;
    let row = scene.step(&row, Draft::after(&row).closed(Status::Succeeded)).await;
    let ends = ends_agree(&scene, &row.id).await;
    assert_eq!((ends.row.status, ends.first), (Status::Succeeded, seen.first));

    let missing = scene.ends(&"missing".into()).await;
    assert!(matches!(missing, Err(Error::NotFound(run)) if run == "missing".into()));
}

pub async fn both_ends_are_from_one_moment(place: &dyn StorePlace) {
    const STEPS: u64 = 50;
    let scene = Scene::open(place).await;
    let mut row = scene.held("one", "w1").await;
    let (store, run) = (scene.store.clone(), row.id.clone());
    let looking = tokio::spawn(async move {
        let mut seen = Seq(0);
        while seen < Seq(STEPS) {
            let Ends { row, first, newest } = store.ends(&run).await.expect("the run is there");
            let newest = newest.expect("the row names it");
            assert_eq!((newest.seq, newest.hash), (row.seq, row.head));
            assert_eq!(first.map(|first| first.seq), Some(Seq(0)));
            assert!(row.seq >= seen, "a later look shows no less");
            seen = row.seq;
            tokio::task::yield_now().await;
        }
    });
    for _ in 0..STEPS {
        row = scene.step(&row, Draft::after(&row).completes("call", row.seq.to_string())).await;
    }
    looking.await.expect("every look was whole");
}

/// A run whose event and snapshot carry this text comes back with every byte in place.
async fn carries(scene: &Scene, run: &str, text: &str) {
    let row = scene.held(run, "w1").await;
    let draft = Draft::after(&row).completes("call", text).snapshot(text);
    let written = draft.clone().by(&claim_of(&row)).step;
    let row = scene.step(&row, draft).await;

    let journal = scene.events(&row.id, Seq(1), 9).await.expect("events");
    let Ok(Some(Body::CallCompleted(body))) = journal[0].body() else { panic!("it is a call") };
    assert_eq!(body.output.as_str(), text);
    assert_eq!(journal, written.records);
    let loaded = scene.load(&row.id).await.expect("the run is there");
    assert_eq!(loaded.snapshot.state.as_str(), text);
    assert_eq!(Some(loaded.snapshot), written.snapshot);
}

pub async fn large_values_come_back_byte_for_byte(place: &dyn StorePlace) {
    let scene = Scene::open(place).await;
    // Text that packs well, and text that does not.
    let dull = format!("\"{}\"", "consign ".repeat(25_000));
    let mut seed = 1u32;
    let noise: String = std::iter::repeat_with(|| {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        char::from(b'!' + u8::try_from(seed >> 24).unwrap_or(0) % 90)
    })
    .filter(|letter| !matches!(letter, '"' | '\\'))
    .take(200_000)
    .collect();
    carries(&scene, "dull", &dull).await;
    carries(&scene, "noise", &format!("\"{noise}\"")).await;
    for around in [65_535, 65_536, 65_537] {
        let text = format!("\"{}\"", "x".repeat(around - 2));
        carries(&scene, &format!("edge-{around}"), &text).await;
    }
}

pub async fn numbers_keep_their_digits(place: &dyn StorePlace) {
    let scene = Scene::open(place).await;
    for (number, text) in
        ["1e400", "0.10", "-0", "1E+2", "123456789012345678901234567890", "[1.0,1.00]"]
            .iter()
            .enumerate()
    {
        carries(&scene, &format!("run-{number}"), text).await;
    }
}

pub async fn objects_keep_their_order_and_their_spaces(place: &dyn StorePlace) {
    let scene = Scene::open(place).await;
    carries(&scene, "one", "{ \"z\" : 1,  \"a\":[ ] }").await;
}

pub async fn text_of_any_language_comes_back(place: &dyn StorePlace) {
    let scene = Scene::open(place).await;
    let text = r#""Zoë 手紙 עברית 👩‍🚀 \u0000 \ud83d\ude00 é é '; --""#;
    carries(&scene, "text", text).await;

    let name = "Zoë 手紙 👩‍🚀 '; --";
    let run = NewRun { workflow: name.to_owned(), owner: name.into(), ..new_run("names") };
    let row = scene.make(run).await;
    assert_eq!((row.workflow.as_str(), row.owner.as_str()), (name, name));
    scene.caps(name, 5).await;
    let account = scene.account(&name.into()).await.expect("an account");
    assert_eq!(account.headroom().map(|nanos| nanos.get()), Some(5));
}

pub async fn the_newest_instant_is_that_of_the_newest_event_of_all(place: &dyn StorePlace) {
    let scene = Scene::open(place).await;
    assert_eq!(scene.newest().await.expect("an instant"), None);
    let run = new_run("late");
    let first = Draft::first(&run, At(DAWN.0 + 900)).unclaimed();
    scene.create(run, first).await.expect("a new run");
    let run = new_run("early");
    let first = Draft::first(&run, DAWN).unclaimed();
    scene.create(run, first).await.expect("a new run");
    assert_eq!(scene.newest().await.expect("an instant"), Some(At(DAWN.0 + 900)));
    let row = scene.see(&"late".into()).await;
    let row = scene.brings(advice(&row, "be brief")).await;
    assert_eq!(scene.newest().await.expect("an instant"), Some(row.at));
}

pub async fn an_empty_store_has_nothing(place: &dyn StorePlace) {
    let scene = Scene::open(place).await;
    assert!(scene.rows().await.is_empty());
    assert_eq!(scene.accounts().await.expect("the accounts"), []);
    assert_eq!(scene.reclaim().await.expect("a count"), 0);
    assert_eq!(scene.poked(&"w1".into()).await.expect("runs"), []);
    let ask = scene.interaction(&"one".into(), &"ok".into()).await.expect("an answer");
    assert_eq!(ask.map(|ask| ask.schema), None::<Data>);
}

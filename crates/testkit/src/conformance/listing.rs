//! Cases about lists of runs: by age, page by page.

use consign_engine::{
    RunId, Status,
    store::{NewRun, Row, RunQuery},
};

use super::{Scene, StorePlace};
use crate::draft::{DAWN, Draft, new_run};

fn most(most: usize) -> RunQuery {
    RunQuery { most, ..RunQuery::default() }
}

async fn names(scene: &Scene, query: &RunQuery) -> Vec<String> {
    let rows = scene.runs(query).await.expect("the runs");
    rows.into_iter().map(|row| row.id.to_string()).collect()
}

/// All that a query finds, in pages of three.
async fn paged(scene: &Scene, query: &RunQuery) -> Vec<Row> {
    let mut found: Vec<Row> = Vec::new();
    loop {
        let before = found.last().map(|row| row.id.clone());
        let page = RunQuery { before, most: 3, ..query.clone() };
        let rows = scene.runs(&page).await.expect("a page");
        assert!(rows.len() <= 3);
        if rows.is_empty() {
            return found;
        }
        found.extend(rows);
        assert!(found.len() < 100, "the pages have no end");
    }
}

pub async fn the_newest_run_comes_first(place: &dyn StorePlace) {
    let scene = Scene::open(place).await;
    for name in ["b", "c", "a"] {
        scene.queued(name).await;
    }
    assert_eq!(names(&scene, &most(9)).await, ["a", "c", "b"]);
    assert_eq!(names(&scene, &most(2)).await, ["a", "c"]);
    assert_eq!(names(&scene, &most(0)).await, [""; 0]);
}

pub async fn a_run_that_goes_on_keeps_its_place(place: &dyn StorePlace) {
    let scene = Scene::open(place).await;
    let first = scene.held("first", "w1").await;
    scene.queued("second").await;
    let first = scene.step(&first, Draft::after(&first).completes("call", "1")).await;
    assert_eq!(names(&scene, &most(9)).await, ["second", "first"]);
    assert_eq!(scene.rows().await.last(), Some(&first));
}

pub async fn a_page_goes_on_before_the_last_run_of_the_one_before(place: &dyn StorePlace) {
    let scene = Scene::open(place).await;
    for number in 0..8 {
        scene.queued(&format!("run-{number}")).await;
    }
    let before = Some(RunId::from("run-5"));
    let page = RunQuery { before, ..most(2) };
    assert_eq!(names(&scene, &page).await, ["run-4", "run-3"]);
    assert_eq!(paged(&scene, &most(3)).await, scene.rows().await);
    scene.queued("new").await;
    assert_eq!(names(&scene, &page).await, ["run-4", "run-3"], "new ones shift nothing");
}

pub async fn pages_lose_none_of_the_runs_that_were_made_at_one_instant(place: &dyn StorePlace) {
    let scene = Scene::open(place).await;
    for name in ["d", "a", "g", "c", "b", "f", "e"] {
        let run = new_run(name);
        let first = Draft::first(&run, DAWN).unclaimed();
        scene.create(run, first).await.expect("a new run");
    }
    let whole = scene.rows().await;
    assert_eq!(whole.len(), 7);
    assert_eq!(paged(&scene, &most(3)).await, whole);
}

pub async fn runs_are_found_by_status_workflow_and_owner(place: &dyn StorePlace) {
    let scene = Scene::open(place).await;
    let run = |name: &str, workflow: &str, owner: &str| NewRun {
        workflow: workflow.to_owned(),
        owner: owner.into(),
        ..new_run(name)
    };
    scene.make(run("1", "letters", "ada")).await;
    scene.make(run("2", "poems", "ada")).await;
    scene.make(run("3", "poems", "bob")).await;
    scene.make_held(run("4", "poems", "bob"), "w1").await;
    scene.waiting("5").await;
    scene.closed("6").await;

    let check = async |query: RunQuery, expected: &[&str]| {
        assert_eq!(
            names(&scene, &RunQuery { most: 9, ..query.clone() }).await,
            expected,
            "{query:?}"
        );
    };
    let any = RunQuery::default;
    check(RunQuery { status: Some(Status::Queued), ..any() }, &["3", "2", "1"]).await;
    check(RunQuery { status: Some(Status::Running), ..any() }, &["4"]).await;
    check(RunQuery { status: Some(Status::Waiting), ..any() }, &["5"]).await;
    check(RunQuery { status: Some(Status::Succeeded), ..any() }, &["6"]).await;
    check(RunQuery { status: Some(Status::Failed), ..any() }, &[]).await;
    check(RunQuery { workflow: Some("poems".into()), ..any() }, &["4", "3", "2"]).await;
    check(RunQuery { owner: Some("bob".into()), ..any() }, &["4", "3"]).await;
    let both = RunQuery { owner: Some("ada".into()), workflow: Some("poems".into()), ..any() };
    check(both.clone(), &["2"]).await;
    check(RunQuery { status: Some(Status::Running), ..both }, &[]).await;
}

pub async fn filters_hold_on_every_page(place: &dyn StorePlace) {
    let scene = Scene::open(place).await;
    for number in 0..20 {
        let workflow = if number % 2 == 0 { "poems" } else { "letters" };
        let run = new_run(format!("run-{number:02}"));
        scene.make(NewRun { workflow: workflow.to_owned(), ..run }).await;
    }
    let poems = RunQuery { workflow: Some("poems".to_owned()), ..most(3) };
    let found = paged(&scene, &poems).await;
    assert_eq!(found.len(), 10);
    assert!(found.iter().all(|row| row.workflow == "poems"));
    let tens = RunQuery { prefix: Some("run-1".to_owned()), ..poems };
    assert_eq!(paged(&scene, &tens).await, found[..5]);
}

pub async fn a_page_can_go_on_before_a_run_that_the_filter_leaves_out(place: &dyn StorePlace) {
    let scene = Scene::open(place).await;
    scene.queued("older").await;
    let gone_on = scene.held("middle", "w1").await;
    scene.queued("newer").await;
    let queued = RunQuery { status: Some(Status::Queued), ..most(9) };
    let page = RunQuery { before: Some(gone_on.id), ..queued };
    assert_eq!(names(&scene, &page).await, ["older"]);
}

/// What somebody types is letters, not a pattern.
pub async fn a_prefix_is_taken_letter_by_letter(place: &dyn StorePlace) {
    let scene = Scene::open(place).await;
    for name in ["ab1", "aB2", "a_3", "a%4", "a*5", "b", "zé6", "z", "\u{10ffff}7"] {
        scene.queued(name).await;
    }
    let check = async |prefix: &str, expected: &[&str]| {
        let query = RunQuery { prefix: Some(prefix.to_owned()), ..most(99) };
        assert_eq!(names(&scene, &query).await, expected, "{prefix}");
    };
    check("ab", &["ab1"]).await;
    check("AB", &[]).await;
    check("a_", &["a_3"]).await;
    check("a%", &["a%4"]).await;
    check("a*", &["a*5"]).await;
    check("%", &[]).await;
    check("a", &["a*5", "a%4", "a_3", "aB2", "ab1"]).await;
    check("z", &["z", "zé6"]).await;
    check("zé", &["zé6"]).await;
    check("\u{10ffff}", &["\u{10ffff}7"]).await;
    check("ab12", &[]).await;
    assert_eq!(names(&scene, &RunQuery { prefix: Some(String::new()), ..most(99) }).await.len(), 9);
}

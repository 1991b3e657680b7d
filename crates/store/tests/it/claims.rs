//! What a claim costs does not depend on how many runs are queued.

use std::{fs, sync::Arc, time::Duration};

use consign_engine::{
    Owner, Status,
    store::{NewRun, Store, Wanted},
};
use consign_store::SqliteStore;
use consign_testkit::draft::{DAWN, Draft, WORKFLOW, claim_of, new_run};
use tokio::task::JoinSet;

use crate::ground::Home;

/// Claims that are measured on each store.
const CLAIMS: u32 = 500;

async fn queue(store: &Arc<SqliteStore>, owner: &str, count: usize) {
    let runs: Vec<_> = (0..count).map(|number| format!("{owner}-{number}")).collect();
    for names in runs.chunks(1_000) {
        let mut making = JoinSet::new();
        for name in names {
            let run = NewRun { owner: Owner::new(owner), ..new_run(name.as_str()) };
            let first = Draft::first(&run, DAWN).unclaimed();
            let store = store.clone();
            making.spawn(async move { store.create(run, first).await.unwrap() });
        }
        making.join_all().await;
    }
}

/// What all threads of this process have computed so far, as Linux counts it.
fn cpu() -> Duration {
    let threads = fs::read_dir("/proc/self/task").unwrap();
    let spent = threads.map(|thread| {
        let file = thread.unwrap().path().join("schedstat");
        let text = fs::read_to_string(file).unwrap_or_default();
        text.split(' ').next().and_then(|nanos| nanos.parse().ok()).unwrap_or(0)
    });
    Duration::from_nanos(spent.sum())
}

/// The CPU time of a claim of one run, which is then closed. Closing is not counted.
async fn cost(store: &SqliteStore) -> Duration {
    let wanted = Wanted { workflows: [(WORKFLOW.to_owned(), 1)].into(), host: None };
    let mut cost = Duration::ZERO;
    for _ in 0..CLAIMS {
        let before = cpu();
        let claimed = store.claim(&"w1".into(), &wanted, 1, DAWN).await.unwrap();
        cost += cpu() - before;
        let row = &claimed.runs[0].row;
        let step = Draft::after(row).closed(Status::Succeeded);
        store.commit(step.by(&claim_of(row))).await.unwrap();
    }
    cost / CLAIMS
}

/// `cargo nextest run -p consign-store --run-ignored only --no-capture a_claim_costs`
#[tokio::test]
#[ignore = "a measurement, which other work on the machine disturbs"]
async fn a_claim_costs_the_same_however_many_runs_are_queued() {
    for (owners, runs) in [(1, 600), (1, 100_000), (2, 50_000), (10, 100), (10_000, 10)] {
        let home = Home::new();
        let store = Arc::new(home.open());
        for owner in 0..owners {
            queue(&store, &format!("owner-{owner:05}"), runs).await;
        }
        let cost = cost(&store).await;
        println!("{owners} owners with {runs} runs each: {cost:?} per claim");
    }
}

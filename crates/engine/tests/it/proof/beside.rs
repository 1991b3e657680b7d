//! What is kept beside a journal: rows, asks, accounts.

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use consign_engine::{
    AskKind, Disproof, Limits, Owner, Placement, RunId, Stop, Workflows,
    store::{AskChange, InboxQuery, Interaction, Row, Step, Store},
};
use consign_testkit::{
    draft::{Draft, advice, answer, claim_of, json},
    programs::{Order, all, ask, call, sequence},
    scripted::{Act, Scripted, usd},
    world::{
        World,
        hooked::{Hook, Read},
    },
};

use super::{Change, found};
use crate::secs;

/// Shows other rows than there are.
#[derive(Default)]
struct Retold(Mutex<Option<Change<Row>>>);

impl Retold {
    fn tell(&self, change: Option<Change<Row>>) {
        *self.0.lock().expect("no test has failed") = change;
    }
}

impl Hook for Retold {
    fn forge_row(&self, row: &mut Row) {
        if let Some(change) = *self.0.lock().expect("no test has failed") {
            change(row);
        }
    }
}

/// Asks of all sorts, and a call that costs: five dollars at worst, two in truth.
fn costly_asks() -> (Scripted, Order) {
    let dear = Scripted::echo().at_worst(usd(5)).each(|act| act.costs(usd(2)));
    let asks = all([
        ask("open"),
        ask("dated").within(secs(60)).otherwise("false"),
        ask("void").within(secs(90)).otherwise("null"),
    ]);
    (dear, Order::from(sequence([call("dear", "dear"), asks])).may_cost(usd(9)))
}

#[tokio::test(start_paused = true)]
async fn a_run_that_works_and_one_with_several_asks_hold() {
    let (dear, order) = costly_asks();
    let dear = dear.for_key("slow", [Act::echoes().after(secs(60)).costs(usd(1))]);
    let world = World::with_agent("dear", dear).await;
    let live = world.submit(all([call("slow", "dear"), ask("q"), ask("r")])).await;
    let run = world.submit(order).await;
    world.proves(&run).await;
    let _worker = world.worker().await;
    world.until_waiting(&run).await;
    world.proves(&run).await;
    world.until_event(&live, "asked r").await;
    world.proves(&live).await;
    assert_eq!(world.account("ada").await.reserved, usd(5), "a call is under way");
    balances(&world, "ada").await;
    world.answer(&live, "q", "1").await;
    world.proves(&live).await;
    world.answer(&run, "open", "1").await;
    world.proves(&run).await;
    world.answer(&live, "r", "2").await;
    for run in [&run, &live] {
        world.until_closed(run).await;
        world.proves(run).await;
    }
    balances(&world, "ada").await;
}

#[tokio::test(start_paused = true)]
async fn limits_that_were_reached_raised_and_reached_again_hold() {
    let dear = Scripted::echo().at_worst(usd(5)).each(|act| act.costs(usd(2)));
    let world = World::with_agent("dear", dear).await;
    let plan = sequence([call("a", "dear"), call("b", "dear"), call("c", "dear")]);
    let run = world.submit(Order::from(plan).may_cost(usd(5))).await;
    let _worker = world.worker().await;
    for cap in [7, 9] {
        world.until_waiting(&run).await;
        world.proves(&run).await;
        world.raise(&run, Limits { cost: Some(usd(cap)), ..Limits::default() }).await;
        world.proves(&run).await;
    }
    world.until_closed(&run).await;
    world.proves(&run).await;
    balances(&world, "ada").await;
}

async fn balances(world: &World, owner: &str) {
    let balance = world.desk().verify_account(&owner.into()).await.expect("it can be read");
    assert_eq!(balance, Ok(true));
}

#[tokio::test(start_paused = true)]
async fn a_row_that_says_something_else_than_the_journal_is_found() {
    let retold = Arc::new(Retold::default());
    let (dear, order) = costly_asks();
    let world = World::with_agent("dear", dear).watched_by(retold.clone()).await;
    let run = world.submit(order).await;
    let worker = world.worker().await;
    world.until_waiting(&run).await;
    worker.stop(Stop::Drain).await;
    let changes: [(&str, Change<Row>); 9] = [
        ("the workflow", |row| row.workflow.push('s')),
        ("the version", |row| row.version += 1),
        ("the owner", |row| row.owner = "mallory".into()),
        ("the placement", |row| row.placement = Placement::Foreground),
        ("the beginning", |row| row.created_at.0 -= 1),
        ("the newest instant", |row| row.at.0 += 1),
        ("what is spent", |row| row.figures.spent = usd(1)),
        ("what is reserved", |row| row.figures.reserved = usd(1)),
        ("the cost limit", |row| row.figures.cap = None),
    ];
    for (expected, change) in changes {
        retold.tell(Some(change));
        let disproof = found(&world, &run).await;
        let Disproof::Table { field, .. } = &disproof else { panic!("{disproof:?}") };
        assert_eq!(field, expected);
    }
    let told = found(&world, &run).await.to_string();
    assert_eq!(told, "the cost limit is kept as `none`, and the journal says `9`");
    retold.tell(None);
    world.proves(&run).await;
}

/// Changes what is kept of a run that waits, and writes no event for it.
async fn meddle(world: &World, run: &RunId, change: impl FnOnce(&mut Step)) {
    let (store, mallory) = (world.observer(), "mallory".into());
    let seat = store.enlist(&mallory).await.expect("anybody may");
    let row = store.claim_run(&mallory, run).await.expect("nobody has it").row;
    let mut commit = Draft::after(&row).parked().by(&claim_of(&row));
    change(&mut commit.step);
    store.commit(commit).await.expect("the store does not know better");
    drop(seat);
}

#[tokio::test(start_paused = true)]
async fn another_inbox_than_the_journal_tells_is_found() {
    let (dear, order) = costly_asks();
    let world = World::with_agent("dear", dear).await;
    let run = world.submit(order).await;
    let worker = world.worker().await;
    world.until_waiting(&run).await;
    worker.stop(Stop::Drain).await;
    let asks = world.inbox().await;
    let dated = asks.iter().find(|ask| ask.key.as_str() == "dated").expect("it is open");
    let changes: [(&str, Change<Interaction>); 7] = [
        ("the kind of ask dated", |ask| ask.kind = AskKind::Intervention),
        ("the prompt of ask dated", |ask| ask.prompt.push('!')),
        ("the schema of ask dated", |ask| ask.schema = json("true")),
        ("the deadline of ask dated", |ask| ask.deadline = None),
        ("the default of ask dated", |ask| ask.default = Some(json("true"))),
        ("the default of ask dated", |ask| ask.default = None),
        ("the opening of ask dated", |ask| ask.opened_at.0 += 1),
    ];
    let open = |ask: &Interaction| AskChange::Open(ask.clone());
    for (expected, change) in changes {
        let mut changed = dated.clone();
        change(&mut changed);
        meddle(&world, &run, |step| step.asks.push(open(&changed))).await;
        let disproof = found(&world, &run).await;
        let Disproof::Table { field, .. } = &disproof else { panic!("{disproof:?}") };
        assert_eq!(field, expected);
        meddle(&world, &run, |step| step.asks.push(open(dated))).await;
    }
    world.proves(&run).await;

    let gone = AskChange::Withdraw(dated.key.clone());
    meddle(&world, &run, |step| step.asks.push(gone)).await;
    let told = found(&world, &run).await.to_string();
    assert_eq!(told, "ask dated is kept as `not open`, and the journal says `open`");
    meddle(&world, &run, |step| step.asks.push(open(dated))).await;

    let more = Interaction { key: "more".into(), ..dated.clone() };
    meddle(&world, &run, |step| step.asks.push(open(&more))).await;
    let told = found(&world, &run).await.to_string();
    assert_eq!(told, "ask more is kept as `open`, and the journal says `not open`");
}

#[tokio::test(start_paused = true)]
async fn an_account_that_its_runs_do_not_come_to_is_found() {
    let (dear, order) = costly_asks();
    let world = World::with_agent("dear", dear).await;
    let run = world.submit(order).await;
    let worker = world.worker().await;
    world.until_waiting(&run).await;
    worker.stop(Stop::Drain).await;
    balances(&world, "ada").await;
    balances(&world, "nobody").await;
    meddle(&world, &run, |step| step.ledger.spend = usd(1)).await;
    world.proves(&run).await;
    let ada = Owner::from("ada");
    let disproof = world.desk().verify_account(&ada).await.expect("it can be read").unwrap_err();
    assert_eq!(
        disproof.to_string(),
        "what ada has spent is kept as $3, and the runs of ada come to $2"
    );
    let (dear, order) = costly_asks();
    let world = World::with_agent("dear", dear).await;
    let run = world.submit(order).await;
    meddle(&world, &run, |step| step.ledger.reserve = usd(1)).await;
    let disproof = world.desk().verify_account(&ada).await.expect("it can be read");
    let wrong = Disproof::Account { owner: ada, what: "reserved", kept: usd(1), told: usd(0) };
    assert_eq!(disproof, Err(wrong));
}

#[tokio::test(start_paused = true)]
async fn what_is_beside_the_journal_is_compared_also_where_the_workflow_is_missing() {
    let (dear, order) = costly_asks();
    let mut world = World::with_agent("dear", dear).await;
    let run = world.submit(order).await;
    let worker = world.worker().await;
    world.until_waiting(&run).await;
    worker.stop(Stop::Drain).await;
    world.deploy(Workflows::default()).await;
    let proof = world.verify(&run, None).await.expect("nothing is wrong");
    assert!(proof.state.is_err_and(|why| why.contains("is not here")));
    meddle(&world, &run, |step| step.figures.spent = usd(1)).await;
    let Disproof::Table { field, .. } = found(&world, &run).await else { panic!("it passed") };
    assert_eq!(field, "what is spent");
}

/// Moves a run on while somebody reads.
#[derive(Default)]
struct Meanwhile(Mutex<Option<Moves>>);

struct Moves {
    store: Arc<dyn Store>,
    run: RunId,
    during: Read,
    times: usize,
}

impl Meanwhile {
    fn moves(&self, world: &World, run: &RunId, during: Read, times: usize) {
        let (store, run) = (world.observer().clone(), run.clone());
        *self.0.lock().expect("no test has failed") = Some(Moves { store, run, during, times });
    }

    fn due(&self, read: Read) -> Option<(Arc<dyn Store>, RunId)> {
        let mut moves = self.0.lock().expect("no test has failed");
        let due = moves.as_mut().filter(|moves| moves.during == read && moves.times > 0)?;
        due.times -= 1;
        Some((due.store.clone(), due.run.clone()))
    }
}

#[async_trait]
impl Hook for Meanwhile {
    async fn reads(&self, read: Read) {
        let Some((store, run)) = self.due(read) else { return };
        let row = store.row(&run).await.expect("the run is there");
        let query = InboxQuery { run: Some(run), most: 1, ..InboxQuery::default() };
        let open = store.inbox(&query).await.expect("the inbox can be read");
        let delivery = match open.first() {
            Some(ask) => answer(&row, ask.key.as_str(), "1"),
            None => advice(&row, "hurry"),
        };
        store.deliver(delivery).await.expect("nobody else moves it");
    }
}

#[tokio::test(start_paused = true)]
async fn a_run_that_moves_on_while_it_is_read_is_judged_where_it_stood_still() {
    let meanwhile = Arc::new(Meanwhile::default());
    let (dear, order) = costly_asks();
    let world = World::with_agent("dear", dear).watched_by(meanwhile.clone()).await;
    let run = world.submit(order).await;
    let worker = world.worker().await;
    world.until_waiting(&run).await;
    worker.stop(Stop::Drain).await;
    meanwhile.moves(&world, &run, Read::Load, 3);
    world.proves(&run).await;
    assert_eq!(world.inbox().await, [], "it moved on while it was read");
    meanwhile.moves(&world, &run, Read::Events, 1);
    world.proves(&run).await;
}

#[tokio::test(start_paused = true)]
async fn an_account_is_not_judged_while_its_runs_move_on() {
    let meanwhile = Arc::new(Meanwhile::default());
    let (dear, order) = costly_asks();
    let world = World::with_agent("dear", dear).watched_by(meanwhile.clone()).await;
    let run = world.submit(order).await;
    let worker = world.worker().await;
    world.until_waiting(&run).await;
    worker.stop(Stop::Drain).await;
    meddle(&world, &run, |step| step.ledger.spend = usd(1)).await;
    let ada = Owner::from("ada");
    meanwhile.moves(&world, &run, Read::Other, usize::MAX);
    assert_eq!(world.desk().verify_account(&ada).await.expect("it can be read"), Ok(false));
    meanwhile.moves(&world, &run, Read::Other, 7);
    let judged = world.desk().verify_account(&ada).await.expect("it can be read");
    assert!(matches!(judged, Err(Disproof::Account { .. })), "{judged:?}");
}

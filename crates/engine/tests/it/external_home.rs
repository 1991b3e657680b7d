//! Runs whose home is elsewhere: the home hears first, and nobody else goes on with them.

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicBool, AtomicUsize, Ordering},
};

use async_trait::async_trait;
use consign_engine::Speaker;
use consign_engine::{
    Actor, Answer, Data, Engine, ExternalHome, Fault, Key, News, RunId, Status, Workflows,
    store::{Error, Interaction},
};
use consign_testkit::{
    programs::{Order, Programs, call, sequence},
    scripted::Scripted,
    world::{
        World,
        hooked::{Hook, Write},
        refusal,
    },
};

/// A home that takes one answer, and remembers it.
#[derive(Default)]
struct House {
    taken: Mutex<Vec<String>>,
    asked: AtomicUsize,
    /// Moves the run while it is asked, as another process may.
    moves: Mutex<Option<Arc<Engine>>>,
}

#[async_trait]
impl ExternalHome for House {
    async fn answer(
        &self,
        _state: &Data,
        ask: &Interaction,
        answer: Answer<'_>,
    ) -> Result<(), Fault> {
        self.asked.fetch_add(1, Ordering::Relaxed);
        let mover = self.moves.lock().expect("nobody panicked").take();
        if let Some(engine) = mover {
            let signal = Some(("note", Data::of("it moves")));
            let news = News { signal, ..News::default() };
            let followed = engine.follow(&ask.run, news, &Actor::from("home")).await;
            followed.expect("the mirror follows");
        }
        let mut taken = self.taken.lock().expect("nobody panicked");
        if !taken.is_empty() {
            return Err(Fault::permanent("ALREADY_ANSWERED", "at home"));
        }
        taken.push(match answer {
            Answer::Value(value) => value.as_str().to_owned(),
            Answer::Declined(why) => format!("declined: {why}"),
        });
        Ok(())
    }

    fn begin(&self) -> String {
        "begin".to_owned()
    }

    fn go_on(&self, _state: &Data) -> String {
        "go on".to_owned()
    }

    fn end(&self, _state: &Data) -> String {
        "tear it down".to_owned()
    }
}

/// A store to which nothing can be delivered while it is shut.
#[derive(Default)]
struct Shut(AtomicBool);

#[async_trait]
impl Hook for Shut {
    async fn before(&self, write: Write<'_>) -> Result<(), Error> {
        let Write::Deliver(_) = write else { return Ok(()) };
        let shut = self.0.load(Ordering::Relaxed);
        if shut { Err(Error::Unavailable("shut".to_owned())) } else { Ok(()) }
    }
}

/// A world with a mirror that asks `a`, its home, and its store's door.
async fn scene() -> (World, Arc<House>, RunId, Arc<Shut>) {
    let (house, door) = (Arc::new(House::default()), Arc::new(Shut::default()));
    let outsider = Scripted::bridged(r#"{"type": "integer"}"#, None);
    let setting = World::with_agent("outsider", outsider).watched_by(door.clone());
    let mut world = setting.await;
    world.deploy(Workflows::default().with_home(Programs::default(), house.clone())).await;
    let order = Order::from(sequence([call("a", "outsider"), call("b", "outsider")]));
    let mirror = world.desk().mirror(order.submission()).await;
    let run = mirror.expect("it is made").run;
    follow(&world, &run, News::default()).await;
    (world, house, run, door)
}

async fn follow(world: &World, run: &RunId, news: News) {
    let followed = world.desk().follow(run, news, &Actor::from("home")).await;
    followed.expect("the mirror follows");
}

#[tokio::test(start_paused = true)]
async fn the_home_hears_first_and_once() {
    let (world, house, run, _door) = scene().await;
    assert_eq!(refusal(world.try_answer(&run, "a", r#""no""#).await).code, "CONTRACT_BREACH");
    assert_eq!(house.asked.load(Ordering::Relaxed), 0, "what does not fit is not its business");
    // The run moves while the home is asked: the home is not asked again for that.
    *house.moves.lock().unwrap() = Some(world.desk().clone());
    world.answer(&run, "a", "7").await;
    assert_eq!(house.asked.load(Ordering::Relaxed), 1);
    assert_eq!(*house.taken.lock().unwrap(), ["7"]);
    let again = refusal(world.try_answer(&run, "a", "8").await);
    assert_eq!(again.code, "ALREADY_ANSWERED");
    follow(&world, &run, News::default()).await;
    // What the home refuses is written nowhere.
    let before = world.history(&run).await;
    assert_eq!(refusal(world.try_answer(&run, "b", "9").await).message, "at home");
    assert_eq!(refusal(world.try_decline(&run, "b").await).message, "at home");
    assert_eq!(world.history(&run).await, before);
    assert_eq!(
        before,
        "created → call_started a → asked a → signalled note \"it moves\" → answered a → call_completed a \
         → call_started b → asked b"
    );
    world.proves(&run).await;
}

#[tokio::test(start_paused = true)]
async fn what_the_home_took_counts_though_nobody_could_write_it_down() {
    let (world, house, run, door) = scene().await;
    door.0.store(true, Ordering::Relaxed);
    world.try_decline(&run, "a").await.unwrap();
    assert_eq!(*house.taken.lock().unwrap(), ["declined: not today"]);
    door.0.store(false, Ordering::Relaxed);
    assert_eq!(world.inbox().await.len(), 1, "the mirror is behind");
    assert_eq!(refusal(world.try_answer(&run, "a", "7").await).message, "at home");
    let news = News {
        answered: Some((Key::from("a"), Err(Fault::permanent("DECLINED", "not today")))),
        signal: None,
        limits: None,
    };
    follow(&world, &run, news.clone()).await;
    assert_eq!(world.status(&run).await, Status::Failed);
    // Nothing is written down twice.
    let before = world.history(&run).await;
    follow(&world, &run, news).await;
    assert_eq!(world.history(&run).await, before);
    world.proves(&run).await;
}

#[tokio::test(start_paused = true)]
async fn nobody_else_goes_on_with_it() {
    let (world, _house, run, _door) = scene().await;
    let (desk, ada) = (world.desk(), Speaker::person("ada"));
    let seat = desk.enlist().await.unwrap();
    for (fault, way) in [
        (refusal(seat.take(&run).await.map(drop)), "go on"),
        (refusal(desk.advise(&run, "hurry", &ada).await), "go on"),
        (refusal(desk.cancel(&run, None, &ada).await), "tear it down"),
        (refusal(world.try_submit(call("a", "outsider")).await), "begin"),
    ] {
        assert_eq!(fault.code, "RUN_ELSEWHERE");
        assert!(fault.message.ends_with(way), "{fault}");
    }
    assert_eq!(world.status(&run).await, Status::Waiting);
}

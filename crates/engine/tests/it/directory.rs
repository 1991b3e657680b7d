//! Agents that come and go while runs are under way.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use consign_engine::{Agent, Directory, Status, journal::Body};
use consign_testkit::{
    programs::{Order, call},
    scripted::{Act, Outside, Scripted, usd},
    world::Setting,
};

/// Has another agent of the same name each time it is asked, or none after so many times.
struct Fickle {
    asked: AtomicUsize,
    most: usize,
}

impl Directory for Fickle {
    fn find(&self, _name: &str) -> Option<Agent> {
        let asked = self.asked.fetch_add(1, Ordering::Relaxed);
        if asked >= self.most {
            return None;
        }
        // What one says it costs is what the next would not keep to.
        let worst = usd(1 + asked as u64);
        let agent = Scripted::new([Act::answers(&asked.to_string()).costs(worst)]).at_worst(worst);
        Some(agent.agent("fickle", &Outside::default()))
    }
}

#[tokio::test(start_paused = true)]
async fn the_agent_that_was_priced_is_the_one_that_is_called() {
    let fickle = Arc::new(Fickle { asked: AtomicUsize::new(0), most: usize::MAX });
    let world = Setting::new().directory(fickle).await;
    for _ in 0..6 {
        let run = world.submit(Order::from(call("a", "fickle")).may_cost(usd(99))).await;
        let _worker = world.worker().await;
        let row = world.until_closed(&run).await;
        let answered: u64 = world.output(&run).await.parse().unwrap();
        assert_eq!(row.figures.spent, usd(1 + answered));
        // Each says its worst case and charges just that: whoever was priced must be who answered.
        let started = world.journal(&run).await.into_iter().find_map(|record| {
            let body = record.body().unwrap().unwrap();
            if let Body::CallStarted(call) = body { Some(call.reserved) } else { None }
        });
        assert_eq!(started, Some(row.figures.spent));
        world.proves(&run).await;
    }
}

#[tokio::test(start_paused = true)]
async fn one_that_goes_away_fails_its_calls_and_leaves_nobody_waiting() {
    let gone = (Status::Failed, "failed: AGENT_NOT_FOUND: there is no agent fickle");
    let plan = || Order::from(call("a", "fickle"));
    // It is looked for when the call begins; and before that, where it must be afforded.
    for (order, most, (status, output)) in [
        (plan(), 0, gone),
        (plan(), 1, (Status::Succeeded, "0")),
        (plan().may_cost(usd(9)), 0, gone),
        (plan().may_cost(usd(9)), 1, gone),
        (plan().may_cost(usd(9)), 2, (Status::Succeeded, "1")),
    ] {
        let fickle = Arc::new(Fickle { asked: AtomicUsize::new(0), most });
        let world = Setting::new().directory(fickle).await;
        let run = world.submit(order).await;
        let _worker = world.worker().await;
        let row = world.until_closed(&run).await;
        assert_eq!((row.status, world.output(&run).await.as_str()), (status, output), "{most}");
        assert!(world.inbox().await.is_empty() && row.figures.reserved.is_zero(), "{most}");
        world.proves(&run).await;
    }
}

//! Forks and retries where a parent was stopped, vetoed or answered at an awkward moment.

use consign_engine::{Fork, ForkAt, Seq};
use consign_testkit::{scripted::Scripted, world::refusal};

use crate::fork::{failed_at_the_sixth, fork};

#[tokio::test(start_paused = true)]
async fn a_fork_is_not_taken_for_another_run_of_its_name() {
    let (world, parent, _worker) = failed_at_the_sixth(Scripted::echo()).await;
    let desk = world.desk();
    let named = |id: &str, at: ForkAt| Fork { id: Some(id.into()), ..fork(&parent, at) };
    let itself = desk.fork(named(parent.as_str(), ForkAt::Failure)).await;
    assert_eq!(refusal(itself).code, "RUN_EXISTS");
    let child = desk.fork(named("again", ForkAt::Failure)).await.expect("it is made").run;
    for at in [ForkAt::Point("s3".to_owned()), ForkAt::Event(Seq(4))] {
        assert_eq!(refusal(desk.fork(named("again", at)).await).code, "RUN_EXISTS");
    }
    let same = desk.fork(named("again", ForkAt::Failure)).await.expect("it is found");
    assert!(same.repeated);
    world.until_closed(&child).await;
}

//! Forks and retries where a parent was stopped, vetoed or answered at an awkward moment.

use consign_engine::{Effect, Fork, ForkAt, Limits, Seq, Speaker, Status};
use consign_testkit::{
    programs::{Programs, all, ask, call, sequence},
    scripted::{Act, Scripted},
    world::{World, refusal},
};

use crate::{
    broken,
    fork::{failed_at_the_sixth, fork, forked, retried, world},
    secs,
};

#[tokio::test(start_paused = true)]
async fn a_fork_behind_the_cancel_does_nothing_again() {
    let keyed = Scripted::new([Act::hangs(), Act::answers("1")]).kind(Effect::Keyed);
    let risky = Scripted::new([Act::hangs().deaf(), Act::answers("2")]).kind(Effect::Unsafe);
    // It is told to stop, and has come to something all the same.
    let late = Scripted::new([Act::answers("3").after(secs(3)).deaf()]);
    let world = World::with_agent("keyed", keyed)
        .agent("risky", risky)
        .agent("late", late)
        .workflow(Programs::default().marking())
        .await;
    let plan = all([call("a", "keyed"), call("b", "risky"), call("c", "late")]);
    let run = world.submit(plan).await;
    let _worker = world.worker().await;
    world.until_event(&run, "call_started c").await;
    world.settle().await;
    world.cancel(&run).await;
    let last = world.until_closed(&run).await.seq;
    let child = forked(&world, &run, ForkAt::Event(last)).await.run;
    world.until_waiting(&child).await;
    let asks: Vec<_> = world.inbox().await.into_iter().map(|ask| ask.key.to_string()).collect();
    assert_eq!(asks, ["@outcome:b@1"]);
    assert_eq!((world.calls("risky").len(), world.calls("late").len()), (1, 1));
    let keys: Vec<_> = world.outside().effects().into_keys().collect();
    assert!(keys.contains(&format!("{run}:a")), "{keys:?}");
    assert!(!keys.contains(&format!("{child}:a")), "{keys:?}");
    world.answer(&child, "@outcome:b@1", r#"{"outcome": "not_done"}"#).await;
    assert_eq!(world.until_closed(&child).await.status, Status::Succeeded);
    assert_eq!(world.output(&child).await, "[1,2,3]");
    world.proves(&child).await;
}

#[tokio::test(start_paused = true)]
async fn a_run_that_was_cancelled_with_everything_done_only_has_to_succeed() {
    let agent = Scripted::new([Act::answers("3").after(secs(3)).deaf()]);
    let world = world(agent).await;
    let run = world.submit(call("a", "agent")).await;
    let _worker = world.worker().await;
    world.until_event(&run, "call_started a").await;
    world.settle().await;
    world.cancel(&run).await;
    assert_eq!(world.until_closed(&run).await.status, Status::Cancelled);
    let child = retried(&world, &run).await;
    assert_eq!(world.until_closed(&child).await.status, Status::Succeeded);
    assert_eq!((world.calls("agent").len(), world.output(&child).await.as_str()), (1, "3"));
    world.proves(&child).await;
}

#[tokio::test(start_paused = true)]
async fn what_was_answered_in_the_place_of_an_agent_is_not_asked_again() {
    let outsider = Scripted::bridged(r#"{"type": "integer"}"#, None);
    let world = World::with_agent("outsider", outsider).agent("echo", Scripted::echo()).await;
    let run = world.submit(sequence([call("a", "outsider"), call("b", "echo")])).await;
    let worker = world.worker().await;
    world.until_waiting(&run).await;
    worker.kill().await;
    // Both are there before anybody goes on with the run.
    world.answer(&run, "a", "17").await;
    let early = forked(&world, &run, ForkAt::Event(world.row(&run).await.seq)).await.run;
    world.cancel(&run).await;
    let _worker = world.worker().await;
    assert_eq!(world.until_closed(&run).await.status, Status::Cancelled);
    for child in [early, retried(&world, &run).await] {
        assert_eq!(world.until_closed(&child).await.status, Status::Succeeded);
        assert_eq!(world.output(&child).await, r#"[17,"b"]"#);
        world.proves(&child).await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_retry_leaves_out_every_answer_that_the_run_failed_of() {
    let world = world(Scripted::echo()).await;
    let plan = all([ask("p").vetoed_by("false"), ask("q").vetoed_by("false"), ask("r")]);
    for refused in [["p"].as_slice(), &["p", "q"]] {
        let run = world.submit(plan.clone()).await;
        let worker = world.worker().await;
        world.until_waiting(&run).await;
        worker.kill().await;
        // More is said before anybody sees that the run has failed.
        for key in refused {
            world.answer(&run, key, "false").await;
        }
        world.answer(&run, "r", "7").await;
        let worker = world.worker().await;
        assert_eq!(world.until_closed(&run).await.status, Status::Failed);
        let child = retried(&world, &run).await;
        world.until_waiting(&child).await;
        let asks: Vec<_> = world.inbox().await.into_iter().map(|ask| ask.key.to_string()).collect();
        assert_eq!(asks, ["p", "q"]);
        world.answer(&child, "p", "1").await;
        world.answer(&child, "q", "2").await;
        assert_eq!(world.until_closed(&child).await.status, Status::Succeeded);
        assert_eq!(world.output(&child).await, "[1,2,7]");
        world.proves(&child).await;
        worker.kill().await;
    }
}

#[tokio::test(start_paused = true)]
async fn an_unsafe_call_whose_output_broke_its_contract_is_asked_about_first() {
    let agent = Scripted::new([Act::answers(r#""x""#), Act::answers("2")]);
    let world = world(agent.gives(r#"{"type": "integer"}"#).kind(Effect::Unsafe)).await;
    let run = world.submit(call("a", "agent")).await;
    let _worker = world.worker().await;
    assert_eq!(world.until_closed(&run).await.status, Status::Failed);
    let child = retried(&world, &run).await;
    world.until_waiting(&child).await;
    assert_eq!(world.inbox().await[0].key.as_str(), "@outcome:a@1");
    assert_eq!(world.calls("agent"), ["a"]);
    world.answer(&child, "@outcome:a@1", r#"{"outcome": "done", "output": 5}"#).await;
    assert_eq!(world.until_closed(&child).await.status, Status::Succeeded);
    assert_eq!(world.calls("agent"), ["a"]);
    world.proves(&child).await;
}

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

/// A person says yes, the call after it fails, and so does the retry of it: an agent cannot retry that one either.
#[tokio::test(start_paused = true)]
async fn an_agent_cannot_go_on_from_a_persons_yes_in_a_run_before() {
    let world = World::with_agent("agent", Scripted::new([Act::fails(broken())])).await;
    let run = world.submit(sequence([ask("q"), call("a", "agent")])).await;
    let _worker = world.worker().await;
    world.until_waiting(&run).await;
    world.answer(&run, "q", "true").await;
    assert_eq!(world.until_closed(&run).await.status, Status::Failed);
    let child = retried(&world, &run).await;
    assert_eq!(world.until_closed(&child).await.status, Status::Failed);
    let by = Speaker::agent("mcp:helper");
    for parent in [&run, &child] {
        let wish = Fork { by: by.clone(), ..fork(parent, ForkAt::Failure) };
        assert_eq!(refusal(world.desk().fork(wish).await).code, "PERSON_REQUIRED");
    }
    // From the beginning nothing of it is kept, and the person is asked again. Other limits are a person's to set.
    let start = Fork { by, ..fork(&child, ForkAt::Point("start".to_owned())) };
    let dear = Fork { limits: Limits { calls: Some(99), ..Limits::default() }, ..start.clone() };
    assert_eq!(refusal(world.desk().fork(dear).await).code, "PERSON_REQUIRED");
    let again = world.desk().fork(start).await.expect("it keeps nothing").run;
    world.until_waiting(&again).await;
}

/// The unsafe call is in the journal of a run between the first and the one that is named.
#[tokio::test(start_paused = true)]
async fn an_unsafe_call_of_a_run_in_between_is_not_repeated_without_a_word() {
    let first = Scripted::new([Act::fails(broken()), Act::answers("1")]);
    let pay = Scripted::new([Act::hangs().deaf(), Act::answers("2")]).kind(Effect::Unsafe);
    let world = World::with_agent("first", first)
        .agent("pay", pay)
        .workflow(Programs::default().marking())
        .await;
    let run = world.submit(sequence([call("a", "first"), call("p", "pay")])).await;
    let _worker = world.worker().await;
    assert_eq!(world.until_closed(&run).await.status, Status::Failed);
    let child = retried(&world, &run).await;
    world.until_event(&child, "call_started p").await;
    world.settle().await;
    world.cancel(&child).await;
    world.until_closed(&child).await;
    let third = retried(&world, &child).await;
    world.until_waiting(&third).await;
    let wish = fork(&third, ForkAt::Point("start".to_owned()));
    let fault = refusal(world.desk().fork(wish.clone()).await);
    assert_eq!(fault.code, "UNSAFE_REPEATED", "{fault}");
    let wish = Fork { repeat_unsafe: true, ..wish };
    world.desk().fork(wish).await.expect("a person says that it may be repeated");
}

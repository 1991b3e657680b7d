//! The simulated connection to the store: slow, interrupted, or without an answer.

use std::{
    future::{Future, pending},
    pin::pin,
    sync::Arc,
    task::{Context, Poll, Waker},
    time::Duration,
};

use consign_engine::store::Error;
use tokio::{sync::oneshot, time::sleep};

use super::{life::Life, world::World};

/// The line of one process to the store.
#[derive(Clone)]
pub(super) struct Wire {
    pub(super) world: Arc<World>,
    pub(super) life: Arc<Life>,
}

/// How important a request is: what may go wrong with it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// It writes what a run did or was told.
    Word,
    /// It looks after the runs of a worker.
    Chore,
    Read,
}

/// What becomes of a request.
struct Fate {
    there: Duration,
    back: Duration,
    end: End,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    Done,
    /// Nothing is written.
    Unavailable,
    /// It is done, and the answer is lost.
    Lost,
}

impl Wire {
    /// Carries out a request, sooner or later. It takes effect even if its sender dies meanwhile,
    /// unless it is lost with it.
    pub(super) async fn send<T: Send + 'static>(
        &self,
        (kind, what): (Kind, &'static str),
        act: impl FnOnce() -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        self.life.breathe().await;
        self.world.tick(&self.life, what);
        let fate = self.fate(kind);
        if fate.there.is_zero() && fate.back.is_zero() && fate.end == End::Done {
            return act();
        }
        let (reply, answer) = oneshot::channel();
        let (life, world) = (self.life.clone(), self.world.clone());
        let under_way = (kind == Kind::Word).then(|| self.world.under_way.clone());
        tokio::spawn(async move {
            let _under_way = under_way;
            sleep(fate.there).await;
            if life.is_over() && world.random.chance(500) {
                return;
            }
            let done = match fate.end {
                End::Unavailable => Err(Error::Unavailable("the disk is full".to_owned())),
                End::Done | End::Lost => act(),
            };
            sleep(fate.back).await;
            let lost = fate.end == End::Lost && !matches!(done, Err(Error::Refused(_)));
            // Whoever asked may be gone.
            let _ = reply.send(if lost { Err(Error::Lost("no answer".to_owned())) } else { done });
        });
        let answer = answer.await;
        self.life.breathe().await;
        match answer {
            Ok(answer) => answer,
            Err(_) => pending().await,
        }
    }

    fn fate(&self, kind: Kind) -> Fate {
        let (random, weather) = (&self.world.random, &self.world.scene.weather);
        if self.world.is_calm() {
            let there = if random.chance(300) { random.millis(1, 5) } else { Duration::ZERO };
            return Fate { there, back: Duration::ZERO, end: End::Done };
        }
        let way = || match random.below(1000) {
            roll if roll < weather.slow / 10 => random.millis(100, 2500),
            roll if roll < weather.slow => random.millis(5, 100),
            roll if roll < 400 => random.millis(1, 5),
            _ => Duration::ZERO,
        };
        let (fails, lost) = match kind {
            Kind::Word => (weather.unavailable, weather.lost),
            Kind::Chore => (weather.hiccups, weather.lost / 4),
            Kind::Read => (weather.hiccups / 2, 0),
        };
        let end = match random.below(1000) {
            roll if roll < fails => End::Unavailable,
            roll if roll < fails + lost => End::Lost,
            _ => End::Done,
        };
        let there = if kind == Kind::Read && random.chance(800) { Duration::ZERO } else { way() };
        let back = if kind == Kind::Read { Duration::ZERO } else { way() };
        Fate { there, back, end }
    }
}

/// The answer of a store that never waits.
pub(super) fn at_once<T>(answer: impl Future<Output = T>) -> T {
    match pin!(answer).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(answer) => answer,
        Poll::Pending => unreachable!("the store in memory never waits"),
    }
}

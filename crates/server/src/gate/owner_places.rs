//! How many requests of one owner are worked on at once, so that no owner can take all places of the server.
//!
//! More of them wait in line, outside of the server's own places; where the line is full, they are told to come back.
//! While others ask too, few of an owner's requests are worked on at once, and they go when their owner's
//! [share](super::shares) allows it; an owner alone has more places, so that what waits for the disk waits together.
//! Of those that are worked on, only some compute at once: the rest of the machine is there for other owners. Work that
//! waits, for the disk as for anything else, is not counted among them.

use std::{
    collections::HashMap,
    future::poll_fn,
    pin::pin,
    sync::{Arc, Mutex, PoisonError},
};

use consign_engine::Owner;
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    time::Instant,
};

use super::{
    overloaded,
    shares::{Asking, Shares},
};
use crate::{error::Problem, permits::ComputePermits};

/// Requests of one owner that wait, for each that is worked on.
const WAITING: usize = 8;
/// Owners that are remembered; those without a request are forgotten beyond it.
const OWNERS: usize = 1024;

pub(crate) struct OwnerPlaces {
    /// While others ask too.
    each: usize,
    /// Of an owner alone. No less than `each`.
    alone: usize,
    shares: Option<Arc<Shares>>,
    owners: Mutex<HashMap<Owner, Arc<Line>>>,
}

struct Line {
    places: Arc<Semaphore>,
    /// Those of the places that count while others ask too.
    beside_others: Arc<Semaphore>,
    /// Held by the request that is the next to go.
    next: tokio::sync::Mutex<()>,
    waiting: Semaphore,
    compute_permits: ComputePermits,
}

/// The place of one request.
pub(super) struct OwnerPlace {
    line: Arc<Line>,
    asking: Option<Asking>,
    _beside_others: Option<OwnedSemaphorePermit>,
    _place: OwnedSemaphorePermit,
}

impl OwnerPlace {
    /// Does the work of the request, on a blocking thread. It may have to wait for others of its owner to compute.
    pub(super) async fn run<T>(mut self, work: impl Future<Output = T>) -> T {
        let (line, mut work) = (self.line.clone(), pin!(work));
        let measured = poll_fn(|cx| {
            let before = std::time::Instant::now();
            let polled = work.as_mut().poll(cx);
            if let Some(asking) = &mut self.asking {
                asking.spend(before.elapsed());
            }
            polled
        });
        line.compute_permits.run(measured).await
    }
}

impl OwnerPlaces {
    /// So many for each owner, whoever else is there.
    pub(crate) fn new(each: usize) -> Self {
        let each = each.clamp(1, Semaphore::MAX_PERMITS / WAITING);
        Self { each, alone: each, shares: None, owners: Mutex::default() }
    }

    /// So many for an owner while others ask too, and for one who is alone. They share the machine.
    pub(crate) fn shared(each: usize, alone: usize) -> Self {
        let places = Self::new(each);
        let alone = alone.clamp(places.each, Semaphore::MAX_PERMITS);
        Self { alone, shares: Some(Shares::of_this_machine()), ..places }
    }

    /// A place for a request of this owner. It waits for its turn here, on no thread.
    pub(super) async fn take(&self, owner: &Owner, changes: bool) -> Result<OwnerPlace, Problem> {
        let line = self.line(owner);
        let place = line.place().await.map_err(|_| full())?;
        let Some(shares) = &self.shares else {
            return Ok(OwnerPlace { line, asking: None, _beside_others: None, _place: place });
        };
        let mut asking = shares.ask(owner, changes, Instant::now());
        let mut beside_others = None;
        if asking.is_shared(Instant::now()) {
            let taken = line.beside_others.clone().acquire_owned().await;
            beside_others = Some(taken.map_err(|_| full())?);
        }
        {
            let _next = line.next.lock().await;
            asking.turn().await;
        }
        Ok(OwnerPlace { line, asking: Some(asking), _beside_others: beside_others, _place: place })
    }

    /// A place of this owner, if one is free: for what may last, such as a stream.
    pub(crate) fn try_take(&self, owner: &Owner) -> Option<OwnedSemaphorePermit> {
        self.line(owner).places.clone().try_acquire_owned().ok()
    }

    fn line(&self, owner: &Owner) -> Arc<Line> {
        let mut owners = self.owners.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(line) = owners.get(owner) {
            return line.clone();
        }
        if owners.len() >= OWNERS {
            owners.retain(|_, line| {
                Arc::strong_count(line) > 1 || line.places.available_permits() < self.alone
            });
        }
        let line = Arc::new(Line {
            places: Arc::new(Semaphore::new(self.alone)),
            beside_others: Arc::new(Semaphore::new(self.each)),
            next: tokio::sync::Mutex::default(),
            waiting: Semaphore::new(self.each * WAITING),
            compute_permits: ComputePermits::for_half_of_the_processors(),
        });
        owners.insert(owner.clone(), line.clone());
        line
    }
}

fn full() -> Problem {
    overloaded("requests of one user")
}

impl Line {
    async fn place(&self) -> Result<OwnedSemaphorePermit, Full> {
        if let Ok(place) = self.places.clone().try_acquire_owned() {
            return Ok(place);
        }
        let _waits = self.waiting.try_acquire().map_err(|_| Full)?;
        self.places.clone().acquire_owned().await.map_err(|_| Full)
    }
}

/// As many wait as may.
struct Full;

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[tokio::test]
    async fn one_owner_fills_its_own_line_and_no_other() {
        let places = Arc::new(OwnerPlaces::new(1));
        let (anna, ben) = (Owner::from("user:anna"), Owner::from("user:ben"));
        let held = places.take(&anna, false).await.unwrap();
        let waiting: Vec<_> = (0..WAITING)
            .map(|_| {
                let (places, anna) = (places.clone(), anna.clone());
                tokio::spawn(async move { places.take(&anna, false).await.map(drop) })
            })
            .collect();
        while places.line(&anna).waiting.available_permits() > 0 {
            tokio::task::yield_now().await;
        }
        assert_eq!(
            places.take(&anna, false).await.err().map(|problem| problem.code),
            Some("OVERLOADED".into())
        );
        assert!(places.take(&ben, false).await.is_ok());
        drop(held);
        for waiting in waiting {
            assert!(waiting.await.unwrap().is_ok());
        }
    }

    #[tokio::test]
    async fn an_owner_alone_has_more_places_than_one_beside_others() {
        let places = Arc::new(OwnerPlaces::shared(1, 3));
        let (anna, ben) = (Owner::from("user:anna"), Owner::from("user:ben"));
        let mut held = Vec::new();
        for _ in 0..3 {
            held.push(places.take(&anna, false).await.unwrap());
        }
        held.clear();
        let _ben = places.take(&ben, false).await.unwrap();
        let first = places.take(&anna, false).await.unwrap();
        let mut second = Box::pin(places.take(&anna, false));
        for _ in 0..10 {
            tokio::task::yield_now().await;
            assert!(futures_util::poll!(&mut second).is_pending());
        }
        drop(first);
        assert!(second.await.is_ok());
    }

    #[tokio::test]
    async fn what_a_request_computes_counts_for_its_owner() {
        let places = OwnerPlaces::shared(1, 1);
        let place = places.take(&Owner::from("user:anna"), false).await.unwrap();
        place.run(async { std::thread::sleep(Duration::from_millis(5)) }).await;
        let used = places.shares.as_ref().unwrap().used(&Owner::from("user:anna"));
        assert!(used >= Duration::from_millis(5), "{used:?}");
    }
}

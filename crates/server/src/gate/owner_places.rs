//! How many requests of one owner are worked on at once, so that no owner can take all places of the server.
//!
//! More of them wait in line, outside of the server's own places; where the line is full, they are told to come back.
//! Of those that are worked on, only some compute at once: the rest of the machine is there for other owners. Work that
//! waits, for the disk as for anything else, is not counted among them.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use consign_engine::Owner;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::overloaded;
use crate::{error::Problem, permits::ComputePermits};

/// Requests of one owner that wait, for each that is worked on.
const WAITING: usize = 8;
/// Owners that are remembered; those without a request are forgotten beyond it.
const OWNERS: usize = 1024;

pub(crate) struct OwnerPlaces {
    each: usize,
    owners: Mutex<HashMap<Owner, Arc<Line>>>,
}

struct Line {
    places: Arc<Semaphore>,
    waiting: Semaphore,
    compute_permits: ComputePermits,
}

/// The place of one request.
pub(super) struct OwnerPlace {
    line: Arc<Line>,
    _place: OwnedSemaphorePermit,
}

impl OwnerPlace {
    /// Does the work of the request, on a blocking thread. It may have to wait for others of its owner to compute.
    pub(super) async fn run<T>(self, work: impl Future<Output = T>) -> T {
        self.line.compute_permits.run(work).await
    }
}

impl OwnerPlaces {
    pub(crate) fn new(each: usize) -> Self {
        Self { each: each.clamp(1, Semaphore::MAX_PERMITS / WAITING), owners: Mutex::default() }
    }

    /// A place for a request of this owner.
    pub(super) async fn take(&self, owner: &Owner) -> Result<OwnerPlace, Problem> {
        let line = self.line(owner);
        let place = line.place().await.map_err(|_| overloaded("requests of one user"))?;
        Ok(OwnerPlace { line, _place: place })
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
                Arc::strong_count(line) > 1 || line.places.available_permits() < self.each
            });
        }
        let line = Arc::new(Line {
            places: Arc::new(Semaphore::new(self.each)),
            waiting: Semaphore::new(self.each * WAITING),
            compute_permits: ComputePermits::for_half_of_the_processors(),
        });
        owners.insert(owner.clone(), line.clone());
        line
    }
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
    use super::*;

    #[tokio::test]
    async fn one_owner_fills_its_own_line_and_no_other() {
        let places = Arc::new(OwnerPlaces::new(1));
        let (anna, ben) = (Owner::from("user:anna"), Owner::from("user:ben"));
        let held = places.take(&anna).await.unwrap();
        let waiting: Vec<_> = (0..WAITING)
            .map(|_| {
                let (places, anna) = (places.clone(), anna.clone());
                tokio::spawn(async move { places.take(&anna).await.map(drop) })
            })
            .collect();
        while places.line(&anna).waiting.available_permits() > 0 {
            tokio::task::yield_now().await;
        }
        assert_eq!(
            places.take(&anna).await.err().map(|problem| problem.code),
            Some("OVERLOADED".into())
        );
        assert!(places.take(&ben).await.is_ok());
        drop(held);
        for waiting in waiting {
            assert!(waiting.await.unwrap().is_ok());
        }
    }
}

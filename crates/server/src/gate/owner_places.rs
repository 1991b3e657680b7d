//! How many requests of one owner are worked on at once, so that no owner can take all places of the server.
//!
//! More of them wait in line, outside of the server's own places; where the line is full, they are told to come back.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use consign_engine::Owner;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::overloaded;
use crate::error::Problem;

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
}

impl OwnerPlaces {
    pub(crate) fn new(each: usize) -> Self {
        Self { each: each.clamp(1, Semaphore::MAX_PERMITS / WAITING), owners: Mutex::default() }
    }

    /// A place for a request of this owner.
    pub(super) async fn take(&self, owner: &Owner) -> Result<OwnedSemaphorePermit, Problem> {
        let line = self.line(owner);
        if let Ok(place) = line.places.clone().try_acquire_owned() {
            return Ok(place);
        }
        let _waits = line.waiting.try_acquire().map_err(|_| overloaded("requests of one user"))?;
        line.places.clone().acquire_owned().await.map_err(|_| overloaded("requests of one user"))
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
        });
        owners.insert(owner.clone(), line.clone());
        line
    }
}

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
        assert_eq!(places.take(&anna).await.unwrap_err().code, "OVERLOADED");
        assert!(places.take(&ben).await.is_ok());
        drop(held);
        for waiting in waiting {
            assert!(waiting.await.unwrap().is_ok());
        }
    }
}

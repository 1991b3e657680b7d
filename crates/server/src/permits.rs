//! How many requests compute at once: documents take several times their size once they are parsed, and
//! there are more blocking threads than processors.
//!
//! [`ComputePermits::run`] polls a future with a permit held, and gives the permit back whenever the future
//! waits. Taking a permit blocks the calling thread, so it must only happen inside
//! [`run_blocking`](crate::blocking::run_blocking), never on a thread of the runtime.

use std::{
    future::poll_fn,
    pin::pin,
    sync::{Condvar, Mutex, PoisonError},
    thread::available_parallelism,
};

/// A fixed number of permits to compute.
pub(crate) struct ComputePermits {
    free: Mutex<usize>,
    returned: Condvar,
}

impl ComputePermits {
    /// As many permits as the machine has processors, and at least two.
    pub(crate) fn for_all_processors() -> Self {
        Self::new(available_parallelism().map_or(2, |processors| processors.get().max(2)))
    }

    /// Half as many permits as the machine has processors, and at least one.
    pub(crate) fn for_half_of_the_processors() -> Self {
        Self::new(available_parallelism().map_or(1, |processors| (processors.get() / 2).max(1)))
    }

    fn new(permits: usize) -> Self {
        Self { free: Mutex::new(permits), returned: Condvar::new() }
    }

    /// Runs `work`. A permit is held while it computes and none while it waits.
    pub(crate) async fn run<T>(&self, work: impl Future<Output = T>) -> T {
        let mut work = pin!(work);
        poll_fn(|cx| {
            let _permit = self.take();
            work.as_mut().poll(cx)
        })
        .await
    }

    fn take(&self) -> Permit<'_> {
        let free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        let free = self.returned.wait_while(free, |free| *free == 0);
        *free.unwrap_or_else(PoisonError::into_inner) -= 1;
        Permit(self)
    }
}

struct Permit<'a>(&'a ComputePermits);

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        *self.0.free.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        self.0.returned.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use std::{
        sync::{
            Arc,
            atomic::{AtomicUsize, Ordering},
        },
        thread,
    };

    use tokio::sync::oneshot;

    use super::*;
    use crate::blocking::run_blocking;

    #[tokio::test]
    async fn no_more_compute_at_once_than_there_are_permits() {
        let permits = Arc::new(ComputePermits::new(2));
        let (now, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let many = (0..20).map(|_| {
            let (permits, now, most) = (permits.clone(), now.clone(), most.clone());
            run_blocking(async move {
                let work = async {
                    for _ in 0..10 {
                        most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                        thread::yield_now();
                        now.fetch_sub(1, Ordering::SeqCst);
                        tokio::task::yield_now().await;
                    }
                };
                permits.run(work).await;
            })
        });
        futures_util::future::try_join_all(many).await.unwrap();
        assert!((1..=2).contains(&most.load(Ordering::SeqCst)), "{most:?}");
    }

    #[tokio::test]
    async fn work_that_waits_holds_no_permit() {
        let permits = Arc::new(ComputePermits::new(1));
        let (say, heard) = oneshot::channel();
        let (waits, speaks) = (permits.clone(), permits.clone());
        let (heard, said) = tokio::join!(
            run_blocking(async move { waits.run(heard).await }),
            run_blocking(async move { speaks.run(async { say.send(7) }).await }),
        );
        assert_eq!((heard.unwrap(), said.unwrap()), (Ok(7), Ok(())));
    }
}

//! Work on a thread of its own, so that whatever one request computes, the others are answered meanwhile.
//!
//! Waits are still the runtime's: only what is between them is done elsewhere. [`Turns`] bound how many
//! compute at once: documents are several times as large once they are read, and threads are many.

use std::{
    convert::Infallible,
    future::poll_fn,
    pin::pin,
    sync::{Condvar, Mutex, PoisonError},
    thread::available_parallelism,
};

use tokio::{
    runtime::Handle,
    sync::oneshot,
    task::{JoinError, spawn_blocking},
};

/// Does the work elsewhere. Whoever no longer waits for it has it dropped: when it waits for something
/// itself, or as soon as it does.
pub(crate) async fn aside<T: Send + 'static>(
    work: impl Future<Output = T> + Send + 'static,
) -> Result<T, JoinError> {
    let runtime = Handle::current();
    let (waiting, gone) = oneshot::channel::<Infallible>();
    let working = spawn_blocking(move || {
        runtime.block_on(async {
            tokio::select! {
                biased;
                _ = gone => None,
                done = work => Some(done),
            }
        })
    });
    let done = working.await?;
    drop(waiting);
    Ok(done.expect("somebody waited until it was done"))
}

/// So many turns to compute. Who waits for one holds up its own thread, and has none while it waits for
/// anything else.
pub(crate) struct Turns {
    free: Mutex<usize>,
    returned: Condvar,
}

impl Turns {
    /// As many as the machine has processors.
    pub(crate) fn for_all_processors() -> Self {
        Self::new(available_parallelism().map_or(2, |processors| processors.get().max(2)))
    }

    fn new(turns: usize) -> Self {
        Self { free: Mutex::new(turns), returned: Condvar::new() }
    }

    /// Does some work, each part of it when there is a turn. Only for what is [`aside`].
    pub(crate) async fn each<T>(&self, work: impl Future<Output = T>) -> T {
        let mut work = pin!(work);
        poll_fn(|cx| {
            let _turn = self.take();
            work.as_mut().poll(cx)
        })
        .await
    }

    fn take(&self) -> Turn<'_> {
        let free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        let free = self.returned.wait_while(free, |free| *free == 0);
        *free.unwrap_or_else(PoisonError::into_inner) -= 1;
        Turn(self)
    }
}

struct Turn<'a>(&'a Turns);

impl Drop for Turn<'_> {
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
            mpsc,
        },
        thread,
    };

    use tokio::sync::oneshot;

    use super::*;

    #[tokio::test]
    async fn others_have_their_turn_while_it_computes() {
        let (go_on, told) = mpsc::channel();
        let computing = aside(async move { told.recv().unwrap() });
        // On one thread nobody could say so while the other computes.
        let (heard, ()) = tokio::join!(computing, async { go_on.send(7).unwrap() });
        assert_eq!(heard.unwrap(), 7);
    }

    #[tokio::test]
    async fn what_it_waits_for_comes_from_here() {
        let (say, heard) = oneshot::channel();
        let waiting = aside(heard);
        let (heard, ()) = tokio::join!(waiting, async { say.send(7).unwrap() });
        assert_eq!(heard.unwrap(), Ok(7));
    }

    #[tokio::test]
    async fn it_is_dropped_when_nobody_waits_for_it_any_more() {
        let (begun, has_begun) = oneshot::channel();
        let (held, dropped) = oneshot::channel::<()>();
        let work = async move {
            let _held = held;
            begun.send(thread::current().id()).unwrap();
            std::future::pending::<()>().await;
        };
        let mut working = Box::pin(aside(work));
        tokio::select! {
            _ = &mut working => unreachable!("it has no end"),
            there = has_begun => assert_ne!(there.unwrap(), thread::current().id()),
        }
        drop(working);
        assert!(dropped.await.is_err());
    }

    #[tokio::test]
    async fn no_more_compute_at_once_than_there_are_turns() {
        let turns = Arc::new(Turns::new(2));
        let (now, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let many = (0..20).map(|_| {
            let (turns, now, most) = (turns.clone(), now.clone(), most.clone());
            aside(async move {
                let work = async {
                    for _ in 0..10 {
                        most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                        thread::yield_now();
                        now.fetch_sub(1, Ordering::SeqCst);
                        tokio::task::yield_now().await;
                    }
                };
                turns.each(work).await;
            })
        });
        futures_util::future::try_join_all(many).await.unwrap();
        assert!((1..=2).contains(&most.load(Ordering::SeqCst)), "{most:?}");
    }

    #[tokio::test]
    async fn who_waits_for_something_else_has_no_turn() {
        let turns = Arc::new(Turns::new(1));
        let (say, heard) = oneshot::channel();
        let (waits, speaks) = (turns.clone(), turns.clone());
        let (heard, said) = tokio::join!(
            aside(async move { waits.each(heard).await }),
            aside(async move { speaks.each(async { say.send(7) }).await }),
        );
        assert_eq!((heard.unwrap(), said.unwrap()), (Ok(7), Ok(())));
    }
}

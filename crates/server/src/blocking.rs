//! Runs a request on a blocking thread of its own, so that other requests are answered while it computes.
//!
//! [`run_blocking`] takes a future and polls it there. Timers and sockets stay with the runtime: only what
//! happens between two waits uses the blocking thread. How many requests compute at once is bounded
//! separately, by [`ComputePermits`](crate::permits::ComputePermits).
//!
//! Nothing here may start work that outlives the returned future: dropping it drops the work.

use std::{convert::Infallible, thread};

use consign_app::on_blocking_thread;
use rustix::{process::setpriority_process, thread::gettid};
use tokio::{
    runtime::Handle,
    sync::oneshot,
    task::{JoinError, spawn_blocking},
};

/// Polls `work` on a blocking thread and gives its output.
///
/// When the returned future is dropped, `work` is dropped too: at once if it is waiting, otherwise at its
/// next wait.
pub(crate) async fn run_blocking<T: Send + 'static>(
    work: impl Future<Output = T> + Send + 'static,
) -> Result<T, JoinError> {
    let runtime = Handle::current();
    let (caller_alive, caller_gone) = oneshot::channel::<Infallible>();
    let working = spawn_blocking(move || {
        on_blocking_thread(|| runtime.block_on(unless_gone(caller_gone, work)))
    });
    let done = working.await?;
    drop(caller_alive);
    Ok(done.expect("the caller was there until the work was done"))
}

/// Polls `work` on a thread of its own that yields to all others, and gives its output. For work that computes long:
/// what is short does not wait for it, however few processors there are. A new thread costs far less than such work.
///
/// When the returned future is dropped, `work` is dropped too: at once if it is waiting, otherwise at its next wait.
pub(crate) async fn run_in_background<T: Send + 'static>(
    work: impl Future<Output = T> + Send + 'static,
) -> Result<T, Broken> {
    let runtime = Handle::current();
    let (caller_alive, caller_gone) = oneshot::channel::<Infallible>();
    let (send, done) = oneshot::channel();
    let begun = thread::Builder::new().name("consign-sign-in".into()).spawn(move || {
        // Where priorities cannot be had, it works all the same.
        let _ = setpriority_process(Some(gettid()), BACKGROUND);
        let work = unless_gone(caller_gone, work);
        if let Some(output) = on_blocking_thread(|| runtime.block_on(work)) {
            // Nobody waits for it any more: then it is not needed.
            let _ = send.send(output);
        }
    });
    begun.map_err(|cause| Broken(cause.to_string()))?;
    let done = done.await.map_err(|_| Broken("the thread panicked".to_owned()))?;
    drop(caller_alive);
    Ok(done)
}

/// How much a thread in the background yields: as much as it can while it still gets on.
const BACKGROUND: i32 = 19;

/// Work that did not come to its end.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct Broken(String);

async fn unless_gone<T>(
    gone: oneshot::Receiver<Infallible>,
    work: impl Future<Output = T>,
) -> Option<T> {
    tokio::select! {
        biased;
        _ = gone => None,
        done = work => Some(done),
    }
}

#[cfg(test)]
mod tests {
    use std::{sync::mpsc, thread};

    use tokio::sync::oneshot;

    use super::*;

    #[tokio::test]
    async fn other_tasks_run_while_it_computes() {
        let (go_on, told) = mpsc::channel();
        let computing = run_blocking(async move { told.recv().unwrap() });
        // On one thread, nothing could be sent while the receiver blocks.
        let (heard, ()) = tokio::join!(computing, async { go_on.send(7).unwrap() });
        assert_eq!(heard.unwrap(), 7);
    }

    #[tokio::test]
    async fn what_is_long_works_on_a_thread_that_yields() {
        let own = || rustix::process::getpriority_process(Some(gettid())).unwrap();
        let before = own();
        assert_eq!(run_in_background(async move { own() }).await.unwrap(), BACKGROUND);
        assert_eq!(run_blocking(async move { own() }).await.unwrap(), before);
        let broken = run_in_background(async { panic!("of the test") }).await;
        assert_eq!(broken.unwrap_err().to_string(), "the thread panicked");
    }

    #[tokio::test]
    async fn it_can_wait_for_something_of_the_runtime() {
        let (say, heard) = oneshot::channel();
        let waiting = run_blocking(heard);
        let (heard, ()) = tokio::join!(waiting, async { say.send(7).unwrap() });
        assert_eq!(heard.unwrap(), Ok(7));
    }

    #[tokio::test]
    async fn the_work_is_dropped_with_its_caller() {
        let (begun, has_begun) = oneshot::channel();
        let (held, dropped) = oneshot::channel::<()>();
        let work = async move {
            let _held = held;
            begun.send(thread::current().id()).unwrap();
            std::future::pending::<()>().await;
        };
        let mut working = Box::pin(run_blocking(work));
        tokio::select! {
            _ = &mut working => unreachable!("it has no end"),
            there = has_begun => assert_ne!(there.unwrap(), thread::current().id()),
        }
        drop(working);
        assert!(dropped.await.is_err());
    }
}

//! Work on a thread of its own, so that whatever one request computes, the others are answered meanwhile.
//!
//! Waits are still the runtime's: only what is between them is done elsewhere.

use std::convert::Infallible;

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

#[cfg(test)]
mod tests {
    use std::{sync::mpsc, thread};

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
}

//! The one thread that writes.
//!
//! Callers [`post`](Writer::post) a request and wait. The thread takes all that are waiting as one
//! batch: one turn at the write lock, one transaction, one sync. A single request is not delayed to
//! wait for others.

mod request;
mod write_context;
mod writer_thread;

use std::{
    sync::{
        Arc, OnceLock,
        atomic::{AtomicU64, Ordering},
        mpsc,
    },
    thread,
};

use consign_engine::store::Error;
use rusqlite::Connection;
use tokio::sync::oneshot;

use self::{request::Request, writer_thread::WriterThread};
pub(crate) use self::{
    request::Write,
    write_context::{RunKey, WriteContext},
};
use super::{change_notifier::ChangeNotifier, lock::WriteLock, store_folder::StoreFolder};

/// Why the store can no longer be trusted, once that is so.
pub(crate) type Lost = Arc<OnceLock<Error>>;

pub(crate) struct Writer {
    requests: mpsc::Sender<Box<dyn Request>>,
    thread: thread::JoinHandle<()>,
    committed: Arc<AtomicU64>,
}

impl Writer {
    pub(crate) fn start(
        db: Connection,
        lock: WriteLock,
        home: StoreFolder,
        notifier: Arc<ChangeNotifier>,
        lost: Lost,
    ) -> std::io::Result<Self> {
        let (requests, inbox) = mpsc::channel();
        let writer_thread = WriterThread::new(db, lock, home, notifier, lost)?;
        let committed = writer_thread.counter();
        let thread = thread::Builder::new()
            .name("consign-writer".into())
            .spawn(|| writer_thread.work(inbox))?;
        Ok(Self { requests, thread, committed })
    }

    /// Posts a request and waits until it is durable, or refused. It is written even if the caller
    /// stops waiting for the answer.
    pub(crate) async fn post<W: Write>(&self, write: W) -> Result<W::Answer, Error> {
        let (to, answer) = oneshot::channel();
        let gone = || Error::Lost("the writer thread has ended".into());
        self.requests.send(request::posted(write, to)).map_err(|_| gone())?;
        answer.await.map_err(|_| gone())?
    }

    /// How many transactions the thread has committed.
    pub(crate) fn committed(&self) -> u64 {
        self.committed.load(Ordering::Relaxed)
    }

    /// Takes no more requests, and returns the thread, which ends when all of them are written.
    pub(crate) fn stop(self) -> thread::JoinHandle<()> {
        self.thread
    }
}

//! Threads that turn passages into vectors, behind everything else that the machine has to do.
//!
//! Each has a pool of one thread, so that no core waits for another in the middle of a text. They lower their own
//! priority: a search beside them is not slowed.

use std::{
    io,
    sync::{Arc, Mutex, PoisonError, mpsc},
    thread,
};

use rten::ThreadPool;
use tokio::sync::oneshot;

use crate::arctic::Network;

/// As little as a thread of a user may ask for is 19.
const NICE: i32 = 10;

/// Some texts as tokens, and where their vectors go.
pub(crate) struct Job {
    pub(crate) texts: Vec<Vec<i32>>,
    pub(crate) to: oneshot::Sender<Result<Vec<Vec<f32>>, String>>,
}

/// They end when this is dropped and all jobs are done.
pub(crate) struct Workers(mpsc::Sender<Job>);

impl Workers {
    pub(crate) fn start(network: &Arc<Network>, count: usize) -> io::Result<Self> {
        let (jobs, inbox) = mpsc::channel();
        let inbox = Arc::new(Mutex::new(inbox));
        for number in 0..count.max(1) {
            let (network, inbox) = (network.clone(), inbox.clone());
            thread::Builder::new()
                .name(format!("consign-embed-{number}"))
                .spawn(move || work(&network, &inbox))?;
        }
        Ok(Self(jobs))
    }

    pub(crate) fn post(&self, job: Job) -> Result<(), String> {
        self.0.send(job).map_err(|_| "its threads have ended".to_owned())
    }
}

fn work(network: &Network, inbox: &Mutex<mpsc::Receiver<Job>>) {
    // On Linux this is the thread's own, and the threads of its pool inherit it. Where it cannot be done, they are
    // only in the way.
    let _ = rustix::process::setpriority_process(None, NICE);
    let pool = Arc::new(ThreadPool::with_num_threads(1));
    loop {
        let next = inbox.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(Job { texts, to }) = next else { return };
        if !to.is_closed() {
            // Whoever asked may have stopped waiting.
            let _ = to.send(network.run(&texts, &pool));
        }
    }
}

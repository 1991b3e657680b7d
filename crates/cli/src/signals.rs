//! Ctrl-C and SIGTERM: the first asks to finish what is under way, the second to leave at once, the
//! third does not ask. Neither does time: a store that never answers cannot keep a process alive.

use std::{
    sync::{Arc, OnceLock},
    time::Duration,
};

use consign_engine::Stop;
use tokio::{
    signal::unix::{Signal, SignalKind, signal},
    sync::watch,
    time::sleep,
};

use crate::error::{Error, Exit};

/// How long leaving at once may take.
const LONGEST: Duration = Duration::from_secs(30);

/// What has been asked of this process so far.
#[derive(Clone)]
pub(crate) struct Signals {
    pub(crate) stop: watch::Receiver<Stop>,
    send: Arc<watch::Sender<Stop>>,
    first: Arc<OnceLock<Exit>>,
}

impl Signals {
    /// Listens from now on. Whatever is not finished `grace` after the first signal is left.
    pub(crate) fn listen(grace: Duration) -> Result<Self, Error> {
        let (send, stop) = watch::channel(Stop::GoOn);
        let (send, first) = (Arc::new(send), Arc::new(OnceLock::new()));
        let mut listener = Listener::new().map_err(|cause| {
            Error::new("INTERNAL", format!("could not listen for signals: {cause}"))
        })?;
        let signals = Self { stop, send, first };
        let this = signals.clone();
        tokio::spawn(async move {
            let exit = listener.next().await;
            let _ = this.first.set(exit);
            this.drain();
            tokio::select! {
                _ = listener.next() => {}
                () = sleep(grace) => {}
            }
            let _ = this.send.send(Stop::Now);
            tokio::select! {
                _ = listener.next() => {}
                () = sleep(LONGEST) => {}
            }
            // Whatever holds things up, what is recorded is safe, and a death is noticed.
            crate::logs::finish();
            std::process::exit(exit as i32);
        });
        Ok(signals)
    }

    /// Asks to finish what is under way, without a signal.
    pub(crate) fn drain(&self) {
        self.send.send_if_modified(|stop| {
            let going = *stop == Stop::GoOn;
            if going {
                *stop = Stop::Drain;
            }
            going
        });
    }

    /// The exit code of the signal that came first.
    pub(crate) fn exit(&self) -> Option<Exit> {
        self.first.get().copied()
    }
}

struct Listener {
    interrupt: Signal,
    terminate: Signal,
}

impl Listener {
    fn new() -> std::io::Result<Self> {
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
        })
    }

    async fn next(&mut self) -> Exit {
        tokio::select! {
            _ = self.interrupt.recv() => Exit::Interrupted,
            _ = self.terminate.recv() => Exit::Terminated,
        }
    }
}

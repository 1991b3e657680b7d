//! The options of a server, with their defaults. Nothing here reads the environment: the program that
//! starts a server does.

use std::{fmt, sync::Arc, time::Duration};

use consign_engine::{Owner, Speaker};

use crate::{TrustedProxy, WorkerHealth};

/// What a server allows.
#[derive(Clone, Debug)]
pub struct Options {
    /// The largest body that is read.
    pub max_body_bytes: usize,
    /// How long a request may take, the reading of its body included. Streams of events may last.
    pub time_limit: Duration,
    /// Requests that are worked on at once; more are told to come back. Each has a thread.
    pub max_requests: usize,
    /// Envelopes that are worked on at once. They are not counted as requests: clients that wait for a run must not
    /// keep others from answering or cancelling it.
    pub max_processing: usize,
    /// Requests of one user that are worked on at once while other users ask too, where there are accounts; more of
    /// them wait. A user alone may have half of `max_requests`.
    pub max_requests_per_user: usize,
    /// Requests that look at a password at once, those that wait for their turn included. They are not counted as
    /// requests: log-ins must not keep others out.
    pub max_sign_ins: usize,
    /// Streams of events that are open at once.
    pub max_streams: usize,
    /// Streams of one user that are open at once, where there are accounts.
    pub max_streams_per_user: usize,
    /// How often a stream that has nothing to say says so.
    pub keep_alive: Duration,
    /// Names besides the loopback's own under which this server may be asked, without a port.
    pub allowed_hosts: Vec<String>,
    /// Proxies whose word about the address of their clients is taken.
    pub trusted_proxies: Vec<TrustedProxy>,
    /// The owner of what the one user of a server without accounts starts.
    pub owner: Owner,
    /// In whose name a client with the server's token speaks: the journal keeps it.
    pub by: Speaker,
    /// Where incidents go.
    pub report: Report,
    /// Whether there is a worker to drive the runs; if not, the server is not ready.
    pub worker_health: WorkerHealth,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            max_body_bytes: 16 << 20,
            time_limit: Duration::from_secs(60),
            max_requests: 128,
            max_processing: 128,
            max_requests_per_user: 8,
            max_sign_ins: 64,
            max_streams: 256,
            max_streams_per_user: 32,
            keep_alive: Duration::from_secs(15),
            allowed_hosts: Vec::new(),
            trusted_proxies: Vec::new(),
            owner: Owner::from("local"),
            by: Speaker::person("http:token"),
            report: Report::default(),
            worker_health: WorkerHealth::default(),
        }
    }
}

/// Whether a name can be one of [`Options::allowed_hosts`]: a host as clients write it, without scheme and port.
#[must_use]
pub fn is_host_name(name: &str) -> bool {
    crate::gate::is_name(name)
}

/// Something that the operator of the server should know: the cause of a failure, which the client is not told, or a
/// run that is stopped and that no worker will take.
#[derive(Clone, Debug)]
pub struct Incident {
    pub request: String,
    pub method: String,
    /// Without its query.
    pub path: String,
    pub status: u16,
    /// The exact code; the client may have been told a broader one.
    pub code: String,
    pub cause: String,
}

/// Receives incidents, in the middle of a request: it must be quick. The default drops them.
#[derive(Clone, Default)]
pub struct Report(Option<Arc<dyn Fn(Incident) + Send + Sync>>);

impl Report {
    #[must_use]
    pub fn to(hear: impl Fn(Incident) + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(hear)))
    }

    pub(crate) fn tell(&self, incident: impl FnOnce() -> Incident) {
        if let Some(hear) = &self.0 {
            hear(incident());
        }
    }
}

impl fmt::Debug for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Report(set)" } else { "Report(none)" })
    }
}

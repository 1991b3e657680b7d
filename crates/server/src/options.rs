//! What may be set, with its defaults.

use std::{fmt, sync::Arc, time::Duration};

use consign_engine::{Actor, Owner};

use crate::Attended;

/// What a server allows.
#[derive(Clone, Debug)]
pub struct Options {
    /// The largest body that is read.
    pub max_body_bytes: usize,
    /// How long a request may take, the reading of its body included. Streams of events may last.
    pub time_limit: Duration,
    /// Requests that are worked on at once; more are told to come back. Each has a thread.
    pub max_requests: usize,
    /// The same for envelopes, which are not counted with the others: whoever waits for a run must not keep
    /// anybody from answering or cancelling it.
    pub max_processing: usize,
    /// Streams of events that are open at once.
    pub max_streams: usize,
    /// How often a stream that has nothing to say says so.
    pub keep_alive: Duration,
    /// Names besides the loopback's own under which this server may be asked, without a port.
    pub allowed_hosts: Vec<String>,
    /// Who pays for runs whose submission does not say.
    pub owner: Owner,
    /// Who acts when somebody has the token: an id for the journal.
    pub actor: Actor,
    /// Who hears of what went wrong here.
    pub report: Report,
    /// Whether somebody drives the runs; if not, the server is not ready.
    pub attended: Attended,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            max_body_bytes: 16 << 20,
            time_limit: Duration::from_secs(60),
            max_requests: 128,
            max_processing: 128,
            max_streams: 256,
            keep_alive: Duration::from_secs(15),
            allowed_hosts: Vec::new(),
            owner: Owner::from("local"),
            actor: Actor::from("http:token"),
            report: Report::default(),
            attended: Attended::default(),
        }
    }
}

/// Whether a name can be one of [`Options::allowed_hosts`]: a host as clients write it, without scheme and port.
#[must_use]
pub fn is_host_name(name: &str) -> bool {
    crate::gate::is_name(name)
}

/// Something that whoever keeps the server should know: what whoever asked is not told, and what nobody here
/// will go on with.
#[derive(Clone, Debug)]
pub struct Incident {
    pub request: String,
    pub method: String,
    /// Without its query.
    pub path: String,
    pub status: u16,
    pub code: String,
    pub cause: String,
}

/// Takes incidents, in the middle of a request: it must be quick. By default nobody does.
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
        f.write_str(if self.0.is_some() { "Report(somebody)" } else { "Report(nobody)" })
    }
}

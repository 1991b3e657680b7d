//! Records each request as a line of the file of `--invocations`.

use std::path::Path;

use consign_contracts::{bridge::AgentRequest, wire::Integer};
use consign_engine::{Fault, RunId};
use consign_invokers::script::Invocation;

use super::{Maker, Stopped};
use crate::creation::Creation;

/// The timeout of a request that names none, in seconds.
const TIMEOUT: u32 = 120;

impl Maker<'_> {
    /// Writes down a request that is about to be made.
    pub(super) fn note_request(
        &self,
        creation: &Creation,
        request: &AgentRequest,
    ) -> Result<(), Stopped> {
        let Some(path) = self.invocations else { return Ok(()) };
        note_request(path, &creation.run, request).map_err(|fault| {
            Stopped::new("INVOCATIONS_UNWRITABLE", fault.message)
                .hint("name another file with --invocations, then continue with --resume")
        })
    }
}

/// Adds a line for a request. `run` is that of the creation.
///
/// # Errors
/// `INVOCATIONS_UNWRITABLE`.
pub fn note_request(path: &Path, run: &str, request: &AgentRequest) -> Result<(), Fault> {
    let number = |number: &Option<Integer>| {
        number.as_ref().and_then(Integer::as_i64).and_then(|number| u32::try_from(number).ok())
    };
    let invocation = Invocation {
        agent: request.agent_name.as_str(),
        prompt: &request.prompt,
        timeout_seconds: f64::from(number(&request.timeout_seconds).unwrap_or(TIMEOUT)),
        run: &RunId::from(run),
        activity: request.request_id.as_str(),
        attempt: number(&request.retry_count).unwrap_or(0).saturating_add(1),
    };
    invocation.append(path)
}

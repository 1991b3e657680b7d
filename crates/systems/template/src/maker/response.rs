//! Reads the response file.
//!
//! A response counts only if it keeps its contract and answers the pending request; any other is
//! refused, and left where it is.

use consign_contracts::{
    bridge::AgentResponse,
    wire::{Message, Refused},
};
use consign_engine::At;
use sha2::{Digest, Sha256};

use super::{Maker, MakerEvent, Stopped};
use crate::{
    creation::{Creation, Pending},
    folder::BridgeFile,
};

/// How many breaches are listed.
const MOST_BREACHES: usize = 10;

/// A response, and the SHA-256 of its file.
pub(super) type Arrived = (AgentResponse, String);

impl Maker<'_> {
    /// The response to the pending request, if there is one.
    pub(super) fn response(&mut self, creation: &Creation) -> Result<Option<Arrived>, Stopped> {
        let Some(pending) = &creation.pending else { return Ok(None) };
        let Some(bytes) = self.folder.read(BridgeFile::Response)? else { return Ok(None) };
        let response = AgentResponse::from_json(&bytes).map_err(|refused| refusal(&refused))?;
        fits(creation, pending, &response)?;
        if is_older(&response, pending) {
            let text = format!(
                "the response says that it is older ({}) than its request ({}); it has the right \
                 request_id, so it counts",
                response.created_at, pending.request.created_at
            );
            (self.tell)(MakerEvent::Warns(text));
        }
        Ok(Some((response, digest(&bytes))))
    }
}

/// Whether a response answers what is pending.
fn fits(creation: &Creation, pending: &Pending, response: &AgentResponse) -> Result<(), Stopped> {
    if !crate::creation::is_read(&response.version) {
        let text = format!(
            "{} has version {}; this program reads versions 1.x",
            BridgeFile::Response.name(),
            response.version
        );
        return Err(Stopped::new("VERSION_UNSUPPORTED", text)
            .hint("write the response again as version 1.0, then continue with --resume"));
    }
    let (wanted, found) = (&pending.request.request_id, &response.request_id);
    if wanted.as_str().eq_ignore_ascii_case(found.as_str()) {
        return Ok(());
    }
    let earlier = creation.requests.iter().find(|asked| asked.request_id == found.as_str());
    let which = match earlier {
        Some(asked) => {
            format!("an earlier request of phase {}, which is over ({})", asked.phase, asked.status)
        }
        None => "a request that was never made here".to_owned(),
    };
    let text = format!("{} answers {found}, {which}", BridgeFile::Response.name());
    Err(Stopped::new("RESPONSE_MISMATCH", text).hint(format!(
        "the pending request is {wanted}: remove the response, answer that one, then continue with --resume"
    )))
}

fn refusal(refused: &Refused) -> Stopped {
    let name = BridgeFile::Response.name();
    match refused {
        Refused::Malformed(why) => {
            Stopped::new("RESPONSE_MALFORMED", format!("{name} is not valid JSON: {why}"))
                .hint("if it is still being written, wait; otherwise write it again, or let `consign bridge answer` write it")
        }
        Refused::Breached(breaches) => {
            Stopped::new("CONTRACT_BREACH", format!("{name} breaks bridge/agent-response"))
                .listing(breaches.iter().take(MOST_BREACHES).map(ToString::to_string))
                .hint("`consign contracts show bridge/agent-response` has the form; `consign bridge answer` writes it")
        }
    }
}

fn is_older(response: &AgentResponse, pending: &Pending) -> bool {
    let (answered, asked) = (&response.created_at, &pending.request.created_at);
    match (At::from_rfc3339(answered.as_str()), At::from_rfc3339(asked.as_str())) {
        (Some(answered), Some(asked)) => answered < asked,
        (None, _) | (_, None) => false,
    }
}

pub(super) fn digest(bytes: &[u8]) -> String {
    hex::encode(Sha256::digest(bytes))
}

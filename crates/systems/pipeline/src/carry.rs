//! Drives a journey in memory, to its end or to the next wait: for pipes and requests. Nothing is stored
//! here; the envelope holds the whole state afterwards.

use std::time::Duration;

use consign_contracts::{envelope::Envelope, wire::Wire};
use consign_engine::{Fault, FaultClass, InMemoryDriver, InMemoryResult, Key, RunId};
use futures_util::{StreamExt, stream::FuturesUnordered};
use sha2::{Digest, Sha256};

use super::Journey;

/// Drives a journey until it ends or waits. Where the carrier is told to stop, no further stage begins, and
/// the one under way is left to be called again, unless it is unknown what its agent has done.
pub async fn carry(
    journey: &mut Journey,
    carrier: &InMemoryDriver,
    mut tell: impl FnMut(Progress<'_>),
) {
    let mut under_way = FuturesUnordered::new();
    let mut begun: Vec<Key> = Vec::new();
    loop {
        if journey.has_ended() || journey.question().is_some() {
            return;
        }
        for call in journey.calls() {
            if begun.contains(&call.key) || carrier.is_stopped() {
                continue;
            }
            begun.push(call.key.clone());
            tell(Progress::Began(&call.agent));
            under_way.push(async move {
                let carried = carrier.call(&call).await;
                (call, carried)
            });
        }
        let Some((call, InMemoryResult { result, work })) = under_way.next().await else {
            return journey.leave((carrier.now)());
        };
        begun.retain(|key| *key != call.key);
        if carrier.is_stopped() && result.as_ref().is_err_and(is_called_off) {
            continue;
        }
        let took = work.ended.since(work.began);
        tell(Progress::Ended { agent: &call.agent, ok: result.is_ok(), took });
        journey.ended(&call.key, result.as_ref(), work);
    }
}

/// Whether nothing came of a call but that it was told to stop.
fn is_called_off(fault: &Fault) -> bool {
    fault.code == "CANCELLED" && fault.class == FaultClass::Permanent
}

/// A name for one way of an envelope, in the state in which it came in. The order of members makes no difference.
#[must_use]
pub fn carried_name(envelope: &Envelope) -> RunId {
    let text = envelope.write().sorted().to_string();
    let digest = hex::encode(&Sha256::digest(text)[..8]);
    RunId::new(format!("{}-{digest}", envelope.envelope_id))
}

/// What happens on the way, for a caller that shows progress.
pub enum Progress<'a> {
    Began(&'a str),
    Ended { agent: &'a str, ok: bool, took: Duration },
}

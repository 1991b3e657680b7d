//! A number of equal calls, one after the other.
//!
//! What the calls answer is not kept, so that the state stays as small at the last call as it was
//! at the first.

use std::sync::Arc;

use consign_engine::{Activity, Call, Data, Fault, Happened, Key, Next, Outcome, Retry};
use serde::{Deserialize, Serialize};

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Series {
    Going { calls: u32, done: u32, input: Data },
    Failed(Fault),
}

impl Series {
    pub(super) fn new(calls: u32, input: Data) -> Self {
        Self::Going { calls, done: 0, input }
    }

    /// The next call; after the last one what `output` makes of their number.
    pub(super) fn decide(
        &self,
        agent: &Arc<str>,
        retry: &Retry,
        output: impl FnOnce(u32) -> Data,
    ) -> Next {
        match self {
            Self::Going { calls, done, input } if done < calls => {
                let key = Key::new(format!("step-{}", done + 1));
                let (agent, input) = (agent.clone(), input.clone());
                Next::Open(vec![Activity::Call(Call {
                    key,
                    agent: agent.into(),
                    input,
                    retry: retry.clone(),
                })])
            }
            Self::Going { calls, .. } => Next::Finish(Outcome::Succeeded(output(*calls))),
            Self::Failed(fault) => Next::Finish(Outcome::Failed(fault.clone())),
        }
    }

    pub(super) fn evolve(&mut self, happened: &Happened<'_>) {
        match (&mut *self, happened) {
            (Self::Going { done, .. }, Happened::Completed { .. }) => *done += 1,
            (Self::Going { .. }, Happened::Failed { fault, .. }) => {
                *self = Self::Failed((*fault).clone());
            }
            (
                Self::Going { .. },
                Happened::Answered { .. } | Happened::Fired { .. } | Happened::Signalled(_),
            )
            | (Self::Failed(_), _) => {}
        }
    }
}

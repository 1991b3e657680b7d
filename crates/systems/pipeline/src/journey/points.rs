//! The recovery points of a journey: one after every stage, named after it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The points that were reached. It grows with the stages of a pipeline, not with the turns that they had.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Points {
    /// How often each stage was done.
    done: BTreeMap<String, u32>,
    last: Option<String>,
}

impl Points {
    /// A stage is done: `plan`, and `plan.2` when it is done a second time.
    pub(super) fn reach(&mut self, stage: &str) {
        let times = self.done.entry(stage.to_owned()).or_default();
        *times += 1;
        self.last = Some(match *times {
            1 => stage.to_owned(),
            times => format!("{stage}.{times}"),
        });
    }

    pub(crate) fn last(&self) -> Option<&str> {
        self.last.as_deref()
    }

    /// The stages that were done.
    pub(super) fn stages(&self) -> impl Iterator<Item = &str> {
        self.done.keys().map(String::as_str)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.last.is_none()
    }
}

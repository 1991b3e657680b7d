//! Where a run stands, and how it may go on from there.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::Fault;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// It can go on and has no holder.
    Queued,
    /// A live worker holds it.
    Running,
    /// It stands still until an answer, a raise or an instant.
    Waiting,
    Succeeded,
    Failed,
    Cancelled,
}

/// What can happen to a run's status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StatusChange {
    /// A worker takes it.
    Claim,
    /// Its holder has nothing to do until something comes.
    Park,
    /// Its holder lets it go before it is done, or died.
    Release,
    /// An answer, a raise, advice or a wish to cancel comes.
    Deliver,
    /// The instant comes that it waits for.
    Wake,
    Succeed,
    Fail,
    Cancel,
}

impl StatusChange {
    pub const ALL: [Self; 8] = [
        Self::Claim,
        Self::Park,
        Self::Release,
        Self::Deliver,
        Self::Wake,
        Self::Succeed,
        Self::Fail,
        Self::Cancel,
    ];
}

impl Status {
    pub const ALL: [Self; 6] = [
        Self::Queued,
        Self::Running,
        Self::Waiting,
        Self::Succeeded,
        Self::Failed,
        Self::Cancelled,
    ];

    /// The status after a turn; refused where the turn makes no sense.
    pub fn after(self, turn: StatusChange) -> Result<Self, Fault> {
        match self {
            Self::Queued => match turn {
                StatusChange::Claim => Ok(Self::Running),
                StatusChange::Deliver | StatusChange::Wake => Ok(Self::Queued),
                StatusChange::Park
                | StatusChange::Release
                | StatusChange::Succeed
                | StatusChange::Fail
                | StatusChange::Cancel => Err(self.refuses(turn)),
            },
            Self::Running => match turn {
                StatusChange::Park => Ok(Self::Waiting),
                StatusChange::Release => Ok(Self::Queued),
                StatusChange::Deliver => Ok(Self::Running),
                StatusChange::Succeed => Ok(Self::Succeeded),
                StatusChange::Fail => Ok(Self::Failed),
                StatusChange::Cancel => Ok(Self::Cancelled),
                StatusChange::Claim | StatusChange::Wake => Err(self.refuses(turn)),
            },
            Self::Waiting => match turn {
                StatusChange::Deliver | StatusChange::Wake => Ok(Self::Queued),
                StatusChange::Claim => Ok(Self::Running),
                StatusChange::Park
                | StatusChange::Release
                | StatusChange::Succeed
                | StatusChange::Fail
                | StatusChange::Cancel => Err(self.refuses(turn)),
            },
            Self::Succeeded | Self::Failed | Self::Cancelled => Err(self.refuses(turn)),
        }
    }

    fn refuses(self, turn: StatusChange) -> Fault {
        let turn = format!("{turn:?}").to_lowercase();
        Fault::permanent("INVALID_STATE", format!("a {self} run cannot {turn}"))
    }

    #[must_use]
    pub fn is_closed(self) -> bool {
        match self {
            Self::Queued | Self::Running | Self::Waiting => false,
            Self::Succeeded | Self::Failed | Self::Cancelled => true,
        }
    }

    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Running => "running",
            Self::Waiting => "waiting",
            Self::Succeeded => "succeeded",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }

    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.as_str() == word)
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Review reads the table in docs/run-states.md; this keeps it true.
    #[test]
    fn the_published_table_is_the_one_that_runs() {
        let mut table = String::from("| status |");
        for turn in StatusChange::ALL {
            table += &format!(" {} |", format!("{turn:?}").to_lowercase());
        }
        table += &format!("\n|---|{}\n", "---|".repeat(StatusChange::ALL.len()));
        for status in Status::ALL {
            table += &format!("| {status} |");
            for turn in StatusChange::ALL {
                let to = status.after(turn).map_or("–".to_owned(), |to| to.to_string());
                table += &format!(" {to} |");
            }
            table += "\n";
        }
        let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/run-states.md");
        let page = std::fs::read_to_string(page).unwrap();
        assert!(page.contains(&table), "docs/run-states.md should have:\n{table}");
    }
}

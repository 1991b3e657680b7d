//! Whether there is room for an attempt: money, calls and time, of the run and of its owner.

use std::time::Duration;

use super::Planner;
use crate::{At, Fault, Nanos};

/// An owner's money may come back when other runs end: it is looked at again after this.
const RETRY_OWNER: Duration = Duration::from_secs(30);

impl Planner<'_> {
    /// Whether an attempt that costs at most `worst` may begin; `None` is unmetered.
    pub(super) fn room(&self, worst: Option<Nanos>) -> Result<(), Fault> {
        let (limits, usage) = (&self.run.frame.limits, &self.run.frame.usage);
        if let Some(cap) = limits.cost {
            let used = usage.spent + usage.reserved;
            let next = worst.unwrap_or(Nanos::ZERO);
            // What nobody can price may begin only while there is something left.
            if used + next > cap || worst.is_none() && used >= cap {
                let text = format!(
                    "the run may cost ${cap}; ${} is spent, ${} is held back, and the next call may cost ${next}",
                    usage.spent, usage.reserved
                );
                return Err(Fault::transient("LIMIT_COST", text));
            }
        }
        if let Some(most) = limits.calls
            && usage.calls >= most
        {
            let text = format!("the run may make {most} calls, and has made them");
            return Err(Fault::transient("LIMIT_CALLS", text));
        }
        if let Some(most) = limits.active
            && self.run.frame.active(self.ground.now) >= most
        {
            let text =
                format!("the run may work for {} minutes, and has", most.as_secs_f64() / 60.0);
            return Err(Fault::transient("LIMIT_TIME", text));
        }
        if let Some(headroom) = self.ground.headroom
            && let Some(next) = worst
            && self.ledger.reserve + next > headroom
            && !next.is_zero()
        {
            let owner = &self.run.frame.owner;
            let text = format!(
                "the owner ({owner}) has ${headroom} left over all runs, and the next call may cost ${next}"
            );
            return Err(Fault::transient("LIMIT_OWNER", text));
        }
        Ok(())
    }

    /// How long an attempt may take, and whether it is the run's limit that says so.
    pub(super) fn time_for(&self, timeout: Duration) -> (Duration, bool) {
        let Some(most) = self.run.frame.limits.active else { return (timeout, false) };
        let left = most.saturating_sub(self.run.frame.active(self.ground.now));
        if left < timeout { (left, true) } else { (timeout, false) }
    }

    pub(super) fn retry_owner(&self) -> Option<At> {
        let blocked = self.blocked.as_ref()?;
        (blocked.code == "LIMIT_OWNER" && self.standing.is_none())
            .then(|| self.ground.now + RETRY_OWNER)
    }
}

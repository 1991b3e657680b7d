//! Whether there is room for an attempt: money, calls and time, of the run and of its owner.

use std::time::Duration;

use super::{Action, Planner};
use crate::{At, Fault, Nanos, journal::TimeSkipped};

/// An owner's money may come back when other runs end: it is looked at again after this.
const RETRY_OWNER: Duration = Duration::from_secs(30);
/// Clocks are set right by less than this all the time.
const LEAST_SKIPPED: Duration = Duration::from_secs(1);

/// Whether there is room for an attempt that needs so much, beside what is used. What has no known cost
/// may begin only while there is something left.
pub(crate) fn fits(needs: Option<Nanos>, used: Nanos, cap: Nanos) -> bool {
    match needs {
        Some(needs) => used + needs <= cap,
        None => used < cap,
    }
}

/// The message for an attempt that does not fit the budget. Suggestions for a higher limit read the
/// amount from it.
pub(crate) fn next_costs(needs: Option<Nanos>, agent: &str) -> String {
    match needs {
        Some(needs) => format!("the next call may cost ${needs}"),
        None => {
            format!("the cost of the next call ({agent}) is not known: its model has no price")
        }
    }
}

impl Planner<'_> {
    /// Whether an attempt may begin that needs so much money (see [`crate::Quote::needs`]).
    pub(super) fn room(
        &self,
        needs: Option<Nanos>,
        costs: Option<Nanos>,
        agent: &str,
    ) -> Result<(), Fault> {
        let (limits, usage) = (&self.run.frame.limits, &self.run.frame.usage);
        if let Some(cap) = limits.cost
            && !fits(needs, usage.spent + usage.reserved, cap)
        {
            let text = format!(
                "the run may cost ${cap}; ${} is spent, ${} is held back, and {}",
                usage.spent,
                usage.reserved,
                next_costs(costs, agent)
            );
            return Err(Fault::transient("LIMIT_COST", text));
        }
        if let Some(most) = limits.calls
            && usage.calls >= most
        {
            let text = match most {
                1 => "the run may make 1 call, and has made it".to_owned(),
                most => format!("the run may make {most} calls, and has made them"),
            };
            return Err(Fault::transient("LIMIT_CALLS", text));
        }
        if let Some(most) = limits.active
            && self.worked() >= most
        {
            let text =
                format!("the run may work for {} minutes, and has", most.as_secs_f64() / 60.0);
            return Err(Fault::transient("LIMIT_TIME", text));
        }
        if let Some(headroom) = self.ground.headroom {
            // Beside a call without a known price, something must be left (see [`Ledger::unmetered`]).
            let unpriced = Nanos::new(u64::from(self.ledger.unmetered));
            let left = headroom.minus(self.ledger.reserve + unpriced);
            if fits(needs, Nanos::ZERO, left) {
                return Ok(());
            }
            let (owner, next) = (&self.run.frame.owner, next_costs(costs, agent));
            let text =
                format!("the owner ({owner}) has ${headroom} left over all runs, and {next}");
            return Err(Fault::transient("LIMIT_OWNER", text));
        }
        Ok(())
    }

    fn worked(&self) -> Duration {
        self.run.frame.active(self.ground.now, self.ground.actor)
    }

    /// Leaves out time that passed on the clock alone: it does not count as work.
    pub(super) fn skip_time(&mut self) -> Result<(), Fault> {
        if self.ground.skipped < LEAST_SKIPPED || !self.run.frame.counts(self.ground.actor) {
            return Ok(());
        }
        let by = u64::try_from(self.ground.skipped.as_micros()).unwrap_or(u64::MAX);
        self.note(TimeSkipped { by }).map(|_| ())
    }

    /// Stops what is under way when the run has worked for as long as it may.
    pub(super) fn take_time(&mut self) {
        let most = self.run.frame.limits.active;
        if most.is_some_and(|most| self.worked() >= most) {
            let still = self.ground.live.iter().filter(|(_, live)| !live.stopping);
            self.actions.extend(still.map(|(key, _)| Action::TimeUp(key.clone())));
        }
    }

    /// When the time of the run will be over, if things go on as they are.
    pub(super) fn time_up(&self) -> Option<At> {
        let left = self.run.frame.limits.active?.checked_sub(self.worked())?;
        let under_way = self.starting > 0 || self.ground.live.values().any(|live| !live.stopping);
        (under_way && !left.is_zero()).then(|| self.ground.now + left)
    }

    pub(super) fn retry_owner(&self) -> Option<At> {
        let blocked = self.blocked.as_ref()?;
        (blocked.code == "LIMIT_OWNER" && self.standing.is_none())
            .then(|| self.ground.now + RETRY_OWNER)
    }
}

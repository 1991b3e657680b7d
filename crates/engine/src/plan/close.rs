//! Closing a run, and stopping it with a question when it cannot go on.

use super::{Action, Planner, intake::paid, schema};
use crate::{
    AskKind, Fault, Key, Nanos, Status,
    frame::{Open, Phase},
    journal::{Asked, Body, CallCancelled},
    store::Standing,
};

impl Planner<'_> {
    /// Ends the run, as soon as nothing is under way any more: nothing may follow the last event.
    pub(super) fn close(&mut self, status: Status, last: Body) -> Result<(), Fault> {
        let live = self.ground.live;
        if live.keys().any(|key| self.is_open_call(key)) {
            let still = live.iter().filter(|(_, live)| !live.stopping);
            self.actions.extend(still.map(|(key, _)| Action::Stop(key.clone())));
            self.standing = Some(Standing::Held);
            return Ok(());
        }
        let calls: Vec<_> = self
            .run
            .frame
            .open
            .iter()
            .filter_map(|(key, open)| match open {
                Open::Call(call) => Some((key.clone(), call.attempt, call.phase.clone())),
                Open::Ask { .. } | Open::Timer { .. } => None,
            })
            .collect();
        for (key, attempt, phase) in calls {
            let paid = match phase {
                Phase::InFlight { reserved }
                | Phase::Asked { reserved, .. }
                | Phase::Replied { reserved, .. }
                | Phase::Declined { reserved, .. } => paid(None, reserved),
                Phase::Due { .. } | Phase::Unknown => paid(Some(Nanos::ZERO), Nanos::ZERO),
            };
            self.note(CallCancelled { key, attempt, paid, output: None, fault: None })?;
        }
        self.note(last)?;
        self.standing = Some(Standing::Closed(status));
        Ok(())
    }

    /// The workflow itself is broken or missing: a person has to look. Nothing new begins; what is
    /// under way may end.
    pub(super) fn stick(&mut self, fault: &Fault) -> Result<(), Fault> {
        self.stuck = true;
        if self.run.frame.stuck_ask().is_some() {
            return Ok(());
        }
        self.ask(Asked {
            key: Key::stuck(self.run.frame.questions + 1),
            kind: AskKind::Intervention,
            prompt: format!("{fault}. Put it right (a newer program, most likely), then answer to go on."),
            schema: schema(r#"{"type":"object","properties":{"go_on":{"const":true}},"required":["go_on"],"additionalProperties":false}"#),
            deadline: None,
            default: None,
            about: Some(fault.clone()),
            agent: None,
        })
    }

    fn is_open_call(&self, key: &Key) -> bool {
        matches!(self.run.frame.open.get(key), Some(Open::Call(_)))
    }
}

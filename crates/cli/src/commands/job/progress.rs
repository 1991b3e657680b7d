//! Lines that show how a job gets on: phase, role, cost against its threshold, time.

use std::{io::Stderr, sync::Arc, time::Duration};

use async_trait::async_trait;
use consign_app::foreground::Observer;
use consign_engine::{Engine, RunId, store::Row};
use consign_supervised::{amount::cents, state::JobState};

use crate::{
    live::Live,
    output::{Audience, Output},
    text::span,
};

/// A job that sleeps longer is said to.
const LONG: Duration = Duration::from_secs(5);

pub(super) struct JobProgress {
    live: Live<Stderr>,
}

impl JobProgress {
    pub(super) fn new(output: &Output) -> Self {
        let live = match output.reader {
            Audience::Program => Live::nowhere(),
            Audience::Person | Audience::Pipe => Live::on_stderr(output.color),
        };
        Self { live }
    }
}

#[async_trait]
impl Observer for JobProgress {
    fn is_able(&self) -> bool {
        self.live.is_able()
    }

    /// Progress that cannot be read or drawn must not stop the job.
    async fn draw(&mut self, engine: &Arc<Engine>, run: &RunId) {
        let Ok(look) = engine.look(run).await else { return };
        let Ok(state) = look.state.to::<JobState>() else { return };
        let (job, turn) = (&state.job, state.next_turn());
        let status = look.label.as_deref().unwrap_or_default();
        let active = state.before.seconds + look.usage.active.unwrap_or_default().as_secs_f64();
        let most =
            state.thresholds.minutes.map_or_else(String::new, |most| format!(" of {most} min"));
        let spent = cents(state.before.spent + look.usage.spent);
        let cost =
            state.thresholds.cost.map_or_else(String::new, |most| format!(" of {}", cents(most)));
        let mut lines = vec![
            format!(
                "{} {status}  phase {} of {} ({})  {}, interaction {}",
                state.job_id,
                job.at + 1,
                job.phases.len(),
                job.phase().name,
                turn.role,
                turn.sequence,
            ),
            format!("  {spent}{cost} cents, {}{most}", span(Duration::from_secs_f64(active))),
        ];
        let saying = engine.listen(run).so_far;
        lines.extend(saying.iter().take(2).map(|piece| {
            let from = piece.text.len().saturating_sub(100);
            let from = piece.text.ceil_char_boundary(from);
            format!("  {}", crate::text::one_line(&piece.text[from..]))
        }));
        let _ = self.live.draw(&lines);
    }

    fn clear(&mut self) {
        let _ = self.live.clear();
    }

    fn sleeps(&mut self, row: &Row, left: Duration) {
        if left > LONG {
            let _ = self.live.draw(&[format!("{} tries again in {}", row.id, span(left))]);
        }
    }

    fn draining(&mut self) {
        let told = "stopping when the interaction is over; press Ctrl-C again to stop at once";
        let _ = self.live.draw(&[told.to_owned()]);
    }
}

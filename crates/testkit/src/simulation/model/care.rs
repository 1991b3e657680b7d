//! Who has a run in its care: a command that was given it by name keeps the workers away while it lives, and also
//! after it stopped in the middle, until something is delivered to the run.

use consign_engine::{
    Placement, Status, WorkerId,
    store::{NewRun, Row},
};

use super::{Model, Verdict};
use crate::{memory::MemoryState, simulation::book::hold};

#[derive(Clone, Debug, Default)]
pub(super) struct Care {
    /// The worker of the command that has it.
    keeper: Option<WorkerId>,
    interrupted: bool,
}

impl Model {
    /// A run was made.
    pub(in crate::simulation) fn made(&mut self, run: &NewRun) {
        self.care.insert(run.id.clone(), Care { keeper: run.keeper.clone(), interrupted: false });
    }

    /// A worker was given a run; by name, if it is a command.
    pub(in crate::simulation) fn claimed(
        &mut self,
        row: &Row,
        by_name: bool,
        state: &MemoryState,
    ) -> Verdict {
        let before = self.epochs.insert(row.id.clone(), row.epoch);
        hold!(before.is_none_or(|before| before < row.epoch), "{} has no new epoch", row.id);
        let care = self.care.entry(row.id.clone()).or_default();
        let Care { keeper, interrupted } = std::mem::take(care);
        if by_name {
            care.keeper.clone_from(&row.worker);
            if interrupted {
                *self.tally.entry("a command resumes what was interrupted").or_default() += 1;
            }
            return Ok(());
        }
        let id = &row.id;
        match row.placement {
            Placement::Anywhere | Placement::Host(_) => {}
            Placement::HereOnly => {
                return Err(format!("a worker takes {id}, which is for commands"));
            }
            Placement::Foreground => {
                let lives = keeper.as_ref().is_some_and(|keeper| state.is_alive(keeper));
                hold!(!lives, "a worker takes {id}, and its command {keeper:?} lives");
                hold!(!interrupted, "a worker takes {id}, which its command left in the middle");
                if keeper.is_some() {
                    *self.tally.entry("a worker takes over from a command").or_default() += 1;
                }
            }
        }
        Ok(())
    }

    /// Follows what happens to a run, and compares with what the store says of it.
    pub(super) fn attend(&mut self, before: Option<&Row>, row: &Row) -> Verdict {
        let Some(care) = self.care.get_mut(&row.id) else { return Ok(()) };
        let Some(before) = before else { return Ok(()) };
        if before.worker.is_some() && row.status == Status::Queued {
            let kept = matches!(row.placement, Placement::Foreground | Placement::HereOnly);
            care.interrupted = kept && care.keeper.is_some();
            if care.interrupted {
                *self.tally.entry("a command leaves its run in the middle").or_default() += 1;
            }
        } else if row.seq != before.seq || row.status != Status::Queued {
            care.interrupted = false;
        }
        hold!(row.interrupted == care.interrupted, "it is interrupted: {}", row.interrupted);
        Ok(())
    }
}

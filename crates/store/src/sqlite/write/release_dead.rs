//! The runs of dead workers can go on.

use consign_engine::WorkerId;

use crate::sqlite::{
    fail::Halt,
    workers::Workers,
    writer::{Write, WriteContext},
};

pub(crate) struct ReleaseDead {
    /// Who seemed to be dead.
    pub(crate) workers: Vec<WorkerId>,
}

impl Write for ReleaseDead {
    type Answer = u64;

    fn write(&self, context: &mut WriteContext<'_>) -> Result<u64, Halt> {
        let sql = "UPDATE runs SET status = 'queued', worker = NULL, epoch = epoch + 1, poked = 0, \
                   interrupted = (keeper IS NOT NULL AND placement IN ('foreground', 'here_only')) \
                   WHERE worker = ?1";
        // Looked at once more, with the write lock: others may have buried them, and somebody may
        // live under the name again. All before the first row is written.
        let all = Workers::of(context.home);
        let mut dead = Vec::new();
        for worker in &self.workers {
            if all.is_dead(worker)? {
                dead.push(worker);
            }
        }
        let mut freed = 0;
        for worker in dead {
            freed += context.db.prepare_cached(sql)?.execute([worker.as_str()])?;
        }
        if freed > 0 {
            context.stir();
        }
        Ok(freed as u64)
    }
}

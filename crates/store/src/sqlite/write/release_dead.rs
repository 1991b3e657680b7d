//! Puts the runs of dead workers back into the queue.

use consign_engine::WorkerId;

use crate::sqlite::{
    fail::Halt,
    workers::Workers,
    writer::{Write, WriteContext},
};

pub(crate) struct ReleaseDead {
    /// Workers that seemed to be dead. Each is checked again under the write lock.
    pub(crate) workers: Vec<WorkerId>,
}

impl Write for ReleaseDead {
    type Answer = u64;

    fn write(&self, context: &mut WriteContext<'_>) -> Result<u64, Halt> {
        let sql = "UPDATE runs SET status = 'queued', worker = NULL, epoch = epoch + 1, poked = 0, \
                   interrupted = (keeper IS NOT NULL AND placement IN ('foreground', 'here_only')) \
                   WHERE worker = ?1";
        // Checked once more, with the write lock: others may have released them, and a new worker may
        // have the name now. All before the first row is written.
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
            context.wake_workers();
        }
        Ok(freed as u64)
    }
}

//! The runs of dead workers can go on.

use consign_engine::WorkerId;

use crate::sqlite::{
    fail::Halt,
    workers::Workers,
    writer::{Desk, Write},
};

pub(crate) struct Bury {
    /// Who seemed to be dead.
    pub(crate) workers: Vec<WorkerId>,
}

impl Write for Bury {
    type Answer = u64;

    fn write(&self, desk: &mut Desk<'_>) -> Result<u64, Halt> {
        let sql = "UPDATE runs SET status = 'queued', worker = NULL, epoch = epoch + 1, poked = 0 \
                   WHERE worker = ?1";
        // Looked at once more, with the write lock: others may have buried them, and somebody may
        // live under the name again. All before the first row is written.
        let all = Workers::of(desk.home);
        let mut dead = Vec::new();
        for worker in &self.workers {
            if all.is_dead(worker)? {
                dead.push(worker);
            }
        }
        let mut freed = 0;
        for worker in dead {
            freed += desk.db.prepare_cached(sql)?.execute([worker.as_str()])?;
        }
        if freed > 0 {
            desk.stir();
        }
        Ok(freed as u64)
    }
}

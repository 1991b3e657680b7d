//! The runs of dead workers can go on.

use consign_engine::WorkerId;

use crate::sqlite::{
    fail::Halt,
    writer::{Desk, Write},
};

pub(crate) struct Bury {
    pub(crate) workers: Vec<WorkerId>,
}

impl Write for Bury {
    type Answer = u64;

    fn write(&self, desk: &mut Desk<'_>) -> Result<u64, Halt> {
        let sql = "UPDATE runs SET status = 'queued', worker = NULL, epoch = epoch + 1, poked = 0 \
                   WHERE worker = ?1";
        let mut freed = 0;
        for worker in &self.workers {
            freed += desk.db.prepare_cached(sql)?.execute([worker.as_str()])?;
        }
        if freed > 0 {
            desk.stir();
        }
        Ok(freed as u64)
    }
}

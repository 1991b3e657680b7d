//! Threads that may wait for the disk.
//!
//! A read of the database goes to a thread of its own, so that a thread of the runtime never waits for a disk. Going
//! there and back costs more than most reads. [`on_blocking_thread`] says that the calling thread may wait: reads that
//! it polls meanwhile are done on the spot. Nothing else changes for them.

use std::cell::Cell;

thread_local! {
    static MAY_WAIT: Cell<bool> = const { Cell::new(false) };
}

/// Does some work on a thread that may wait for the disk. It must not be one that drives a runtime.
pub fn on_blocking_thread<T>(work: impl FnOnce() -> T) -> T {
    let _restored = Restored(MAY_WAIT.replace(true));
    work()
}

pub(crate) fn may_wait() -> bool {
    MAY_WAIT.get()
}

/// Also after a panic: threads are used again.
struct Restored(bool);

impl Drop for Restored {
    fn drop(&mut self) {
        MAY_WAIT.set(self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_may_wait_only_meanwhile() {
        assert!(!may_wait());
        on_blocking_thread(|| {
            on_blocking_thread(|| assert!(may_wait()));
            assert!(may_wait());
            assert!(!std::thread::spawn(may_wait).join().unwrap());
        });
        assert!(!may_wait());
        let broken = std::panic::catch_unwind(|| on_blocking_thread(|| panic!("of the test")));
        assert!(broken.is_err() && !may_wait());
    }
}

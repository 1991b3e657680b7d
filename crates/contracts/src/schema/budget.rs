//! A bound on the errors that the validator gathers.
//!
//! It collects every error before it hands out the first, and keeps those of all branches of a
//! choice: a few megabytes of a hostile document would become gigabytes of errors. Each error asks
//! the value that it is about for a copy, and that is where we count. Once the budget is spent, the
//! tree shows no more children, so that the rest of the walk ends soon; what it finds then is worth
//! nothing, and the caller must not use it.

use std::cell::Cell;

thread_local! {
    static LEFT: Cell<usize> = const { Cell::new(usize::MAX) };
}

/// One error more.
pub(super) fn spend() {
    LEFT.set(LEFT.get().saturating_sub(1));
}

pub(super) fn is_spent() -> bool {
    LEFT.get() == 0
}

/// Runs `work` and says whether it stayed within the budget.
pub(super) fn within<T>(errors: usize, work: impl FnOnce() -> T) -> (T, bool) {
    struct Restore;
    impl Drop for Restore {
        fn drop(&mut self) {
            LEFT.set(usize::MAX);
        }
    }
    let _restore = Restore;
    LEFT.set(errors);
    let done = work();
    (done, !is_spent())
}

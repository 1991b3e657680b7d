use std::{
    fs,
    path::Path,
    process::{Child, Stdio},
    thread,
    time::Duration,
};

use rustix::process::{Pid, Signal, kill_process};

use super::{Place, child::command};
use crate::{Access, Holder, Lock, Locks};

/// Ends with the test, however that ends.
struct Holding(Child);

impl Drop for Holding {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn until(what: impl Fn() -> bool) {
    while !what() {
        thread::sleep(Duration::from_millis(2));
    }
}

fn holder(lock: &Path) -> Holder {
    Locks::look().holder(lock)
}

#[test]
fn the_kernel_tells_who_has_a_lock_and_frees_it_when_that_process_is_killed() {
    let place = Place::new();
    let lock = place.inside().join("lock");
    assert_eq!(holder(&lock), Holder::Nobody);
    let mut command = command(&[], "hold", &place.inside());
    let mut holding = Holding(command.stdin(Stdio::piped()).spawn().unwrap());
    until(|| fs::exists(place.inside().join("held")).unwrap());
    let pid = holding.0.id();
    assert_eq!(holder(&lock), Holder::Alive(pid));
    assert!(Lock::try_file(&lock, Access::Private).unwrap().is_none());
    assert!(!Locks::look().keep_us_waiting(&lock));

    kill_process(Pid::from_child(&holding.0), Signal::STOP).unwrap();
    until(|| holder(&lock) == Holder::Stopped(pid));
    assert!(Lock::try_file(&lock, Access::Private).unwrap().is_none(), "it lives");

    holding.0.kill().unwrap();
    holding.0.wait().unwrap();
    assert_eq!(holder(&lock), Holder::Nobody);
    assert!(Lock::try_file(&lock, Access::Private).unwrap().is_some());
}

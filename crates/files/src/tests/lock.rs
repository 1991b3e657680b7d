use std::{fs, os::unix::fs::PermissionsExt, sync::mpsc, thread};

use super::Place;
use crate::{Access, Error, Lock, Sharing, lock, try_lock, unlock};

#[test]
fn one_at_a_time_has_the_lock_of_a_file() {
    let place = Place::new();
    let path = place.inside().join("lock");
    let take = || Lock::try_file(&path, Access::Private).unwrap();
    let held = take().unwrap();
    assert!(take().is_none());
    drop(held);
    drop(take().unwrap());
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
}

#[test]
fn one_at_a_time_has_the_lock_of_a_folder_and_nothing_is_left_in_it() {
    let place = Place::new();
    let (root, other) = (place.root(), place.root());
    let held = root.try_lock().unwrap().unwrap();
    assert!(other.try_lock().unwrap().is_none() && root.try_lock().unwrap().is_none());
    drop(held);
    let held = other.try_lock().unwrap().unwrap();
    // The root goes, the lock stays.
    drop(other);
    assert!(root.try_lock().unwrap().is_none());
    drop(held);
    assert!(root.try_lock().unwrap().is_some());
    assert_eq!(fs::read_dir(place.inside()).unwrap().count(), 0);
}

#[test]
fn those_who_share_a_lock_keep_only_the_others_out() {
    let place = Place::new();
    place.file("lock", "");
    let open = || place.root().open_file("lock").unwrap();
    let one = Lock::try_on(open(), Sharing::Shared).unwrap().unwrap();
    let two = Lock::try_on(open(), Sharing::Shared).unwrap().unwrap();
    assert!(!try_lock(open(), Sharing::Exclusive).unwrap());
    assert_eq!(one.id().unwrap(), two.id().unwrap());
    unlock(one.file()).unwrap();
    drop(two);
    assert!(try_lock(open(), Sharing::Exclusive).unwrap());
}

#[test]
fn who_waits_gets_the_lock_when_it_is_free() {
    let place = Place::new();
    place.file("lock", "");
    let open = || place.root().open_file("lock").unwrap();
    let held = Lock::wait_on(open(), Sharing::Exclusive).unwrap();
    let (send, receive) = mpsc::channel();
    thread::scope(|scope| {
        scope.spawn(|| {
            lock(open(), Sharing::Exclusive).unwrap();
            send.send("second").unwrap();
        });
        assert!(receive.try_recv().is_err(), "it waits");
        drop(held);
        assert_eq!(receive.recv().unwrap(), "second");
    });
}

#[test]
fn a_lock_file_that_is_a_link_or_a_pipe_is_refused() {
    let place = Place::new();
    place.link("link", "../outside/f");
    place.link("dangling", "../outside/none");
    place.pipe("pipe");
    let take = |name: &str| Lock::try_file(&place.inside().join(name), Access::Private);
    assert!(matches!(take("link"), Err(Error::Link { .. })));
    assert!(matches!(take("dangling"), Err(Error::Link { .. })));
    assert!(matches!(take("pipe"), Err(Error::NotAFile { .. })));
    assert!(matches!(take("none/lock"), Err(Error::Missing { .. })));
    place.assert_outside_is_untouched();
}

#[test]
fn a_lock_is_on_the_file_that_has_the_name_while_others_remove_it() {
    let place = Place::new();
    let path = place.inside().join("lock");
    thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                let mut held = 0;
                while held < 3000 {
                    let Some(lock) = Lock::try_file(&path, Access::Private).unwrap() else {
                        continue;
                    };
                    held += 1;
                    // Whoever has it is alone: a file that is removed here is the one that is locked.
                    assert!(crate::trusted::is_at(&path, lock.file()).unwrap());
                    fs::remove_file(&path).unwrap();
                }
            });
        }
    });
}

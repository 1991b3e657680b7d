use std::{fs, os::unix::fs::PermissionsExt, time::SystemTime};

use super::{super::super::Error, Place, listing};

#[test]
fn everything_is_kept_and_comes_back_in_another_folder() {
    let place = Place::new();
    place.furnish();
    let before = place.listing();
    let taken = place.take();
    assert_eq!((taken.entries, taken.left_out.len()), (before.len(), 0));
    assert_eq!(place.listing(), before, "taking changes nothing");
    let other = place.job().join("other");
    place.snapshots().lay(&taken.id, &other).unwrap();
    assert_eq!(listing(&other), before);
    place.assert_outside_is_untouched();
}

#[test]
fn only_the_owner_can_look_into_the_store() {
    let place = Place::new();
    let store = place.job().join(".snapshots");
    fs::create_dir(&store).unwrap();
    fs::set_permissions(&store, fs::Permissions::from_mode(0o777)).unwrap();
    place.snapshots();
    assert_eq!(fs::metadata(&store).unwrap().permissions().mode() & 0o7777, 0o700);
}

#[test]
fn the_same_content_has_the_same_id_and_nothing_new_is_written() {
    let place = Place::new();
    place.furnish();
    place.file("twice", "deep\n");
    let first = place.take();
    assert_eq!(first.stored, 10, "each content once: {first:?}");
    let store = || {
        let objects = listing(&place.job().join(".snapshots/objects"));
        (objects, listing(&place.job().join(".snapshots/trees")))
    };
    let kept = store();
    let second = place.take();
    assert_eq!((second.id, second.stored), (first.id, 0));
    assert_eq!(store(), kept);
    assert!(listing(&place.job().join(".snapshots/unfinished")).is_empty());
    assert!(place.snapshots().has(&first.id).unwrap());
}

#[test]
fn an_unchanged_workspace_is_not_read_again_and_a_changed_file_alone_is() {
    let place = Place::new();
    place.furnish();
    let first = place.take();
    assert_eq!(first.read, 11);
    assert_eq!(place.take_until_known().id, first.id);
    // The same size, and the same time of the last write.
    let path = place.at("src/main.rs");
    let then = fs::metadata(&path).unwrap().modified().unwrap();
    fs::write(&path, "fn Main() {}\n").unwrap();
    fs::File::options().write(true).open(&path).unwrap().set_modified(then).unwrap();
    let changed = place.take();
    assert_eq!(changed.read, 1);
    assert_ne!(changed.id, first.id);
    // Only rights: the content is read because anything may have happened, and the id tells the rights.
    place.take_until_known();
    place.mode("run", 0o700);
    assert_eq!(place.take().read, 1);
}

#[test]
fn a_change_right_after_a_snapshot_is_never_missed() {
    let place = Place::new();
    place.file("file", "0000");
    let path = place.at("file");
    let mut last = place.take().id;
    for round in 1..100 {
        fs::write(&path, format!("{round:04}")).unwrap();
        fs::File::options()
            .write(true)
            .open(&path)
            .unwrap()
            .set_modified(SystemTime::UNIX_EPOCH)
            .unwrap();
        let taken = place.take().id;
        assert_ne!(taken, last, "round {round}");
        last = taken;
    }
}

#[test]
fn a_broken_cache_is_ignored_and_a_lost_object_is_stored_again() {
    let place = Place::new();
    place.furnish();
    let first = place.take_until_known();
    for broken in ["", "[[", "[[\"a\", 1]]"] {
        fs::write(place.job().join(".snapshots/cache"), broken).unwrap();
        let again = place.take();
        assert_eq!((again.id, again.read), (first.id, 11));
    }
    place.take_until_known();
    fs::remove_dir_all(place.job().join(".snapshots/objects")).unwrap();
    let again = place.take();
    assert_eq!((again.id, again.stored), (first.id, 10));
    fs::remove_dir_all(place.workspace()).unwrap();
    place.lay(&again);
    assert_eq!(place.take().id, first.id);
}

#[test]
fn many_new_contents_are_settled_together() {
    let place = Place::new();
    for number in 0..100 {
        place.file(&format!("f{number}"), format!("{number}"));
    }
    let taken = place.take();
    assert_eq!((taken.stored, taken.bytes), (100, 190));
    let before = place.listing();
    fs::remove_dir_all(place.workspace()).unwrap();
    place.lay(&taken);
    assert_eq!(place.listing(), before);
}

#[test]
fn what_does_not_fit_is_refused_by_name() {
    let place = Place::new();
    for name in ["a", "b", "c"] {
        place.file(name, "1234");
    }
    let take = |entries, bytes| place.snapshots().limited(entries, bytes).take(&place.workspace());
    assert!(take(3, 12).is_ok());
    let many = take(2, 12).unwrap_err();
    assert!(matches!(many, Error::TooMany { most: 2 }), "{many}");
    let large = take(3, 11).unwrap_err();
    assert!(matches!(&large, Error::TooLarge { path, most: 11 } if path == "c"), "{large}");
    place.take_until_known();
    assert!(matches!(take(3, 11), Err(Error::TooLarge { .. })), "also from the cache");
    place.folder("d/e");
    assert!(matches!(take(4, 12), Err(Error::TooMany { .. })), "over more than one folder");
    // A file with a hole is as large as it says.
    fs::File::create(place.at("hole")).unwrap().set_len(5 << 30).unwrap();
    let huge = place.snapshots().take(&place.workspace()).unwrap_err();
    assert!(huge.to_string().contains("hole no longer fits"), "{huge}");
}

#[test]
fn one_at_a_time_takes_and_lays() {
    let place = Place::new();
    let taken = place.take();
    let (one, other) = (place.snapshots(), place.snapshots());
    let lock = one.lock().unwrap();
    assert!(matches!(other.take(&place.workspace()), Err(Error::Busy { .. })));
    assert!(matches!(other.lay(&taken.id, &place.workspace()), Err(Error::Busy { .. })));
    assert!(other.diff(&taken.id, &taken.id, 10).is_ok());
    drop(lock);
    assert!(other.take(&place.workspace()).is_ok());
}

#[test]
fn what_an_earlier_process_did_not_finish_is_removed() {
    let place = Place::new();
    place.file("a", "text");
    place.snapshots();
    let unfinished = place.job().join(".snapshots/unfinished");
    fs::write(unfinished.join("new"), "half").unwrap();
    fs::write(unfinished.join("0123"), "half").unwrap();
    place.take();
    assert!(listing(&unfinished).is_empty());
}

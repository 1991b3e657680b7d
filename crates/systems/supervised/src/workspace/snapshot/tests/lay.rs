use std::{fs, os::unix::fs::MetadataExt};

use super::{super::super::Error, Place};

#[test]
fn what_is_not_in_the_snapshot_goes_and_what_differs_is_rewritten() {
    let place = Place::new();
    place.furnish();
    let (taken, before) = (place.take(), place.listing());
    place.file("src/main.rs", "fn main() {;}");
    place.file("new/deep/file", "");
    place.folder("empty-folder/empty/new");
    place.pipe("pipe");
    place.mode("run", 0o4711);
    place.mode("src", 0o1777);
    fs::remove_file(place.at("link")).unwrap();
    place.link("link", "src");
    fs::remove_file(place.at("empty")).unwrap();
    place.folder("empty/was/a/file");
    fs::remove_dir_all(place.at(".git")).unwrap();
    place.file(".git", "was a folder");
    fs::remove_file(place.at("loop")).unwrap();
    place.file("loop", "was a link");
    fs::remove_dir_all(place.at("vendor")).unwrap();
    place.link("vendor", "src");
    place.lay(&taken);
    assert_eq!(place.listing(), before);
    assert_eq!(place.take().id, taken.id);
    place.lay(&taken);
    assert_eq!(place.listing(), before, "laying again changes nothing");
    place.assert_outside_is_untouched();
}

#[test]
fn what_is_equal_is_left_alone() {
    let place = Place::new();
    place.furnish();
    let stamps = || {
        let stamp = |path: &std::path::PathBuf| {
            let about = fs::symlink_metadata(place.at(path)).unwrap();
            (about.ino(), about.ctime(), about.ctime_nsec())
        };
        place.listing().keys().map(stamp).collect::<Vec<_>>()
    };
    let (taken, before) = (place.take(), stamps());
    place.lay(&taken);
    assert_eq!(stamps(), before, "by what the files hold");
    place.take_until_known();
    place.lay(&taken);
    assert_eq!(stamps(), before, "by what is known of them");
}

#[test]
fn what_a_crash_left_is_tidied_by_laying_again() {
    let place = Place::new();
    place.furnish();
    let (taken, before) = (place.take(), place.listing());
    place.file(".consign-removed.0/1/half", "removed");
    place.file("src/.consign-laid.0", "half");
    fs::remove_dir_all(place.at("src/deep")).unwrap();
    place.lay(&taken);
    assert_eq!(place.listing(), before);
    // If a snapshot has such names, they are names as any other.
    place.file(".consign-removed.0/kept", "");
    place.file("src/.consign-laid.0", "kept");
    let (odd, with_odd) = (place.take(), place.listing());
    place.file("src/main.rs", "changed");
    place.file("full/of/folders", "");
    place.lay(&odd);
    assert_eq!(place.listing(), with_odd);
    place.lay(&taken);
    assert_eq!(place.listing(), before);
    place.lay(&odd);
    assert_eq!(place.listing(), with_odd);
}

#[test]
fn a_workspace_that_is_gone_or_empty_is_laid() {
    let place = Place::new();
    let empty = place.take();
    place.furnish();
    let (taken, before) = (place.take(), place.listing());
    place.lay(&empty);
    assert!(place.listing().is_empty());
    fs::remove_dir_all(place.workspace()).unwrap();
    place.lay(&taken);
    assert_eq!(place.listing(), before);
}

#[test]
fn an_unknown_snapshot_changes_nothing() {
    let place = Place::new();
    place.furnish();
    let before = place.listing();
    let none = "0".repeat(64).parse().unwrap();
    let unknown = place.snapshots().lay(&none, &place.workspace()).unwrap_err();
    assert!(matches!(unknown, Error::NoSnapshot { .. }), "{unknown}");
    assert!(!place.snapshots().has(&none).unwrap());
    assert_eq!(place.listing(), before);
}

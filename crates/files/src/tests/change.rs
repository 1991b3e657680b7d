use std::{fs, os::unix::fs::PermissionsExt};

use super::{Place, names};
use crate::{Access, Error, Kind, Links};

#[test]
fn folders_are_made_with_those_above_them() {
    let place = Place::new();
    place.file("file", "");
    place.link("in", "a");
    for root in place.roots() {
        root.create_dir_all("a/b/c", 0o700).unwrap();
        root.create_dir_all("a//b/./c/", 0o700).unwrap();
        root.create_dir_all("", 0o700).unwrap();
        let mode = fs::metadata(place.inside().join("a/b")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o700);
        assert!(matches!(root.create_dir("a", 0o700), Err(Error::AlreadyExists { .. })));
        assert!(matches!(root.create_dir("in", 0o700), Err(Error::AlreadyExists { .. })));
        let below = root.create_dir_all("file/x", 0o700);
        assert!(matches!(below, Err(Error::NotAFolder { .. })), "{below:?}");
        assert!(matches!(root.create_dir_all("file", 0o700), Err(Error::NotAFolder { .. })));
        for folder in ["a/b/c", "a/b", "a"] {
            assert!(root.remove_dir(folder).unwrap());
        }
        assert!(!root.remove_dir("a").unwrap());
    }
    let [root, _] = place.both_ways(Links::Refuse);
    root.create_dir("a", 0o700).unwrap();
    assert!(matches!(root.create_dir_all("in/x", 0o700), Err(Error::Link { .. })));
}

#[test]
fn removing_a_link_removes_the_link() {
    let place = Place::new();
    place.link("out", "../outside/f");
    place.link("folder", "../outside");
    let root = place.root();
    assert!(root.remove_file("out").unwrap() && !root.remove_file("out").unwrap());
    assert!(root.remove_dir("folder").is_err(), "it is no folder");
    assert!(root.remove_file("folder").unwrap());
    assert!(!root.remove_file("none/none").unwrap());
    assert!(root.remove_file("").is_err() && root.remove_dir(".").is_err());
    place.file("full/file", "");
    assert!(root.remove_dir("full").is_err() && root.remove_file("full").is_err());
    place.assert_outside_is_untouched();
}

#[test]
fn a_rename_stays_inside_and_replaces_only_if_it_is_told_to() {
    let place = Place::new();
    place.file("a/one", "one");
    place.file("two", "two");
    place.link("out", "../outside");
    let root = place.root();
    let new = root.rename_new("a/one", "two");
    let Err(Error::AlreadyExists { path }) = new else { panic!("{new:?}") };
    assert!(path.ends_with("two"));
    assert!(matches!(root.rename_new("a/one", "out"), Err(Error::AlreadyExists { .. })));
    root.rename_new("a/one", "three").unwrap();
    root.rename("three", "two").unwrap();
    assert_eq!(root.read("two", 10).unwrap(), b"one");
    assert!(matches!(root.rename("none", "two"), Err(Error::Missing { .. })));
    assert!(matches!(root.rename("two", "out/f"), Err(Error::Link { .. })));
    assert!(matches!(root.rename("out/f", "two"), Err(Error::Link { .. })));
    assert!(root.rename("two", "../two").is_err() && root.rename("/two", "two").is_err());
    root.rename("out", "away").unwrap();
    assert_eq!(root.metadata("away").unwrap().kind, Kind::Link);
    root.rename("a", "folder").unwrap();
    assert_eq!(names(&place.inside()), ["away", "folder", "two"]);
    root.sync().unwrap();
    place.assert_outside_is_untouched();
}

#[test]
fn a_new_file_takes_the_place_of_nothing() {
    use std::io::Write;
    let place = Place::new();
    place.link("dangling", "../outside/none");
    for root in place.roots() {
        let mut file = root.create_new("file", Access::Shared(0o644)).unwrap();
        file.write_all(b"text").unwrap();
        assert_eq!(root.read("file", 10).unwrap(), b"text");
        for name in ["file", "dangling"] {
            let made = root.create_new(name, Access::Private);
            assert!(matches!(made, Err(Error::AlreadyExists { .. })), "{name}: {made:?}");
        }
        root.remove_file("file").unwrap();
    }
    place.assert_outside_is_untouched();
}

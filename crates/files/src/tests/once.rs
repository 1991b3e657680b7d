use std::fs;

use super::{Place, SECRET, names};
use crate::{Access, Error};

#[test]
fn whatever_has_the_name_is_kept() {
    let place = Place::new();
    place.file("file", "old");
    place.file("folder/file", "");
    place.link("dangling", "none");
    place.link("out", "../outside/f");
    place.link("out-dangling", "../outside/none");
    place.pipe("pipe");
    let before = names(&place.inside());
    for root in place.roots() {
        for name in &before {
            let made = root.create_once(name, b"new", Access::Private);
            assert!(matches!(made, Err(Error::AlreadyExists { .. })), "{name}: {made:?}");
        }
        assert_eq!(root.read("file", 10).unwrap(), b"old");
    }
    assert_eq!(names(&place.inside()), before, "nothing is left beside them");
    place.assert_outside_is_untouched();
}

#[test]
fn a_file_that_was_created_is_found_again_until_another_has_its_name() {
    let place = Place::new();
    for root in place.roots() {
        let made = root.create_once("file", b"ours", Access::Private).unwrap();
        assert!(root.is_at("file", &made).unwrap());
        fs::rename(place.inside().join("file"), place.inside().join("moved")).unwrap();
        assert!(!root.is_at("file", &made).unwrap());
        root.create_once("file", b"another's", Access::Private).unwrap();
        assert!(!root.is_at("file", &made).unwrap() && root.is_at("moved", &made).unwrap());
        root.remove_file("file").unwrap();
        place.link("file", "moved");
        assert!(!root.is_at("file", &made).unwrap(), "a link to it is something else");
        root.remove_file("file").unwrap();
        root.remove_file("moved").unwrap();
    }
}

#[test]
fn the_secret_is_no_place_to_create_anything() {
    let place = Place::new();
    place.link("out", "../outside");
    for root in place.roots() {
        assert!(root.create_once("out/new", SECRET.as_bytes(), Access::Private).is_err());
        assert!(root.create_new("out/new", Access::Private).is_err());
        assert!(root.create_dir("out/new", 0o755).is_err());
        assert!(root.create_dir_all("out/new/newer", 0o755).is_err());
    }
    place.assert_outside_is_untouched();
}

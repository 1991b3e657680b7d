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

#[test]
fn a_link_is_read_and_made_as_a_link() {
    let place = Place::new();
    place.file("file", "");
    place.link("out", "../outside/f");
    for root in place.roots() {
        assert_eq!(root.read_link("out").unwrap().unwrap(), "../outside/f");
        assert_eq!(root.read_link("file").unwrap(), None);
        assert!(matches!(root.read_link("none"), Err(Error::Missing { .. })));
        assert!(matches!(root.create_link("out", "x"), Err(Error::AlreadyExists { .. })));
        root.create_link("new", "/nowhere\n").unwrap();
        assert_eq!(root.read_link("new").unwrap().unwrap(), "/nowhere\n");
        assert!(root.remove_file("new").unwrap());
    }
    place.assert_outside_is_untouched();
}

#[test]
fn rights_are_changed_inside_only_and_need_no_right_to_read() {
    let place = Place::new();
    place.file("folder/file", "");
    place.link("out", "../outside/f");
    place.link("away", "../outside");
    place.pipe("pipe");
    let outside = place.outside().join("f");
    let before = fs::metadata(&outside).unwrap().permissions().mode();
    for root in place.roots() {
        for (path, mode) in
            [("folder/file", 0o000), ("folder/file", 0o751), ("folder", 0o000), ("folder", 0o755)]
        {
            root.set_mode(path, mode).unwrap();
            assert_eq!(root.metadata(path).unwrap().mode, mode);
        }
        assert!(matches!(root.set_mode("out", 0o777), Err(Error::Link { .. })));
        assert!(root.set_mode("away/f", 0o777).is_err());
        assert!(matches!(root.set_mode("pipe", 0o777), Err(Error::NotAFile { .. })));
        assert!(matches!(root.set_mode("none", 0o777), Err(Error::Missing { .. })));
    }
    assert_eq!(fs::metadata(&outside).unwrap().permissions().mode(), before);
}

#[test]
fn a_name_moves_from_one_root_to_another() {
    let place = Place::new();
    place.file("one/deep/file", "text");
    place.file("two/other", "");
    let root = place.root();
    let (one, two) = (root.open_dir("one").unwrap(), root.open_dir("two").unwrap());
    one.rename_into("deep", &two, "moved").unwrap();
    assert_eq!(root.read("two/moved/file", 10).unwrap(), b"text");
    assert!(matches!(one.rename_into("deep", &two, "again"), Err(Error::Missing { .. })));
    root.sync_everything().unwrap();
}

#[test]
fn looking_follows_links_that_stay_inside() {
    let place = Place::new();
    place.file("folder/file", "text");
    place.link("in", "folder/file");
    place.link("out", "../outside/f");
    place.link("gone", "folder/none");
    place.link("loop", "loop");
    place.pipe("pipe");
    for root in place.roots() {
        assert_eq!(root.look("in").unwrap().bytes, 4);
        assert_eq!(root.look("folder/").unwrap().kind, Kind::Folder);
        assert_eq!(root.look("pipe").unwrap().kind, Kind::Other);
        assert!(matches!(root.look("out"), Err(Error::Outside { .. })));
        assert!(matches!(root.look("gone"), Err(Error::Missing { .. })));
        assert!(matches!(root.look("loop"), Err(Error::Loop { .. })));
    }
}

#[test]
fn a_change_of_content_or_of_rights_is_seen_in_the_times() {
    let place = Place::new();
    place.file("file", "text");
    let root = place.root();
    let before = root.metadata("file").unwrap();
    let real = fs::metadata(place.inside().join("file")).unwrap().modified().unwrap();
    let real = real.duration_since(std::time::UNIX_EPOCH).unwrap().as_nanos();
    assert_eq!(u128::try_from(before.modified).unwrap(), real);
    fs::File::open(place.inside().join("file"))
        .unwrap()
        .set_modified(std::time::UNIX_EPOCH)
        .unwrap();
    let after = root.metadata("file").unwrap();
    assert_eq!(after.modified, 0);
    assert!(after.changed >= before.changed && before.id.numbers() == after.id.numbers());
}

use std::{
    ffi::OsStr,
    fs::{self, File},
    os::unix::fs::PermissionsExt,
};

use super::{
    Place,
    child::{Ended, command},
    names,
};
use crate::{Access, BadPath, Error, Links};

#[test]
fn a_file_is_made_and_replaced_and_nothing_is_left_beside_it() {
    let place = Place::new();
    for root in place.roots() {
        root.create_dir_all("a/b", 0o755).unwrap();
        for text in ["one", "two", ""] {
            root.write_atomic("a/b/file", text.as_bytes(), Access::Private).unwrap();
            assert_eq!(root.read("a/b/file", 10).unwrap(), text.as_bytes());
            root.write_atomic_by("a/b/file", "file.new", text.as_bytes(), Access::Private).unwrap();
        }
        assert_eq!(names(&place.inside().join("a/b")), ["file"]);
    }
}

#[test]
fn other_names_of_a_file_keep_what_they_had() {
    let place = Place::new();
    fs::hard_link(place.outside().join("f"), place.inside().join("hard")).unwrap();
    place.link("soft", "../outside/f");
    for root in place.roots() {
        root.write_atomic("hard", b"inside", Access::Private).unwrap();
        root.write_atomic("soft", b"inside", Access::Private).unwrap();
    }
    assert!(!place.inside().join("soft").is_symlink());
    place.assert_outside_is_untouched();
}

#[test]
fn an_open_file_goes_on_with_what_it_had() {
    use std::io::Read;
    let place = Place::new();
    place.file("file", "old");
    let root = place.root();
    let mut open = root.open_file("file").unwrap();
    root.write_atomic("file", b"new", Access::Private).unwrap();
    let mut text = String::new();
    open.read_to_string(&mut text).unwrap();
    assert_eq!(text, "old");
    assert!(!root.is_at("file", &open).unwrap());
}

#[test]
fn what_an_earlier_process_left_under_the_known_name_is_replaced_and_not_followed() {
    let place = Place::new();
    place.link("file.new", "../outside/f");
    let root = place.root();
    root.write_atomic_by("file", "file.new", b"one", Access::Private).unwrap();
    place.file("file.new", "half of ano");
    root.write_atomic_by("file", "file.new", b"two", Access::Private).unwrap();
    assert_eq!(names(&place.inside()), ["file"]);
    assert_eq!(root.read("file", 10).unwrap(), b"two");
    for unfinished in ["", ".", "..", "a/b", "../outside/f"] {
        let written = root.write_atomic_by("file", unfinished, b"three", Access::Private);
        assert!(written.is_err(), "{unfinished:?}");
    }
    assert_eq!(root.read("file", 10).unwrap(), b"two");
    place.assert_outside_is_untouched();
}

#[test]
fn a_folder_is_not_replaced_and_nothing_is_left_beside_it() {
    let place = Place::new();
    place.file("folder/file", "");
    for root in place.roots() {
        assert!(root.write_atomic("folder", b"new", Access::Private).is_err());
        let nameless = root.write_atomic("", b"new", Access::Private);
        assert!(matches!(nameless, Err(Error::BadPath { why: BadPath::Nameless, .. })));
        let missing = root.write_atomic("none/file", b"new", Access::Private);
        assert!(matches!(missing, Err(Error::Missing { .. })));
    }
    assert_eq!(names(&place.inside()), ["folder"]);
}

#[test]
fn a_file_goes_where_a_link_inside_leads_if_such_links_are_followed() {
    let place = Place::new();
    place.file("a/b/file", "old");
    place.link("dir", "a/b");
    for root in place.both_ways(Links::Inside) {
        root.write_atomic("dir/file", b"new", Access::Private).unwrap();
        assert_eq!(root.read("a/b/file", 10).unwrap(), b"new");
    }
    for root in place.both_ways(Links::Refuse) {
        let written = root.write_atomic("dir/file", b"newer", Access::Private);
        assert!(matches!(written, Err(Error::Link { .. })));
    }
}

#[test]
fn a_private_file_is_for_its_owner_whatever_the_umask_and_a_shared_one_obeys_it() {
    let place = Place::new();
    let status = command(&[], "closed umask", &place.inside()).status().unwrap();
    assert_eq!(Ended::of(status), Ended::Done);
    let mode =
        |name: &str| fs::metadata(place.inside().join(name)).unwrap().permissions().mode() & 0o7777;
    for private in ["private", "once", "new"] {
        assert_eq!(mode(private), 0o600, "{private}");
    }
    assert_eq!(mode("shared"), 0o640);
    assert_eq!(mode("program"), 0o750);
}

#[test]
fn a_name_of_any_length_that_the_system_takes_can_be_written() {
    let place = Place::new();
    let root = place.root();
    for length in [1, 200, 201, 255] {
        let name = "n".repeat(length);
        root.write_atomic(&name, b"", Access::Private).unwrap();
        assert!(root.remove_file(&name).unwrap());
        root.create_once(&name, b"", Access::Private).unwrap();
        assert!(root.remove_file(&name).unwrap());
    }
    let long = "n".repeat(256);
    assert!(root.write_atomic(&long, b"", Access::Private).is_err());
    assert_eq!(names(&place.inside()), Vec::<String>::new());
    drop(File::open(place.inside()).unwrap());
}

#[test]
fn a_link_is_replaced_in_one_step_and_nothing_is_left_beside_it() {
    let place = Place::new();
    place.file("file", "inside");
    place.link("link", "../outside/f");
    for root in place.roots() {
        for target in ["file", "none", "/etc/passwd"] {
            root.link_atomic("link", target).unwrap();
            let found = fs::read_link(place.inside().join("link")).unwrap();
            assert_eq!(found.to_str(), Some(target));
        }
        assert!(root.link_atomic("none/link", "file").is_err());
        assert!(root.link_atomic("link", "").is_err(), "there is no such link");
    }
    assert_eq!(names(&place.inside()), ["file", "link"]);
    place.assert_outside_is_untouched();
}

#[test]
fn an_unfinished_file_is_hidden_and_begins_with_the_name() {
    let check = |name: &str, begins: &str| {
        let unfinished = crate::atomic::unfinished_name(OsStr::new(name)).unwrap();
        let unfinished = unfinished.to_str().unwrap();
        assert!(unfinished.starts_with(begins) && unfinished.ends_with(".new"), "{unfinished}");
        assert!(unfinished.len() <= 255);
    };
    check("file", ".file.");
    check(".file", ".file.");
    check(&"n".repeat(255), ".");
    check(&format!(".{}", "n".repeat(254)), ".");
}

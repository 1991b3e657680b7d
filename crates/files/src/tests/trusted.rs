use std::{fs, path::Path};

use super::{Place, names};
use crate::{
    Access, BadPath, Error,
    trusted::{
        create_folders, create_once, is_at, open_no_link, read, remove_file, sync_folder,
        write_atomic,
    },
};

#[test]
fn a_file_is_read_through_links_but_only_if_it_is_one() {
    let place = Place::new();
    place.file("file", "inside");
    place.link("link", "file");
    place.link("dangling", "none");
    place.pipe("pipe");
    let at = |name: &str| place.inside().join(name);
    for name in ["file", "link"] {
        assert_eq!(read(&at(name), 6).unwrap(), b"inside");
        assert!(matches!(read(&at(name), 5), Err(Error::TooLarge { limit: 5, .. })));
    }
    for path in [at("pipe"), at(""), "/dev/zero".into(), "/dev/null".into()] {
        assert!(matches!(read(&path, 5), Err(Error::NotAFile { .. })), "{path:?}");
    }
    for name in ["none", "dangling", "none/file"] {
        assert!(read(&at(name), 5).is_err_and(|error| error.is_missing()), "{name}");
    }
    assert!(open_no_link(&at("file")).is_ok());
    for name in ["link", "dangling"] {
        assert!(matches!(open_no_link(&at(name)), Err(Error::Link { .. })), "{name}");
    }
}

#[test]
fn a_file_is_written_and_created_by_its_path() {
    let place = Place::new();
    place.file("a/b", "");
    place.link("dir", "a");
    let at = |name: &str| place.inside().join(name);
    write_atomic(&at("dir/file"), b"one", Access::Private).unwrap();
    write_atomic(&at("dir/file"), b"two", Access::Private).unwrap();
    assert_eq!(read(&at("a/file"), 10).unwrap(), b"two");
    let again = create_once(&at("a/file"), b"three", Access::Private);
    assert!(matches!(again, Err(Error::AlreadyExists { .. })));
    let made = create_once(&at("a/once"), b"once", Access::Private).unwrap();
    assert!(is_at(&at("dir/once"), &made).unwrap() && !is_at(&at("a/file"), &made).unwrap());
    assert!(remove_file(&at("a/once")).unwrap() && !remove_file(&at("a/once")).unwrap());
    assert!(!is_at(&at("a/once"), &made).unwrap());
    for path in ["", "/", "..", "a/.."] {
        let written = write_atomic(Path::new(path), b"", Access::Private);
        assert!(matches!(written, Err(Error::BadPath { why: BadPath::Nameless, .. })), "{path}");
    }
    assert!(remove_file(&at("a")).is_err());
    assert_eq!(names(&at("a")), ["b", "file"]);
}

#[test]
fn folders_are_made_where_they_are_missing() {
    let place = Place::new();
    let at = |name: &str| place.inside().join(name);
    create_folders(&at("a/b/c"), 0o700).unwrap();
    create_folders(&at("a/b/c"), 0o700).unwrap();
    create_folders(Path::new(""), 0o700).unwrap();
    assert!(at("a/b/c").is_dir());
    place.link("link", "a");
    create_folders(&at("link/d"), 0o700).unwrap();
    assert!(at("a/d").is_dir());
    fs::write(at("file"), "").unwrap();
    for path in ["file", "file/x"] {
        let made = create_folders(&at(path), 0o700);
        assert!(matches!(made, Err(Error::Io { doing: "create", .. })), "{path}: {made:?}");
    }
    sync_folder(&at("a")).unwrap();
    sync_folder(Path::new("")).unwrap();
    assert!(sync_folder(&at("file")).is_err() && sync_folder(&at("none")).is_err());
}

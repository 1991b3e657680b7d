//! What is opened, and what is refused and how, by the kernel and by steps.

use std::{
    ffi::OsStr,
    fs::{self, File},
    io::Write,
    os::unix::{ffi::OsStrExt, fs::PermissionsExt, net::UnixListener},
    path::Path,
};

use super::{Place, SECRET};
use crate::{Access, BadPath, Entry, Error, Kind, Links, Root};

/// What an attempt came to, in one word.
fn word<T>(tried: &Result<T, Error>) -> &'static str {
    match tried {
        Ok(_) => "opened",
        Err(Error::BadPath { .. }) => "bad",
        Err(Error::Outside { .. }) => "outside",
        Err(Error::Link { .. }) => "link",
        Err(Error::Loop { .. }) => "loop",
        Err(Error::Missing { .. }) => "missing",
        Err(Error::NotAFile { .. }) => "no file",
        Err(Error::NotAFolder { .. }) => "no folder",
        Err(Error::HardLinked { .. }) => "hard linked",
        Err(Error::TooLarge { .. }) => "large",
        Err(Error::AlreadyExists { .. }) => "exists",
        Err(Error::Sync { .. } | Error::Io { .. }) => "failed",
    }
}

#[test]
fn nothing_outside_is_opened_by_any_path_or_link() {
    let place = Place::new();
    place.file("a/b/file", "inside");
    place.link("a/b/in", "../b/file");
    place.link("a/b/out", "../../../outside/f");
    place.link("a/dir", "b");
    place.link("away", "../outside");
    place.link("absolute", place.outside().join("f"));
    place.link("home", place.inside().join("a/b/file"));
    place.link("dangling", "a/none");
    place.link("dangling-out", "../none");
    place.link("loop", "pool");
    place.link("pool", "loop");
    place.link("self", ".");
    place.link("a/b/slash", "file/");
    place.pipe("pipe");
    let _socket = UnixListener::bind(place.inside().join("socket")).unwrap();
    let check = |path: &str, refusing: &str, following: &str| {
        for (links, expected) in [(Links::Refuse, refusing), (Links::Inside, following)] {
            for root in place.both_ways(links) {
                let read = root.read(path, 100);
                assert_eq!(word(&read), expected, "{path} {links:?}: {read:?}");
                if let Ok(bytes) = read {
                    assert_eq!(bytes, b"inside");
                }
            }
        }
    };
    check("a/b/file", "opened", "opened");
    check("./a//b/./file", "opened", "opened");
    check("a/b/in", "link", "opened");
    check("a/dir/file", "link", "opened");
    check("self/self/a/dir/in", "link", "opened");
    check("a/b/out", "link", "outside");
    check("away/f", "link", "outside");
    check("away", "link", "outside");
    check("absolute", "link", "outside");
    check("home", "link", "outside");
    check("dangling", "link", "missing");
    check("dangling-out", "link", "outside");
    check("loop", "link", "loop");
    check("loop/x", "link", "loop");
    check("a/b/slash", "link", "no folder");
    check("a/b", "no file", "no file");
    check("", "no file", "no file");
    check(".", "no file", "no file");
    check("pipe", "no file", "no file");
    check("socket", "no file", "no file");
    check("a/b/none", "missing", "missing");
    check("none/none", "missing", "missing");
    check("a/b/file/x", "no folder", "no folder");
    check("pipe/x", "no folder", "no folder");
    check("..", "bad", "bad");
    check("a/../a/b/file", "bad", "bad");
    check("../outside/f", "bad", "bad");
    check("/etc/passwd", "bad", "bad");
    check(place.inside().join("a/b/file").to_str().unwrap(), "bad", "bad");
    check("a/b/file\0", "bad", "bad");
    check(&"a/".repeat(3000), "bad", "bad");
    check(&"n".repeat(256), "failed", "failed");
    place.assert_outside_is_untouched();
}

#[test]
fn a_folder_is_opened_as_a_root_of_its_own() {
    let place = Place::new();
    place.file("a/b/file", "inside");
    place.file("a/up", "inside");
    place.link("a/b/up", "../up");
    place.link("a/dir", "b");
    for root in place.both_ways(Links::Inside) {
        let folder = root.open_dir("a/dir").unwrap();
        assert_eq!(folder.path(), place.inside().canonicalize().unwrap().join("a/dir"));
        assert_eq!(folder.read("file", 100).unwrap(), b"inside");
        // What is beside it is outside now.
        assert_eq!(word(&folder.read("up", 100)), "outside");
        assert_eq!(root.read("a/b/up", 100).unwrap(), b"inside");
        assert_eq!(word(&root.open_dir("a/b/file")), "no folder");
        assert_eq!(word(&root.open_dir("a/none")), "missing");
    }
    for root in place.both_ways(Links::Refuse) {
        assert_eq!(word(&root.open_dir("a/dir")), "link");
        assert_eq!(root.open_dir("").unwrap().path(), root.path());
    }
}

#[test]
fn a_root_goes_on_when_its_folder_is_moved_and_another_takes_its_place() {
    let place = Place::new();
    place.file("file", "inside");
    let roots = place.roots();
    let moved = place.folder.path().join("moved");
    fs::rename(place.inside(), &moved).unwrap();
    std::os::unix::fs::symlink("outside", place.inside()).unwrap();
    for root in roots {
        assert_eq!(root.read("file", 100).unwrap(), b"inside");
        assert_eq!(word(&root.read("f", 100)), "missing");
    }
}

#[test]
fn a_root_is_opened_through_links_but_only_where_there_is_a_folder() {
    let place = Place::new();
    place.file("a/file", "inside");
    place.link("dir", "a");
    let root = Root::open(&place.inside().join("dir")).unwrap();
    assert_eq!(root.path(), place.inside().canonicalize().unwrap().join("a"));
    assert_eq!(root.read("file", 10).unwrap(), b"inside");
    assert_eq!(word(&Root::open(&place.inside().join("a/file"))), "no folder");
    assert_eq!(word(&Root::open(&place.inside().join("none"))), "missing");
    assert!(Root::open(Path::new(".")).unwrap().path().is_absolute());
}

#[test]
fn no_more_is_read_than_the_limit() {
    let place = Place::new();
    place.file("ten", "0123456789");
    File::create(place.inside().join("huge")).unwrap().set_len(1 << 40).unwrap();
    for root in place.roots() {
        assert_eq!(root.read("ten", 10).unwrap(), b"0123456789");
        assert_eq!(root.read("ten", u64::MAX).unwrap(), b"0123456789");
        for (path, limit) in [("ten", 9), ("ten", 0), ("huge", 1 << 20)] {
            let read = root.read(path, limit);
            assert!(matches!(read, Err(Error::TooLarge { limit: told, .. }) if told == limit));
        }
        let mut bytes = b"what was there before".to_vec();
        root.read_into("ten", 10, &mut bytes).unwrap();
        assert_eq!(bytes, b"0123456789");
    }
    // The kernel says that these have no bytes, and has some all the same.
    let root = Root::open(Path::new("/proc/self")).unwrap();
    assert_eq!(word(&root.read("status", 3)), "large");
    assert!(root.read("status", 1 << 20).is_ok_and(|bytes| !bytes.is_empty()));
}

#[test]
fn a_file_that_may_not_be_read_is_an_error_that_says_where() {
    if rustix::process::geteuid().is_root() {
        return;
    }
    let place = Place::new();
    place.file("a/closed", "inside");
    let closed = place.inside().join("a/closed");
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o000)).unwrap();
    for root in place.roots() {
        let Err(Error::Io { doing: "open", path, source }) = root.read("a/closed", 10) else {
            panic!("it was read");
        };
        assert!(path.ends_with("root/a/closed"));
        assert_eq!(source.kind(), std::io::ErrorKind::PermissionDenied);
        assert_eq!(root.metadata("a/closed").unwrap().mode, 0);
    }
}

#[test]
fn a_folder_that_may_be_passed_but_not_listed_can_be_passed() {
    let place = Place::new();
    place.file("a/b/file", "inside");
    let passed = place.inside().join("a");
    fs::set_permissions(&passed, fs::Permissions::from_mode(0o111)).unwrap();
    for root in place.roots() {
        assert_eq!(root.read("a/b/file", 10).unwrap(), b"inside");
    }
    fs::set_permissions(&passed, fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn names_that_are_not_utf8_are_names_like_others() {
    let place = Place::new();
    let name = OsStr::from_bytes(b"a\xff\xfe\n");
    for root in place.roots() {
        root.write_atomic(name, b"inside", Access::Private).unwrap();
        assert_eq!(root.read(name, 10).unwrap(), b"inside");
        let entries: Vec<Entry> = root.entries().unwrap().map(Result::unwrap).collect();
        assert_eq!(entries, [Entry { name: name.to_owned(), kind: Kind::File }]);
        assert!(root.remove_file(name).unwrap());
        root.create_once(name, b"inside", Access::Private).unwrap();
        root.rename(name, "plain").unwrap();
        root.remove_file("plain").unwrap();
    }
}

#[test]
fn entries_are_told_with_their_kinds_and_links_are_not_followed() {
    let place = Place::new();
    place.file("dir/file", "");
    place.file("file", "");
    place.link("link", "dir");
    place.link("dangling", "none");
    place.pipe("pipe");
    for root in place.roots() {
        let mut entries: Vec<Entry> = root.entries().unwrap().map(Result::unwrap).collect();
        entries.sort_by(|one, other| one.name.cmp(&other.name));
        let kinds: Vec<_> =
            entries.iter().map(|entry| (entry.name.to_str().unwrap(), entry.kind)).collect();
        let expected = [
            ("dangling", Kind::Link),
            ("dir", Kind::Folder),
            ("file", Kind::File),
            ("link", Kind::Link),
            ("pipe", Kind::Other),
        ];
        assert_eq!(kinds, expected);
        for (name, kind) in expected {
            assert_eq!(root.metadata(name).unwrap().kind, kind);
        }
        assert_eq!(root.metadata("").unwrap().kind, Kind::Folder);
        // Listing it twice at once gives both all of it.
        let (mut one, mut other) = (root.entries().unwrap(), root.entries().unwrap());
        assert_eq!((one.by_ref().count(), other.by_ref().count()), (5, 5));
    }
}

#[test]
fn metadata_tells_size_rights_and_names() {
    let place = Place::new();
    place.file("program", "12345");
    let program = place.inside().join("program");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o4751)).unwrap();
    fs::hard_link(&program, place.inside().join("again")).unwrap();
    for root in place.roots() {
        let about = root.metadata("program").unwrap();
        assert_eq!((about.bytes, about.mode, about.names), (5, 0o4751, 2));
        assert!(about.is_executable() && !root.metadata("").unwrap().is_executable());
        assert_eq!(about.owner, rustix::process::geteuid().as_raw());
        assert_eq!(about.id, root.metadata("again").unwrap().id);
        let file = root.open_file("again").unwrap();
        assert!(root.is_at("program", &file).unwrap());
        assert!(!root.is_at("none", &file).unwrap() && !root.is_at("", &file).unwrap());
    }
}

#[test]
fn a_file_is_changed_in_place_only_if_it_has_no_other_name() {
    let place = Place::new();
    place.file("file", "one ");
    place.link("in", "file");
    place.link("out", "../outside/f");
    place.pipe("pipe");
    fs::hard_link(place.outside().join("f"), place.inside().join("hard")).unwrap();
    for root in place.roots() {
        let open = |path: &str| root.open_in_place(path, Access::Private);
        assert_eq!(word(&open("hard")), "hard linked");
        assert_eq!(word(&open("pipe")), "no file");
        assert_eq!(word(&open("")), "no file");
        assert_ne!(word(&open("out")), "opened");
        assert_eq!(word(&open("none/file")), "missing");
        let mut made = open("made").unwrap();
        made.write_all(b"made").unwrap();
        assert_eq!(root.read("made", 10).unwrap(), b"made");
        assert_eq!(root.metadata("made").unwrap().mode, 0o600);
        // Reading does no harm.
        assert_eq!(root.read("hard", 10).unwrap(), SECRET.as_bytes());
        root.remove_file("made").unwrap();
    }
    for root in place.both_ways(Links::Inside) {
        root.open_in_place("in", Access::Private).unwrap().write_all(b"two ").unwrap();
    }
    assert_eq!(fs::read_to_string(place.inside().join("file")).unwrap(), "two ");
    place.assert_outside_is_untouched();
}

#[test]
fn a_path_is_resolved_to_where_it_leads() {
    let place = Place::new();
    place.file("a/b/file", "");
    place.link("a/b/in", "../b/file");
    place.link("a/dir", "b/");
    place.link("up", "a/b/..");
    place.link("out", "../outside/f");
    place.link("loop", "loop");
    for root in place.roots() {
        let check = |path: &str, real: Result<&str, &str>| {
            let found = root.resolve(path);
            match real {
                Ok(real) => assert_eq!(found.unwrap(), Path::new(real), "{path}"),
                Err(expected) => assert_eq!(word(&found), expected, "{path}"),
            }
        };
        check("a/b/file", Ok("a/b/file"));
        check("a/dir/in", Ok("a/b/file"));
        check("up/dir/in", Ok("a/b/file"));
        check("up", Ok("a"));
        check("", Ok(""));
        check("a/b/", Ok("a/b"));
        check("out", Err("outside"));
        check("loop", Err("loop"));
        check("a/none", Err("missing"));
        check("../outside", Err("bad"));
    }
}

#[test]
fn an_error_names_the_whole_path() {
    let place = Place::new();
    let root = place.root();
    let told = root.read("a/none", 10).unwrap_err().to_string();
    let path = place.inside().canonicalize().unwrap().join("a/none");
    assert_eq!(told, format!("{path:?} does not exist"));
    let told = root.read("/etc/passwd", 10).unwrap_err();
    assert!(matches!(told, Error::BadPath { why: BadPath::Absolute, .. }));
    assert_eq!(told.to_string(), "\"/etc/passwd\" is not a path below a folder: it is absolute");
}

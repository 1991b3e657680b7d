//! What agents can do to a workspace.

use std::{
    fs,
    io::Write,
    os::unix::{
        fs::{PermissionsExt, symlink},
        net::UnixListener,
    },
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
};

use super::{super::super::Error, Place, SECRET, as_a_plain_user, listing};

#[test]
fn pipes_and_sockets_are_left_out_by_name_and_removed_by_laying() {
    let place = Place::new();
    place.furnish();
    let before = place.listing();
    place.folder("empty-folder/empty");
    place.pipe("empty-folder/pi\npe");
    let _listens = UnixListener::bind(place.at("socket")).unwrap();
    let taken = place.take();
    assert_eq!(taken.left_out, ["socket", "empty-folder/pi\\x0ape"]);
    place.lay(&taken);
    assert_eq!(place.listing(), before);
}

#[test]
fn what_is_closed_is_taken_and_stays_closed_and_is_laid() {
    as_a_plain_user(|| {
        let place = Place::new();
        place.furnish();
        place.file("closed/folder/file", "text");
        for (path, mode) in [
            ("src/main.rs", 0o000),
            ("run", 0o111),
            ("closed/folder/file", 0o200),
            ("closed/folder", 0o400),
            ("closed", 0o000),
            ("empty-folder/empty", 0o000),
            ("empty-folder", 0o555),
        ] {
            place.mode(path, mode);
        }
        assert!(fs::read(place.at("run")).is_err(), "rights count here");
        let before = place.listing();
        let taken = place.take();
        assert_eq!(place.listing(), before, "taking restores the rights");
        place.lay(&taken);
        assert_eq!(place.listing(), before);
        place.mode("closed", 0o700);
        place.mode("closed/folder", 0o700);
        place.file("closed/folder/new/deep", "");
        for path in ["closed/folder/new", "closed/folder", "closed", "src/deep", ".git", ""] {
            place.mode(path, 0o000);
        }
        place.lay(&taken);
        assert_eq!(place.listing(), before);
        let empty = place.job().join("empty");
        fs::create_dir(&empty).unwrap();
        let nothing = place.snapshots().take(&empty).unwrap();
        place.lay(&nothing);
        assert!(place.listing().is_empty());
        place.lay(&taken);
        assert_eq!(place.listing(), before);
        fs::set_permissions(place.workspace(), fs::Permissions::from_mode(0o000)).unwrap();
        assert_eq!(place.take().id, taken.id);
        let mode = fs::metadata(place.workspace()).unwrap().permissions().mode() & 0o7777;
        assert_eq!(mode, 0o000);
    });
}

#[test]
fn a_file_that_is_closed_and_has_other_names_keeps_its_rights() {
    as_a_plain_user(|| {
        let place = Place::new();
        let outside = place.folder.path().join("closed");
        fs::write(&outside, SECRET).unwrap();
        fs::set_permissions(&outside, fs::Permissions::from_mode(0o000)).unwrap();
        let empty = place.take();
        fs::hard_link(&outside, place.at("hard")).unwrap();
        let error = place.snapshots().take(&place.workspace()).unwrap_err();
        assert!(error.to_string().contains("hard"), "{error}");
        place.lay(&empty);
        assert!(place.listing().is_empty());
        assert_eq!(fs::metadata(&outside).unwrap().permissions().mode() & 0o7777, 0o000);
    });
}

#[test]
fn laying_never_reaches_through_links() {
    let place = Place::new();
    place.file("a/file", "inside");
    place.file("a/below/file", "inside");
    place.file("b", "inside");
    let (taken, before) = (place.take(), place.listing());
    // A folder and a file are replaced by links to what has the same names outside.
    fs::remove_dir_all(place.at("a")).unwrap();
    place.link("a", "../../outside");
    fs::remove_file(place.at("b")).unwrap();
    symlink(place.outside().join("file"), place.at("b")).unwrap();
    place.link("c", "../../outside/below");
    place.lay(&taken);
    assert_eq!(place.listing(), before);
    // Other names of files outside.
    fs::remove_file(place.at("b")).unwrap();
    fs::hard_link(place.outside().join("file"), place.at("b")).unwrap();
    fs::hard_link(place.outside().join("file"), place.at("d")).unwrap();
    place.lay(&taken);
    assert_eq!(place.listing(), before);
    place.assert_outside_is_untouched();
    // The content of the file outside is right, and only its rights are not.
    place.file("b", SECRET);
    place.mode("b", 0o600);
    let secret = place.take();
    fs::remove_file(place.at("b")).unwrap();
    fs::hard_link(place.outside().join("file"), place.at("b")).unwrap();
    let mode = || fs::metadata(place.outside().join("file")).unwrap().permissions().mode();
    let rights = mode();
    place.lay(&secret);
    assert_eq!(mode(), rights);
}

#[test]
fn a_link_in_the_place_of_the_workspace_is_refused() {
    let place = Place::new();
    let taken = place.take();
    fs::remove_dir(place.workspace()).unwrap();
    symlink("../outside", place.workspace()).unwrap();
    assert!(place.snapshots().take(&place.workspace()).is_err());
    assert!(place.snapshots().lay(&taken.id, &place.workspace()).is_err());
    place.assert_outside_is_untouched();
    fs::remove_file(place.job().join(".snapshots/lock")).unwrap();
    fs::remove_dir_all(place.job().join(".snapshots")).unwrap();
    symlink("../outside", place.job().join(".snapshots")).unwrap();
    assert!(super::Snapshots::open(&place.job()).is_err());
    place.assert_outside_is_untouched();
}

#[test]
fn folders_deeper_than_any_path_are_refused_and_removed() {
    let place = Place::new();
    place.furnish();
    let (taken, before) = (place.take(), place.listing());
    // Longer than a path can be, made from within.
    let name = "d".repeat(200);
    let mut folder = consign_files::Root::open(&place.workspace()).unwrap();
    for _ in 0..60 {
        folder.create_dir(&name, 0o755).unwrap();
        folder = folder.open_dir(&name).unwrap();
        folder.write_atomic("file", b"", consign_files::Access::Private).unwrap();
    }
    let error = place.snapshots().take(&place.workspace()).unwrap_err();
    assert!(error.to_string().contains("too long"), "{error}");
    place.lay(&taken);
    assert_eq!(place.listing(), before);
}

#[test]
fn what_is_swapped_while_it_is_read_never_brings_in_what_is_outside() {
    let place = Arc::new(Place::new());
    place.file("steady", "steady");
    let stop = Arc::new(AtomicBool::new(false));
    let swapper = thread::spawn({
        let (place, stop) = (Arc::clone(&place), Arc::clone(&stop));
        move || {
            let gone = |path: &Path| {
                let _ = fs::remove_file(path);
                let _ = fs::remove_dir_all(path);
            };
            // Laying may just have put a link there: this thread must not write through it either.
            let make = |path: &Path, text: &str| {
                if let Ok(mut file) = fs::File::create_new(path) {
                    let _ = file.write_all(text.as_bytes());
                }
            };
            while !stop.load(Ordering::Relaxed) {
                for name in ["a", "b", "c"] {
                    let path = place.at(name);
                    gone(&path);
                    make(&path, name);
                    gone(&path);
                    let _ = symlink("../../outside/file", &path);
                    gone(&path);
                    let _ = fs::create_dir(&path);
                    make(&path.join("file"), name);
                    gone(&path);
                    let _ = symlink("../../outside", &path);
                    gone(&path);
                    let _ = rustix::fs::mkfifoat(rustix::fs::CWD, &path, rustix::fs::Mode::RUSR);
                }
            }
        }
    });
    let snapshots = place.snapshots();
    let mut last = None;
    for _ in 0..200 {
        match snapshots.take(&place.workspace()) {
            Ok(taken) => last = Some(taken),
            Err(Error::Unsteady { .. }) => {}
            Err(error) => panic!("{error}"),
        }
        if let Some(taken) = &last {
            // It may lose the race; it may not reach out.
            let _ = snapshots.lay(&taken.id, &place.workspace());
        }
    }
    stop.store(true, Ordering::Relaxed);
    swapper.join().unwrap();
    place.assert_outside_is_untouched();
    let taken = last.unwrap();
    place.lay(&taken);
    assert_eq!(place.take().id, taken.id);
    for (path, (_, bytes)) in listing(&place.job().join(".snapshots/objects")) {
        let is_secret = zstd::decode_all(&*bytes).is_ok_and(|plain| plain == SECRET.as_bytes());
        assert!(!is_secret, "{path:?}");
    }
}

//! Whatever a workspace was and whatever was done to it: laying a snapshot makes it what it was.

use std::{
    ffi::OsStr,
    fs::{self, Permissions},
    os::unix::{
        ffi::OsStrExt,
        fs::{PermissionsExt, symlink},
    },
    path::{Path, PathBuf},
};

use proptest::{collection::vec, prelude::*, sample::select, test_runner::TestRunner};

use super::{Place, as_a_plain_user};

const NAMES: [&[u8]; 9] = [
    b"a",
    b"b",
    b"a-b",
    b".git",
    b"\xff",
    b"\\xff",
    b"line\nbreak",
    b".consign-laid.0",
    b".consign-removed.0",
];
const TARGETS: [&str; 7] = ["a", "../b", "..", "../../outside", "/", "none", "../../outside/file"];
const MODES: [u32; 7] = [0o644, 0o755, 0o600, 0o444, 0o000, 0o111, 0o4755];

/// Something that is done to a path.
#[derive(Clone, Debug)]
enum Act {
    File(Vec<u8>, u32),
    Folder,
    Link(&'static str),
    Pipe,
    Mode(u32),
    Remove,
    /// To another path.
    Move(PathBuf),
}

fn paths() -> impl Strategy<Value = PathBuf> {
    let name = select(&NAMES[..]).prop_map(OsStr::from_bytes);
    vec(name, 1..4).prop_map(|names| names.into_iter().collect())
}

fn acts(most: usize) -> impl Strategy<Value = Vec<(PathBuf, Act)>> {
    let bytes = prop_oneof![vec(any::<u8>(), 0..4), vec(select(&b"ab\n"[..]), 0..40)];
    let act = prop_oneof![
        4 => (bytes, select(&MODES[..])).prop_map(|(bytes, mode)| Act::File(bytes, mode)),
        2 => Just(Act::Folder),
        2 => select(&TARGETS[..]).prop_map(Act::Link),
        1 => Just(Act::Pipe),
        2 => select(&MODES[..]).prop_map(Act::Mode),
        1 => Just(Act::Remove),
        1 => paths().prop_map(Act::Move),
    ];
    vec((paths(), act), 0..most)
}

/// Whether all above it are real folders; they are made if nothing is there.
fn has_folder(place: &Place, path: &Path) -> bool {
    let mut at = place.workspace();
    for name in path.parent().unwrap().components() {
        at.push(name);
        let _ = fs::create_dir(&at);
        if !fs::symlink_metadata(&at).is_ok_and(|about| about.is_dir()) {
            return false;
        }
    }
    true
}

fn act(place: &Place, path: &Path, act: &Act) {
    if !has_folder(place, path) {
        return;
    }
    let at = place.workspace().join(path);
    let about = fs::symlink_metadata(&at);
    let is_real = about.as_ref().is_ok_and(|about| about.is_dir() || about.is_file());
    // What cannot be done is not done: a folder is closed, or something is in the way.
    match act {
        Act::File(bytes, mode) => {
            if (about.is_err() || about.is_ok_and(|about| about.is_file()))
                && fs::write(&at, bytes).is_ok()
            {
                let _ = fs::set_permissions(&at, Permissions::from_mode(*mode));
            }
        }
        Act::Folder => drop(fs::create_dir(&at)),
        Act::Link(target) => drop(symlink(target, &at)),
        Act::Pipe => drop(rustix::fs::mkfifoat(rustix::fs::CWD, &at, rustix::fs::Mode::RUSR)),
        Act::Mode(mode) if is_real => drop(fs::set_permissions(&at, Permissions::from_mode(*mode))),
        Act::Mode(_) => {}
        Act::Remove => {
            let _ = fs::remove_file(&at);
            let _ = fs::remove_dir_all(&at);
        }
        Act::Move(to) => {
            if has_folder(place, to) {
                let _ = fs::rename(&at, place.workspace().join(to));
            }
        }
    }
}

#[test]
fn laying_a_snapshot_makes_the_workspace_what_it_was() {
    as_a_plain_user(|| {
        let config =
            ProptestConfig { failure_persistence: None, cases: 48, ..ProptestConfig::default() };
        TestRunner::new(config)
            .run(&(acts(30), acts(20)), |(made, changed)| {
                let place = Place::new();
                for (path, what) in &made {
                    act(&place, path, what);
                }
                let mut before = place.listing();
                let taken = place.take();
                prop_assert_eq!(&place.listing(), &before, "taking changes nothing");
                // What a snapshot does not keep.
                let count = before.len();
                before.retain(|_, (kind, _)| kind != "other");
                prop_assert_eq!(taken.left_out.len(), count - before.len());
                for (kind, _) in before.values_mut() {
                    *kind = kind.replace(" 4755", " 755");
                }
                for (path, what) in &changed {
                    act(&place, path, what);
                }
                let other = place.take();
                let are_equal = taken.id == other.id;
                let changes = place.snapshots().changes(&taken.id, &other.id).unwrap();
                prop_assert_eq!(changes.is_empty(), are_equal);
                place.snapshots().diff(&taken.id, &other.id, 10_000).unwrap();
                place.lay(&taken);
                prop_assert_eq!(&place.listing(), &before);
                prop_assert_eq!(place.take().id, taken.id);
                place.lay(&other);
                prop_assert_eq!(place.take().id, other.id);
                place.lay(&taken);
                prop_assert_eq!(&place.listing(), &before);
                place.assert_outside_is_untouched();
                Ok(())
            })
            .unwrap();
    });
}

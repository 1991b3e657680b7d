//! The hardest tests of the house: everything that touches a stranger's path rests on this crate.

mod atomic;
mod change;
mod child;
mod crash;
mod holder;
mod lock;
mod model;
mod once;
mod property;
mod race;
mod reach;
mod trusted;
mod walk;

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use crate::{Links, Root};

/// A root for tests, and beside it a folder that nothing may reach.
struct Place {
    folder: tempfile::TempDir,
}

const SECRET: &str = "secret";

impl Place {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let place = Self { folder };
        fs::create_dir(place.inside()).unwrap();
        for name in ["a/b/c", "b", "f"] {
            place.put(&place.outside().join(name), SECRET);
        }
        place
    }

    fn inside(&self) -> PathBuf {
        self.folder.path().join("root")
    }

    fn outside(&self) -> PathBuf {
        self.folder.path().join("outside")
    }

    fn put(&self, path: &Path, text: &str) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// A file below the root.
    fn file(&self, path: &str, text: &str) {
        self.put(&self.inside().join(path), text);
    }

    fn link(&self, path: &str, target: impl AsRef<Path>) {
        let path = self.inside().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(target, path).unwrap();
    }

    fn pipe(&self, path: &str) {
        let path = self.inside().join(path);
        rustix::fs::mkfifoat(rustix::fs::CWD, path, rustix::fs::Mode::RUSR).unwrap();
    }

    fn root(&self) -> Root {
        Root::open(&self.inside()).unwrap()
    }

    /// The root, by the kernel and by steps, with each kind of links.
    fn roots(&self) -> Vec<Root> {
        let both = [Links::Refuse, Links::Inside];
        both.into_iter().flat_map(|links| self.both_ways(links)).collect()
    }

    fn both_ways(&self, links: Links) -> [Root; 2] {
        [self.root().following(links), self.root().following(links).by_steps()]
    }

    /// What is outside, which never changes.
    fn assert_outside_is_untouched(&self) {
        let mut found = BTreeMap::new();
        collect(&self.outside(), &mut found);
        let names: Vec<_> =
            found.keys().map(|path| path.strip_prefix(self.outside()).unwrap()).collect();
        assert_eq!(names, [Path::new("a/b/c"), Path::new("b"), Path::new("f")]);
        assert!(found.values().all(|text| text == SECRET), "{found:?}");
        let beside = fs::read_dir(self.folder.path()).unwrap().count();
        assert_eq!(beside, 2, "nothing is made beside the root");
    }
}

fn collect(folder: &Path, into: &mut BTreeMap<PathBuf, String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, into);
        } else {
            let text = fs::read_to_string(&path).unwrap();
            into.insert(path, text);
        }
    }
}

/// The names in a folder.
fn names(folder: &Path) -> Vec<String> {
    let names = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
    let mut names: Vec<_> = names.map(|name| name.to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

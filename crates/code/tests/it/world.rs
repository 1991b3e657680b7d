//! A small repository in a directory of its own.

use std::{fs, path::Path};

use consign_code::{Repository, Symbol};
use tempfile::TempDir;

pub(crate) struct World(TempDir);

impl World {
    pub(crate) fn new() -> Self {
        Self(TempDir::new().unwrap())
    }

    pub(crate) fn with(files: &[(&str, &str)]) -> Self {
        let world = Self::new();
        for (path, text) in files {
            world.write(path, text.as_bytes());
        }
        world
    }

    pub(crate) fn write(&self, path: &str, bytes: &[u8]) {
        let path = self.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn open(&self) -> Repository {
        Repository::open(self.path()).unwrap()
    }

    /// The only definition of a name.
    pub(crate) fn symbol(&self, name: &str) -> Symbol {
        let found = self.open().find_symbol(name, None).unwrap();
        assert_eq!(found.items.len(), 1, "{name}: {:#?}", found.items);
        found.items.into_iter().next().unwrap()
    }
}

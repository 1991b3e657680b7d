//! Reads the objects of a history, with limits on their size and number.
//!
//! A few kilobytes can unpack to gigabytes, and a few trees can contain each other so often that a walk
//! does not end. So the header is read first for the size of an object, and comparing has a limit.

use std::collections::BTreeMap;

use git2::{Blob, Commit, Error, ObjectType, Oid, Tree};

use super::History;

const COMMIT: usize = 1 << 20;
const TREE: usize = 16 << 20;
/// Trees in trees.
const DEEPEST: usize = 128;
/// Entries looked at to compare two trees.
const MOST: usize = 500_000;

/// What a tree has under a name: its mode and its object.
type Entry = (i32, Oid);

impl History {
    /// The commit that is checked out; none before the first.
    pub(super) fn newest(&self) -> Result<Option<Commit<'_>>, Error> {
        self.head.map(|id| self.commit(id)).transpose()
    }

    pub(super) fn commit(&self, id: Oid) -> Result<Commit<'_>, Error> {
        self.measure(id, ObjectType::Commit, COMMIT)?;
        self.git.find_commit(id)
    }

    fn tree(&self, id: Oid) -> Result<Tree<'_>, Error> {
        self.measure(id, ObjectType::Tree, TREE)?;
        self.git.find_tree(id)
    }

    pub(super) fn blob(&self, id: Oid, most: u64) -> Result<Blob<'_>, Error> {
        self.measure(id, ObjectType::Blob, usize::try_from(most).unwrap_or(usize::MAX))?;
        self.git.find_blob(id)
    }

    fn measure(&self, id: Oid, wanted: ObjectType, most: usize) -> Result<(), Error> {
        let (size, kind) = self.git.odb()?.read_header(id)?;
        if kind != wanted {
            return Err(Error::from_str("an object has another type than expected"));
        }
        if size > most {
            return Err(Error::from_str("an object is too large"));
        }
        Ok(())
    }

    /// What a commit has at a path; the empty path is everything.
    pub(super) fn at(&self, commit: &Commit<'_>, path: &str) -> Option<Oid> {
        self.entry(commit.tree_id(), path).map(|(_, id)| id)
    }

    fn entry(&self, tree: Oid, path: &str) -> Option<Entry> {
        let mut found = (i32::from(git2::FileMode::Tree), tree);
        for name in path.split('/').filter(|name| !name.is_empty()) {
            let tree = self.tree(found.1).ok()?;
            let entry = tree.get_name(name)?;
            found = (entry.filemode(), entry.id());
        }
        Some(found)
    }

    /// How many files below the root differ from the first parent, and whether all were compared.
    pub(super) fn changed(&self, commit: &Commit<'_>) -> Result<(usize, bool), Error> {
        let before = match commit.parent_ids().next() {
            Some(parent) => Some(self.commit(parent)?.tree_id()),
            None => None,
        };
        let below = |tree| self.entry(tree, &self.prefix);
        let pair = (before.and_then(below), below(commit.tree_id()));
        let (mut files, mut seen) = (0, 0);
        let mut left = vec![(pair, 0)];
        while let Some(((before, after), depth)) = left.pop() {
            if before == after {
                continue;
            }
            files += usize::from(is_file(before) || is_file(after));
            let mut pairs: BTreeMap<Vec<u8>, (Option<Entry>, Option<Entry>)> = BTreeMap::new();
            for (name, entry) in self.entries(before)? {
                pairs.entry(name).or_default().0 = Some(entry);
            }
            for (name, entry) in self.entries(after)? {
                pairs.entry(name).or_default().1 = Some(entry);
            }
            seen += pairs.len();
            if depth == DEEPEST || seen > MOST {
                return Ok((files, false));
            }
            left.extend(pairs.into_values().map(|pair| (pair, depth + 1)));
        }
        Ok((files, true))
    }

    /// What is in a tree; nothing if it is none.
    fn entries(&self, of: Option<Entry>) -> Result<Vec<(Vec<u8>, Entry)>, Error> {
        let Some((_, id)) = of.filter(|(mode, _)| *mode == i32::from(git2::FileMode::Tree)) else {
            return Ok(Vec::new());
        };
        let tree = self.tree(id)?;
        let told = |entry: git2::TreeEntry<'_>| {
            (entry.name_bytes().to_owned(), (entry.filemode(), entry.id()))
        };
        Ok(tree.iter().map(told).collect())
    }
}

/// Submodules are neither files nor trees.
fn is_file(entry: Option<Entry>) -> bool {
    let others = [git2::FileMode::Tree, git2::FileMode::Commit].map(i32::from);
    entry.is_some_and(|(mode, _)| !others.contains(&mode))
}

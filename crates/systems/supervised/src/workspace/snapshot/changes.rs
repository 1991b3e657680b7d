//! Which paths differ between two snapshots.

use std::{collections::BTreeSet, path::Path};

use super::{
    super::{Error, name},
    snapshots::Snapshots,
    tree::{Node, Tree, TreeId, What},
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    Added,
    /// Its content, its rights, where it leads, or what it is.
    Changed,
    Removed,
}

/// A path that differs between two snapshots.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// What is not UTF-8, control characters and backslashes are escaped, so that two paths never look the same.
    pub path: String,
    pub how: How,
    /// What it is now; for one that was removed, what it was.
    pub what: What,
}

impl Snapshots {
    /// What has changed from one snapshot to another, by path: files, links, and folders too.
    ///
    /// # Errors
    /// One of them is not there or damaged.
    pub fn changes(&self, from: &TreeId, to: &TreeId) -> Result<Vec<Change>, Error> {
        let (from, to) = (self.tree(from)?, self.tree(to)?);
        let change = |(path, old, new): (&Path, Option<&Node>, Option<&Node>)| {
            let how = match (old, new) {
                (None, _) => How::Added,
                (Some(_), Some(_)) => How::Changed,
                (Some(_), None) => How::Removed,
            };
            let what = new.or(old)?.what();
            Some(Change { path: name::written(path), how, what })
        };
        Ok(different(&from, &to).into_iter().filter_map(change).collect())
    }
}

/// The paths that differ, with what they were and are.
pub(super) fn different<'t>(
    from: &'t Tree,
    to: &'t Tree,
) -> Vec<(&'t Path, Option<&'t Node>, Option<&'t Node>)> {
    let paths = from.iter().chain(to.iter()).map(|(path, _)| path.as_path());
    let paths: BTreeSet<&Path> = paths.collect();
    paths
        .into_iter()
        .map(|path| (path, from.get(path), to.get(path)))
        .filter(|(_, old, new)| old != new)
        .collect()
}

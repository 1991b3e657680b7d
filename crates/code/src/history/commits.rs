//! The commits behind one, the newest first.
//!
//! libgit2 has a walk of its own, which reads all of a history before it gives the first commit in order.
//! This one reads only what it returns, so that stopping early is cheap.

use std::collections::{BinaryHeap, HashMap, HashSet};

use git2::{Commit, Oid};

use super::History;

pub(super) struct Commits<'a> {
    history: &'a History,
    order: BinaryHeap<(i64, Oid)>,
    waiting: HashMap<Oid, Commit<'a>>,
    seen: HashSet<Oid>,
    /// Some of the history is not there.
    pub(super) is_cut: bool,
}

impl<'a> Commits<'a> {
    pub(super) fn behind(history: &'a History, head: Commit<'a>) -> Self {
        let mut commits = Self {
            history,
            order: BinaryHeap::new(),
            waiting: HashMap::new(),
            seen: HashSet::new(),
            is_cut: history.git.is_shallow(),
        };
        commits.add(head);
        commits
    }

    fn add(&mut self, commit: Commit<'a>) {
        let id = commit.id();
        self.order.push((commit.time().seconds(), id));
        self.waiting.insert(id, commit);
    }
}

impl<'a> Iterator for Commits<'a> {
    type Item = Commit<'a>;

    fn next(&mut self) -> Option<Self::Item> {
        let (_, id) = self.order.pop()?;
        let commit = self.waiting.remove(&id)?;
        for parent in commit.parent_ids() {
            if !self.seen.insert(parent) {
                continue;
            }
            // A shallow or broken history ends where it ends.
            match self.history.commit(parent) {
                Ok(parent) => self.add(parent),
                Err(_) => self.is_cut = true,
            }
        }
        Some(commit)
    }
}

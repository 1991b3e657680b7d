//! A tree of files as a value, and what following a path in it comes to. It knows no system call.

use std::{
    collections::BTreeMap,
    fs,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
};

use proptest::prelude::*;

use crate::{Error, Links};

/// The way to something, from the root.
pub(super) type Way = Vec<String>;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Node {
    Folder,
    File(String),
    Link(String),
    Pipe,
}

/// What is below the root.
#[derive(Clone, Debug, Default)]
pub(super) struct Tree {
    nodes: BTreeMap<Way, Node>,
}

/// Why a path leads nowhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fails {
    Bad,
    Missing,
    NotAFolder,
    NotAFile,
    Link,
    Loop,
    Outside,
}

impl Fails {
    pub(super) fn of(error: &Error) -> Self {
        match error {
            Error::BadPath { .. } => Self::Bad,
            Error::Missing { .. } => Self::Missing,
            Error::NotAFolder { .. } => Self::NotAFolder,
            Error::NotAFile { .. } => Self::NotAFile,
            Error::Link { .. } => Self::Link,
            Error::Loop { .. } => Self::Loop,
            Error::Outside { .. } => Self::Outside,
            Error::HardLinked { .. }
            | Error::TooLarge { .. }
            | Error::AlreadyExists { .. }
            | Error::Sync { .. }
            | Error::Io { .. } => panic!("{error:?}"),
        }
    }
}

impl Tree {
    /// Puts something there, with the folders above it, unless something else is in the way.
    fn put(&mut self, way: &[String], node: Node) {
        for end in 1..way.len() {
            let above = self.nodes.entry(way[..end].to_vec()).or_insert(Node::Folder);
            if *above != Node::Folder {
                return;
            }
        }
        self.nodes.entry(way.to_vec()).or_insert(node);
    }

    /// Makes it on the disk.
    pub(super) fn make(&self, root: &Path) {
        for (way, node) in &self.nodes {
            let path = root.join(way.iter().collect::<PathBuf>());
            match node {
                Node::Folder => fs::create_dir(path).unwrap(),
                Node::File(text) => fs::write(path, text).unwrap(),
                Node::Link(target) => symlink(target, path).unwrap(),
                Node::Pipe => {
                    rustix::fs::mkfifoat(rustix::fs::CWD, path, rustix::fs::Mode::RWXU).unwrap();
                }
            }
        }
    }

    /// What a path leads to, and where that is without links.
    pub(super) fn find(&self, path: &str, links: Links) -> Result<(Way, Node), Fails> {
        if path.starts_with('/') || path.split('/').any(|name| name == "..") {
            return Err(Fails::Bad);
        }
        // Slashes at the end of a path mean nothing here; at the end of a link they do.
        let names = path.split('/').filter(|name| !["", "."].contains(name));
        let mut ahead: Vec<String> = names.rev().map(str::to_owned).collect();
        let (mut at, mut followed) = (Way::new(), 0);
        while let Some(name) = ahead.pop() {
            if self.node(&at)? != Node::Folder {
                return Err(Fails::NotAFolder);
            }
            match name.as_str() {
                "" | "." => continue,
                ".." => drop(at.pop().ok_or(Fails::Outside)?),
                _ => at.push(name),
            }
            if let Node::Link(target) = self.node(&at)? {
                if links == Links::Refuse {
                    return Err(Fails::Link);
                }
                followed += 1;
                if followed > 40 {
                    return Err(Fails::Loop);
                }
                if target.starts_with('/') {
                    return Err(Fails::Outside);
                }
                at.pop();
                ahead.extend(target.split('/').rev().map(str::to_owned));
            }
        }
        let node = self.node(&at)?;
        Ok((at, node))
    }

    fn node(&self, way: &[String]) -> Result<Node, Fails> {
        if way.is_empty() {
            return Ok(Node::Folder);
        }
        self.nodes.get(way).cloned().ok_or(Fails::Missing)
    }
}

fn name() -> impl Strategy<Value = String> {
    prop_oneof!["a", "b", "c", "f"].prop_map(|name| name.to_string())
}

/// Words of a path or of a link: names, and what leads up, nowhere or out.
fn words(most: usize) -> impl Strategy<Value = String> {
    let word = prop_oneof![6 => name(), 3 => Just("..".to_owned()), 1 => Just(".".to_owned()),
        1 => Just(String::new()), 1 => Just("outside".to_owned())];
    proptest::collection::vec(word, 1..=most).prop_map(|words| words.join("/"))
}

/// A path that somebody may ask for. Most can be asked for.
pub(super) fn path() -> impl Strategy<Value = String> {
    let plain = proptest::collection::vec(name(), 1..=4).prop_map(|names| names.join("/"));
    prop_oneof![4 => plain, 1 => words(5)]
}

pub(super) fn tree() -> impl Strategy<Value = Tree> {
    let node = prop_oneof![
        3 => Just(Node::Folder),
        3 => "[a-z]{1,8}".prop_map(Node::File),
        6 => words(5).prop_filter("a link leads somewhere", |to| !to.is_empty()).prop_map(Node::Link),
        1 => Just(Node::Pipe),
    ];
    let way = proptest::collection::vec(name(), 1..=3);
    proptest::collection::vec((way, node), 0..=14).prop_map(|parts| {
        let mut tree = Tree::default();
        for (way, node) in parts {
            tree.put(&way, node);
        }
        tree
    })
}

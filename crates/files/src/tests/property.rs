//! Random trees with links everywhere, held against the model.

use std::path::{Path, PathBuf};

use proptest::{collection::vec, prelude::*};

use super::{
    Place,
    model::{Fails, Node, Tree, path, tree},
};
use crate::{Access, Kind, Links, Root};

fn read(tree: &Tree, path: &str, links: Links) -> Result<String, Fails> {
    match tree.find(path, links)? {
        (_, Node::File(text)) => Ok(text),
        (_, Node::Folder | Node::Pipe) => Err(Fails::NotAFile),
        (_, Node::Link(_)) => panic!("it was followed"),
    }
}

fn check(tree: &Tree, root: &Root, path: &str, links: Links) -> Result<(), TestCaseError> {
    let text = root.read(path, 100).map(|bytes| String::from_utf8(bytes).unwrap());
    prop_assert_eq!(text.map_err(|error| Fails::of(&error)), read(tree, path, links));

    let folder = root.open_dir(path).map(|_| ()).map_err(|error| Fails::of(&error));
    let expected = tree.find(path, links).and_then(|(_, node)| match node {
        Node::Folder => Ok(()),
        Node::File(_) | Node::Link(_) | Node::Pipe => Err(Fails::NotAFolder),
    });
    prop_assert_eq!(folder, expected);

    let real = root.resolve(path).map_err(|error| Fails::of(&error));
    let expected = tree.find(path, Links::Inside).map(|(way, _)| way.iter().collect::<PathBuf>());
    prop_assert_eq!(&real, &expected);
    if let Ok(real) = real {
        // What it says has no link in it: it can be opened without following one.
        let plain = root.resolve(&real).unwrap();
        prop_assert_eq!(plain, real);
    }
    Ok(())
}

/// Something that changes what is below a root.
#[derive(Clone, Debug)]
enum Change {
    CreateDir(String),
    CreateDirAll(String),
    CreateNew(String),
    CreateOnce(String),
    Write(String),
    InPlace(String),
    RemoveFile(String),
    RemoveDir(String),
    Rename(String, String),
    RenameNew(String, String),
}

fn change() -> impl Strategy<Value = Change> {
    prop_oneof![
        path().prop_map(Change::CreateDir),
        path().prop_map(Change::CreateDirAll),
        path().prop_map(Change::CreateNew),
        path().prop_map(Change::CreateOnce),
        path().prop_map(Change::Write),
        path().prop_map(Change::InPlace),
        path().prop_map(Change::RemoveFile),
        path().prop_map(Change::RemoveDir),
        (path(), path()).prop_map(|(from, to)| Change::Rename(from, to)),
        (path(), path()).prop_map(|(from, to)| Change::RenameNew(from, to)),
    ]
}

impl Change {
    fn make(&self, root: &Root) -> Result<(), crate::Error> {
        use std::io::Write;
        let text = b"changed";
        match self {
            Self::CreateDir(path) => root.create_dir(path, 0o755),
            Self::CreateDirAll(path) => root.create_dir_all(path, 0o755),
            Self::CreateNew(path) => root.create_new(path, Access::Shared(0o644)).map(drop),
            Self::CreateOnce(path) => root.create_once(path, text, Access::Private).map(drop),
            Self::Write(path) => root.write_atomic(path, text, Access::Private),
            Self::InPlace(path) => {
                let mut file = root.open_in_place(path, Access::Private)?;
                file.write_all(text).unwrap();
                Ok(())
            }
            Self::RemoveFile(path) => root.remove_file(path).map(drop),
            Self::RemoveDir(path) => root.remove_dir(path).map(drop),
            Self::Rename(from, to) => root.rename(from, to),
            Self::RenameNew(from, to) => root.rename_new(from, to),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn both_ways_of_following_a_path_do_what_the_model_says(
        tree in tree(),
        paths in vec(path(), 1..12),
    ) {
        let place = Place::new();
        tree.make(&place.inside());
        for links in [Links::Refuse, Links::Inside] {
            for root in place.both_ways(links) {
                for path in &paths {
                    check(&tree, &root, path, links)?;
                }
            }
        }
    }

}

proptest! {
    // Each change is synced.
    #![proptest_config(ProptestConfig { cases: 100, ..ProptestConfig::default() })]

    #[test]
    fn no_change_reaches_out_of_the_root(tree in tree(), changes in vec(change(), 1..12)) {
        for links in [Links::Refuse, Links::Inside] {
            for by_steps in [false, true] {
                let place = Place::new();
                tree.make(&place.inside());
                let root = place.root().following(links);
                let root = if by_steps { root.by_steps() } else { root };
                for change in &changes {
                    // It may be refused. It must not reach out.
                    let _ = change.make(&root);
                }
                place.assert_outside_is_untouched();
            }
        }
    }

    #[test]
    fn what_was_written_is_read(tree in tree(), path in path()) {
        for links in [Links::Refuse, Links::Inside] {
            let place = Place::new();
            tree.make(&place.inside());
            for root in place.both_ways(links) {
                // A file can take the place of a link on its own way, such as `a/a` where `a` leads to `.`.
                let (above, name) = (Path::new(&path).parent(), Path::new(&path).file_name());
                let real = root.resolve(above.unwrap_or(Path::new("")));
                if root.write_atomic(&path, b"new", Access::Private).is_ok() {
                    let real = real.unwrap().join(name.unwrap());
                    prop_assert_eq!(root.read(&real, 10).unwrap(), b"new");
                    prop_assert_eq!(root.metadata(&real).unwrap().kind, Kind::File);
                    let again = root.create_once(&real, b"newer", Access::Private);
                    let is_kept = matches!(again, Err(crate::Error::AlreadyExists { .. }));
                    prop_assert!(is_kept, "{again:?}");
                }
            }
        }
    }
}

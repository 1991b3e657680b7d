//! Nothing outside of the root is read, whatever a path or a link says.

use std::{fs, os::unix::fs::symlink};

use consign_code::{Error, Query, Repository};
use proptest::prelude::*;
use tempfile::TempDir;

use crate::world::World;

const SECRET: &str = "the secret outside";

/// A repository beside a directory with a secret, and links to it.
fn beside_a_secret() -> (TempDir, Repository) {
    let home = TempDir::new().unwrap();
    let root = home.path().join("repo");
    fs::create_dir_all(root.join("src")).unwrap();
    fs::create_dir_all(home.path().join("outside")).unwrap();
    fs::write(home.path().join("outside/secret.txt"), SECRET).unwrap();
    fs::write(root.join("src/a.rs"), "fn inside() {}\n").unwrap();
    symlink("../outside/secret.txt", root.join("file")).unwrap();
    symlink("../outside", root.join("dir")).unwrap();
    symlink(home.path().join("outside"), root.join("absolute")).unwrap();
    symlink("src/a.rs", root.join("inner.rs")).unwrap();
    symlink(".", root.join("loop")).unwrap();
    symlink("knot", root.join("knot")).unwrap();
    let repository = Repository::open(&root).unwrap();
    (home, repository)
}

#[test]
fn paths_that_lead_out_are_refused() {
    let (home, repository) = beside_a_secret();
    let absolute = home.path().join("outside/secret.txt").display().to_string();
    for path in [
        absolute.as_str(),
        "../outside/secret.txt",
        "src/../../outside/secret.txt",
        "src/../src/a.rs",
        "file",
        "dir/secret.txt",
        "absolute/secret.txt",
        "loop/dir/secret.txt",
        "/etc/passwd",
        "..\\outside\\secret.txt",
        "C:/secret.txt",
    ] {
        let outside = |error: Error| matches!(error, Error::Outside { .. });
        assert!(outside(repository.read_file(path, 1, 9).unwrap_err()), "read {path}");
        assert!(outside(repository.outline(path).unwrap_err()), "outline {path}");
        assert!(outside(repository.git_blame(path, 1, 9).unwrap_err()), "blame {path}");
    }
    for path in ["..", "dir", "absolute", "src/../.."] {
        let error = repository.list_tree(path, 3, 100).unwrap_err();
        assert!(matches!(error, Error::Outside { .. }), "{path}: {error:?}");
    }
}

#[test]
fn a_link_inside_may_be_named_but_is_not_walked() {
    let (_home, repository) = beside_a_secret();
    assert_eq!(repository.read_file("inner.rs", 1, 9).unwrap().lines, ["fn inside() {}"]);
    assert_eq!(repository.read_file("loop/src/a.rs", 1, 9).unwrap().lines.len(), 1);
    let hits = repository.search(&Query::text("i")).unwrap();
    let paths: Vec<_> = hits.items.iter().map(|hit| hit.path.as_str()).collect();
    assert_eq!(paths, ["src/a.rs"], "neither the secret nor a file twice");
    assert!(repository.read_file("knot", 1, 9).is_err());
}

#[test]
fn what_is_no_file_is_said() {
    let world = World::with(&[("src/a.rs", "")]);
    let repository = world.open();
    let error = |path| repository.read_file(path, 1, 2).unwrap_err();
    assert!(matches!(error("src"), Error::Unfit { .. }));
    assert!(matches!(error("src/b.rs"), Error::Missing { .. }));
    assert!(matches!(error("src/a.rs/b"), Error::Missing { .. }));
    assert!(matches!(error("a\0b"), Error::Missing { .. }));
    assert!(matches!(error(&"a/".repeat(5000)), Error::Missing { .. }));
    assert!(matches!(
        repository.list_tree("src/a.rs", 1, 1).unwrap_err(),
        Error::Unfit { .. } | Error::Missing { .. }
    ));
    assert!(matches!(Repository::open(&world.path().join("src/a.rs")), Err(Error::Root { .. })));
    assert!(matches!(Repository::open(&world.path().join("none")), Err(Error::Root { .. })));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn no_path_escapes(parts in prop::collection::vec(prop_oneof![
        Just("..".to_owned()), Just(".".to_owned()), Just(String::new()), Just("src".to_owned()),
        Just("dir".to_owned()), Just("absolute".to_owned()), Just("loop".to_owned()),
        Just("file".to_owned()), Just("outside".to_owned()), Just("secret.txt".to_owned()),
        Just("..\\..".to_owned()), Just("...".to_owned()), ".{0,3}",
    ], 0..7), slash in any::<bool>()) {
        let (_home, repository) = beside_a_secret();
        let path = format!("{}{}", if slash { "/" } else { "" }, parts.join("/"));
        if let Ok(text) = repository.read_file(&path, 1, 9) {
            prop_assert!(!text.lines.iter().any(|line| line.contains(SECRET)), "{path}");
        }
        if let Ok(tree) = repository.list_tree(&path, 4, 100) {
            prop_assert!(!format!("{tree:?}").contains("secret"), "{path}");
        }
    }
}

use std::path::PathBuf;

use super::Place;
use crate::{Entry, Kind, Links, Root, WalkLimits};

/// Every path that a walk finds, in the order in which it does.
fn walk(root: &Root, limits: WalkLimits) -> Vec<String> {
    let mut found = Vec::new();
    let mut walk = root.walk(limits);
    while let Some(folder) = walk.next_folder() {
        let folder = folder.unwrap();
        for entry in folder.entries.iter().filter(|entry| entry.kind != Kind::Folder) {
            found.push(folder.path.join(&entry.name).to_str().unwrap().to_owned());
        }
        let folders: Vec<&Entry> =
            folder.entries.iter().filter(|entry| entry.kind == Kind::Folder).collect();
        if walk.enter(&folder, folders) > 0 || folder.is_cut {
            found.push(format!("{}/…", folder.path.display()));
        }
    }
    found
}

const ALL: WalkLimits = WalkLimits { depth: 100, names: 100 };

#[test]
fn a_walk_sees_every_folder_once_in_order_and_enters_no_link() {
    let place = Place::new();
    for file in ["b/2", "b/a/1", "a/1", "c"] {
        place.file(file, "");
    }
    place.link("b/loop", "..");
    place.link("away", "../outside");
    for links in [Links::Refuse, Links::Inside] {
        for root in place.both_ways(links) {
            assert_eq!(walk(&root, ALL), ["away", "c", "a/1", "b/2", "b/loop", "b/a/1"]);
        }
    }
}

#[test]
fn a_walk_enters_only_what_it_is_told_to_and_not_too_deep() {
    let place = Place::new();
    place.file("a/b/c/d", "");
    let root = place.root();
    let mut not_entered = root.walk(ALL);
    assert_eq!(not_entered.next_folder().unwrap().unwrap().entries.len(), 1);
    assert!(not_entered.next_folder().is_none());
    assert_eq!(walk(&root, WalkLimits { depth: 2, names: 100 }), ["a/b/…"]);
    assert_eq!(walk(&root, WalkLimits { depth: 0, names: 100 }), ["/…"]);
    let mut files = root.walk(ALL);
    let top = files.next_folder().unwrap().unwrap();
    let file = Entry { name: "a".into(), kind: Kind::File };
    assert_eq!((files.enter(&top, [&file]), files.ahead()), (1, 0));
    assert_eq!((files.enter(&top, &top.entries), files.ahead()), (0, 1));
}

#[test]
fn a_folder_with_too_many_names_is_cut() {
    let place = Place::new();
    for name in ["a", "b", "c"] {
        place.file(name, "");
    }
    let root = place.root();
    assert_eq!(walk(&root, WalkLimits { depth: 1, names: 3 }).len(), 3);
    let folder = root.walk(WalkLimits { depth: 1, names: 2 }).next_folder().unwrap().unwrap();
    assert!(folder.is_cut && folder.entries.len() == 2);
}

#[test]
fn a_folder_that_has_become_something_else_is_told() {
    let place = Place::new();
    place.file("a/file", "");
    place.file("b/file", "");
    let root = place.root();
    let mut walk = root.walk(ALL);
    let top = walk.next_folder().unwrap().unwrap();
    walk.enter(&top, &top.entries);
    std::fs::remove_dir_all(place.inside().join("a")).unwrap();
    place.link("a", "../outside");
    let (path, error) = walk.next_folder().unwrap().unwrap_err();
    assert_eq!(path, PathBuf::from("a"));
    assert!(matches!(error, crate::Error::Link { .. }));
    let next = walk.next_folder().unwrap().unwrap();
    assert_eq!(next.root.read("file", 10).unwrap(), b"");
}

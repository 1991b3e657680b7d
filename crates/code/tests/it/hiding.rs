//! What is hidden is as if it were not there.

use std::{fs, os::unix::fs::symlink, sync::Arc};

use consign_code::{Cancel, Error, Limits, LogQuery, Query, Repository, Symbol, Term};

use crate::world::World;

fn open(world: &World, limits: Limits) -> Repository {
    let repository = Repository::open_with(world.path(), limits, Cancel::new()).unwrap();
    // Says nothing about what is in the folder: that goes without saying.
    repository.hiding(Arc::new(|path| path == "private" || path.ends_with(".pem")))
}

fn world() -> World {
    let world = World::with(&[("src/a.rs", "fn needle() { call(); }\n"), ("a.pem", "needle")]);
    for at in 0..50 {
        world.write(&format!("private/deep/f{at}.rs"), b"fn needle() {} // needle\n");
    }
    world
}

#[test]
fn what_is_hidden_fills_no_limit_and_is_not_counted() {
    let world = world();
    let repository = open(&world, Limits { files: 1, ..Limits::default() });
    let found = repository.search(&Query::text("needle")).unwrap();
    assert_eq!((found.total, found.files_read, found.skipped, found.truncated), (1, 1, 0, false));
    assert_eq!(repository.survey(&[Term::new("needle", 1.0)], 9).unwrap().total, 1);
    assert_eq!(repository.find_symbol("needle", None).unwrap().total, 1);
    assert_eq!(repository.find_references("call", 9).unwrap().found.total, 1);
    assert_eq!(repository.definitions("", &[]).unwrap().total, 1);
    assert_eq!(repository.census("").unwrap().files, 1);
    assert_eq!(repository.languages().unwrap()[0].files, 1);
    assert_eq!(repository.list_tree("", 9, 99).unwrap().nodes.len(), 2);
    // A name that differs in case is looked for only where it may be seen.
    assert_eq!(repository.find_symbol("NEEDLE", None).unwrap().total, 1);
}

#[test]
fn who_names_what_is_hidden_is_refused_whether_it_is_there_or_not() {
    let world = world();
    symlink("private/deep/f1.rs", world.path().join("link.rs")).unwrap();
    symlink("private", world.path().join("folder")).unwrap();
    symlink("src/a.rs", world.path().join("fine.rs")).unwrap();
    world.write("src/b\u{7}.rs", b"fn bell() {}\n");
    let repository = open(&world, Limits::default());
    for path in [
        "private",
        "private/deep",
        "private/deep/f1.rs",
        "private/none.rs",
        "./private//deep/f1.rs",
        "x.pem",
        "link.rs",
        "folder/deep/f1.rs",
        "folder",
        "src/b\u{7}.rs",
    ] {
        let hidden = |error: Error| matches!(error, Error::Hidden { .. });
        let at = |path: &str| Symbol {
            name: "needle".to_owned(),
            kind: consign_code::Kind::Function,
            container: None,
            path: path.to_owned(),
            line: 1,
            end_line: 1,
            signature: String::new(),
            doc: None,
        };
        let log = LogQuery { path: Some(path.to_owned()), ..LogQuery::default() };
        assert!(hidden(repository.read_file(path, 1, 9).unwrap_err()), "read {path:?}");
        assert!(hidden(repository.outline(path).unwrap_err()), "outline {path:?}");
        assert!(hidden(repository.calls_in(&at(path)).unwrap_err()), "calls {path:?}");
        assert!(hidden(repository.census(path).unwrap_err()), "census {path:?}");
        assert!(hidden(repository.definitions(path, &[]).unwrap_err()), "definitions {path:?}");
        assert!(hidden(repository.list_tree(path, 1, 9).unwrap_err()), "tree {path:?}");
        assert!(hidden(repository.git_blame(path, 1, 9).unwrap_err()), "blame {path:?}");
        assert!(hidden(repository.git_log(&log).unwrap_err()), "log {path:?}");
        assert!(repository.symbols_like(&["needle"], &[path]).unwrap().items.is_empty());
    }
    assert_eq!(repository.read_file("fine.rs", 1, 9).unwrap().total_lines, 1);
    assert!(matches!(repository.read_file("none.rs", 1, 9), Err(Error::Missing { .. })));
}

#[test]
fn rules_are_not_read_through_links() {
    let world = World::with(&[("a.rs", "needle"), ("private", "a.rs\n")]);
    symlink("private", world.path().join(".gitignore")).unwrap();
    let repository = open(&world, Limits::default());
    assert_eq!(repository.search(&Query::text("needle")).unwrap().total, 1);
    fs::remove_file(world.path().join(".gitignore")).unwrap();
    world.write(".gitignore", b"a.rs\n");
    let repository = open(&world, Limits::default());
    assert_eq!(repository.search(&Query::text("needle")).unwrap().total, 0);
}

//! Which files count.

use consign_code::{Cancel, Limits, Query, Repository};

use crate::world::World;

fn found(repository: &Repository) -> Vec<String> {
    let mut query = Query::text("needle");
    query.limit = 1_000;
    let mut paths: Vec<_> =
        repository.search(&query).unwrap().items.into_iter().map(|hit| hit.path).collect();
    paths.sort();
    paths
}

#[test]
fn rules_of_the_repository_are_kept_without_git() {
    let world = World::with(&[
        (".gitignore", "*.log\n/secret/\n!keep.log\n# comment\n\\\n[z-a]\n"),
        ("a.rs", "needle"),
        ("a.log", "needle"),
        ("keep.log", "needle"),
        ("secret/b.rs", "needle"),
        ("src/secret/c.rs", "needle"),
        ("src/.gitignore", "d.rs\n!e.log\n"),
        ("src/d.rs", "needle"),
        ("src/e.log", "needle"),
        ("d.rs", "needle"),
        ("src/.ignore", "f.rs\n!g.log"),
        ("src/f.rs", "needle"),
        ("src/g.log", "needle"),
    ]);
    assert_eq!(
        found(&world.open()),
        ["a.rs", "d.rs", "keep.log", "src/e.log", "src/g.log", "src/secret/c.rs"]
    );
}

#[test]
fn other_peoples_code_and_what_was_built_are_left_out() {
    let world = World::with(&[
        ("node_modules/x/index.js", "needle"),
        ("target/debug/a.rs", "needle"),
        ("vendor/a.go", "needle"),
        ("pkg/dist/a.js", "needle"),
        ("build/a.c", "needle"),
        (".venv/a.py", "needle"),
        ("a/__pycache__/a.py", "needle"),
        (".git/config", "needle"),
        (".hidden", "needle"),
        (".github/ci.yml", "needle"),
        ("app.min.js", "needle"),
        ("Cargo.lock", "needle"),
        ("src/a.rs", "needle"),
    ]);
    assert_eq!(found(&world.open()), ["Cargo.lock", "src/a.rs"]);
}

#[test]
fn binary_and_large_files_are_skipped_and_counted() {
    let world = World::with(&[("a.txt", "needle")]);
    world.write("b.txt", b"needle\0needle");
    world.write("c.png", b"needle");
    world.write("d.txt", "needle ".repeat(400_000).as_bytes());
    let found = world.open().search(&Query::text("needle")).unwrap();
    assert_eq!((found.items.len(), found.files_read, found.skipped), (1, 1, 3));
    assert!(!found.truncated);
}

#[test]
fn a_list_ends_at_its_limit() {
    let world = World::new();
    for at in 0..50 {
        world.write(&format!("d{}/f{at}.rs", at % 7), b"needle");
    }
    let limits = Limits { files: 20, ..Limits::default() };
    let repository = Repository::open_with(world.path(), limits, Cancel::new()).unwrap();
    let found = repository.search(&Query::text("needle")).unwrap();
    assert!(found.truncated);
    assert_eq!(found.items.len(), 20);
}

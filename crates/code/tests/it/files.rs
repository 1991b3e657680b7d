//! The files themselves: listed with what they are, read within bounds, output told from source.

use std::os::unix::fs::symlink;

use consign_code::{Cancel, Class, Error, Language, Limits, Repository};

use crate::world::World;

fn paths(repository: &Repository) -> Vec<String> {
    repository.files().unwrap().files.into_iter().map(|file| file.path).collect()
}

#[test]
fn files_are_listed_by_path_with_what_they_are() {
    let world = World::with(&[
        ("src/b.rs", ""),
        ("src/a_test.go", ""),
        ("logo.png", ""),
        (".gitignore", "ignored.py\n"),
        ("ignored.py", ""),
    ]);
    symlink("src/b.rs", world.path().join("link.rs")).unwrap();
    let listed = world.open().files().unwrap();
    let seen: Vec<_> = listed
        .files
        .iter()
        .map(|file| (file.path.as_str(), file.class, file.language, file.binary))
        .collect();
    assert_eq!(
        seen,
        [
            ("logo.png", Class::Other, None, true),
            ("src/a_test.go", Class::Test, Some(Language::Go), false),
            ("src/b.rs", Class::Source, Some(Language::Rust), false),
        ]
    );
    assert!(!listed.truncated);
    let limits = Limits { files: 1, ..Limits::default() };
    let few = Repository::open_with(world.path(), limits, Cancel::new()).unwrap();
    assert!(few.files().unwrap().truncated);
}

#[test]
fn output_is_told_by_marks_only_where_that_is_asked_for() {
    let world = World::with(&[
        ("build/tool.py", ""),
        ("web/package.json", "{}"),
        ("web/dist/app.js", ""),
        ("app/App.csproj", ""),
        ("app/bin/Made.cs", ""),
        ("scripts/bin/run.py", ""),
        ("env/pyvenv.cfg", ""),
        ("env/lib/x.py", ""),
        ("node_modules/x/index.js", ""),
    ]);
    let by_name = paths(&world.open());
    assert!(!by_name.iter().any(|path| path == "build/tool.py"), "{by_name:?}");
    let by_marks = paths(&world.open().telling_output_by_marks());
    assert_eq!(
        by_marks,
        ["app/App.csproj", "build/tool.py", "scripts/bin/run.py", "web/package.json"]
    );
}

#[test]
fn many_files_are_read_in_their_order_and_the_unfit_are_nothing() {
    let outside = World::with(&[("secret", "secret")]);
    let world = World::with(&[("a", "one"), ("b", "two\nthree"), ("large", "0123456789")]);
    world.write("binary", b"\0\x01");
    symlink(outside.path().join("secret"), world.path().join("out")).unwrap();
    let repository = world.open();
    let paths = ["b", "none", "large", "a", "binary", "out", "../secret"];
    let read =
        repository.read_each(&paths, 9, |path, bytes| (path.to_owned(), bytes.len())).unwrap();
    let told = |path: &str, size| Some((path.to_owned(), size));
    assert_eq!(read, [told("b", 9), None, None, told("a", 3), None, None, None]);
    assert_eq!(repository.read_whole("a", 9).unwrap(), b"one");
    assert!(matches!(repository.read_whole("large", 9), Err(Error::TooLarge { .. })));
    assert!(matches!(repository.read_whole("out", 9), Err(Error::Outside { .. })));
    assert_eq!(repository.size_of("large").unwrap(), 10);
}

#[test]
fn who_cancels_gets_no_bytes() {
    let world = World::with(&[("a", "one")]);
    let cancel = Cancel::new();
    let repository =
        Repository::open_with(world.path(), Limits::default(), cancel.clone()).unwrap();
    cancel.cancel();
    assert!(matches!(repository.read_each(&["a"], 9, |_, _| ()), Err(Error::Cancelled)));
    assert!(matches!(repository.files(), Err(Error::Cancelled)));
}

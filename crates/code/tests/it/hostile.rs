//! Repositories that mean harm, or are merely broken.

use std::{fs, os::unix::fs::symlink, time::Duration};

use consign_code::{Cancel, Error, Limits, LogQuery, Query, Repository, Term};

use crate::world::World;

fn pipe(world: &World, path: &str) {
    let path = world.path().join(path);
    let mode = rustix::fs::Mode::from_raw_mode(0o644);
    rustix::fs::mknodat(rustix::fs::CWD, path, rustix::fs::FileType::Fifo, mode, 0).unwrap();
}

#[test]
fn pipes_and_endless_files_hold_nobody() {
    let world = World::with(&[("a.rs", "fn needle() {}")]);
    fs::create_dir(world.path().join("sub")).unwrap();
    pipe(&world, "pipe.rs");
    pipe(&world, ".gitignore");
    symlink("/dev/zero", world.path().join("sub/.gitignore")).unwrap();
    symlink("/dev/zero", world.path().join("zero.rs")).unwrap();
    world.write("sub/b.rs", b"needle");
    let repository = world.open();
    assert_eq!(repository.search(&Query::text("needle")).unwrap().items.len(), 2);
    assert!(matches!(repository.read_file("pipe.rs", 1, 9).unwrap_err(), Error::Unfit { .. }));
    assert!(matches!(repository.read_file("zero.rs", 1, 9).unwrap_err(), Error::Outside { .. }));
}

#[test]
fn deep_nesting_overflows_nothing() {
    let deep = 100_000;
    for (path, text) in [
        ("a.rs", format!("fn f() {{ {}needle(){} }}", "(".repeat(deep), ")".repeat(deep))),
        ("b.js", format!("x = {}{}", "[".repeat(deep), "]".repeat(deep))),
        ("c.py", format!("x = {}needle", "(".repeat(deep))),
        ("d.c", format!("int f() {}needle(){}", "{".repeat(deep), "}".repeat(deep))),
        ("e.go", format!("package a\nvar x = {}needle", "func() { ".repeat(deep))),
        ("f.ts", format!("{}needle", "namespace a { ".repeat(20_000))),
        ("g.cs", format!("{}needle", "class A { ".repeat(20_000))),
        ("h.java", format!("{}needle", "class A { ".repeat(20_000))),
        ("i.cpp", format!("{}needle", "namespace a { ".repeat(20_000))),
        ("j.rs", format!("{}fn needle() {{}}", "mod a { ".repeat(20_000))),
    ] {
        let world = World::with(&[(path, &text)]);
        let repository = world.open();
        let outline = repository.outline(path);
        assert!(matches!(outline, Ok(_) | Err(Error::Unparsed { .. })), "{path}: {outline:?}");
        repository.find_symbol("needle", None).unwrap();
        repository.find_references("needle", 10).unwrap();
    }
}

#[test]
fn a_name_that_is_everywhere_is_counted_in_bounds() {
    let world = World::with(&[
        ("a.py", &format!("{}\n", "a.a ".repeat(300)).repeat(100)),
        ("b.rs", &"cfg! { fn a() { T::a() } }\n".repeat(5_000)),
        ("c.js", &format!("{}a()", "a.".repeat(100_000))),
    ]);
    let repository = world.open();
    for name in ["a", "T.a", "b.a"] {
        let uses = repository.find_references(name, 10).unwrap();
        assert!(uses.found.items.len() == 10 && !uses.complete, "{name}");
    }
    assert_eq!(repository.find_references("cfg!", 10).unwrap().found.total, 5_000);
    assert!(repository.definitions("", &[]).unwrap().total >= 2_000);
}

#[test]
fn what_is_not_utf8_is_read_all_the_same() {
    let world = World::new();
    world.write("a.rs", b"// \xff\xfe\nfn needle() { b\xffd(); }\n/// caf\xe9\nfn other() {}\n");
    let repository = world.open();
    let text = repository.read_file("a.rs", 1, 9).unwrap();
    assert!(text.lossy && text.lines[0].contains('\u{FFFD}'));
    assert_eq!(world.symbol("needle").line, 2);
    assert!(repository.search(&Query::text("needle")).unwrap().items[0].text.contains('\u{FFFD}'));
}

#[test]
fn a_huge_line_is_cut() {
    let text = format!("{}needle{}\n", "x ".repeat(400_000), " y".repeat(400_000));
    let world = World::with(&[("a.txt", &text)]);
    let repository = world.open();
    let hit = &repository.search(&Query::text("needle")).unwrap().items[0];
    assert!(hit.text.contains("needle") && hit.text.chars().count() <= 402);
    let survey = repository.survey(&[Term::new("needle", 1.0)], 5).unwrap();
    assert!(survey.items[0].lines[0].text.contains("needle"));
    let text = repository.read_file("a.txt", 1, 1).unwrap();
    assert!(text.truncated && text.lines[0].chars().count() <= 2_001);
}

#[test]
fn a_bad_pattern_says_what_and_where() {
    let world = World::with(&[("a.txt", "needle")]);
    let repository = world.open();
    let reason = |pattern: &str| {
        let error = repository.search(&Query::regex(pattern)).unwrap_err();
        let Error::Pattern { reason, .. } = error else { panic!("{error:?}") };
        reason
    };
    assert_eq!(reason("a(b"), "unclosed group, at character 2");
    assert_eq!(reason(""), "it is empty");
    assert!(reason("((a{1000}){1000}){1000}").contains("too complex"));
    assert!(reason(r"(?:\pL{100}){100}").contains("too complex"));
    assert!(!reason(&"(".repeat(4000)).is_empty());
    assert!(!reason(&"a".repeat(5000)).is_empty());
    let glob = Query { glob: Some("a[".to_owned()), ..Query::text("a") };
    assert!(matches!(repository.search(&glob).unwrap_err(), Error::Pattern { .. }));
}

#[test]
fn a_pattern_that_is_slow_elsewhere_is_not_slow_here() {
    let world = World::with(&[("a.txt", &"a".repeat(1 << 20)), ("b.txt", &"ab\n".repeat(1 << 18))]);
    let repository = world.open();
    for pattern in ["(a+)+$x", "(a|aa)+b", "(?s)a.*z|a", "(x+x+)+y", "a*", "[^z]*z|b"] {
        repository.search(&Query::regex(pattern)).unwrap();
    }
}

#[test]
fn a_file_that_vanishes_is_skipped() {
    let world = World::with(&[("a.rs", "fn needle() {}"), ("b.rs", "fn needle() {}")]);
    let repository = world.open();
    assert_eq!(repository.search(&Query::text("needle")).unwrap().items.len(), 2);
    fs::remove_file(world.path().join("a.rs")).unwrap();
    let found = repository.search(&Query::text("needle")).unwrap();
    assert_eq!((found.items.len(), found.skipped), (1, 1));
    assert_eq!(repository.find_symbol("needle", None).unwrap().items.len(), 1);
}

#[test]
fn who_cancels_gets_nothing_and_who_is_late_gets_some() {
    let world = World::with(&[("a.rs", "fn needle() {}")]);
    let open = |cancel| Repository::open_with(world.path(), Limits::default(), cancel).unwrap();
    let cancel = Cancel::new();
    let repository = open(cancel.clone());
    cancel.cancel();
    assert!(matches!(repository.search(&Query::text("x")), Err(Error::Cancelled)));
    assert!(matches!(repository.survey(&[Term::new("x", 1.0)], 5), Err(Error::Cancelled)));
    assert!(matches!(repository.find_symbol("needle", None), Err(Error::Cancelled)));
    assert!(matches!(repository.outline("a.rs"), Err(Error::Cancelled)));
    assert!(matches!(repository.git_log(&LogQuery::default()), Err(Error::Cancelled)));
    let late = open(Cancel::new().within(Duration::ZERO));
    assert!(late.search(&Query::text("needle")).unwrap().truncated);
    assert!(late.survey(&[Term::new("needle", 1.0)], 5).unwrap().truncated);
}

#[test]
fn an_empty_repository_has_nothing() {
    let world = World::new();
    let repository = world.open();
    assert!(repository.search(&Query::text("x")).unwrap().items.is_empty());
    assert!(repository.survey(&[Term::new("x", 1.0)], 5).unwrap().items.is_empty());
    assert!(repository.find_symbol("x", None).unwrap().items.is_empty());
    assert!(repository.languages().unwrap().is_empty());
    assert!(repository.list_tree("", 3, 10).unwrap().nodes.is_empty());
    assert!(matches!(repository.git_log(&LogQuery::default()), Err(Error::NoHistory { .. })));
}

/// What would take hours if each definition or use were looked at together with all that is around it.
#[test]
fn all_of_a_program_may_be_on_one_line() {
    let times = 60_000;
    let calls = format!("function f() {{ f{} }}", "()".repeat(times));
    let defined = "function needle() {} ".repeat(times);
    let used = format!("// note\n{}needle\n", "needle(1); ".repeat(times));
    let macros = format!("fn x() {{}}\n{}", "needle! { fn a() {} }\n".repeat(times / 10));
    let world = World::with(&[
        ("calls.js", &calls),
        ("defined.js", &defined),
        ("used.js", &used),
        ("macros.rs", &macros),
    ]);
    let repository = world.open();
    let outline = repository.outline("calls.js").unwrap();
    repository.calls_in(&outline.items[0]).unwrap();
    let found = repository.outline("defined.js").unwrap();
    assert_eq!((found.total, found.items.len(), found.truncated), (times, 1_000, true));
    assert!(found.items.iter().all(|symbol| symbol.signature.chars().count() <= 302));
    repository.find_symbol("needle", None).unwrap();
    assert!(repository.find_references("needle", 10).unwrap().found.total > 1_000);
    repository.search(&Query::regex("needle.*note")).unwrap();
}

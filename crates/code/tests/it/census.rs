//! How many files and lines there are, and what they define.

use consign_code::{Cancel, Error, Kind, Language, Limits, Repository};

use crate::world::World;

fn shop() -> World {
    World::with(&[
        ("src/a.rs", "pub struct A { x: u8 }\nimpl A {\n    pub fn open() {}\n}\n"),
        ("src/b.py", "def b():\n    pass\n"),
        ("src/deep/c.rs", "pub fn c() {}\nmod tests {\n    fn checks() {}\n}\n"),
        ("src/notes", "no end"),
        ("srcs/d.rs", "fn d() {}"),
        ("tests/t.rs", "fn t() {}\n\n"),
        ("readme.md", "text\n"),
    ])
}

#[test]
fn a_census_counts_files_and_lines_by_language() {
    let world = shop();
    world.write("src/logo.png", b"x\ny\n");
    let repository = world.open();
    let shown = |path| -> Vec<String> {
        let census = repository.census(path).unwrap();
        assert!(!census.truncated);
        let rows = census.rows.iter().map(|row| {
            let name = row.language.map_or("unknown", Language::name);
            format!("{name} {} {} {}", row.files, row.lines, row.tests)
        });
        let all = [census.files, census.lines, census.tests, census.skipped];
        rows.chain([format!("{all:?}")]).collect()
    };
    assert_eq!(
        shown(""),
        ["Rust 4 11 1", "Python 1 2 0", "unknown 2 1 0", "Markdown 1 1 0", "[8, 15, 1, 1]"]
    );
    assert_eq!(shown("src/"), ["Rust 2 8 0", "Python 1 2 0", "unknown 2 1 0", "[5, 11, 0, 1]"]);
    assert_eq!(shown("srcs/d.rs"), ["Rust 1 1 0", "[1, 1, 0, 0]"]);
    assert!(matches!(repository.census("none"), Err(Error::Missing { .. })));
    assert!(matches!(repository.census("../x"), Err(Error::Outside { .. })));
}

#[test]
fn a_census_that_was_cut_says_so() {
    let world = shop();
    let limits = Limits { files: 3, ..Limits::default() };
    let repository = Repository::open_with(world.path(), limits, Cancel::new()).unwrap();
    let census = repository.census("").unwrap();
    assert!(census.truncated && census.files <= 3);
    let late = Cancel::new().within(std::time::Duration::ZERO);
    let repository = Repository::open_with(world.path(), Limits::default(), late).unwrap();
    assert!(repository.census("").unwrap().truncated);
    assert!(repository.definitions("", &[]).unwrap().truncated);
    let cancel = Cancel::new();
    cancel.cancel();
    let repository = Repository::open_with(world.path(), Limits::default(), cancel).unwrap();
    assert!(matches!(repository.census(""), Err(Error::Cancelled)));
    assert!(matches!(repository.definitions("", &[]), Err(Error::Cancelled)));
}

#[test]
fn a_folder_has_the_definitions_of_its_files() {
    let world = shop();
    let repository = world.open();
    let names = |path: &str, kinds: &[Kind]| -> Vec<String> {
        let found = repository.definitions(path, kinds).unwrap();
        assert!(!found.truncated && found.note.is_none());
        assert_eq!(found.total, found.items.len());
        found.items.into_iter().map(|at| at.name).collect()
    };
    assert_eq!(names("", &[]), ["A", "open", "b", "c", "tests", "d", "t", "checks"]);
    assert_eq!(names("src", &[Kind::Function]), ["b", "c", "checks"]);
    assert_eq!(names("src", &[Kind::Field, Kind::Struct]), ["A", "x"]);
    assert_eq!(names("src/b.py", &[]), ["b"]);
    assert_eq!(names("tests", &[Kind::Class]), [""; 0]);
    let error = |path| repository.definitions(path, &[]).unwrap_err();
    assert!(matches!(error("readme.md"), Error::NoGrammar { .. }));
    assert!(matches!(error("none"), Error::Missing { .. }));
    assert!(matches!(error("/etc"), Error::Outside { .. }));
}

#[test]
fn many_definitions_are_counted_and_few_shown() {
    let world = World::new();
    for at in 0..40 {
        world.write(&format!("src/f{at:02}.rs"), "fn one() {}\nfn two() {}\n".as_bytes());
    }
    let open = |limits| Repository::open_with(world.path(), limits, Cancel::new()).unwrap();
    let few = open(Limits { results: 3, ..Limits::default() }).definitions("", &[]).unwrap();
    assert_eq!((few.items.len(), few.total, few.truncated), (3, 80, true));
    assert_eq!(few.items[2].path, "src/f01.rs");
    assert!(few.note.is_none());
    let short = open(Limits { parses: 10, ..Limits::default() }).definitions("", &[]).unwrap();
    assert_eq!((short.items.len(), short.total, short.truncated), (20, 20, true));
    assert_eq!(short.note.as_deref(), Some("10 of 40 files were looked at"));
}

#[test]
fn folders_are_counted_by_what_is_in_them() {
    let world = World::with(&[("a/b/c.rs", ""), ("a/d/e.rs", ""), ("a/f.rs", ""), ("g.rs", "")]);
    let folders = |path: &str| world.open().census(path).unwrap().folders;
    assert_eq!((folders(""), folders("a"), folders("./a/"), folders("a/b")), (3, 2, 2, 0));
}

#[test]
fn each_definition_of_a_kind_counts_once() {
    let world = World::with(&[
        ("a.h", "int f(int);\nint g(int);\n#define M(x) x\n"),
        ("a.c", "int f(int a) { return a; }\nstatic int g(int a) { return a; }\n"),
        (
            "b.ts",
            "export function f(a: string): void;\nexport function f(a: number): void;\nexport function f(a: any) {}\nclass C {\n  get x() { return 1; }\n  set x(a) {}\n}\nenum E { A, B = 2, C }\n",
        ),
    ]);
    let count = |path: &str, kinds: &[Kind]| {
        let found = world.open().definitions(path, kinds).unwrap();
        assert_eq!(found.total, found.items.len());
        found.total
    };
    assert_eq!(count("", &[Kind::Function]), 3);
    assert_eq!(count("b.ts", &[Kind::Method]), 2);
    assert_eq!(count("b.ts", &[Kind::Variant]), 3);
    let c = Some(consign_code::Language::C);
    let found = world.open().definitions_that("", &[Kind::Function], c, &|_, _| true).unwrap();
    assert_eq!(found.total, 2);
}

#[test]
fn what_cannot_be_parsed_is_said() {
    let world = World::with(&[("a.rs", "fn a() {}\n"), ("b.rb", "def b\nend\n"), ("c.sh", "")]);
    let found = world.open().definitions("", &[Kind::Function]).unwrap();
    let note = found.note.unwrap();
    assert_eq!(
        (found.total, note.as_str()),
        (1, "1 files are in languages that are not supported")
    );
}

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

//! Lines that match, and in which order.

use consign_code::{Hit, Query};

use crate::world::World;

fn places(hits: &[Hit]) -> Vec<String> {
    hits.iter().map(|hit| format!("{}:{}", hit.path, hit.line)).collect()
}

fn shop() -> World {
    World::with(&[
        ("CHANGELOG.md", "- login was slow\n- login login login\n"),
        ("docs/guide.md", "How to login.\n"),
        ("src/session.rs", "use crate::login;\n\nfn start() {\n    login(\"x\");\n}\n"),
        ("src/account.rs", "// hello\r\npub fn login(name: &str) {\r\n}\r\n"),
        ("tests/login.rs", "fn login_works() { login() }\n"),
        ("src/other.rs", "fn relogin_all() {}\nlet LOGIN = 1;\n"),
    ])
}

#[test]
fn definitions_come_first_and_source_before_the_rest() {
    let found = shop().open().search(&Query { whole_word: true, ..Query::text("login") }).unwrap();
    let places = places(&found.items);
    assert_eq!(places[0], "src/account.rs:2");
    assert_eq!(found.items[0].text, "pub fn login(name: &str) {", "without the line's end");
    let rank = |path: &str| places.iter().position(|place| place.starts_with(path)).unwrap();
    assert!(rank("src/session.rs") < rank("docs/"));
    assert!(rank("src/session.rs") < rank("tests/"));
    assert!(rank("docs/") < rank("CHANGELOG.md"));
    assert!(!places.contains(&"src/other.rs:1".to_owned()), "not a whole word");
    assert_eq!(found.total, found.items.len());
}

#[test]
fn case_words_globs_and_limits_are_kept() {
    let world = shop();
    let repository = world.open();
    let search = |query: Query| places(&repository.search(&query).unwrap().items);
    let only = |glob: &str| Query { glob: Some(glob.to_owned()), ..Query::text("login") };
    assert_eq!(search(Query { case_sensitive: true, ..Query::text("LOGIN") }), ["src/other.rs:2"]);
    assert_eq!(search(only("*.md")).len(), 3);
    assert_eq!(search(only("tests/**")), ["tests/login.rs:1"]);
    assert_eq!(search(only("src/ot*")).len(), 2);
    assert_eq!(search(Query::regex(r"^pub fn \w+\(.*\{$")), ["src/account.rs:2"]);
    assert_eq!(search(Query::regex(r"\Ause")), ["src/session.rs:1"]);
    assert_eq!(search(Query::text("login(name: &str)")), ["src/account.rs:2"]);
    assert!(search(Query::regex("nothing like it")).is_empty());
    let few = repository.search(&Query { limit: 2, ..Query::text("login") }).unwrap();
    assert!(few.truncated && few.items.len() == 2 && few.total > 2);
}

/// Files are looked at some pages at a time.
#[test]
fn lines_are_counted_across_pages() {
    let line = |number: usize| format!("line {number} {}\n", "x".repeat(number % 97));
    let text: String = (1..=20_000).map(line).collect();
    let wide = format!("{}\nneedle {}\nneedle\n", "y".repeat(200_000), "y".repeat(200_000));
    let world = World::with(&[("a.txt", &text), ("wide.txt", &wide)]);
    for number in [1, 999, 1_000, 7_777, 19_999, 20_000] {
        for query in
            [Query::text(format!("line {number} ")), Query::regex(format!("line {number} "))]
        {
            let found = world.open().search(&query).unwrap();
            assert_eq!(places(&found.items), [format!("a.txt:{number}")]);
        }
    }
    for query in [Query::text("needle"), Query::regex("need.e")] {
        assert_eq!(world.open().search(&query).unwrap().total, 2);
    }
    // Beyond 64 KiB of one line only plain text is found.
    let far = format!("{}needle", "y".repeat(200_000));
    let world = World::with(&[("far.txt", &far)]);
    assert_eq!(world.open().search(&Query::text("needle")).unwrap().total, 1);
    assert_eq!(world.open().search(&Query::regex("need.e")).unwrap().total, 0);
}

//! Which files a question is about.

use consign_code::{Class, Error, Term};

use crate::world::World;

fn shop() -> World {
    let filler = "let x = compute();\n".repeat(40);
    let world = World::with(&[
        ("CHANGELOG.md", &"- authentication: token token token login\n".repeat(30)),
        ("Cargo.lock", &"name = \"token\"\n".repeat(60)),
        ("docs/auth.md", "# Authentication\nA token is checked.\n"),
        ("tests/auth_test.py", &"def test_token(): authenticate(token)\n".repeat(10)),
        ("src/auth/token.rs", &format!("pub fn verify_token(token: &str) {{\n{filler}}}\n")),
        ("src/auth/mod.rs", "//! Authentication.\npub mod token;\npub fn authenticate() {}\n"),
        ("src/gen.rs", &format!("// @generated\n{}", "fn token() {}\n".repeat(20))),
    ]);
    for at in 0..30 {
        let comment = if at % 6 == 0 { "// token\n" } else { "// nothing\n" };
        world.write(&format!("src/part{at}.rs"), format!("{filler}{comment}").as_bytes());
    }
    world
}

#[test]
fn the_files_a_question_is_about_come_first() {
    let terms = [Term::new("token", 1.0), Term::new("authenticat", 1.0), Term::new("auth", 0.8)];
    let found = shop().open().survey(&terms, 10).unwrap();
    let paths: Vec<_> = found.items.iter().map(|file| file.path.as_str()).collect();
    assert_eq!(&paths[..3], ["src/auth/mod.rs", "docs/auth.md", "src/auth/token.rs"]);
    let rank = |path: &str| paths.iter().position(|at| *at == path).unwrap_or(usize::MAX);
    assert!(rank("docs/auth.md") < rank("CHANGELOG.md"));
    assert!(rank("Cargo.lock") == usize::MAX, "{paths:?}");
    assert!(rank("src/auth/token.rs") < rank("tests/auth_test.py"), "{paths:?}");
    assert!(rank("src/auth/token.rs") < rank("src/gen.rs"), "{paths:?}");
    assert!(found.truncated && found.total == 12, "{}", found.total);
    let token = &found.items[2];
    assert_eq!(token.class, Class::Source);
    assert_eq!(token.counts, [2, 0, 0]);
    assert_eq!(token.lines[0].line, 1);
    assert_eq!(token.lines[0].text, "pub fn verify_token(token: &str) {");
    // Overlapping terms are both counted.
    assert_eq!(found.items[0].counts, [1, 2, 2]);
}

#[test]
fn terms_that_cannot_be_looked_for_are_refused() {
    let world = World::new();
    let repository = world.open();
    let many: Vec<_> = (0..200).map(|at| Term::new(format!("t{at}"), 1.0)).collect();
    for terms in [
        vec![],
        vec![Term::new(" ", 1.0)],
        vec![Term::new("a", f64::NAN)],
        vec![Term::new("a", -1.0)],
        vec![Term::new("a\nb", 1.0)],
        vec![Term::new("a".repeat(300), 1.0)],
        vec![Term::new("a", 1.0), Term::new("A", 1.0)],
        many,
    ] {
        assert!(matches!(repository.survey(&terms, 5), Err(Error::Pattern { .. })));
    }
}

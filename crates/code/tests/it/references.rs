//! Where a name is used.

use consign_code::Usage;

use crate::{languages, world::World};

#[test]
fn every_language_tells_uses_from_comments_and_strings() {
    for sample in languages::ALL {
        let world = World::with(&[(sample.path, sample.text)]);
        let found = world.open().find_references("login", 50).unwrap();
        let mut uses: Vec<_> =
            found.items.iter().map(|at| (at.line, at.usage.name(), at.within.as_deref())).collect();
        uses.sort_unstable();
        assert_eq!(uses, sample.uses, "{}", sample.path);
        assert!(found.items.iter().all(|at| at.parsed));
    }
}

#[test]
fn calls_come_first_and_texts_without_a_grammar_count() {
    let world = World::with(&[
        ("src/a.rs", "use x::Key;\nfn f(key: Key) -> Vec<Key> { Key(1) }\nstruct Key;\n"),
        ("tests/t.rs", "fn t() { Key(2); }\n"),
        ("docs/a.md", "A Key is not a Keyring.\n"),
    ]);
    let found = world.open().find_references("x::Key", 50).unwrap();
    let shown: Vec<_> =
        found.items.iter().map(|at| (at.path.as_str(), at.line, at.usage, at.parsed)).collect();
    assert_eq!(
        shown,
        [
            ("src/a.rs", 2, Usage::Call, true),
            ("src/a.rs", 2, Usage::Type, true),
            ("src/a.rs", 2, Usage::Type, true),
            ("src/a.rs", 1, Usage::Import, true),
            ("docs/a.md", 1, Usage::Other, false),
            ("tests/t.rs", 1, Usage::Call, true),
        ]
    );
    assert!(found.note.is_some());
    let few = world.open().find_references("Key", 2).unwrap();
    assert!(few.truncated && few.total == 6);
}

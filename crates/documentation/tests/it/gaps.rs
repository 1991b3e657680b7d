//! What is not known of a repository is never held against a document.

use std::collections::BTreeSet;

use consign_documentation::{
    Issue,
    IssueKind::{self, Block, Command, Environment, Link, Name, Option, Path, Section},
    LeftOut, Snapshot, WhyLeftOut,
    repair::remove_invented,
};

use crate::world::{checked, rust};

/// A document with names that only the code can tell, a link, a path, and a block that does not parse.
const NAMES: &str = "# shop\n\nSet `SHOP_MAGIC_COIN`, call `count_coins()`, run `make coins`, read `src/coins.rs` \
    and [the plan](docs/PLAN.md), or see [above](#nowhere).\n\nSay `--melt-coins`.\n\n```json\n{\"a\": \n```\n";

/// The kinds of issues, without sections.
fn of(issues: &[Issue]) -> BTreeSet<IssueKind> {
    issues.iter().map(|it| it.kind).filter(|kind| *kind != Section).collect()
}

#[test]
fn what_may_be_in_files_that_were_not_read_is_not_looked_up() {
    let kinds = |snapshot: &Snapshot| {
        let found = checked("docs/NOTES.md", NAMES, snapshot);
        (of(&found.issues), of(&found.not_looked_up), found)
    };
    let all = BTreeSet::from([Command, Option, Path, Environment, Name, Link, Block]);
    let (wrong, unknown, _) = kinds(&rust());
    assert_eq!((wrong, unknown), (all, BTreeSet::new()));
    // With files that were not read only what the document and the paths tell is wrong.
    for (path, why) in [
        ("src/penny/mod.rs", WhyLeftOut::Bound),
        ("src/penny.rs.in", WhyLeftOut::Unreadable),
        ("src/all.rs", WhyLeftOut::Large),
        ("vendor/coins", WhyLeftOut::Submodule),
    ] {
        let mut snapshot = rust();
        snapshot.left_out.push(LeftOut { path: path.to_owned(), why });
        let (wrong, unknown, found) = kinds(&snapshot);
        assert_eq!(wrong, BTreeSet::from([Link, Block]), "{path}");
        let expected = BTreeSet::from([Command, Option, Path, Environment, Name]);
        assert_eq!(unknown, expected, "{path}");
        let told = found.suggestions.join("\n");
        assert!(
            told.contains("could not be looked up: 1 file of the repository was not"),
            "{told}"
        );
        let (rest, _) = remove_invented(NAMES, &found);
        for name in ["SHOP_MAGIC_COIN", "count_coins", "--melt-coins", "make coins", "src/coins.rs"]
        {
            assert!(rest.contains(name), "{path}: {name} was taken out of {rest}");
        }
    }
    // What cannot have code in it hides nothing.
    for (path, why) in [
        ("picture.png", WhyLeftOut::Binary),
        ("model.weights", WhyLeftOut::Large),
        ("notes/LONG.md", WhyLeftOut::Bound),
        ("Cargo.lock", WhyLeftOut::Large),
    ] {
        let mut snapshot = rust();
        snapshot.left_out.push(LeftOut { path: path.to_owned(), why });
        assert_eq!(kinds(&snapshot).1, BTreeSet::new(), "{path}");
    }
    // Not even all paths are known: of links only those within the document are.
    let mut snapshot = rust();
    snapshot.truncated = true;
    let (wrong, unknown, found) = kinds(&snapshot);
    assert_eq!(wrong, BTreeSet::from([Link, Block]));
    assert!(unknown.contains(&Link) && unknown.contains(&Path), "{unknown:?}");
    let links: Vec<_> = found.of(Link).map(|it| it.reference.as_str()).collect();
    assert_eq!(links, ["#nowhere"]);
}

#[test]
fn what_lies_below_a_link_or_a_submodule_is_not_looked_up() {
    for why in [WhyLeftOut::Link, WhyLeftOut::Submodule] {
        let mut snapshot = rust();
        snapshot.left_out.push(LeftOut { path: "third/theme".to_owned(), why });
        let text = "# shop\n\nSee [a](third/theme/README.md) and [b](third/gone/README.md).\n";
        let found = checked("README.md", text, &snapshot);
        let links: Vec<_> = found.of(IssueKind::Link).map(|it| it.reference.as_str()).collect();
        assert_eq!(links, ["third/gone/README.md"]);
        assert_eq!(found.not_looked_up.len(), 1);
    }
}

//! Texts, directories and languages.

use consign_code::{Error, Language, Node};

use crate::world::World;

#[test]
fn lines_are_read_from_one_and_to_the_end() {
    let world = World::with(&[("a.txt", "one\r\ntwo\nthree"), ("empty.txt", "")]);
    world.write("binary", b"a\0b");
    let repository = world.open();
    let text = repository.read_file("./a.txt", 2, 9).unwrap();
    assert_eq!((text.path.as_str(), text.from, text.to, text.total_lines), ("a.txt", 2, 3, 3));
    assert_eq!(text.lines, ["two", "three"]);
    assert!(!text.truncated && !text.lossy);
    assert_eq!(repository.read_file("a.txt", 0, 1).unwrap().lines, ["one"]);
    let beyond = repository.read_file("a.txt", 7, 9).unwrap();
    assert_eq!((beyond.from, beyond.to, beyond.total_lines), (0, 0, 3));
    assert!(repository.read_file("a.txt", 3, 2).unwrap().lines.is_empty());
    assert_eq!(repository.read_file("empty.txt", 1, 5).unwrap().total_lines, 0);
    assert!(matches!(repository.read_file("binary", 1, 5).unwrap_err(), Error::Binary { .. }));
}

#[test]
fn a_tree_counts_what_it_does_not_show() {
    let world = World::with(&[
        ("src/a.rs", ""),
        ("src/deep/b.rs", ""),
        ("src/deep/er/c.py", ""),
        ("readme.md", ""),
        ("target/x.rs", ""),
    ]);
    let repository = world.open();
    let tree = repository.list_tree("", 1, 100).unwrap();
    assert_eq!(
        tree.nodes,
        [
            Node::Directory { path: "src".into(), files: 3, language: Some(Language::Rust) },
            Node::File { path: "readme.md".into(), language: Some(Language::Markdown) },
        ]
    );
    let names = |path, depth| -> Vec<String> {
        let tree = repository.list_tree(path, depth, 100).unwrap();
        tree.nodes
            .into_iter()
            .map(|node| match node {
                Node::Directory { path, files, .. } => format!("{path}/ {files}"),
                Node::File { path, .. } => path,
            })
            .collect()
    };
    assert_eq!(names("src", 2), ["src/deep/ 2", "src/deep/er/ 1", "src/deep/b.rs", "src/a.rs"]);
    assert!(repository.list_tree("", 9, 2).unwrap().truncated);
}

#[test]
fn languages_have_shares() {
    let world = World::with(&[("a.rs", "aaaaaa"), ("b.py", "bb"), ("c.rs", ""), ("LICENSE", "x")]);
    let shares = world.open().languages().unwrap();
    assert_eq!((shares[0].language, shares[0].files, shares[0].bytes), (Language::Rust, 2, 6));
    assert!((shares[0].share - 0.75).abs() < 1e-9);
    assert_eq!(shares.len(), 2);
}

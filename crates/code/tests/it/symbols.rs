//! Where something is defined.

use consign_code::{Error, Kind};

use crate::{languages, world::World};

#[test]
fn every_language_has_its_symbols() {
    for sample in languages::ALL {
        let world = World::with(&[(sample.path, sample.text)]);
        let repository = world.open();
        for (name, kind, container, doc) in sample.symbols {
            let last = name.rsplit('.').next().unwrap();
            let found = repository.find_symbol(if *name == last { name } else { continue }, None);
            let found = found.unwrap().items;
            let symbol = found.iter().find(|symbol| symbol.kind.name() == *kind);
            let Some(symbol) = symbol else { panic!("{}: {name}: {found:#?}", sample.path) };
            assert_eq!(symbol.container.as_deref(), *container, "{}: {name}", sample.path);
            assert_eq!(symbol.doc.as_deref(), *doc, "{}: {name}", sample.path);
            let line = sample.text.lines().nth(symbol.line - 1).unwrap();
            assert!(line.contains(name), "{}: {name} at {line:?}", sample.path);
            assert!(symbol.signature.contains(name), "{}: {}", sample.path, symbol.signature);
            assert!(symbol.end_line >= symbol.line);
        }
        let outline: Vec<_> = repository
            .outline(sample.path)
            .unwrap()
            .items
            .into_iter()
            .map(|symbol| (symbol.name, symbol.kind.name()))
            .collect();
        let expected: Vec<_> = sample
            .symbols
            .iter()
            .filter(|(_, kind, _, _)| !["field", "variant"].contains(kind))
            .map(|(name, kind, _, _)| ((*name).to_owned(), *kind))
            .collect();
        assert_eq!(outline, expected, "{}", sample.path);
    }
}

#[test]
fn a_name_may_say_what_it_belongs_to() {
    let world = World::with(&[
        ("src/auth/mod.rs", "pub struct A;\nimpl A { pub fn open(&self) {} }\npub fn open() {}\n"),
        ("src/store.rs", "pub struct B;\nimpl B { pub fn open(&self) {\n} }\n"),
        ("py/store.py", "class C:\n    def open(self):\n        pass\ndef open(): pass\n"),
    ]);
    let repository = world.open();
    let find = |name: &str| -> Vec<String> {
        let found = repository.find_symbol(name, None).unwrap();
        let show = |at: &consign_code::Symbol| format!("{}:{}", at.path, at.line);
        found.items.iter().map(show).collect()
    };
    assert_eq!(find("open").len(), 5);
    assert_eq!(find("A::open"), ["src/auth/mod.rs:2"]);
    assert_eq!(find("C.open()"), ["py/store.py:2"]);
    assert_eq!(find("store::B::open"), ["src/store.rs:2"]);
    assert_eq!(find("auth::open"), ["src/auth/mod.rs:3"]);
    assert_eq!(find("store.open"), ["py/store.py:4"]);
    assert!(find("Z::open").is_empty());
    assert!(matches!(repository.find_symbol("a b", None), Err(Error::Pattern { .. })));
    assert!(matches!(repository.find_symbol("", None), Err(Error::Pattern { .. })));
}

#[test]
fn another_case_is_found_and_said() {
    let world = World::with(&[("a.go", "package a\nfunc LoginUser() {\n}\n")]);
    let repository = world.open();
    assert_eq!(repository.find_symbol("LoginUser", None).unwrap().note, None);
    let found = repository.find_symbol("loginuser", None).unwrap();
    assert_eq!(found.items[0].name, "LoginUser");
    assert!(found.note.unwrap().contains("case"));
    assert!(repository.find_symbol("nobody", None).unwrap().note.is_none());
}

#[test]
fn a_kind_narrows_and_source_comes_before_tests() {
    let world = World::with(&[
        ("tests/a.rs", "pub fn login() {\n}\n"),
        ("src/b.rs", "struct S { login: bool }\nmod tests { fn login() {} }\n"),
        ("src/c.rs", "pub fn login() {}\n"),
        ("src/d.rs", "fn other() { login(); a.login(); }\n"),
    ]);
    let repository = world.open();
    let paths = |kind| -> Vec<String> {
        repository.find_symbol("login", kind).unwrap().items.into_iter().map(|at| at.path).collect()
    };
    assert_eq!(paths(None)[0], "src/c.rs");
    assert_eq!(paths(Some(Kind::Function)), ["src/c.rs", "src/b.rs", "tests/a.rs"]);
    assert_eq!(paths(Some(Kind::Field)), ["src/b.rs"]);
    assert!(paths(Some(Kind::Class)).is_empty());
}

#[test]
fn symbols_are_found_by_a_word_of_their_name() {
    let world = World::with(&[
        ("a.rs", "struct LoginForm;\nfn try_login() {}\nfn plogins() {}\nfn logout() {}\n"),
        ("b.py", "def do_login(): pass\n"),
        ("c.txt", "login"),
    ]);
    let repository = world.open();
    let found = repository.symbols_like(&["login"], &["a.rs", "b.py", "c.txt", "gone.rs"]).unwrap();
    let names: Vec<_> = found.items.iter().map(|symbol| symbol.name.as_str()).collect();
    assert_eq!(names, ["LoginForm", "try_login", "do_login"]);
    assert_eq!(found.skipped, 1 + 1, "the text without a grammar, the file that is gone");
    let outside = repository.symbols_like(&["a"], &["../a.rs"]);
    assert!(matches!(outside, Err(Error::Outside { .. })));
}

#[test]
fn a_file_without_a_grammar_has_no_outline() {
    let world =
        World::with(&[("a.txt", "login"), ("empty.rs", ""), ("broken.rs", "fn fn ) { struct")]);
    let repository = world.open();
    assert!(matches!(repository.outline("a.txt"), Err(Error::NoGrammar { .. })));
    assert!(repository.outline("empty.rs").unwrap().items.is_empty());
    repository.outline("broken.rs").unwrap();
}

#[test]
fn a_variable_is_understood_as_its_type() {
    let world = World::with(&[
        ("lib/reply.js", "Reply.prototype.send = function (payload) {\n  return this;\n};\n"),
        ("lib/mock.js", "reply.send = function () {};\n"),
        ("lib/http_client.py", "class HttpClient:\n    def fetch(self):\n        pass\n"),
    ]);
    let repository = world.open();
    let find = |name: &str| -> Vec<String> {
        let found = repository.find_symbol(name, None).unwrap();
        found.items.iter().map(|at| format!("{}:{}", at.path, at.line)).collect()
    };
    assert_eq!(find("reply.send"), ["lib/reply.js:1", "lib/mock.js:1"]);
    assert!(repository.find_symbol("reply.send", None).unwrap().note.unwrap().contains("case"));
    assert_eq!(find("Reply.prototype.send"), ["lib/reply.js:1"]);
    assert_eq!(find("Reply.send"), ["lib/reply.js:1"]);
    assert_eq!(find("http_client.fetch"), ["lib/http_client.py:2"]);
    assert_eq!(find("request.send"), [""; 0]);
}

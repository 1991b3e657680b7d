//! Where a name is used.

use consign_code::{Reference, Usage, Uses};

use crate::{languages, world::World};

fn places(uses: &Uses) -> Vec<String> {
    uses.found.items.iter().map(|at| format!("{}:{}", at.path, at.line)).collect()
}

/// The lines of the only file that are sure and those that are not, and the lines that are neither.
fn check(path: &str, name: &str, text: &str) {
    let world = World::with(&[(path, text)]);
    let uses = world.open().find_references(name, 200).unwrap();
    let lines = |mark: &str| -> Vec<usize> {
        let marked = text.lines().enumerate().filter(|(_, line)| line.contains(mark));
        marked.map(|(at, _)| at + 1).collect()
    };
    let mut found: Vec<usize> = uses.found.items.iter().map(|at| at.line).collect();
    found.sort_unstable();
    found.dedup();
    let (sure, unsure) = (lines("sure!"), lines("unsure?"));
    assert_eq!(found, if sure.is_empty() { unsure.clone() } else { sure }, "{path}: {uses:#?}");
    assert_eq!(uses.unsure, unsure.len(), "{path}: {uses:#?}");
}

#[test]
fn every_language_tells_uses_from_comments_and_strings() {
    for sample in languages::ALL {
        let world = World::with(&[(sample.path, sample.text)]);
        let found = world.open().find_references("login", 50).unwrap().found;
        let mut uses: Vec<_> =
            found.items.iter().map(|at| (at.line, at.usage.name(), at.within.as_deref())).collect();
        uses.sort_unstable();
        assert_eq!(uses, sample.uses, "{}", sample.path);
        assert!(found.items.iter().all(|at| at.parsed && at.sure));
    }
}

#[test]
fn calls_come_first_and_texts_without_a_grammar_count() {
    let world = World::with(&[
        ("src/a.rs", "use x::Key;\nfn f(key: Key) -> Vec<Key> { Key(1) }\nstruct Key;\n"),
        ("tests/t.rs", "fn t() { Key(2); }\n"),
        ("docs/a.md", "A Key is not a Keyring.\n"),
    ]);
    let uses = world.open().find_references("Key", 50).unwrap();
    let shown = |at: &Reference| (at.path.clone(), at.line, at.usage, at.parsed);
    let shown: Vec<_> = uses.found.items.iter().map(shown).collect();
    assert_eq!(
        shown,
        [
            ("src/a.rs".to_owned(), 2, Usage::Call, true),
            ("src/a.rs".to_owned(), 2, Usage::Type, true),
            ("src/a.rs".to_owned(), 2, Usage::Type, true),
            ("src/a.rs".to_owned(), 1, Usage::Import, true),
            ("docs/a.md".to_owned(), 1, Usage::Other, false),
            ("tests/t.rs".to_owned(), 1, Usage::Call, true),
        ]
    );
    assert_eq!((uses.calls, uses.unsure, uses.found.note), (2, 0, None));
    let few = world.open().find_references("Key", 2).unwrap();
    assert!(few.found.truncated && few.complete && few.found.total == 6 && few.calls == 2);
    // What is imported from a module belongs to it; elsewhere it may.
    let of = world.open().find_references("x::Key", 50).unwrap();
    assert_eq!(places(&of), ["src/a.rs:2", "src/a.rs:2", "src/a.rs:2", "src/a.rs:1"]);
    assert_eq!(of.unsure, 1, "the test, and not what a text says about keys");
    assert!(of.found.note.unwrap().contains("one more use"));
}

#[test]
fn a_constructor_of_something_else_is_none() {
    check(
        "src/a.rs",
        "Client::new",
        "impl Client {
    pub fn new() -> Self { Self { a: Vec::new(), b: String::new() } }
    fn again() -> Self { Self::new() } // sure!
}
impl Server {
    fn new() -> Self { Self::new() }
}
fn f<T: Make>() {
    let a = Client::new(); // sure!
    let b = api::Client::new(); // sure!
    let c = <Client as Make>::new(); // sure!
    let d = Wrapper::<Client>::new();
    let e = T::new(); // unsure?
    let f = new();
    assert_eq!(Client::new(), Server::new()); // sure!
    let g = factory.new(); // unsure?
}
",
    );
    let world = World::with(&[("src/client.rs", "fn f() { Vec::new(); new() }\nfn new() {}\n")]);
    let none = world.open().find_references("Client::new", 9).unwrap();
    assert!(none.found.items.is_empty() && none.unsure == 0 && !none.found.truncated);
}

#[test]
fn a_method_is_told_by_its_receiver() {
    check(
        "shop.py",
        "Cart.add",
        "import json
class Cart:
    def add(self, item):
        self.add(item)  # sure!
        super().add(item)  # sure!
        json.add(item)
class Gift(Cart):
    def wrap(self):
        self.add(1)  # unsure?
class Other:
    def add(self):
        self.add(1)
def f(cart, x):
    cart.add(1)  # sure!
    x.cart.add(1)  # sure!
    my_cart.add(1)  # unsure?
    find().add(1)  # unsure?
    Cart().add(1)  # sure!
    Other.add(1)
    \"text\".add(1)
    add(1)
",
    );
    check(
        "shop.js",
        "Cart.add",
        "class Cart {
  add(item) { this.add(item); } // sure!
}
class Other { add() { this.add(1); } }
cart?.add(1); // sure!
carts[0].add(1); // unsure?
x
  // a Comment
  .add(1); // unsure?
new Cart().add(1); // sure!
Set.add(1);
add(1);
",
    );
    check(
        "shop.ts",
        "HttpClient.send",
        "httpClient.send(1); // sure!
this.http_client!.send(1); // sure!
client.send(1); // unsure?
this.httpClient!.send(1); // sure!
JSON.send(1);
",
    );
}

#[test]
fn a_receiver_may_be_understood_or_have_a_name_of_its_own() {
    check(
        "Shop.java",
        "Cart.add",
        "class Cart {
    void add(int x) { add(1); this.add(2); } // sure!
    Runnable r() { return this::add; } // sure!
}
class Gift extends Cart {
    void wrap() { add(1); } // unsure?
}
class Other {
    void f() { add(1); cart.add(2); } // sure!
}
",
    );
    check(
        "shop.go",
        "Cart.Add",
        "package shop
import \"example.com/list\"
func (c *Cart) Add(x int) {
	c.Add(1) // sure!
}
func (c *Other) f(cart *Cart) {
	c.Add(1)
	cart.Add(1) // sure!
	list.Add(1)
	shop.Default.Add(1) // unsure?
}
",
    );
    check(
        "shop.cpp",
        "Cart::add",
        "void Cart::add(int x) {
    add(1); // sure!
    this->add(1); // sure!
    Other::add(1);
}
void f(Cart *cart, Other *x) {
    cart->add(1); // sure!
    x->add(1); // unsure?
    add(1);
    Cart::add(1); // sure!
}
auto g() -> add;
",
    );
    check(
        "Shop.cs",
        "Cart.Add",
        "class Gift : Cart {
    void F() { base.Add(1); } // unsure?
    void G() { shop?.Cart.Add(1); } // sure!
    void H() { cart?.Add<int>(1); } // sure!
    void I() { shop.Items.Add(1); } // unsure?
    void J() { List.Add(1); }
}
",
    );
}

#[test]
fn what_a_module_has_may_be_imported() {
    let world = World::with(&[
        ("auth.py", "def login(): pass\ndef again(): login()\n"),
        ("a.py", "from auth import login\nlogin()\n"),
        ("b.py", "import auth\nauth.login()\nother.login()\n"),
        ("c.py", "login()\n"),
        ("d.js", "import { login } from './auth';\nlogin();\n"),
    ]);
    let uses = world.open().find_references("auth.login", 50).unwrap();
    assert_eq!(
        places(&uses),
        ["a.py:2", "auth.py:2", "b.py:2", "d.js:2", "a.py:1", "d.js:1"],
        "{uses:#?}"
    );
    assert_eq!((uses.calls, uses.unsure), (4, 2));
}

#[test]
fn without_a_sure_one_those_that_may_be_are_shown() {
    let world = World::with(&[("a.py", "x.add(1)\ny.add(2)\ny.add\n")]);
    let uses = world.open().find_references("Cart.add", 1).unwrap();
    assert_eq!((uses.found.items.len(), uses.found.total, uses.calls, uses.unsure), (1, 3, 2, 3));
    assert!(!uses.found.items[0].sure && uses.found.truncated);
    assert!(uses.found.note.unwrap().contains("no use"));
}

#[test]
fn what_defines_a_name_does_not_use_it() {
    for (path, text) in [
        ("a.js", "res.send = 1;\nwrap(function send(body) {});\nwrap(class send {});\n"),
        ("b.js", "wrap(function* send() {});\n"),
        ("a.rs", "quote! { pub fn send() {} struct send; }\nfn f() { g!(fn send(x)); }\n"),
        ("b.rs", "macro_rules! m { () => { const fn send(); }; }\n"),
        ("a.h", "#ifndef A\nAPI_EXTERN int send(int x);\nEXPORT(int) send(int x);\n#endif\n"),
        ("a.c", "void f(void) { extern int send(void); }\n"),
        ("a.ts", "interface A { send(x: number): void }\ndeclare function send(): void;\n"),
        ("A.java", "interface A { void send(int x); }\n"),
        ("a.go", "package a\ntype A interface {\n\tsend(x int)\n}\n"),
        ("a.rb", "def send(x)\nend\n"),
        ("a.kt", "fun send(x: Int) {}\n"),
    ] {
        let world = World::with(&[(path, text)]);
        let uses = world.open().find_references("send", 50).unwrap();
        assert_eq!(uses.calls, 0, "{path}: {uses:#?}");
        let others = uses.found.items.iter().filter(|at| !at.text.contains("res.send"));
        assert_eq!(others.count(), 0, "{path}: {uses:#?}");
    }
    let world = World::with(&[("a.rs", "fn f(x: *const Key, y: &'static Key) {}\n")]);
    assert_eq!(world.open().find_references("Key", 9).unwrap().found.total, 2);
    let world = World::with(&[("a.c", "void f(struct key *k) {}\n")]);
    assert_eq!(world.open().find_references("key", 9).unwrap().found.total, 1);
}

#[test]
fn a_macro_is_asked_for_with_its_mark() {
    let world = World::with(&[(
        "src/a.rs",
        "use a::select;\nmacro_rules! select { () => {}; }\nfn f() { select! { a } select(1); b.select; }\n",
    )]);
    let repository = world.open();
    let uses = repository.find_references("select!", 9).unwrap();
    assert_eq!((uses.found.total, uses.calls), (2, 1), "{uses:#?}");
    assert_eq!(repository.find_references("select", 9).unwrap().found.total, 4);
}

#[test]
fn a_macro_around_items_is_used_there() {
    let world = World::with(&[("a.rs", "cfg_rt! {\n    pub fn f() { g(); }\n}\n")]);
    let repository = world.open();
    let uses = repository.find_references("cfg_rt", 9).unwrap();
    assert_eq!((uses.calls, uses.found.items[0].line), (1, 1));
    let inside = repository.find_references("g", 9).unwrap();
    assert_eq!(inside.found.items[0].within.as_deref(), Some("f"));
}

//! Macros of Rust around items: what is inside of them is as if they were not there.

use consign_code::Kind;

use crate::world::World;

/// The outline of a Rust file: names with their containers and lines.
fn outline(text: &str) -> Vec<String> {
    let world = World::with(&[("a.rs", text)]);
    let found = world.open().outline("a.rs").unwrap();
    let show = |at: consign_code::Symbol| {
        let of = at.container.map(|of| format!("{of}::")).unwrap_or_default();
        format!("{of}{} {}", at.name, at.line)
    };
    found.items.into_iter().map(show).collect()
}

#[test]
fn what_a_macro_wraps_is_found_where_it_stands() {
    let text = "use a;
cfg_rt! {
    /// An owned permission.
    pub struct JoinHandle<T> {
        raw: T,
    }
    crate::cfg_net! {
        cfg_unstable! { pub(crate) fn inner() {} }
    }
}
impl<T> JoinHandle<T> {
    cfg_trace! {
        pub fn id(&self) -> u8 { 1 }
    }
}
mod deep {
    cfg_io!
    {
        #[derive(Debug)]
        pub enum Kind { A }
    };
}
fn after() {}
";
    assert_eq!(
        outline(text),
        ["JoinHandle 4", "inner 8", "JoinHandle::id 13", "deep 16", "deep::Kind 20", "after 23"]
    );
    let world = World::with(&[("a.rs", text)]);
    assert_eq!(world.symbol("JoinHandle").doc.as_deref(), Some("An owned permission."));
    assert_eq!(world.symbol("JoinHandle").end_line, 6);
}

#[test]
fn a_body_that_only_looks_like_items_hurts_nobody() {
    let text = "fn before() {}
bitflags! {
    pub struct Flags: u32 { const A = 1; }
}
fn between() {}
cfg_rt! { fn inside() {} }
html! { <div>{ 1 }</div> }
table! { fn => 1, struct, }
fn after() {}
";
    let found = outline(text);
    let inner = "mod a {
    bitflags! {
        pub struct Flags: u32 { const A = 1; }
    }
    fn inside() {}
}
prop_compose! {
    fn pair()(a in 1..2, b in 1..2) -> (u8, u8) { (a, b) }
}
cfg_rt! { fn good() {} }
fn after() {}
";
    let nested = outline(inner);
    for name in ["a 1", "a::inside 5", "good 10", "after 11"] {
        assert!(nested.contains(&name.to_owned()), "{name}: {nested:?}");
    }
    for name in ["before 1", "between 5", "inside 6", "after 9"] {
        assert!(found.contains(&name.to_owned()), "{name}: {found:?}");
    }
}

#[test]
fn a_macro_that_is_defined_inside_of_a_macro_is_found() {
    let world = World::with(&[(
        "src/select.rs",
        "#[cfg(doc)]\ndoc! {macro_rules! select {\n    () => {};\n}}\n\n#[cfg(not(doc))]\ndoc! {macro_rules! select {\n    (biased) => {};\n}}\nfn select() {}\n",
    )]);
    let repository = world.open();
    let marked = repository.find_symbol("select!", None).unwrap();
    let lines: Vec<_> = marked.items.iter().map(|at| (at.kind, at.line)).collect();
    assert_eq!(lines, [(Kind::Macro, 2), (Kind::Macro, 7)]);
    assert_eq!(repository.find_symbol("select", None).unwrap().items.len(), 3);
}

#[test]
fn many_macros_and_deep_ones_end() {
    let many = "cfg! { fn f() {} }\n".repeat(5_000);
    assert!(outline(&many).len() >= 900, "results are limited");
    let deep = format!("{}fn f() {{}}{}", "cfg! { ".repeat(2_000), " }".repeat(2_000));
    outline(&deep);
    let broken = "cfg! { fn } ) { struct ".repeat(2_000);
    outline(&broken);
}

//! What builds on something.

use crate::world::World;

fn heirs(world: &World, name: &str) -> Vec<String> {
    let found = world.open().heirs(name).unwrap();
    assert_eq!(found.total, found.items.len());
    let shown = |heir: consign_code::Heir| {
        format!("{} {} {}:{}", heir.name, heir.how, heir.path, heir.line)
    };
    found.items.into_iter().map(shown).collect()
}

#[test]
fn each_language_says_in_its_own_way_what_it_builds_on() {
    for (path, text, expected) in [
        (
            "a.py",
            "class A(Base): pass\nclass B(\n    mixins.M,\n    db.Base,\n    metaclass=Meta,\n): pass\nclass C(Generic[Base]): pass\nclass D(metaclass=Base): pass\nclass E(Base[int]): pass\n# class F(Base):\n",
            &["A extends a.py:1", "B extends a.py:2", "E extends a.py:9"][..],
        ),
        (
            "a.js",
            "class A extends Base {}\nconst B = class extends lib.Base {};\nexports.C = class extends Base {};\n/* class D extends Base {} */\n",
            &["A extends a.js:1", "B extends a.js:2", "C extends a.js:3"],
        ),
        (
            "a.ts",
            "export default class A<T> extends Other<Base> implements I, Base<T> {}\nabstract class B extends Base<string> {}\ninterface C extends X, Base {}\nclass D extends Other<Base> {}\n",
            &["A implements a.ts:1", "B extends a.ts:2", "C extends a.ts:3"],
        ),
        (
            "A.java",
            "public class A<T> extends B<T>\n    implements C, pkg.Base<T> {}\ninterface D extends Base {}\nenum E implements Base { X }\nrecord F(int a) implements Base {}\nclass G extends Base {}\nclass H extends List<Base> {}\n",
            &[
                "A implements A.java:1",
                "D extends A.java:3",
                "E implements A.java:4",
                "F implements A.java:5",
                "G extends A.java:6",
            ],
        ),
        (
            "a.cs",
            "namespace N {\npublic sealed class A : B, Ns.Base<int> {}\ninterface C : Base {}\nstruct D : Base {}\nrecord E(int X) : Base(X);\nclass F<T> where T : Base {}\n}\n",
            &["A extends a.cs:2", "C extends a.cs:3", "D extends a.cs:4", "E extends a.cs:5"],
        ),
        (
            "a.cpp",
            "class A : public ns::Base {};\nstruct B : private Other, Base<int> {};\nclass C;\n",
            &["A extends a.cpp:1", "B extends a.cpp:2"],
        ),
        (
            "a.rs",
            "impl Base for A {}\nimpl<T: Base> crate::x::Base<T> for B<T> where T: Clone {}\nunsafe impl super::Base for &C {}\nimpl !Base for D {}\nimpl E<Base> for F {}\nimpl Base {}\ntrait G: Send + Base {}\n/// Docs.\n#[derive(Clone, m::Base)]\n#[other]\npub struct H;\nstruct I;\n// impl Base for J {}\nconst S: &str = \"impl Base for K {}\";\n",
            &[
                "A implements a.rs:1",
                "B<T> implements a.rs:2",
                "&C implements a.rs:3",
                "G asks for a.rs:7",
                "H derives a.rs:11",
            ],
        ),
    ] {
        assert_eq!(heirs(&World::with(&[(path, text)]), "Base"), expected, "{path}");
    }
}

#[test]
fn texts_about_the_code_build_on_nothing_and_tests_come_last() {
    let world = World::with(&[
        ("README.md", "class A(Base):\n"),
        ("a_tests/test_a.py", "class T(Base): pass\n"),
        ("tests/a.py", "class U(Base): pass\n"),
        ("z.py", "class Z(Base): pass\n"),
    ]);
    assert_eq!(
        heirs(&world, "Base"),
        ["Z extends z.py:1", "T extends a_tests/test_a.py:1", "U extends tests/a.py:1"]
    );
}

#[test]
fn what_is_said_before_a_name_counts() {
    let text = "class A(models.Model): pass\nclass B(forms.Model): pass\nclass C(Model): pass\nclass D(db.models.Model): pass\n";
    let world = World::with(&[("a.py", text)]);
    assert_eq!(
        heirs(&world, "models.Model"),
        ["A extends a.py:1", "C extends a.py:3", "D extends a.py:4"]
    );
    assert_eq!(heirs(&world, "Model").len(), 4);
    let world = World::with(&[("a.rs", "impl io::Read for A {}\nimpl super::Read for B {}\n")]);
    assert_eq!(heirs(&world, "std::io::Read").len(), 2);
    assert_eq!(heirs(&world, "other::Read"), ["B implements a.rs:2"]);
    assert_eq!(heirs(&world, "Read<T>").len(), 2);
}

#[test]
fn whoever_has_all_methods_implements_an_interface_of_go() {
    let world = World::with(&[
        (
            "core/core.go",
            "package core\n\ntype Core interface {\n\tEnabler\n\tWrite(e Entry, fields []Field) error\n\tSync() error\n}\n\ntype Enabler interface{ Enabled(Level) bool }\n\ntype Mine struct{}\n\nfunc (m *Mine) Enabled(l Level) bool { return true }\nfunc (m *Mine) Write(a Entry, b []Field) error { return nil }\n",
        ),
        ("core/more.go", "package core\n\nfunc (*Mine) Sync() error { return nil }\n"),
        (
            "other/other.go",
            "package other\n\ntype Wrapped struct {\n\t*core.Mine\n\tn int\n}\n\ntype Own func()\n\nfunc (Own) Enabled(core.Level) bool { return true }\nfunc (Own) Write(core.Entry, []core.Field) (err error) { return nil }\nfunc (Own) Sync() error { return nil }\n\ntype Wrong struct{}\n\nfunc (Wrong) Enabled(core.Level) bool { return true }\nfunc (Wrong) Write(core.Entry) error { return nil }\nfunc (Wrong) Sync() error { return nil }\n\ntype Few struct{}\n\nfunc (Few) Sync() error { return nil }\n",
        ),
    ]);
    assert_eq!(
        heirs(&world, "Core"),
        [
            "Mine has its methods core/core.go:11",
            "Wrapped has its methods other/other.go:3",
            "Own has its methods other/other.go:8",
        ]
    );
    assert_eq!(heirs(&world, "core.Core").len(), 3);
    assert_eq!(heirs(&world, "other.Core").len(), 0);
    assert_eq!(heirs(&world, "Mine"), ["Wrapped embeds other/other.go:3"]);
}

#[test]
fn what_an_interface_takes_in_from_elsewhere_is_not_guessed() {
    let world = World::with(&[(
        "a.go",
        "package a\n\ntype File interface {\n\tfs.DirEntry\n\tName() string\n}\n\ntype F struct{}\n\nfunc (F) Name() string { return \"\" }\n",
    )]);
    let found = world.open().heirs("File").unwrap();
    assert!(found.items.is_empty());
    assert!(found.note.unwrap().contains("`fs.DirEntry`"));
}

#[test]
fn what_everybody_takes_in_is_known() {
    let world = World::with(&[(
        "a.go",
        "package a\n\ntype File interface {\n\tio.ReadCloser\n\tName() string\n}\n\ntype F struct{}\n\nfunc (F) Name() string { return \"\" }\nfunc (*F) Read(p []byte) (n int, err error) { return 0, nil }\nfunc (*F) Close() error { return nil }\n\ntype G struct{}\n\nfunc (G) Name() string { return \"\" }\nfunc (G) Close() error { return nil }\n",
    )]);
    assert_eq!(heirs(&world, "File"), ["F has its methods a.go:8"]);
    assert_eq!(heirs(&world, "io.Closer").len(), 2);
    assert_eq!(heirs(&world, "Closer").len(), 0);
}

#[test]
fn types_that_take_in_each_other_come_to_an_end() {
    let mut text =
        "package a\n\ntype I interface{ Last() }\n\ntype Z struct{}\n\nfunc (Z) Last() {}\n"
            .to_owned();
    for level in 0..8 {
        for at in 0..30 {
            let embeds = (0..30).map(|to| format!("\tT{}x{to}\n", (level + 1) % 8));
            text.push_str(&format!(
                "type T{level}x{at} struct {{\n{}}}\n",
                embeds.collect::<String>()
            ));
        }
    }
    text.push_str("type Y struct{ T7x0; Z }\n");
    let world = World::with(&[("a.go", &text)]);
    assert_eq!(heirs(&world, "I").len(), 2);
}

#[test]
fn only_files_that_may_have_a_head_with_the_name_are_parsed() {
    let world = World::with(&[
        ("a.py", "from m import Base\n\nclass A(Base):\n    pass\n"),
        (
            "b.py",
            "from m import Base\n\nclass B(Other):\n    def get(self) -> Base: return Base()\n",
        ),
        ("c.py", "class C(Other):\n    pass\n"),
        ("D.java", "import m.Base;\n\nclass D extends Other {\n    Base base;\n}\n"),
        ("E.java", "import m.Base;\n\nclass E extends Base {}\n"),
    ]);
    let found = world.open().heirs("Base").unwrap();
    let names: Vec<&str> = found.items.iter().map(|heir| heir.name.as_str()).collect();
    assert_eq!(names, ["E", "A"]);
    assert_eq!((found.files_read, found.files_parsed), (5, 2));
}

#[test]
fn a_number_that_is_not_whole_says_so() {
    let text = |file: usize| {
        let body = format!("    note = '{}'\n", "x".repeat(30_000));
        (0..4).map(|at| format!("class A{file}x{at}(Base):\n{body}")).collect::<String>()
    };
    let files: Vec<(String, String)> =
        (0..600).map(|file| (format!("a{file}.py"), text(file))).collect();
    let files: Vec<(&str, &str)> =
        files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let found = World::with(&files).open().heirs("Base").unwrap();
    assert!(found.at_least && found.truncated);
    assert_eq!((found.items.len(), found.total), (1_000, 4 * found.files_parsed));
    let found = World::with(&files[..50]).open().heirs("Base").unwrap();
    assert_eq!((found.at_least, found.total), (false, 200));
}

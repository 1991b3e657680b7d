//! Tests, by how their languages mark them.

use crate::world::World;

fn tests(world: &World, word: &str) -> Vec<String> {
    let fits = |name: &str, text: &str| name.contains(word) || text.contains(word);
    let found = world.open().tests("", &fits).unwrap();
    let shown = |test: consign_code::Test| {
        format!("{} {}:{}-{}", test.name, test.path, test.line, test.end_line)
    };
    found.items.into_iter().map(shown).collect()
}

#[test]
fn each_language_marks_its_tests() {
    for (path, text, expected) in [
        (
            "src/a.rs",
            "fn login() {}\n#[cfg(test)]\nmod tests {\n    /// Works.\n    #[test]\n    #[should_panic]\n    fn works() {\n        login();\n    }\n\n    #[tokio::test(flavor = \"current_thread\")]\n    async fn waits() {}\n\n    fn helper() {}\n    // #[test]\n    fn other() {}\n}\n",
            &["works src/a.rs:7-9", "waits src/a.rs:12-12"][..],
        ),
        (
            "tests/test_a.py",
            "def test_login():\n    def test_inner(): pass\n\nclass TestA:\n    def test_b(self): pass\n    def testC(self): pass\n    def helper(self): pass\n\ndef testing(): pass\n",
            &[
                "test_login tests/test_a.py:1-2",
                "test_b tests/test_a.py:5-5",
                "testC tests/test_a.py:6-6",
            ],
        ),
        (
            "a_test.go",
            "package a\n\nfunc TestLogin(t *testing.T) {\n}\nfunc Testing() {}\nfunc TestMain(m *testing.M) {}\nfunc BenchmarkA(b *testing.B) {}\n",
            &["TestLogin a_test.go:3-4"],
        ),
        (
            "src/ATest.java",
            "class ATest {\n  @Test\n  public void works() {}\n  @org.junit.jupiter.api.Test void two() {}\n  @Before void before() {}\n}\n",
            &["works src/ATest.java:3-3", "two src/ATest.java:4-4"],
        ),
        (
            "a.cs",
            "class A {\n  [Fact]\n  public void Works() {}\n  [Theory, InlineData(1)]\n  public void Two(int a) {}\n  [SetUp] public void Up() {}\n}\n",
            &["Works a.cs:3-3", "Two a.cs:5-5"],
        ),
        (
            "web/a.test.ts",
            "describe('login', () => {\n  it('works', () => {\n    login();\n  });\n  it.each([1])('takes %s', () => {});\n  test.skip(`is left`, () => {});\n  test.beforeEach('no', () => {});\n  t.test('no', () => {});\n});\n",
            &["works web/a.test.ts:2-4", "takes %s web/a.test.ts:5-5", "is left web/a.test.ts:6-6"],
        ),
        (
            "tests/a.cpp",
            "TEST(Login, Works) {\n  login();\n}\nvoid helper() {}\n",
            &["Login.Works tests/a.cpp:1-3"],
        ),
    ] {
        assert_eq!(tests(&World::with(&[(path, text)]), ""), expected, "{path}");
    }
}

#[test]
fn tests_are_chosen_by_their_name_and_text() {
    let world = World::with(&[
        (
            "test_a.py",
            "def test_a():\n    login()\n\ndef test_login():\n    pass\n\ndef test_b():\n    pass\n",
        ),
        ("a.py", "def test_login(): pass\n"),
        ("tests/conftest.py", "def test_login(): pass\n"),
        ("README.md", "    #[test]\n    fn login() {}\n"),
    ]);
    assert_eq!(tests(&world, "login"), ["test_a test_a.py:1-2", "test_login test_a.py:4-5"]);
}

#[test]
fn tests_that_cannot_be_told_are_not_passed_over_in_silence() {
    let world = World::with(&[("spec/a_spec.rb", "it 'works' do\nend\n")]);
    let found = world.open().tests("", &|_, _| true).unwrap();
    assert_eq!(found.total, 0);
    assert!(found.note.is_some());
}

#[test]
fn what_a_test_is_called_is_not_longer_than_a_name() {
    let text = format!("it('{}', () => {{}});\n", "long words ".repeat(10_000));
    let found = World::with(&[("a.test.js", &text)]).open().tests("", &|_, _| true).unwrap();
    assert_eq!(found.items[0].name.len(), 300);
}

//! What is said to each kind of question.

use super::*;

/// Whoever asks uses another form of the word than whoever wrote the code.
#[test]
fn a_thing_is_found_in_whatever_form_it_is_written() {
    for (question, written) in [
        ("how does authentication work?", "authenticate_6"),
        ("how does caching work?", "cache_page"),
        ("how do retries work?", "retry_call"),
        ("how does serialization work?", "serialize_row"),
        ("how does parsing work?", "parse_line"),
        ("how is verification done?", "verify_mac"),
    ] {
        let trip = Trip::new(question);
        let code = format!("def {written}(page):\n    return page\n");
        fs::write(trip.repo.as_ref().unwrap().path().join("src/it.py"), code).unwrap();
        let answer = trip.until("integration").output("integration");
        let text = json::text(&answer, "final_response").unwrap();
        assert!(text.contains("src/it.py:1"), "{question}: {text}");
    }
}

#[test]
fn a_count_says_what_was_counted_and_shows_only_that() {
    let trip =
        Trip::new("How many classes are there with token in their name?").until("integration");
    let answer = trip.output("integration");
    let text = json::text(&answer, "final_response").unwrap();
    assert!(text.starts_with("1, counting classes with token in their names."), "{text}");
    let cited: Vec<_> =
        json::objects(&answer, "citations").filter_map(|one| json::text(one, "location")).collect();
    assert_eq!(cited, ["src/auth.py:15"]);
}

fn answer_to(question: &str, files: &[(&str, &str)]) -> String {
    let trip = Trip::new(question);
    for (path, text) in files {
        let path = trip.repo.as_ref().unwrap().path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let answer = trip.until("integration").output("integration");
    json::text(&answer, "final_response").unwrap().to_owned()
}

#[test]
fn only_what_is_known_exactly_is_counted() {
    let files: &[(&str, &str)] = &[
        (
            "src/shop.py",
            "from enum import Enum\n\nclass Shop(Base):\n    def open(self): pass\n    def close(self): pass\n\nclass Color(Enum):\n    RED = 1\n    GREEN = 2\n\nclass Late(Exception): pass\n\ndef run():\n    load_user(1); load_user(2)\n",
        ),
        ("tests/test_shop.py", "def test_open():\n    Shop().open()\n\ndef test_b(): pass\n"),
        ("docs/shop.md", "class Fake(Shop):\n"),
    ];
    for (question, expected) in [
        ("How many methods does Shop have?", "2, counting methods of `Shop`."),
        ("How many classes are in src/shop.py?", "3, counting classes in src/shop.py."),
        (
            "How many classes extend Exception?",
            "2, counting definitions that extend or implement `Exception`.",
        ),
        (
            "How many subclasses does Shop have?",
            "0, counting definitions that extend or implement `Shop`.",
        ),
        ("What are the variants of Color?", "2, counting variants of `Color`."),
        ("How many tests are there?", "2, counting tests. Tests are functions `test_…`"),
        ("How many tests cover Shop?", "1, counting tests that mention `Shop`."),
        ("How many functions call load_user?", "2, counting functions that were found to call"),
        ("How many times is load_user called?", "3, counting calls of `load_user`"),
        ("How many folders are there?", "4, counting folders"),
        ("How many lines does src/store.py have?", "3, counting lines"),
        ("How many classes are in the shop module?", "3, counting classes in src/shop.py."),
    ] {
        let text = answer_to(question, files);
        assert!(text.starts_with(expected), "{question}: {text}");
    }
    for question in [
        "How many login routes are there?",
        "How many public methods does Shop have?",
        "How many methods of Shop are deprecated?",
        "How many functions handle Shop?",
        "How many variants does Shop have?",
        "How many users are there?",
        "How many tokens does login take?",
        "How many classes are named Shop?",
        "How many functions in src/shop.py call load_user?",
        "How many functions whose names start with o are there?",
    ] {
        let text = answer_to(question, files);
        assert!(text.contains("code's structure"), "{question}: {text}");
        assert!(!text.contains("counting"), "{question}: {text}");
    }
}

#[test]
fn tests_are_named_with_their_lines_or_said_to_be_missing() {
    let files: &[(&str, &str)] = &[(
        "tests/test_auth.py",
        "def test_tokens():\n    AuthManager().validate_token(1)\n\ndef test_login():\n    pass\n",
    )];
    for (question, expected) in [
        (
            "which tests cover validate_token?",
            "1 test naming `validate_token`:\n\n- test `test_tokens` — tests/test_auth.py:1",
        ),
        ("how is AuthManager tested?", "1 test naming `AuthManager`:"),
        ("where is load_user tested?", "No tests naming `load_user` were found."),
        ("are there any tests?", "2 tests:"),
    ] {
        let text = answer_to(question, files);
        assert!(text.starts_with(expected), "{question}: {text}");
    }
}

#[test]
fn who_builds_on_something_is_listed_by_its_definitions() {
    let files: &[(&str, &str)] = &[
        (
            "src/a.go",
            "package a\n\ntype Store interface {\n\tGet(key string) string\n}\n\ntype Disk struct{}\n\nfunc (d *Disk) Get(k string) string { return k }\n",
        ),
        ("src/b.py", "class Strict(AuthManager): pass\n# class Not(AuthManager): pass\n"),
        ("docs/a.md", "class Other(AuthManager):\n"),
    ];
    for (question, expected) in [
        (
            "Which classes extend AuthManager?",
            "1 definition extends or implements `AuthManager` directly:\n\n- src/b.py:1",
        ),
        (
            "Who implements Store?",
            "1 definition extends or implements `Store` directly:\n\n- src/a.go:7",
        ),
        (
            "Which classes extend Exception?",
            "1 definition extends or implements `Exception` directly:\n\n- src/auth.py:15",
        ),
        (
            "Who implements TokenError?",
            "Nothing was found that extends or implements `TokenError`.",
        ),
    ] {
        let text = answer_to(question, files);
        assert!(text.starts_with(expected), "{question}: {text}");
    }
}

#[test]
fn a_reader_never_sees_a_stem() {
    let files: &[(&str, &str)] =
        &[("docs/steps.md", "Here migrations are run.\nEach migration is one file.\n")];
    for question in ["How many migrations are there?", "How do migrations work?"] {
        let text = answer_to(question, files);
        assert!(text.contains("docs/steps.md:1") && !text.contains("`migrat`"), "{text}");
    }
}

#[test]
fn another_word_that_was_looked_for_is_told() {
    let wire = "def receive(line):\n    \"\"\"Receive a line.\"\"\"\n    return line\n";
    let answer = answer_to("How does recv work?", &[("src/wire.py", wire)]);
    assert!(answer.starts_with("Searched for other words: `receive` for `recv`."), "{answer}");
    assert!(answer.contains("src/wire.py:1"), "{answer}");
}

#[test]
fn a_project_is_asked_about_by_its_manifest() {
    let files: &[(&str, &str)] = &[
        (
            "Cargo.toml",
            "[package]\nlicense = \"MIT\"\nrust-version = \"1.80\"\n[dependencies]\nserde = \"1\"\n",
        ),
        ("LICENSE", "The MIT License\n"),
    ];
    for (question, expected) in [
        (
            "What dependencies does it have?",
            "Dependencies, as `Cargo.toml` says:\n\n- serde — Cargo.toml:5",
        ),
        (
            "Which licence does this project have?",
            "The licence, as `Cargo.toml` says:\n\n- MIT — Cargo.toml:2\n\n`LICENSE` begins: The MIT License",
        ),
        (
            "Which Rust version does it need?",
            "The version that is needed, as `Cargo.toml` says:\n\n- Rust 1.80 — Cargo.toml:3",
        ),
        ("Which features does it have?", "Features: not stated in Cargo.toml, LICENSE."),
    ] {
        let text = answer_to(question, files);
        assert!(text.starts_with(expected), "{question}: {text}");
    }
    let text = answer_to("What dependencies does it have?", &[]);
    assert!(text.starts_with("The repository has no manifest at its top"), "{text}");
}

#[test]
fn a_file_is_told_whole_or_with_what_is_left_out() {
    let many: String = (0..70).map(|at| format!("def f{at}():\n    pass\n")).collect();
    let answer = answer_to("What is in src/many.py?", &[("src/many.py", &many)]);
    let named = (0..70).filter(|at| answer.contains(&format!("`f{at}`"))).count();
    assert!(answer.contains(&format!(" and {} more.", 70 - named)), "{named} {answer}");
    assert!(named >= 40, "{answer}");
}

#[test]
fn what_only_stands_in_a_text_is_not_called_unused() {
    let text = "import os\n\n\ndef key():\n    return os.environ[\"SHOP_TOKEN\"]\n";
    let answer = answer_to("Where is SHOP_TOKEN read?", &[("src/keys.py", text)]);
    assert!(answer.starts_with("No identifier has the name `SHOP_TOKEN`"), "{answer}");
    assert!(answer.contains("src/keys.py:5"), "{answer}");
}

#[test]
fn a_file_is_used_where_it_is_taken_in() {
    let answer = answer_to("Which files import src/auth.py?", &[]);
    let expected = "Lines that import something named `auth`:\n\n- src/views.py:1";
    assert!(answer.starts_with(expected), "{answer}");
}

#[test]
fn a_value_is_told_before_the_code_that_uses_it() {
    let text = "DEFAULT_TOKENS_KEPT = 16\n\n\ndef keep_tokens(tokens):\n    kept = tokens[:DEFAULT_TOKENS_KEPT]\n    return kept\n";
    let answer = answer_to("How many tokens are kept by default?", &[("src/keep.py", text)]);
    let value = answer.find("DEFAULT_TOKENS_KEPT = 16").expect("the value");
    assert!(answer.find("def keep_tokens").is_none_or(|code| value < code), "{answer}");
}

#[test]
fn a_mistyped_word_is_put_right_and_said() {
    let answer = answer_to("how does the tokken check work?", &[]);
    assert!(answer.starts_with("`tokken` was understood as `token`."), "{answer}");
    assert!(answer.contains("src/auth.py:8"), "{answer}");
}

#[test]
fn words_that_are_one_name_are_looked_up_as_such() {
    let answer = answer_to("Where is the auth manager?", &[]);
    assert!(answer.starts_with("class `AuthManager` is defined in src/auth.py:5"), "{answer}");
}

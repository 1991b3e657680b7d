//! `consign ask-code 'how does it start?'`: the entry points of a repository, without a model.

use serde_json::Value;

use super::yard::Yard;
use crate::support::text;

fn ask(yard: &Yard, question: &str) -> Value {
    yard.run(&["ask-code", question, "--repo", "repo", "--json"]).exits(0).json()
}

/// The places that an answer cites, in its order.
fn cited(told: &Value) -> Vec<&str> {
    let citations = told["answer"]["citations"].as_array().expect("a list");
    citations.iter().map(|citation| text(citation, "location")).collect()
}

fn with(files: &[(&str, &str)]) -> Yard {
    let yard = Yard::new();
    for (path, content) in files {
        yard.file(&format!("repo/{path}"), content);
    }
    yard
}

#[test]
fn a_crate_starts_with_its_binaries_and_ends_with_its_examples() {
    let yard = with(&[
        (
            "Cargo.toml",
            "[package]\nname = \"shop\"\n\n[[bin]]\nname = \"shopctl\"\npath = \"src/control.rs\"\n",
        ),
        ("src/main.rs", "mod cart;\n\n/// Serves the shop.\nfn main() {\n    cart::open();\n}\n"),
        ("src/control.rs", "fn main() {\n    println!(\"fn main() {}\");\n}\n"),
        ("src/cart.rs", "// fn main() is elsewhere\npub fn open() {}\n"),
        ("examples/small.rs", "fn main() {}\n"),
        ("tests/cli/main.rs", "fn main() {}\n"),
        ("build.rs", "fn main() {}\n"),
    ]);
    let expected = [
        "src/main.rs:4",
        "src/control.rs:1",
        "Cargo.toml:5",
        "examples/small.rs:1",
        "tests/cli/main.rs:1",
    ];
    for question in [
        "how does it start?",
        "where does it start?",
        "what is the entry point?",
        "where is main?",
        "how is it run?",
    ] {
        assert_eq!(cited(&ask(&yard, question)), expected, "{question}");
    }
    let told = ask(&yard, "how does it start?");
    let answer = text(&told["answer"], "final_response");
    for part in ["`shop`", "`shopctl`", "In tests and examples:"] {
        assert!(answer.contains(part), "{part}: {answer}");
    }
}

#[test]
fn python_node_and_go_start_in_their_own_ways() {
    let yard = with(&[
        (
            "pyproject.toml",
            "[project]\nname = \"bake\"\n\n[project.scripts]\nbake = \"bake.cli:run\"\n",
        ),
        ("src/bake/__main__.py", "from bake.cli import run\n\nrun()\n"),
        ("src/bake/cli.py", "def run():\n    pass\n\n\nif __name__ == \"__main__\":\n    run()\n"),
        ("tests/test_cli.py", "if __name__ == \"__main__\":\n    pass\n"),
    ]);
    assert_eq!(
        cited(&ask(&yard, "how does it start?")),
        ["src/bake/__main__.py:1", "pyproject.toml:5", "src/bake/cli.py:5", "tests/test_cli.py:1"]
    );
    let yard = with(&[
        (
            "package.json",
            "{\n  \"name\": \"post\",\n  \"main\": \"lib/index.js\",\n  \"bin\": {\n    \"post\": \"bin/post.js\"\n  },\n  \"scripts\": {\n    \"test\": \"mocha\",\n    \"start\": \"node server.js\"\n  }\n}\n",
        ),
        ("server.js", "listen();\n"),
        ("Dockerfile", "FROM node\nCMD [\"node\", \"server.js\"]\n"),
    ]);
    assert_eq!(
        cited(&ask(&yard, "what are the entry points?")),
        ["package.json:5", "package.json:9", "package.json:3", "Dockerfile:2"]
    );
    let yard = with(&[
        ("go.mod", "module example.com/fleet\n"),
        ("cmd/agent/main.go", "package main\n\nfunc main() {\n}\n"),
        (
            "cmd/server/main.go",
            "package main\n\nimport \"fmt\"\n\nfunc main() {\n\tfmt.Println()\n}\n",
        ),
        ("fleet.go", "package fleet\n\nfunc main() {\n}\n"),
        ("Makefile", "run:\n\tgo run ./cmd/server\n"),
    ]);
    assert_eq!(
        cited(&ask(&yard, "how does the program start?")),
        ["cmd/agent/main.go:3", "cmd/server/main.go:5", "Makefile:1"]
    );
    let told = ask(&yard, "what is the entry point in cmd/server?");
    assert_eq!(cited(&told), ["cmd/server/main.go:5"], "{told}");
}

#[test]
fn a_library_has_no_entry_point_and_the_answer_says_so() {
    let yard = with(&[
        ("Cargo.toml", "[package]\nname = \"parts\"\n"),
        ("src/lib.rs", "pub fn start() {}\n"),
    ]);
    let told = ask(&yard, "how does it start?");
    assert!(cited(&told).is_empty(), "{told}");
    let answer = text(&told["answer"], "final_response");
    assert!(answer.starts_with("No entry point was found"), "{answer}");
}

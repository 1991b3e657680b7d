//! `consign template analyze`: what people, pipes and programs are told of a project.

use std::fs;

use serde_json::json;

use crate::{
    escapes::tame,
    support::{Folder, consign, keys, text},
    terminal::Terminal,
};

/// A small service in Go, with something vendored.
fn service() -> (Folder, String) {
    let folder = Folder::new();
    for (path, content) in [
        (
            "go.mod",
            "module example.org/shop\n\ngo 1.22\n\nrequire github.com/gin-gonic/gin v1.9.1\n",
        ),
        (
            "main.go",
            "package main\n\nimport \"github.com/gin-gonic/gin\"\n\nfunc main() {\n\tgin.Default().Run()\n}\n",
        ),
        (
            "services/order_service.go",
            "package services\n\nimport \"errors\"\n\ntype OrderService struct{}\n\nfunc (s *OrderService) \
             Find(id string) error {\n\tif id == \"\" {\n\t\treturn errors.New(\"no id\")\n\t}\n\treturn \
             nil\n}\n",
        ),
        (
            "services/order_service_test.go",
            "package services\n\nimport \"testing\"\n\nfunc TestFind(t *testing.T) {}\n",
        ),
        ("vendor/modules.txt", ""),
        ("vendor/noise/noise.js", "function noise() {}\nfunction more() {}\n"),
    ] {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().expect("it is in a folder")).expect("it can be made");
        fs::write(path, content).expect("it can be written");
    }
    let path = folder.path().display().to_string();
    (folder, path)
}

#[test]
fn a_program_gets_one_object_and_always_the_same() {
    let (_folder, path) = service();
    let args = ["template", "analyze", "--path", &path, "--json"];
    let first = consign(args).exits(0);
    let found = first.json();
    assert_eq!(
        keys(&found),
        [
            "architecture",
            "commands",
            "confidence",
            "conventions",
            "dependencies",
            "files",
            "framework",
            "frameworks",
            "key_files",
            "languages",
            "layers",
            "lines",
            "names",
            "patterns",
            "primary_language",
            "source",
            "testing",
            "truncated"
        ]
    );
    assert_eq!((text(&found, "primary_language"), text(&found, "source")), ("Go", "heuristic"));
    assert_eq!(found["frameworks"][0]["name"], "Gin");
    assert_eq!(found["frameworks"][0]["version"], "v1.9.1");
    let evidence = &found["frameworks"][0]["evidence"];
    assert_eq!((&evidence[0]["path"], &evidence[0]["line"]), (&json!("go.mod"), &json!(5)));
    assert_eq!(found["testing"][0]["framework"], "go test");
    assert_eq!(found["languages"].as_array().map(Vec::len), Some(1));
    assert_eq!(found["commands"]["test"], "go test ./...");
    assert_eq!(found["truncated"], false);
    for _ in 0..3 {
        assert_eq!(consign(args).exits(0).stdout, first.stdout);
    }
}

#[test]
fn a_pipe_gets_lines_of_fields() {
    let (folder, path) = service();
    let told = consign(["template", "analyze", "--path", &path]).exits(0).stdout;
    for line in [
        "primary_language\tGo",
        "framework\tGin\tv1.9.1\t0.95",
        "tests\tgo test\t\t1",
        "command\trun\tgo run .",
        "key_file\tmanifest\tgo.mod",
        "convention\tindentation\ttabs",
    ] {
        assert!(told.lines().any(|known| known == line), "{line}: {told}");
    }
    // Without a path it is the folder that one is in.
    let here = crate::support::Consign::new(["template", "analyze"]).folder(folder.path());
    assert_eq!(here.run().exits(0).stdout, told);
}

#[test]
fn a_person_gets_a_page() {
    let (_folder, path) = service();
    let told = Terminal::new().consign(&["template", "analyze", "--path", &path]).exits(0).stdout;
    for words in ["Go · Gin v1.9.1", "Languages", "100.0 %", "go.mod:5", "Commands", "Confidence"]
    {
        assert!(told.contains(words), "{words}: {told}");
    }
}

#[test]
fn what_a_project_says_is_printable_and_nothing_else() {
    let folder = Folder::new();
    folder.file("main.js", "console.log(1)\n");
    folder.file(
        "package.json",
        "{\"name\": \"\\u001b[31mred\\u0007\\n\\u202eforged\", \"scripts\": {\"test\": \"x\"}}",
    );
    folder.file("app\u{1b}[2J.js", "console.log(1)\n");
    let path = folder.path().display().to_string();
    let told = consign(["template", "analyze", "--path", &path]).exits(0).stdout;
    assert!(told.lines().any(|line| line.starts_with("project\t")), "{told}");
    let strange =
        |letter: char| letter.is_control() && !"\n\t".contains(letter) || letter == '\u{202e}';
    assert!(!told.contains(strange), "{told:?}");
    tame([Terminal::new().consign(&["template", "analyze", "--path", &path]).exits(0)]);
}

#[test]
fn a_folder_that_cannot_be_read_is_told() {
    let folder = Folder::new();
    let file = folder.file("file", "x");
    for path in ["/no/such/project", &file] {
        consign(["template", "analyze", "--path", path]).fails(1, "PROJECT_UNREADABLE");
        let told = consign(["template", "analyze", "--path", path, "--json"]).exits(1).error();
        assert_eq!(text(&told, "code"), "PROJECT_UNREADABLE");
    }
}

//! Projects that mean harm, or are only broken: the analysis ends, finds what is there, and leaves nothing
//! outside of the project looked at.

use std::{
    ffi::OsStr,
    fs,
    os::unix::{ffi::OsStrExt, fs::symlink},
    path::Path,
    process::Command,
};

use consign_template::analysis::{Cancel, Error, analyse};

fn project() -> tempfile::TempDir {
    let root = tempfile::tempdir().unwrap();
    fs::create_dir(root.path().join("app")).unwrap();
    fs::write(root.path().join("app/main.py"), "from fastapi import FastAPI\n\napp = FastAPI()\n")
        .unwrap();
    fs::write(root.path().join("requirements.txt"), "fastapi==0.110.0\n").unwrap();
    root
}

fn is_still_found(root: &Path, why: &str) {
    let found = analyse(root, &Cancel::new()).unwrap();
    assert_eq!(found.framework.as_deref(), Some("FastAPI"), "{why}");
    assert_eq!(found.primary_language, "Python", "{why}");
}

#[test]
fn links_pipes_and_folders_in_place_of_files_are_passed_over() {
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("secret.rs"), "fn main() {}\n".repeat(1_000)).unwrap();
    fs::write(outside.path().join("Cargo.toml"), "[dependencies]\naxum = \"1\"\n").unwrap();
    let root = project();
    symlink(outside.path(), root.path().join("linked")).unwrap();
    symlink(outside.path().join("Cargo.toml"), root.path().join("Cargo.toml")).unwrap();
    symlink(outside.path().join("secret.rs"), root.path().join("app/secret.rs")).unwrap();
    symlink("..", root.path().join("app/up")).unwrap();
    fs::create_dir(root.path().join("package.json")).unwrap();
    fs::write(root.path().join("package.json/index.js"), "1\n").unwrap();
    for name in ["pyproject.toml", "app/pipe.py", "Gemfile"] {
        assert!(Command::new("mkfifo").arg(root.path().join(name)).status().unwrap().success());
    }
    is_still_found(root.path(), "links and pipes");
    let found = analyse(root.path(), &Cancel::new()).unwrap();
    let told = serde_json::to_string(&found).unwrap();
    assert!(!told.contains("secret") && !told.contains("axum") && !told.contains("Rust"), "{told}");
}

#[test]
fn broken_manifests_say_nothing_and_are_no_error() {
    let deep = "[".repeat(100_000);
    let elements = "<a>".repeat(100_000);
    for (name, text) in [
        ("package.json", "{\"dependencies\": {\"react\": "),
        ("package.json", "[1, 2, 3]"),
        ("package.json", "{\"dependencies\": [\"react\"], \"scripts\": 7, \"name\": {}}"),
        ("package.json", deep.as_str()),
        ("Cargo.toml", "[package\nname = 3"),
        ("Cargo.toml", "package = 3\ndependencies = \"x\""),
        ("pyproject.toml", "[project]\ndependencies = { a = [[[]]] }\nauthors = 3\n"),
        ("pom.xml", elements.as_str()),
        ("pom.xml", "<project><dependencies><dependency>"),
        ("Shop.csproj", "<Project Sdk=\"Microsoft.NET.Sdk.Web><ItemGroup>"),
        ("go.mod", "require (\nrequire (\nmodule\n"),
        ("build.gradle", "implementation(\"\nid '"),
        ("Gemfile", "gem '\ngem\n"),
        ("composer.json", "null"),
        ("gradle/libs.versions.toml", "[libraries]\nx = 3\ny = { version = { ref = \"z\" } }"),
    ] {
        let root = project();
        let path = root.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
        is_still_found(root.path(), name);
    }
}

#[test]
fn what_is_huge_is_left_out() {
    let root = project();
    let huge = format!("{{\"name\": \"{}\"}}", "x".repeat(30 << 20));
    fs::write(root.path().join("package.json"), &huge).unwrap();
    fs::write(root.path().join("app/huge.rs"), "fn a() {}\n".repeat(1 << 19)).unwrap();
    is_still_found(root.path(), "huge");
}

#[test]
fn names_that_are_no_text_and_folders_without_end_are_passed_over() {
    let root = project();
    let strange = root.path().join(OsStr::from_bytes(b"app/\xFF\xFE.py"));
    fs::write(strange, "x = 1\n").unwrap();
    let mut deep = root.path().to_owned();
    for _ in 0..200 {
        deep.push("d");
        if fs::create_dir(&deep).is_err() {
            break;
        }
    }
    fs::write(root.path().join("app/\u{1b}[31m.py"), "x = 1\n").unwrap();
    fs::write(root.path().join("app/latin.py"), b"# caf\xE9\nx = 1\n").unwrap();
    is_still_found(root.path(), "names and depth");
}

#[test]
fn who_cancels_gets_nothing_and_who_has_no_folder_is_told() {
    let root = project();
    let cancel = Cancel::new();
    cancel.cancel();
    assert!(matches!(analyse(root.path(), &cancel), Err(Error::Cancelled)));
    let gone = root.path().join("none");
    assert!(matches!(analyse(&gone, &Cancel::new()), Err(Error::Root { .. })));
}

//! Nothing that a policy hides can be told from what is shown.

use std::{fs, os::unix::fs::symlink, path::Path};

use consign_code::{Cancel, Kind, LogQuery, Query, Term};
use tempfile::TempDir;

use super::*;

fn write(root: &Path, path: &str, text: &str) {
    let path = root.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// The same repository twice: once without the files that the policy hides.
fn twins() -> (TempDir, TempDir) {
    let (all, shown) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    for root in [all.path(), shown.path()] {
        write(root, "src/login.rs", "pub fn login() { check(); }\nfn check() {}\n");
        write(root, "src/other.rs", "pub fn enter() { login(); }\npub struct Session;\n");
        write(root, "docs/login.md", "How to login.\n");
        write(root, "src/private_notes.txt", "login\n");
    }
    let root = all.path();
    for at in 0..300 {
        write(
            root,
            &format!("private/f{at}.rs"),
            "pub fn login() { login(); Login(); }\nimpl Login for Session {}\n#[test]\nfn tests() {}\n",
        );
    }
    write(root, "private/keys.toml", "API_KEY = \"hunter2\"\n");
    write(root, "src/inner/key.pem", "hunter2 login\n");
    write(root, "src/a\nforged: line/b.rs", "pub fn login() {}\n");
    write(root, "src/c\u{1b}[2J.rs", "pub fn login() {}\n");
    (all, shown)
}

fn view(root: &Path) -> View {
    let policy = Policy::parse("deny_paths = [\"private/**\", \"*.pem\"]").unwrap();
    View::open(root, policy, Cancel::new()).unwrap()
}

#[test]
fn what_is_hidden_changes_no_answer() {
    let (all, shown) = twins();
    let (all, shown) = (view(all.path()), view(shown.path()));
    let both = |ask: &dyn Fn(&View) -> String| assert_eq!(ask(&all), ask(&shown));
    for limit in [1, 3, 50] {
        for pattern in ["login", "pub fn login|API_KEY", "hunter2", "^API_KEY = .h"] {
            let query = Query { limit, ..Query::regex(pattern) };
            both(&|view| format!("{:?}", view.search(&query).unwrap()));
        }
        both(&|view| format!("{:?}", view.survey(&[Term::new("login", 1.0)], limit).unwrap()));
        both(&|view| format!("{:?}", view.find_references("login", limit).unwrap()));
        both(&|view| format!("{:?}", view.list_tree("", 4, limit).unwrap()));
    }
    both(&|view| format!("{:?}", view.tests("", &|_, _| true).unwrap()));
    both(&|view| format!("{:?}", view.files().unwrap()));
    for name in ["login", "Login", "LOGIN", "Session"] {
        both(&|view| format!("{:?}", view.find_symbol(name, None).unwrap()));
        both(&|view| format!("{:?}", view.heirs(name).unwrap()));
    }
}

#[test]
fn counts_hold_without_what_is_hidden() {
    let (all, shown) = twins();
    let (all, shown) = (view(all.path()), view(shown.path()));
    for path in ["", "src"] {
        let census = all.census(path).unwrap();
        assert_eq!(census, shown.census(path).unwrap());
        assert_eq!(census.skipped, 0);
        let found = all.definitions(path, &[Kind::Function], None, &|_, _| true).unwrap();
        assert_eq!(found, shown.definitions(path, &[Kind::Function], None, &|_, _| true).unwrap());
        assert_eq!((found.total, found.items.len(), found.truncated), (3, 3, false));
    }
    assert_eq!(all.census("").unwrap().files, 4);
}

#[test]
fn links_to_what_is_hidden_and_names_that_are_no_text_are_denied() {
    use std::os::unix::ffi::OsStrExt;
    let (all, _) = twins();
    let root = all.path();
    let strange = std::ffi::OsStr::from_bytes(b"private/k\xff.txt");
    fs::write(root.join(strange), "TOPSECRET").unwrap();
    symlink(strange, root.join("public.txt")).unwrap();
    symlink("private/keys.toml", root.join("plain.txt")).unwrap();
    symlink("private", root.join("folder")).unwrap();
    symlink("folder", root.join("around")).unwrap();
    fs::write(root.join(".env"), "TOKEN=1").unwrap();
    symlink(".env", root.join("environment.txt")).unwrap();
    let view = view(root);
    for path in [
        "private/keys.toml",
        "private/none",
        "PRIVATE/keys.toml",
        "public.txt",
        "plain.txt",
        "folder/keys.toml",
        "around/keys.toml",
        "environment.txt",
        ".env",
    ] {
        let told = view.read_file(path, 1, 9).unwrap_err();
        assert!(matches!(told, Broken::Denied(_)), "{path}: {told:?}");
        assert!(matches!(view.census(path), Err(Broken::Denied(_))), "{path}");
        let log = LogQuery { path: Some(path.to_owned()), ..LogQuery::default() };
        assert!(matches!(view.git_log(&log), Err(Broken::Denied(_))), "{path}");
        assert!(matches!(view.git_blame(path, 1, 9), Err(Broken::Denied(_))), "{path}");
    }
    for path in ["folder", "around", "private"] {
        assert!(matches!(view.list_tree(path, 2, 9), Err(Broken::Denied(_))), "{path}");
        assert!(matches!(view.definitions(path, &[], None, &|_, _| true), Err(Broken::Denied(_))));
    }
    assert!(view.read_file("src/none.rs", 1, 9).is_err_and(|told| matches!(told, Broken::Code(_))));
}

#[test]
fn nothing_of_git_itself_is_read_as_if_it_were_code() {
    let home = TempDir::new().unwrap();
    let root = home.path();
    for dir in [".git", "sub/.git", "sub/.GIT"] {
        write(root, &format!("{dir}/config"), "token = ghp_secret\n");
        write(root, &format!("{dir}/hooks/a.rs"), "fn hook() {}\n");
    }
    symlink(".git/config", root.join("config.txt")).unwrap();
    symlink(".git", root.join("meta")).unwrap();
    let view = View::open(root, Policy::default(), Cancel::new()).unwrap();
    for path in [
        ".git/config",
        "./.git//config",
        ".GIT/config",
        "sub/.git/config",
        "sub/.GIT/config",
        "config.txt",
        "meta/config",
        "meta/hooks/a.rs",
    ] {
        assert!(view.read_file(path, 1, 9).is_err(), "{path}");
        assert!(view.outline(path).is_err(), "{path}");
        assert!(view.census(path).is_err(), "{path}");
        assert!(view.git_blame(path, 1, 9).is_err(), "{path}");
        assert!(view.definitions(path, &[], None, &|_, _| true).is_err(), "{path}");
    }
    for path in [".git", "sub/.GIT", "meta", "meta/hooks", ".git/hooks"] {
        assert!(view.list_tree(path, 3, 9).is_err(), "{path}");
        assert!(view.census(path).is_err(), "{path}");
    }
}

//! Names that a model may come up with.

use consign_repositories::{BadName, BranchName, OwnerRepo, RepoPath};
use proptest::prelude::*;

#[test]
fn branch_names_are_those_of_git() {
    for good in
        ["main", "docs/scribe-1", "trace/3f2a", "a.b", "gr\u{f6}\u{df}e", "a@b", "a#b", "v1.0-x"]
    {
        assert!(BranchName::new(good).is_ok(), "{good}");
    }
    for bad in [
        "",
        "@",
        "/a",
        "a/",
        "a//b",
        ".a",
        "a/.b",
        "a.",
        "a./b",
        "a..b",
        "a.lock",
        "a.lock/b",
        "a.LOCK",
        "a b",
        "a\tb",
        "a\u{7f}",
        "a\u{a0}b",
        "a~",
        "a^",
        "a:b",
        "a?",
        "a*",
        "a[",
        "a\\b",
        "a@{0}",
        "-a",
        "HEAD",
        "head",
        "refs/heads/a",
        "heads/main",
        &"a".repeat(201),
        &"a".repeat(40),
    ] {
        assert!(matches!(BranchName::new(bad), Err(BadName::Branch(_))), "{bad:?}");
    }
    for base in ["main", "Main", "refs/heads/main", "heads/main", " main"] {
        assert_eq!(BranchName::apart_from("main", base), Err(BadName::IsBase), "{base}");
    }
    assert!(BranchName::apart_from("main2", "main").is_ok());
}

#[test]
fn repositories_are_owner_and_name() {
    let name = OwnerRepo::parse("Octo-1/a.b_c").unwrap();
    assert_eq!((name.owner(), name.repo()), ("Octo-1", "a.b_c"));
    for bad in
        ["", "a", "a/", "/b", "a/b/c", "../x", "a/..", "./b", "a b/c", "a/b?", "a/\u{e9}", "a%2f/b"]
    {
        assert_eq!(OwnerRepo::parse(bad), Err(BadName::OwnerRepo), "{bad}");
    }
    assert!(OwnerRepo::new(&"a".repeat(101), "b").is_err());
    assert!(OwnerRepo::new(&"a".repeat(100), "b").is_ok());
}

#[test]
fn paths_stay_in_the_repository_and_out_of_git() {
    for good in [
        "README.md",
        "docs/a b.md",
        "docs/\u{e9}.md",
        ".gitignore",
        ".github/x.md",
        "a/.gitattributes",
        "git/x",
        "x.git/y",
        "docs/...md",
        "agit~1",
        "git~",
        "git~x",
    ] {
        assert!(RepoPath::new(good).is_ok(), "{good}");
    }
    for bad in [
        "",
        "/etc/passwd",
        "../x",
        "a/../b",
        "a/..",
        ".",
        "./a",
        "a//b",
        "a/",
        "a\\b",
        "C:/x",
        "a\0b",
        "a\nb",
        ".git",
        ".git/config",
        "a/.git/hooks/x",
        ".GIT/config",
        ".gIt",
        ".git.",
        ".git ",
        ".git...",
        ".git/",
        ".git::$INDEX_ALLOCATION/x",
        ".git:x",
        "git~1",
        "GIT~1/config",
        "git~2",
        ".g\u{200c}it/config",
        ".git\u{200d}",
        "\u{feff}.git",
        ".\u{202e}git",
        "\u{ff0e}git/config",
        ".\u{ff47}\u{ff49}\u{ff54}/x",
        ".g\u{131}t\u{0}",
        "a/ b",
        "a /b",
        "a./b",
        "...",
        ". .",
        &"a".repeat(256),
        &"a/".repeat(501),
    ] {
        assert!(matches!(RepoPath::new(bad), Err(BadName::Path(_))), "{bad:?}");
    }
}

#[test]
fn workflows_need_approval_in_every_spelling() {
    for (path, expected) in [
        (".github/workflows/ci.yml", true),
        (".github/workflows", true),
        (".GitHub/Workflows/ci.yml", true),
        (".github/work\u{200b}flows/ci.yml", true),
        (".\u{ff47}ithub/workflows/x", true),
        (".github/ISSUE_TEMPLATE.md", false),
        ("docs/.github/workflows/ci.yml", false),
        ("README.md", false),
    ] {
        assert_eq!(RepoPath::new(path).unwrap().needs_approval(), expected, "{path}");
    }
}

/// Ways to write the letters of `.git`.
fn disguised() -> impl Strategy<Value = String> {
    let letter = |plain: char| {
        let wide = char::from_u32(plain as u32 - 0x21 + 0xff01).unwrap();
        prop_oneof![Just(plain), Just(plain.to_ascii_uppercase()), Just(wide)]
    };
    let nothing = prop_oneof![
        Just(""),
        Just("\u{200b}"),
        Just("\u{200c}"),
        Just("\u{feff}"),
        Just("\u{202e}"),
        Just("\u{2060}")
    ];
    let end = prop_oneof![
        Just(""),
        Just("."),
        Just(" "),
        Just(". ."),
        Just("::$INDEX_ALLOCATION"),
        Just(":a")
    ];
    let letters = (letter('.'), letter('g'), letter('i'), letter('t'));
    (letters, proptest::collection::vec(nothing, 4), end).prop_map(|((a, b, c, d), n, end)| {
        format!("{}{a}{}{b}{}{c}{}{d}{end}", n[0], n[1], n[2], n[3])
    })
}

proptest! {
    #[test]
    fn what_we_take_for_a_branch_git_takes_too(text in "[ -~\u{e9}]{1,20}|[a-z./@{~-]{1,12}") {
        if BranchName::new(&text).is_ok() {
            prop_assert!(git2::Branch::name_is_valid(&text).unwrap(), "{}", text);
            let reference = format!("refs/heads/{text}");
            prop_assert!(git2::Reference::is_valid_name(&reference));
        }
    }

    #[test]
    fn no_disguise_of_git_gets_past(name in disguised(), before in "([a-z]{1,3}/)?", after in "(/[a-z]{1,3})?") {
        let path = format!("{before}{name}{after}");
        prop_assert!(RepoPath::new(&path).is_err(), "{:?}", path);
    }

    #[test]
    fn a_path_that_is_taken_stays_inside(text in "[a-z./\\\\: ~]{1,16}|\\PC{1,16}") {
        if let Ok(path) = RepoPath::new(&text) {
            let inside = std::path::Path::new(path.as_str());
            let plain = |part| matches!(part, std::path::Component::Normal(_));
            prop_assert!(inside.components().all(plain));
            prop_assert_eq!(inside.components().count(), path.as_str().split('/').count());
        }
    }

    #[test]
    fn owner_and_repository_are_safe_in_an_address(text in "\\PC{0,8}/\\PC{0,8}") {
        if let Ok(name) = OwnerRepo::parse(&text) {
            let url = format!("http://h/repos/{name}");
            let parsed = reqwest::Url::parse(&url).unwrap().to_string();
            prop_assert_eq!(parsed, url);
        }
    }
}

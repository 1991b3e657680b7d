//! Files and folders of this machine.

use std::{
    fs,
    os::unix::{ffi::OsStrExt, fs::symlink, net::UnixListener},
    path::{Path, PathBuf},
};

use consign_connector::{Fetch, Item, Limit, Past, Trust};
use tempfile::TempDir;

use crate::world::{World, done};

fn tree(files: &[(&str, &str)]) -> TempDir {
    let folder = TempDir::new().unwrap();
    for (path, text) in files {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder
}

fn named(path: &Path) -> Fetch {
    Fetch::of_word(path.to_str().unwrap()).unwrap().trusting(Trust::Named)
}

#[tokio::test]
async fn a_file_is_copied_with_its_checksum() {
    let folder = tree(&[("Grüße.TXT", "abc")]);
    let path = folder.path().canonicalize().unwrap().join("Grüße.TXT");
    let world = World::new();
    let got = world.get(named(&path)).await;
    let one = got.one();
    assert_eq!(one.identifier, path.to_str().unwrap());
    assert_eq!(fs::read(&one.file).unwrap(), b"abc");
    assert_eq!(one.checksum, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    assert_eq!(one.hint.file_name.as_deref(), Some("Grüße.TXT"));
    let url = one.source_url.as_deref().unwrap();
    assert!(url.starts_with("file:///") && url.ends_with("/Gr%C3%BC%C3%9Fe.TXT"), "{url}");
    assert_eq!(one.source_metadata["file_name"], "Grüße.TXT");
    assert_eq!(one.source_metadata["path"], path.to_str().unwrap());
    let same = Fetch { identifier: url.to_owned(), ..named(&path) };
    assert_eq!(world.get(same).await.one().identifier, one.identifier);
    assert_eq!(world.copies().len(), 1);
}

#[tokio::test]
async fn what_is_known_is_opened_under_exactly_its_path() {
    let folder = tree(&[("in/sub/a.txt", "plain"), ("out/a.txt", "secret")]);
    let top = folder.path().canonicalize().unwrap();
    let path = top.join("in/sub/a.txt");
    let known = |path: &Path| named(path).trusting(Trust::Known);
    let world = World::new();
    let got = world.get(known(&path)).await;
    assert_eq!((got.one().identifier.as_str(), got.one().size), (path.to_str().unwrap(), 5));
    // The file, and then a folder on the way, are replaced by links.
    fs::remove_file(&path).unwrap();
    symlink(top.join("out/a.txt"), &path).unwrap();
    assert_eq!(world.get(known(&path)).await.code(), "ADDRESS_NOT_ALLOWED");
    fs::remove_dir_all(top.join("in/sub")).unwrap();
    symlink(top.join("out"), top.join("in/sub")).unwrap();
    assert_eq!(world.get(known(&path)).await.code(), "ADDRESS_NOT_ALLOWED");
    assert_eq!(world.get(known(&top.join("gone"))).await.code(), "ERR_CONNECTOR_NOT_FOUND");
    assert_eq!(world.get(known(Path::new("a.txt"))).await.code(), "ERR_CONNECTOR_NOT_FOUND");
}

#[tokio::test]
async fn a_folder_comes_in_order_and_its_folders_only_when_asked_for() {
    let folder = tree(&[
        ("b.md", "b"),
        ("a.md", "a"),
        ("z.md", "z"),
        ("c/d/e.md", "e"),
        ("c/f.md", "f"),
        (".hidden.md", "h"),
        (".config/x", "x"),
        (".git/config", "secret"),
    ]);
    let world = World::new();
    let got = world.get(named(folder.path())).await;
    assert_eq!(got.story(), ["a.md", "b.md", "z.md"]);
    assert_eq!((got.summary.folders_not_entered, got.summary.hidden), (1, 3));
    let got = world.get(named(folder.path()).recursive(true)).await;
    assert_eq!(got.story(), ["a.md", "b.md", "z.md", "f.md", "e.md"]);
    let mut world = World::new();
    world.options.hidden_and_ignored = true;
    let got = world.get(named(folder.path()).recursive(true)).await;
    assert!(got.story().contains(&".hidden.md".to_owned()));
    assert!(!got.story().contains(&"config".to_owned()), "what is of git is never taken");
    let hidden = named(&folder.path().join(".hidden.md"));
    assert_eq!(World::new().get(hidden).await.story(), [".hidden.md"], "it was named");
}

#[tokio::test]
async fn ignored_files_are_left_out_as_ripgrep_does() {
    let files = [
        (".gitignore", "*.log\n/build/\n"),
        ("a.log", "x"),
        ("a.md", "x"),
        ("build/x.md", "x"),
        ("sub/.ignore", "!keep.log\ndraft*\n"),
        ("sub/keep.log", "x"),
        ("sub/draft.md", "x"),
        ("sub/b.md", "x"),
    ];
    let folder = tree(&files);
    let all = ["a.log", "a.md", "x.md", "b.md", "keep.log"];
    let got = World::new().get(named(folder.path()).recursive(true)).await;
    assert_eq!(got.story(), all, "outside of a repository .gitignore means nothing");
    fs::create_dir(folder.path().join(".git")).unwrap();
    let got = World::new().get(named(folder.path()).recursive(true)).await;
    assert_eq!(got.story(), ["a.md", "b.md", "keep.log"]);
    assert_eq!(got.summary.ignored, 3);
}

#[tokio::test]
async fn links_are_not_followed_and_nothing_is_waited_for() {
    let outside = tree(&[("secret.txt", "secret")]);
    let folder = tree(&[("a.md", "a")]);
    symlink(outside.path().join("secret.txt"), folder.path().join("file-link.txt")).unwrap();
    symlink(outside.path(), folder.path().join("folder-link")).unwrap();
    symlink(".", folder.path().join("circle")).unwrap();
    let _socket = UnixListener::bind(folder.path().join("socket")).unwrap();
    let made = std::process::Command::new("mkfifo").arg(folder.path().join("pipe")).status();
    assert!(made.unwrap().success());
    let world = World::new();
    let got = world.get(named(folder.path()).recursive(true)).await;
    assert_eq!(got.story(), ["a.md"]);
    assert_eq!(got.summary.links_and_devices, 5);
    let pipe = world.get(named(&folder.path().join("pipe"))).await;
    assert_eq!(pipe.code(), "ERR_PARSER_UNSUPPORTED");
    // A person who names a link means what it leads to.
    let link = world.get(named(&folder.path().join("file-link.txt"))).await;
    assert_eq!(link.one().source_metadata["file_name"], "secret.txt");
}

#[tokio::test]
async fn a_stranger_reaches_only_what_is_below_the_roots() {
    let outside = tree(&[("secret.txt", "secret")]);
    let folder = tree(&[("docs/a.md", "a"), ("docs/sub/b.md", "b"), ("private/c.md", "c")]);
    symlink(outside.path(), folder.path().join("docs/out")).unwrap();
    symlink("a.md", folder.path().join("docs/inside.md")).unwrap();
    let mut world = World::new();
    let root = folder.path().join("docs");
    let ask = |path: PathBuf| Fetch::of_word(path.to_str().unwrap()).unwrap().recursive(true);
    assert_eq!(world.get(ask(root.clone())).await.code(), "ADDRESS_NOT_ALLOWED", "no roots at all");
    world.options.roots = vec![PathBuf::from("/nowhere/at/all"), root.clone()];
    assert_eq!(world.get(ask(root.clone())).await.story(), ["a.md", "b.md"]);
    assert_eq!(world.get(ask(root.join("sub"))).await.story(), ["b.md"]);
    assert_eq!(world.get(ask(root.join("sub/b.md"))).await.story(), ["b.md"]);
    assert_eq!(world.get(ask(root.join("none.md"))).await.code(), "ERR_CONNECTOR_NOT_FOUND");
    let refused = [
        folder.path().join("private/c.md"),
        folder.path().join("docs-not"),
        root.join("../private/c.md"),
        root.join("out/secret.txt"),
        root.join("out"),
        root.join("inside.md"),
        outside.path().join("secret.txt"),
        outside.path().join("not-there"),
        root.join(".env"),
        root.join(".GIT/config"),
        PathBuf::from("docs/a.md"),
        PathBuf::from("/etc/passwd"),
        PathBuf::from("file:///etc/passwd"),
    ];
    for path in refused {
        assert_eq!(world.get(ask(path.clone())).await.code(), "ADDRESS_NOT_ALLOWED", "{path:?}");
    }
    assert!(!world.copies().iter().any(|copy| copy.ends_with(".txt")));
}

#[tokio::test]
async fn what_is_missing_too_large_or_has_no_readable_name_is_skipped() {
    let folder = tree(&[("a.md", "12345678"), ("b.md", "123")]);
    let strange = std::ffi::OsStr::from_bytes(b"c\xff.md");
    fs::write(folder.path().join(strange), "x").unwrap();
    let mut world = World::new();
    world.options.max_bytes = 5;
    let got = world.get(named(folder.path())).await;
    assert_eq!(got.story()[..2], ["!a.md SOURCE_TOO_LARGE", "b.md"]);
    assert!(got.story()[2].ends_with("SOURCE_UNREACHABLE"), "{:?}", got.story());
    assert_eq!(got.skipped()[0].error.limit, Some(Limit::Bytes));
    let gone = world.get(named(&folder.path().join("none"))).await;
    assert_eq!(gone.code(), "ERR_CONNECTOR_NOT_FOUND");
    world.options.max_files = 1;
    let got = world.get(named(folder.path())).await;
    assert_eq!(got.skipped().last().unwrap().error.limit, Some(Limit::Files));
    world.options.max_files = 100;
    world.options.max_total_bytes = 2;
    let got = world.get(named(folder.path())).await;
    assert_eq!(got.story()[1], "!b.md SOURCE_TOO_LARGE");
}

#[tokio::test]
async fn only_what_has_changed_is_copied_again() {
    let folder = tree(&[("a.md", "a"), ("b.md", "b"), ("c.md", "c")]);
    let world = World::new();
    let first = world.get(named(folder.path())).await;
    let known = first.known(Past::Before);
    fs::remove_dir_all(world.destination().path()).unwrap();
    fs::write(folder.path().join("a.md"), "new").unwrap();
    // Written again with the same bytes: it has to be read, and is the same.
    fs::remove_file(folder.path().join("b.md")).unwrap();
    fs::write(folder.path().join("b.md"), "b").unwrap();
    let again = world.get_knowing(named(folder.path()), &known).await;
    assert_eq!(again.story(), ["a.md", "=b.md", "=c.md"]);
    assert_eq!(world.copies().len(), 1);
    let third = world.get_knowing(named(folder.path()), &again.known(Past::Before)).await;
    assert_eq!(third.story(), ["=a.md", "=b.md", "=c.md"]);
}

#[tokio::test]
async fn a_folder_goes_on_where_it_was_broken_off() {
    let folder = tree(&[("a.md", "a"), ("b/c.md", "c"), ("b/d/e.md", "e"), ("f/g.md", "g")]);
    let world = World::new();
    let whole = || named(folder.path()).recursive(true);
    let all = world.get(whole()).await;
    for broken_off in 0..=all.items.len() {
        let mut session = world.connector().open(whole(), world.destination());
        let mut items: Vec<Item> = Vec::new();
        for _ in 0..broken_off {
            items.extend(session.next(&consign_connector::Nothing).await.unwrap());
        }
        let first = crate::world::Got { items, waits: 0, summary: all.summary };
        let rest = world.get_knowing(whole(), &first.known(done)).await;
        let both: Vec<_> = first.story().into_iter().chain(rest.story()).collect();
        assert_eq!(both, all.story());
        assert_eq!(rest.summary.done_before, broken_off as u64);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn sessions_of_every_kind_move_between_threads() {
    let folder = tree(&[("a.md", "a")]);
    let world = World::new();
    let fetches = [
        named(folder.path()),
        Fetch::of_word("http://127.0.0.1:9/").unwrap().recursive(true),
        Fetch::of_word("gdrive:1").unwrap(),
    ];
    let mut items = Vec::new();
    for fetch in fetches {
        let mut session = world.connector().open(fetch, world.destination());
        let next = async move { session.next(&consign_connector::Nothing).await };
        items.push(tokio::spawn(next).await.unwrap().unwrap());
    }
    let got = crate::world::Got { items: items.into_iter().flatten().collect(), ..got_nothing() };
    assert_eq!(got.story(), ["a.md", "! ADDRESS_NOT_ALLOWED", "!gdrive:1 ERR_CONNECTOR_AUTH"]);
}

fn got_nothing() -> crate::world::Got {
    let summary = consign_connector::Summary::default();
    crate::world::Got { items: Vec::new(), waits: 0, summary }
}

#[tokio::test]
async fn our_own_home_is_never_read() {
    let folder = tree(&[("a.md", "a"), ("home/keys.db", "secret"), ("home/copies/x", "x")]);
    let mut world = World::new();
    world.options.never = vec![folder.path().join("home")];
    world.options.roots = vec![folder.path().to_owned()];
    let got = world.get(named(folder.path()).recursive(true)).await;
    assert_eq!(got.story(), ["a.md"]);
    for path in ["home", "home/keys.db", "home/copies"] {
        let fetch = named(&folder.path().join(path));
        assert_eq!(world.get(fetch.clone()).await.code(), "ADDRESS_NOT_ALLOWED", "{path}");
        let fetch = fetch.trusting(Trust::Roots);
        assert_eq!(world.get(fetch).await.code(), "ADDRESS_NOT_ALLOWED", "{path}");
    }
}

#[tokio::test]
async fn a_home_that_cannot_be_written_is_no_fault_of_the_source() {
    let folder = tree(&[("a.md", "a")]);
    let world = World::new();
    let into = world.destination();
    let mut session = world.connector().open(named(folder.path()), into.clone());
    fs::remove_dir_all(into.path()).unwrap();
    let error = session.next(&consign_connector::Nothing).await.unwrap_err();
    assert_eq!(error.code.as_str(), "HOME_NOT_WRITABLE");
}

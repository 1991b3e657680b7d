use std::{fs, os::unix::fs::symlink};

use tempfile::TempDir;

use super::*;

fn files() -> Vec<MadeFile> {
    let file =
        |path: &str, content: &str| MadeFile { path: path.to_owned(), content: content.to_owned() };
    vec![file("README.md", "new"), file("src/deep/a.ts", "a"), file("src/b.ts", "b")]
}

fn target(folder: &Path) -> Target<'_> {
    Target { folder, may_replace: false }
}

/// What lies below a folder, as `path=content`.
fn tree(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut ahead = vec![folder.to_owned()];
    while let Some(next) = ahead.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() && !path.is_symlink() {
                ahead.push(path);
            } else {
                let name = path.strip_prefix(folder).unwrap().display();
                found.push(format!("{name}={}", fs::read_to_string(&path).unwrap_or_default()));
            }
        }
    }
    found.sort();
    found
}

fn refused(target: Target<'_>, code: &str, line: &str) {
    for done in [place(target, &files()), write(target, &files())] {
        let refused = done.unwrap_err();
        assert_eq!(refused.code, code, "{refused:?}");
        assert!(refused.lines.iter().any(|told| told.contains(line)), "{refused:?}");
    }
}

#[test]
fn files_are_written_into_a_folder_that_is_made() {
    let outer = TempDir::new().unwrap();
    let folder = outer.path().join("a/b");
    let planned = place(target(&folder), &files()).unwrap();
    assert!(!outer.path().join("a").exists(), "looking writes nothing");
    assert_eq!(write(target(&folder), &files()).unwrap(), planned);
    assert_eq!(tree(&folder), ["README.md=new", "src/b.ts=b", "src/deep/a.ts=a"]);
}

#[test]
fn what_is_there_is_replaced_only_on_request_and_keeps_its_rights() {
    use std::os::unix::fs::PermissionsExt;
    let folder = TempDir::new().unwrap();
    let old = folder.path().join("README.md");
    fs::write(&old, "old").unwrap();
    fs::set_permissions(&old, fs::Permissions::from_mode(0o600)).unwrap();
    refused(target(folder.path()), "FILE_EXISTS", "README.md");
    assert_eq!(tree(folder.path()), ["README.md=old"], "nothing was written before the refusal");
    let forced = Target { may_replace: true, ..target(folder.path()) };
    let written = write(forced, &files()).unwrap();
    let changes: Vec<_> = written.iter().map(|file| file.change).collect();
    assert_eq!(changes, [Change::Replaced, Change::New, Change::New]);
    assert_eq!(tree(folder.path()), ["README.md=new", "src/b.ts=b", "src/deep/a.ts=a"]);
    assert_eq!(fs::metadata(&old).unwrap().permissions().mode() & 0o777, 0o600);
}

#[test]
fn links_and_folders_in_the_way_are_refused_whatever_was_requested() {
    let (folder, other) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let forced = Target { may_replace: true, ..target(folder.path()) };
    let secret = other.path().join("secret");
    fs::write(&secret, "kept").unwrap();
    let check = |line: &str| {
        refused(target(folder.path()), "TARGET_UNUSABLE", line);
        refused(forced, "TARGET_UNUSABLE", line);
    };
    symlink(&secret, folder.path().join("README.md")).unwrap();
    check("README.md\" is a link");
    fs::remove_file(folder.path().join("README.md")).unwrap();
    symlink(other.path(), folder.path().join("src")).unwrap();
    check("links are not followed");
    fs::remove_file(folder.path().join("src")).unwrap();
    fs::create_dir(folder.path().join("README.md")).unwrap();
    check("is a folder");
    fs::remove_dir(folder.path().join("README.md")).unwrap();
    fs::write(folder.path().join("src"), "").unwrap();
    check("is not a folder");
    assert_eq!(tree(other.path()), ["secret=kept"]);
}

#[test]
fn a_path_that_leads_out_is_refused_also_where_there_is_no_folder_yet() {
    let outer = TempDir::new().unwrap();
    for folder in [outer.path().to_owned(), outer.path().join("new")] {
        for bad in ["../x", "/etc/x", "a/../../x", "a/", ""] {
            let files = [MadeFile { path: bad.to_owned(), content: String::new() }];
            let done = write(target(&folder), &files);
            assert_eq!(done.unwrap_err().code, "TARGET_UNUSABLE", "{bad:?} in {folder:?}");
        }
    }
    assert_eq!(tree(outer.path()), [""; 0]);
}

#[test]
fn a_file_is_no_target() {
    let outer = TempDir::new().unwrap();
    let file = outer.path().join("file");
    fs::write(&file, "").unwrap();
    assert_eq!(write(target(&file), &files()).unwrap_err().code, "TARGET_UNUSABLE");
}

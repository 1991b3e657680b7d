use std::{ffi::OsStr, fs, os::unix::ffi::OsStrExt};

use super::{
    super::{How, What},
    Place,
};

/// Two snapshots, and a change between them.
fn change(
    prepare: impl FnOnce(&Place),
    change: impl FnOnce(&Place),
) -> (Place, super::Taken, super::Taken) {
    let place = Place::new();
    prepare(&place);
    let from = place.take();
    change(&place);
    let to = place.take();
    (place, from, to)
}

fn diff(prepare: impl FnOnce(&Place), then: impl FnOnce(&Place)) -> String {
    let (place, from, to) = change(prepare, then);
    place.snapshots().diff(&from.id, &to.id, 1 << 20).unwrap().text
}

#[test]
fn changes_are_told_by_path() {
    let (place, from, to) = change(Place::furnish, |place| {
        place.file("src/main.rs", "changed");
        place.file("new/file", "");
        place.mode("run", 0o644);
        fs::remove_file(place.at("link")).unwrap();
        fs::remove_file(place.at("empty")).unwrap();
        place.folder("empty");
        fs::write(place.at(OsStr::from_bytes(b"\xff")), "changed").unwrap();
    });
    let told = |from: &super::Taken, to: &super::Taken| -> Vec<(String, How, What)> {
        let changes = place.snapshots().changes(&from.id, &to.id).unwrap();
        changes.into_iter().map(|change| (change.path, change.how, change.what)).collect()
    };
    let row = |path: &str, how, what| (path.to_owned(), how, what);
    assert_eq!(
        told(&from, &to),
        [
            row("empty", How::Changed, What::Folder),
            row("link", How::Removed, What::Link),
            row("new", How::Added, What::Folder),
            row("new/file", How::Added, What::File),
            row("run", How::Changed, What::File),
            row("src/main.rs", How::Changed, What::File),
            row("\\xff", How::Changed, What::File),
        ]
    );
    assert_eq!(told(&to, &from)[2], row("new", How::Removed, What::Folder));
    assert_eq!(told(&to, &to), []);
    assert_eq!(place.snapshots().diff(&to.id, &to.id, 0).unwrap().text, "");
}

#[test]
fn a_diff_is_what_people_know() {
    let text = diff(
        |place| {
            place.file("changed", "one\ntwo\nthree\n");
            place.file("gone", "last");
            place.file("run", "");
            place.link("link", "old");
        },
        |place| {
            place.file("changed", "one\n2\nthree\n");
            fs::remove_file(place.at("gone")).unwrap();
            place.mode("run", 0o755);
            fs::remove_file(place.at("link")).unwrap();
            place.link("link", "new");
            place.file("folder/added", "text\n");
            place.folder("hollow");
        },
    );
    let expected = "\
diff --git a/changed b/changed
--- a/changed
+++ b/changed
@@ -1,3 +1,3 @@
 one
-two
+2
 three
diff --git a/folder/added b/folder/added
new file mode 100644
--- /dev/null
+++ b/folder/added
@@ -0,0 +1 @@
+text
diff --git a/gone b/gone
deleted file mode 100644
--- a/gone
+++ /dev/null
@@ -1 +0,0 @@
-last
\\ No newline at end of file
diff --git a/hollow b/hollow
new file mode 040755
diff --git a/link b/link
--- a/link
+++ b/link
@@ -1 +1 @@
-old
\\ No newline at end of file
+new
\\ No newline at end of file
diff --git a/run b/run
old mode 100644
new mode 100755
";
    assert_eq!(text, expected);
}

#[test]
fn binary_and_large_files_are_described_in_a_line() {
    let text = diff(
        |place| {
            place.file("binary", [0, 1]);
            place.file("large", vec![b'x'; 256 * 1024 + 1]);
        },
        |place| {
            place.file("binary", [0, 1, 2]);
            place.file("large", "small\n");
            place.file("latin", b"gr\xfcn");
            place.file("lines", "\n".repeat(20_001));
        },
    );
    let expected = "\
diff --git a/binary b/binary
Binary files a/binary and b/binary differ (2 and 3 bytes)
diff --git a/large b/large
Files a/large and b/large differ (too large to show: 262145 and 6 bytes)
diff --git a/latin b/latin
new file mode 100644
Binary files /dev/null and b/latin differ (0 and 4 bytes)
diff --git a/lines b/lines
new file mode 100644
Files /dev/null and b/lines differ (too many lines to show)
";
    assert_eq!(text, expected);
    let moded =
        diff(|place| place.file("large", vec![b'x'; 1 << 19]), |place| place.mode("large", 0o755));
    assert_eq!(moded, "diff --git a/large b/large\nold mode 100644\nnew mode 100755\n");
}

#[test]
fn a_name_cannot_forge_a_line() {
    let text = diff(|_| {}, |place| fs::write(place.at("a\n+++ other"), "").unwrap());
    assert!(text.lines().all(|line| !line.starts_with("+++ other")), "{text}");
    assert!(text.contains("a\\x0a+++ other"), "{text}");
}

#[test]
fn a_long_diff_is_cut_at_a_line_and_says_so() {
    let (place, from, to) = change(
        |_| {},
        |place| {
            for name in ["a", "b", "c"] {
                place.file(name, "gr\u{fc}n\n".repeat(10));
            }
        },
    );
    let diff = |most| place.snapshots().diff(&from.id, &to.id, most).unwrap();
    let whole = diff(1 << 20);
    assert_eq!((whole.files, whole.not_shown), (3, 0));
    assert_eq!(diff(whole.text.len()), whole);
    for most in 0..whole.text.len() {
        let cut = diff(most);
        let (text, notice) =
            cut.text.trim_end().rsplit_once('\n').unwrap_or(("", cut.text.trim_end()));
        let told = format!("[cut: {} of 3 files are not shown, or not to the end]", cut.not_shown);
        assert_eq!(notice, told);
        assert!(text.len() <= most && whole.text.starts_with(text), "{most}");
        assert!(cut.not_shown > 0);
    }
    assert_eq!(diff(0).not_shown, 3);
}

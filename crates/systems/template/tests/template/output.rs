//! What was built, fetched or generated does not count, whatever the ignore rules say; and folders that only
//! sound like it do.

use crate::made::analysed;

#[test]
fn foreign_and_built_files_do_not_count() {
    let noise = "function a() {\n}\n".repeat(500);
    for path in [
        "node_modules/x/index.js",
        "dist/app.js",
        "bower_components/x.js",
        "third_party/x.js",
        ".venv/x.js",
        "coverage/lcov-report/sorter.js",
        "build/static/js/main.js",
        "app/site-packages/x.js",
        "web/app.min.js",
        "web/api.generated.js",
        ".next/server.js",
    ] {
        let mut files = vec![("package.json", "{}"), ("app/main.py", "print(1)\n")];
        files.push((path, &noise));
        // What shows that `build` is output.
        files.push(("build/asset-manifest.json", "{}"));
        files.push(("coverage/lcov.info", ""));
        let found = analysed(&files);
        assert_eq!(found.primary_language, "Python", "{path}");
        assert_eq!(found.lines, 1, "{path}");
    }
}

#[test]
fn folders_that_only_sound_like_output_count() {
    let code = "function a() {\n}\n".repeat(10);
    for path in
        ["bin/www.js", "build/webpack.js", "lib/index.js", "out/port.js", "src/vendor/vendor.js"]
    {
        let found = analysed(&[("readme.md", ""), (path, &code)]);
        assert_eq!((found.primary_language.as_str(), found.lines), ("JavaScript", 20), "{path}");
    }
}

#[test]
fn prose_and_data_are_no_source_and_pages_are_only_where_nothing_else_is() {
    let many = "<p>hello</p>\n".repeat(100);
    let found = analysed(&[
        ("a.html", &many),
        ("b.css", &many),
        ("data.json", &many),
        ("x.go", "package x\n"),
    ]);
    assert_eq!(found.primary_language, "Go");
    assert_eq!(found.languages.len(), 1);
    let found = analysed(&[("a.html", &many), ("README.md", &many)]);
    assert_eq!(found.primary_language, "HTML");
    assert_eq!(found.languages.len(), 1);
}

#[test]
fn a_folder_without_source_is_nothing_to_be_sure_of() {
    let found = analysed(&[("notes.txt", "hello\n")]);
    assert_eq!((found.confidence, found.primary_language.as_str()), (0.0, "unknown"));
    assert_eq!(found.framework, None);
}

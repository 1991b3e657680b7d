use super::*;

fn check(paths: &[&str], path: &str, content: &str, expected: &[(&str, &str)]) {
    let mut index = Index::new(paths.iter().map(|it| (*it).to_owned()));
    index.go_module("go.mod", "module example.org/shop\n\ngo 1.21\n");
    let found: Vec<_> = imports(&index, path, content)
        .into_iter()
        .map(|it| (it.written, it.files.join(" ")))
        .collect();
    let found: Vec<_> = found.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
    assert_eq!(found, expected, "{path}: {content}");
}

#[test]
fn scripts_import_by_relative_path() {
    let paths = ["src/a.ts", "src/b/index.ts", "src/c.vue", "src/d.json"];
    check(
        &paths,
        "src/main.ts",
        "import a from './a';\nimport { b } from \"./b\"\nconst c = await import('./c.vue');\n\
         require('./d'); require('express'); import './gone.css'\n// import x from './x'\n\
         import e from '@/a';\nimport f from './a.js'",
        &[
            ("./a", "src/a.ts"),
            ("./b", "src/b/index.ts"),
            ("./c.vue", "src/c.vue"),
            ("./gone.css", ""),
            ("./d", "src/d.json"),
            ("@/a", "src/a.ts"),
            ("./a.js", "src/a.ts"),
        ],
    );
}

#[test]
fn python_imports_modules_and_the_packages_around_them() {
    let paths =
        ["src/shop/__init__.py", "src/shop/db.py", "src/shop/web/__init__.py", "tests/test_db.py"];
    check(
        &paths,
        "src/shop/web/__init__.py",
        "from ..db import connect\nfrom . import gone\nfrom .gone import x\nimport os, shop.db\n",
        &[
            ("src/shop/__init__.py", "src/shop/__init__.py"),
            ("..db import", "src/shop/db.py"),
            (".gone import", ""),
            ("shop.db", "src/shop/db.py"),
        ],
    );
    check(
        &paths,
        "tests/test_db.py",
        "from shop import db\nfrom flask import Flask",
        &[("shop", "src/shop/__init__.py src/shop/db.py")],
    );
}

#[test]
fn rust_modules_lead_down_and_to_the_manifest() {
    let paths = ["Cargo.toml", "src/lib.rs", "src/a.rs", "src/a/b.rs", "src/q.sql"];
    check(
        &paths,
        "src/lib.rs",
        "pub mod a;\nmod gone;\n#[cfg(windows)]\nmod windows;\nmod inline { }\nconst Q: &str = include_str!(\"q.sql\");",
        &[
            ("the crate's manifest", "Cargo.toml"),
            ("mod a;", "src/a.rs"),
            ("mod gone;", ""),
            ("q.sql", "src/q.sql"),
        ],
    );
    check(
        &paths,
        "src/a.rs",
        "pub(crate) mod b;",
        &[("the crate's manifest", "Cargo.toml"), ("mod b;", "src/a/b.rs")],
    );
    let paths = ["Cargo.toml", "src/main.rs", "db/Cargo.toml", "crates/x/Cargo.toml"];
    check(
        &paths,
        "Cargo.toml",
        "[package]\nname='s'\n[dependencies]\ndb={path='db'}\n[workspace]\nmembers=['crates/*','gone']",
        &[
            ("the crate's roots", "src/main.rs"),
            ("db at db", "db/Cargo.toml"),
            ("member crates/*", "crates/x/Cargo.toml"),
            ("member gone", ""),
        ],
    );
}

#[test]
fn go_imports_packages_of_its_own_module() {
    let paths = ["go.mod", "main.go", "db/db.go", "db/more.go", "db/db_test.go"];
    check(
        &paths,
        "main.go",
        "import (\n\t\"fmt\"\n\t\"example.org/shop/db\"\n\t\"example.org/shop/gone\"\n)\n",
        &[
            ("its package", "main.go"),
            ("example.org/shop/db", "db/db.go db/more.go"),
            ("example.org/shop/gone", ""),
        ],
    );
}

#[test]
fn types_lead_to_the_files_that_are_called_after_them() {
    check(
        &["a/Order.java", "b/OrderLine.java", "c/Unused.java"],
        "a/Order.java",
        "class Order { List<OrderLine> lines; }",
        &[("OrderLine", "b/OrderLine.java")],
    );
    check(
        &["app/order_line.rb", "lib/x.rb"],
        "app/order.rb",
        "require_relative '../lib/x'\nOrderLine.new",
        &[("OrderLine", "app/order_line.rb"), ("../lib/x", "lib/x.rb")],
    );
}

#[test]
fn what_leads_out_of_the_project_leads_nowhere() {
    check(&["a.js"], "a.js", "require('../../etc/passwd')", &[]);
    check(&["a.py"], "a.py", "from ...x import y", &[]);
}

#[test]
fn a_folder_stands_for_what_its_package_says() {
    let check = |main: &str, paths: &[&str], expected: Option<&str>| {
        let mut index = Index::new(paths.iter().map(|it| (*it).to_owned()));
        index.package("package.json", main);
        index.close(vec!["dist".to_owned()]);
        let found = imports(&index, "test/a.js", "require('..'); import x from '../dist/x'");
        let found: Vec<_> = found.iter().flat_map(|it| &it.files).map(String::as_str).collect();
        assert_eq!(found.first().copied(), expected, "{main}");
        assert!(found.len() < 2, "{found:?}");
    };
    check("{}", &["index.js", "test/a.js"], Some("index.js"));
    check(r#"{"main": "./lib/app"}"#, &["lib/app.js", "test/a.js"], Some("lib/app.js"));
    check(r#"{"main": "lib"}"#, &["lib/index.js", "test/a.js"], Some("lib/index.js"));
    check(r#"{"main": "dist/app.js"}"#, &["test/a.js"], None);
}

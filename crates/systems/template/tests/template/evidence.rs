//! What it takes to be believed: two signs for a pattern, a use for a framework, agreement for confidence.

use consign_template::analysis::layer_of;

use crate::made::analysed;

#[test]
fn one_name_alone_is_no_pattern() {
    for files in [
        &[("src/OrderRepository.cs", "class Order { }\n")][..],
        &[("controllers/a.js", "1\n"), ("views/b.js", "2\n"), ("models/c.js", "3\n")],
        &[("ports/a.go", "package ports\n"), ("adapters/b.go", "package adapters\n")],
        &[("commands/a.ts", "1\n"), ("queries/b.ts", "2\n")],
        &[("ViewModels/a.cs", "class A { }\n"), ("Views/b.cs", "class B { }\n")],
        &[("src/plugins/a.py", "x = 1\n")],
        &[
            ("domain/a.py", "x = 1\n"),
            ("application/b.py", "y = 1\n"),
            ("infrastructure/c.py", "z = 1\n"),
        ],
        &[("features/a/x.ts", "1\n"), ("features/b/y.ts", "2\n")],
    ] {
        assert_eq!(analysed(files).patterns, Vec::<String>::new(), "{files:?}");
    }
}

#[test]
fn a_house_whose_inside_knows_its_outside_is_not_clean() {
    let clean = [
        ("shop/domain/order.py", "class Order:\n    pass\n"),
        ("shop/application/orders.py", "from shop.domain.order import Order\n"),
        ("shop/infrastructure/db.py", "from shop.domain.order import Order\n"),
    ];
    assert_eq!(analysed(&clean).patterns, ["Clean Architecture"]);
    let mut turned = clean;
    turned[0].1 = "from shop.infrastructure.db import save\n\nclass Order:\n    pass\n";
    assert!(!analysed(&turned).patterns.contains(&"Clean Architecture".to_owned()));
}

#[test]
fn a_dependency_that_nothing_uses_is_no_framework() {
    let manifest = ("package.json", "{\"dependencies\": {\"express\": \"^4\"}}");
    let unused = analysed(&[manifest, ("index.js", "console.log(1)\n")]);
    assert_eq!(unused.framework, None);
    let used = analysed(&[manifest, ("index.js", "const e = require('express')\n")]);
    assert_eq!(used.framework.as_deref(), Some("Express"));
    assert!(used.confidence > unused.confidence);
}

#[test]
fn ties_lower_the_confidence() {
    let code = |lines: usize| "x = 1\n".repeat(lines);
    let (many, few) = (code(90), code(10));
    let clear = analysed(&[("a.py", &many), ("b.rb", &few)]);
    let tie = analysed(&[("a.py", &many), ("b.rb", &many)]);
    assert!(clear.confidence > tie.confidence, "{} {}", clear.confidence, tie.confidence);
}

#[test]
fn a_file_is_of_the_layer_that_counted_it() {
    let found = analysed(&[
        ("src/controllers/a.js", "1\n"),
        ("src/orders.service.js", "2\n"),
        ("src/main.js", "3\n"),
    ]);
    let names: Vec<&str> = found.layers.iter().map(|layer| layer.name.as_str()).collect();
    assert_eq!(names, ["controllers", "services"]);
    assert_eq!(layer_of(&found, "src/controllers/a.js"), Some("controllers"));
    assert_eq!(layer_of(&found, "src/orders.service.js"), Some("services"));
    assert_eq!(layer_of(&found, "src/main.js"), None);
}

#[test]
fn packages_of_other_registries_are_not_taken_for_ours() {
    let found = analysed(&[
        ("Gemfile", "gem 'mocha'\ngem 'react'\n"),
        ("lib/a.rb", "class A\nend\n"),
        ("test/a_test.rb", "class ATest < ActiveSupport::TestCase\nend\n"),
        ("web/a.js", "import x from 'react'\n"),
        ("package.json", "{}"),
    ]);
    assert_eq!(found.framework, None);
    let tests: Vec<&str> = found.testing.iter().map(|one| one.framework.as_str()).collect();
    assert_eq!(tests, ["Minitest"]);
}

#[test]
fn what_may_be_left_out_does_not_shape_a_project() {
    let manifest = "[package]\nname = \"x\"\n[dependencies]\nclap = \"4\"\naxum = { version = \"0.8\", optional = true }\n";
    let code = "use axum::Router;\nuse clap::Parser;\n\nfn main() {}\n";
    let found = analysed(&[("Cargo.toml", manifest), ("src/main.rs", code)]);
    assert_eq!(found.framework.as_deref(), Some("clap"));
    let needed = manifest.replace(", optional = true", "");
    let found = analysed(&[("Cargo.toml", &needed), ("src/main.rs", code)]);
    assert_eq!(found.framework.as_deref(), Some("Axum"));
}

#[test]
fn a_library_for_servers_is_no_server() {
    let module = ("go.mod", "module x\n\ngo 1.22\n");
    let code = "package x\n\nimport \"net/http\"\n\n// Use it with http.ListenAndServe.\nfunc New() http.Handler { return nil }\n";
    assert_eq!(analysed(&[module, ("x.go", code)]).framework, None);
    let program = code.replace("package x", "package main");
    let found = analysed(&[module, ("main.go", &program)]);
    assert_eq!(found.framework.as_deref(), Some("net/http"));
}

#[test]
fn a_test_framework_that_tests_import_needs_no_manifest() {
    for (name, path, test) in [
        ("Vitest", "src/a.test.ts", "import { it } from 'vitest'\nit('x', () => {})\n"),
        ("Jest", "src/a.test.ts", "import { it } from '@jest/globals'\nit('x', () => {})\n"),
        ("Mocha", "test/a.test.js", "const { it } = require('mocha')\nit('x', () => {})\n"),
        ("pytest", "tests/test_a.py", "import pytest\n\ndef test_a():\n    pass\n"),
    ] {
        let found = analysed(&[(path, test), ("package.json", "{\"name\": \"x\"}")]);
        let names: Vec<&str> = found.testing.iter().map(|one| &*one.framework).collect();
        assert_eq!(names, [name]);
        assert_eq!((found.testing[0].files, found.testing[0].evidence[0].line), (1, Some(1)));
    }
    let unsaid = analysed(&[("src/a.test.ts", "describe('x', () => { it('y') })\n")]);
    assert_eq!(unsaid.testing, []);
}

#[test]
fn a_dependency_in_a_table_of_its_own_is_found_on_its_line() {
    let manifest = "[package]\nname = \"x\"\n\n[dependencies.clap]\nversion = \"4\"\n";
    let found = analysed(&[("Cargo.toml", manifest), ("src/main.rs", "use clap::Parser;\n")]);
    assert_eq!(found.frameworks[0].evidence[0].line, Some(4), "{:?}", found.frameworks);
}

#[test]
fn a_dependency_is_told_once_for_each_manifest() {
    let manifest = "{\"dependencies\": {\"koa\": \"2\"}, \"devDependencies\": {\"koa\": \"2\"}}";
    let found = analysed(&[("package.json", manifest), ("app/package.json", manifest)]);
    let told: Vec<_> = found.dependencies.iter().map(|one| (&*one.manifest, &*one.kind)).collect();
    assert_eq!(told, [("package.json", "runtime"), ("app/package.json", "runtime")]);
}

#[test]
fn pages_are_no_source_where_there_is_a_program() {
    let page = ("a.html", "<p>\n<p>\n<p>\n");
    assert_eq!(analysed(&[page, ("a.py", "x = 1\ny = 2\n")]).lines, 2);
    assert_eq!(analysed(&[page]).lines, 3);
}

#[test]
fn the_first_letter_is_no_convention_in_go() {
    let go = "package a\n\nfunc OpenDoor() {}\n\nfunc openDoor() {}\n\ntype frontDoor struct{}\n";
    let found = analysed(&[("front_door.go", go)]);
    let told: Vec<_> = found.conventions.naming.iter().map(|one| (&*one.of, &*one.value)).collect();
    assert_eq!(told, [("files", "snake_case")]);
}

#[test]
fn a_type_whose_name_ends_like_a_way_to_fail_is_none() {
    let code =
        "type UseQueryResult<T> = T\nfunction a(): UseQueryResult<string> { throw new Error() }\n";
    let found = analysed(&[("src/a.ts", code)]);
    let told: Vec<_> = found.conventions.error_handling.iter().map(|one| &*one.value).collect();
    assert_eq!(told, ["exceptions"]);
}

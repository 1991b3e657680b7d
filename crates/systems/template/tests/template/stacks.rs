//! Stacks that have no project of their own in `projects/`: a manifest and a use are enough to be known.

use crate::made::analysed;

/// A framework with its version, and a manifest and source that show it.
type Stack =
    (&'static str, &'static str, (&'static str, &'static str), (&'static str, &'static str));

const STACKS: &[Stack] = &[
    (
        "Blazor",
        "8.0.3",
        (
            "App.csproj",
            "<Project Sdk=\"Microsoft.NET.Sdk.BlazorWebAssembly\"><PackageReference \
             Include=\"Microsoft.AspNetCore.Components.WebAssembly\" Version=\"8.0.3\" /></Project>",
        ),
        ("Program.cs", "var b = WebAssemblyHostBuilder.CreateDefault(args);\n"),
    ),
    (
        "WPF",
        "8.0",
        (
            "App.csproj",
            "<Project Sdk=\"Microsoft.NET.Sdk\"><PropertyGroup><OutputType>WinExe</OutputType>\
             <TargetFramework>net8.0-windows</TargetFramework><UseWPF>true</UseWPF></PropertyGroup></Project>",
        ),
        ("App.xaml.cs", "using System.Windows;\nclass App : Application { }\n"),
    ),
    (
        "Nuxt",
        "^3.11.0",
        ("package.json", "{\"devDependencies\": {\"nuxt\": \"^3.11.0\", \"vue\": \"^3.4\"}}"),
        ("nuxt.config.ts", "export default defineNuxtConfig({})\n"),
    ),
    (
        "Koa",
        "^2.15.0",
        ("package.json", "{\"dependencies\": {\"koa\": \"^2.15.0\"}}"),
        ("app.js", "const Koa = require('koa')\n"),
    ),
    (
        "Chi",
        "v5.0.12",
        ("go.mod", "module x\n\nrequire github.com/go-chi/chi/v5 v5.0.12\n"),
        ("main.go", "package main\n\nimport \"github.com/go-chi/chi/v5\"\n"),
    ),
    (
        "Fiber",
        "v2.52.2",
        ("go.mod", "module x\n\nrequire github.com/gofiber/fiber/v2 v2.52.2\n"),
        ("main.go", "package main\n\nimport \"github.com/gofiber/fiber/v2\"\n"),
    ),
    (
        "Rocket",
        "0.5.0",
        ("Cargo.toml", "[package]\nname = \"x\"\n[dependencies]\nrocket = \"0.5.0\"\n"),
        (
            "src/main.rs",
            "#[macro_use] extern crate rocket;\n#[launch]\nfn rocket() -> _ { rocket::build() }\n",
        ),
    ),
    (
        "Spring Boot",
        "3.2.3",
        (
            "build.gradle.kts",
            "plugins {\n    id(\"org.springframework.boot\") version \"3.2.3\"\n}\ndependencies {\n    \
             implementation(\"org.springframework.boot:spring-boot-starter-web\")\n}\n",
        ),
        (
            "src/main/kotlin/App.kt",
            "import org.springframework.boot.runApplication\n\nfun main() {}\n",
        ),
    ),
    (
        "Django",
        ">=4.2",
        ("setup.cfg", "[metadata]\nname = x\n[options]\ninstall_requires =\n    Django>=4.2\n"),
        ("x/views.py", "from django.http import HttpResponse\n"),
    ),
    (
        "Flask",
        ">=3.0",
        ("setup.py", "setup(\n    name='x',\n    install_requires=['Flask>=3.0'],\n)\n"),
        ("x/app.py", "from flask import Flask\n"),
    ),
];

#[test]
fn a_manifest_and_a_use_make_a_framework() {
    for (name, version, manifest, source) in STACKS {
        let found = analysed(&[*manifest, *source]);
        assert_eq!(found.framework.as_deref(), Some(*name), "{name}");
        assert_eq!(found.frameworks[0].version.as_deref(), Some(*version), "{name}");
        assert!(found.frameworks[0].confidence > 0.8, "{name}: {:?}", found.frameworks[0]);
    }
}

#[test]
fn a_manifest_and_a_test_make_a_test_framework() {
    let project = |package: &str| {
        format!(
            "<Project Sdk=\"x\"><PackageReference Include=\"Microsoft.NET.Test.Sdk\" Version=\"17\" />\
             <PackageReference Include=\"{package}\" Version=\"3.2\" /></Project>"
        )
    };
    let script = |package: &str| format!("{{\"devDependencies\": {{\"{package}\": \"3.2\"}}}}");
    for (name, manifest, text, path, test) in [
        (
            "MSTest",
            "a.Tests/a.Tests.csproj",
            project("MSTest.TestFramework"),
            "a.Tests/ATests.cs",
            "[TestClass]\nclass A { }\n",
        ),
        (
            "Playwright",
            "package.json",
            script("@playwright/test"),
            "e2e/a.spec.ts",
            "import { test } from '@playwright/test'\n",
        ),
        (
            "Cypress",
            "package.json",
            script("cypress"),
            "cypress/e2e/a.spec.js",
            "it('x', () => { cy.visit('/') })\n",
        ),
        (
            "Pest",
            "composer.json",
            "{\"require-dev\": {\"pestphp/pest\": \"3.2\"}}".to_owned(),
            "tests/ATest.php",
            "<?php\nit('works', fn () => expect(1)->toBe(1));\n",
        ),
        (
            "JUnit 5",
            "build.gradle",
            "testImplementation 'org.junit.jupiter:junit-jupiter:3.2'\n".to_owned(),
            "src/test/java/ATest.java",
            "import org.junit.jupiter.api.Test;\n",
        ),
    ] {
        let found = analysed(&[(manifest, &text), (path, test), ("src/a.js", "1\n")]);
        let first = found.testing.first().unwrap_or_else(|| panic!("no tests for {name}"));
        assert_eq!((first.framework.as_str(), first.version.as_deref()), (name, Some("3.2")));
        assert_eq!(first.files, 1, "{name}");
    }
}

#[test]
fn services_that_are_shipped_apart_are_told_from_packages() {
    let manifest = "{\"dependencies\": {\"express\": \"^4\"}}";
    let code = "const express = require('express')\n";
    let found = analysed(&[
        ("services/orders/package.json", manifest),
        ("services/orders/Dockerfile", "FROM node\n"),
        ("services/orders/src/index.js", code),
        ("services/billing/package.json", manifest),
        ("services/billing/Dockerfile", "FROM node\n"),
        ("services/billing/src/index.js", code),
        ("docker-compose.yml", "services:\n"),
    ]);
    assert_eq!(found.patterns, ["Microservices"]);
    assert_eq!(found.framework.as_deref(), Some("Express"));
}

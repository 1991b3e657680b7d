//! The known test frameworks, and how each is recognised.

use consign_code::Language;

pub(super) struct Rule {
    pub(super) name: &'static str,
    pub(super) languages: &'static [Language],
    /// The one whose version counts first. A `*` at the end stands for anything.
    pub(super) packages: &'static [&'static str],
    /// What a test that uses it has in it.
    pub(super) marks: &'static [&'static str],
    /// Whether it comes with the language, so that its marks are enough.
    pub(super) built_in: bool,
}

const fn rule(
    name: &'static str,
    languages: &'static [Language],
    packages: &'static [&'static str],
    marks: &'static [&'static str],
) -> Rule {
    Rule { name, languages, packages, marks, built_in: packages.is_empty() }
}

impl Rule {
    /// It comes with the language, and can also be installed as a package.
    const fn bundled(self) -> Self {
        Self { built_in: true, ..self }
    }
}

const SCRIPT: &[Language] =
    &[Language::JavaScript, Language::TypeScript, Language::Tsx, Language::Vue, Language::Svelte];
const JVM: &[Language] = &[Language::Java, Language::Kotlin, Language::Scala];
const DOTNET: &[Language] = &[Language::CSharp];
const PYTHON: &[Language] = &[Language::Python];

pub(super) const RULES: &[Rule] = &[
    rule(
        "xUnit",
        DOTNET,
        &["xunit", "xunit.v3", "xunit.core"],
        &["using Xunit", "[Fact]", "[Theory]"],
    ),
    rule("NUnit", DOTNET, &["NUnit"], &["using NUnit.Framework", "[TestFixture]", "[TestCase("]),
    rule("MSTest", DOTNET, &["MSTest.TestFramework", "MSTest"], &["[TestClass]", "[TestMethod]"]),
    rule("Kotest", JVM, &["io.kotest:*"], &["import io.kotest"]),
    rule(
        "JUnit 5",
        JVM,
        &[
            "org.junit.jupiter:junit-jupiter",
            "org.junit.jupiter:*",
            "org.junit:junit-bom",
            "org.jetbrains.kotlin:kotlin-test-junit5",
            "org.jetbrains.kotlin:kotlin-test",
            "org.springframework.boot:spring-boot-starter-test",
        ],
        &["org.junit.jupiter", "import kotlin.test"],
    ),
    rule(
        "JUnit 4",
        JVM,
        &["junit:junit"],
        &["import org.junit.Test", "import org.junit.*", "import org.junit.Assert"],
    ),
    rule(
        "Vitest",
        SCRIPT,
        &["vitest"],
        &["from 'vitest'", "from \"vitest\"", "describe(", "it(", "test("],
    ),
    rule(
        "Jest",
        SCRIPT,
        &["jest", "@jest/core", "ts-jest", "react-scripts", "jest-expo"],
        &["@jest/globals", "describe(", "it(", "test("],
    ),
    rule(
        "Mocha",
        SCRIPT,
        &["mocha"],
        &[
            "from 'mocha'",
            "from \"mocha\"",
            "require('mocha')",
            "require(\"mocha\")",
            "describe(",
            "it(",
        ],
    ),
    rule("Jasmine", SCRIPT, &["jasmine-core", "jasmine"], &["describe(", "it("]),
    rule("Playwright", SCRIPT, &["@playwright/test"], &["@playwright/test"]),
    rule("Cypress", SCRIPT, &["cypress"], &["cy."]),
    rule(
        "node:test",
        SCRIPT,
        &[],
        &[
            "from 'node:test'",
            "from \"node:test\"",
            "require('node:test')",
            "require(\"node:test\")",
        ],
    ),
    rule("tap", SCRIPT, &["tap"], &["require('tap')", "from 'tap'"]),
    rule(
        "pytest",
        PYTHON,
        &["pytest", "pytest-django"],
        &["import pytest", "@pytest.", "def test_"],
    ),
    rule(
        "unittest",
        PYTHON,
        &[],
        &["import unittest", "from unittest", "unittest.TestCase", "from django.test", "TestCase)"],
    ),
    rule(
        "cargo test",
        &[Language::Rust],
        &[],
        &["#[test]", "#[tokio::test", "#[cfg(test)]", "#[rstest"],
    ),
    rule(
        "testify",
        &[Language::Go],
        &["github.com/stretchr/testify"],
        &["\"github.com/stretchr/testify"],
    ),
    rule("go test", &[Language::Go], &[], &["testing.T)"]),
    rule(
        "RSpec",
        &[Language::Ruby],
        &["rspec", "rspec-rails", "rspec-core"],
        &["RSpec.describe", "describe "],
    ),
    rule(
        "Minitest",
        &[Language::Ruby],
        &["minitest"],
        &[
            "Minitest::Test",
            "ActiveSupport::TestCase",
            "ActionDispatch::IntegrationTest",
            "minitest/autorun",
        ],
    )
    .bundled(),
    rule("Pest", &[Language::Php], &["pestphp/pest"], &["it('", "test('", "uses(", "expect("]),
    rule(
        "PHPUnit",
        &[Language::Php],
        &["phpunit/phpunit"],
        &["PHPUnit\\Framework", "extends TestCase"],
    ),
];

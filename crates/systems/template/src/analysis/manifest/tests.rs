//! What manifests say, kind by kind.

use super::{Manifest, Shared, Use, read};

fn check(path: &str, text: &str, name: Option<&str>, expected: &[(&str, Option<&str>, Use)]) {
    let manifest = read(path, text, &shared()).expect("it is the name of a manifest");
    assert_eq!(manifest.name.as_deref(), name, "{path}");
    let found: Vec<_> = manifest
        .dependencies
        .iter()
        .map(|one| (one.name.as_str(), one.version.as_deref(), one.used))
        .collect();
    assert_eq!(found, expected, "{path}");
    for one in &manifest.dependencies {
        let line = text.lines().nth(one.line - 1).unwrap_or_default();
        let last = one.name.rsplit([':', '.', '/']).next().unwrap_or_default();
        let near = text.lines().skip(one.line - 1).take(4).any(|line| line.contains(last));
        let catalogued = line.contains("libs.") || line.contains("kotlin(");
        assert!(near || catalogued, "{path}:{}: {line:?} has no {last}", one.line);
    }
}

/// What the manifests below refer to.
fn shared() -> Shared {
    let mut shared = Shared::default();
    shared.learn("Cargo.toml", "[workspace.dependencies]\naxum = { version = \"0.7\" }\n");
    shared.learn(
        "gradle/libs.versions.toml",
        "[versions]\nktor = \"2.3\"\n[libraries]\nktor-server = { module = \"io.ktor:server\", version.ref = \"ktor\" }\n\
         [bundles]\nall = [\"ktor-server\"]\n[plugins]\nboot = \"org.boot:3.2\"\n",
    );
    shared.learn(
        "Directory.Packages.props",
        "<Project><ItemGroup><PackageVersion Include=\"xunit\" Version=\"2.6\" /></ItemGroup></Project>",
    );
    shared.learn("Gemfile.lock", "GEM\n  specs:\n    rails (7.1.3)\n      rack (~> 2)\n");
    shared.learn("gradle.properties", "kotestVersion=5.8\n");
    shared
}

const NEEDED: Use = Use::Runtime;
const LENT: Use = Use::Development;

#[test]
fn scripts_and_pages() {
    check(
        "package.json",
        "{\"name\": \"@a/shop\",\n\"dependencies\": {\"react\": \"^18\"},\n\"devDependencies\": {\"react\": \"1\", \"jest\": \"29\"}}",
        Some("@a/shop"),
        &[("react", Some("^18"), NEEDED), ("jest", Some("29"), LENT)],
    );
    check(
        "composer.json",
        "{\"name\": \"a/b\", \"require\": {\"php\": \"^8\", \"ext-json\": \"*\",\n\"laravel/framework\": \"^11\"}}",
        Some("a/b"),
        &[("laravel/framework", Some("^11"), NEEDED)],
    );
}

#[test]
fn crates_take_versions_from_their_workspace() {
    check(
        "crates/api/Cargo.toml",
        "[package]\nname = \"api\"\n[dependencies]\naxum.workspace = true\nweb = { package = \"actix-web\", version = \"4\" }\n\
         [dev-dependencies]\nrstest = \"0.18\"\n",
        Some("api"),
        &[
            ("axum", Some("0.7"), NEEDED),
            ("actix-web", Some("4"), NEEDED),
            ("rstest", Some("0.18"), LENT),
        ],
    );
}

#[test]
fn modules_of_go() {
    check(
        "go.mod",
        "module example.org/x // comment\n\ngo 1.22\nrequire a.org/b v1\nrequire (\n\tc.org/d v2\n\te.org/f v3 // indirect\n)\n",
        Some("example.org/x"),
        &[("a.org/b", Some("v1"), NEEDED), ("c.org/d", Some("v2"), NEEDED)],
    );
}

#[test]
fn builds_of_java() {
    check(
        "pom.xml",
        "<project><artifactId>shop</artifactId>\n<properties><junit.version>5.10</junit.version></properties>\n<dependencies>\n\
         <dependency><groupId>org.junit.jupiter</groupId><artifactId>junit-jupiter</artifactId>\
         <version>${junit.version}</version><scope>test</scope></dependency>\n<dependency><groupId>a</groupId>\
         <artifactId>b</artifactId><version>${nobody}</version></dependency></dependencies></project>",
        Some("shop"),
        &[("org.junit.jupiter:junit-jupiter", Some("5.10"), LENT), ("a:b", None, NEEDED)],
    );
    check(
        "build.gradle.kts",
        "plugins {\n    kotlin(\"jvm\") version \"1.9\"\n    alias(libs.plugins.boot)\n}\nval x = \"4.2\"\ndependencies {\n    \
         implementation(libs.bundles.all)\n    implementation(\"a:b:$x\")\n    testImplementation(kotlin(\"test\"))\n    \
         testImplementation(\"io.kotest:kotest:$kotestVersion\")\n}\n",
        None,
        &[
            ("org.jetbrains.kotlin.jvm", Some("1.9"), Use::Build),
            ("org.boot", Some("3.2"), Use::Build),
            ("io.ktor:server", Some("2.3"), NEEDED),
            ("a:b", Some("4.2"), NEEDED),
            ("org.jetbrains.kotlin:kotlin-test", None, LENT),
            ("io.kotest:kotest", Some("5.8"), LENT),
        ],
    );
    check(
        "app/build.gradle",
        "plugins { }\nid 'com.android.application' version '8.3'\ndependencies {\n  implementation 'a:b:1'\n  // implementation 'c:d:1'\n}\n",
        None,
        &[("com.android.application", Some("8.3"), Use::Build), ("a:b", Some("1"), NEEDED)],
    );
}

#[test]
fn projects_of_dotnet() {
    check(
        "src/Shop.csproj",
        "<Project Sdk=\"Microsoft.NET.Sdk\">\n<PropertyGroup><V>9.1</V></PropertyGroup>\n<PackageReference Include=\"A\">\n\
         <Version>1.0</Version></PackageReference>\n<PackageReference Include=\"B\" Version=\"$(V)\" />\n\
         <PackageReference Include=\"xunit\" /></Project>",
        Some("Shop"),
        &[("A", Some("1.0"), NEEDED), ("B", Some("9.1"), NEEDED), ("xunit", Some("2.6"), NEEDED)],
    );
}

#[test]
fn gems() {
    check(
        "Gemfile",
        "source 'https://example.invalid'\ngem 'rails', '~> 7.1'\ngem \"puma\"\ngroup :test do\n  gem 'rspec', '~> 3'\nend\n",
        None,
        &[("rails", Some("7.1.3"), NEEDED), ("puma", None, NEEDED), ("rspec", Some("~> 3"), LENT)],
    );
}

#[test]
fn the_five_of_python() {
    let both: &[(&str, Option<&str>, Use)] =
        &[("flask", Some(">=3"), NEEDED), ("pytest", Some(">=8"), LENT)];
    for (path, text) in [
        (
            "pyproject.toml",
            "[project]\nname = \"x\"\ndependencies = [\"flask>=3\"]\n[dependency-groups]\ndev = [\"pytest>=8\"]\n",
        ),
        (
            "setup.cfg",
            "[metadata]\nname = x\n[options]\ninstall_requires =\n    flask>=3\n[options.extras_require]\ntest =\n    pytest>=8\n",
        ),
        (
            "setup.py",
            "setup(\n    name=\"x\",\n    install_requires=[\n        \"flask>=3\",\n    ],\n    tests_require=['pytest>=8'],\n)\n",
        ),
    ] {
        check(path, text, Some("x"), both);
    }
    check("Pipfile", "[packages]\nflask = \">=3\"\n[dev-packages]\npytest = \">=8\"\n", None, both);
    check("requirements.txt", "-r base.txt\nflask>=3\n", None, &both[..1]);
    check("requirements-dev.txt", "pytest>=8\n", None, &both[1..]);
}

#[test]
fn nobodys_address_is_an_author() {
    let authors = |path: &str, text: &str| -> Vec<String> {
        let manifest: Manifest = read(path, text, &Shared::default()).expect("it is a manifest");
        manifest.authors
    };
    let text = "{\"author\": \"Ann Lee <ann@example.org> (https://x)\", \"contributors\": [\"bob@example.org\", {\"name\": \"Cy\"}]}";
    assert_eq!(authors("package.json", text), ["Ann Lee", "Cy"]);
    let text =
        "[package]\nname = \"x\"\nauthors = [\"<only@example.org>\", \"Dee <d@example.org>\"]\n";
    assert_eq!(authors("Cargo.toml", text), ["Dee"]);
}

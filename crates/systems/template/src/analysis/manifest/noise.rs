//! A test with random text: whatever is in a manifest, reading it ends without a panic.

use proptest::prelude::*;

use super::{Shared, read};

const PATHS: &[&str] = &[
    "package.json",
    "composer.json",
    "Cargo.toml",
    "go.mod",
    "pom.xml",
    "build.gradle",
    "a/build.gradle.kts",
    "Gemfile",
    "x.gemspec",
    "pyproject.toml",
    "setup.cfg",
    "setup.py",
    "Pipfile",
    "requirements-dev.txt",
    "Shop.csproj",
];

const SHARED: &[&str] = &[
    "Cargo.toml",
    "Gemfile.lock",
    "Directory.Packages.props",
    "Directory.Build.props",
    "gradle.properties",
    "settings.gradle.kts",
    "gradle/libs.versions.toml",
];

fn read_all(text: &str) {
    let mut shared = Shared::default();
    for path in SHARED {
        shared.learn(path, text);
    }
    for path in PATHS {
        let manifest = read(path, text, &shared).expect("it is the name of a manifest");
        assert!(manifest.dependencies.iter().all(|one| one.line >= 1), "{path}");
    }
}

proptest! {
    #[test]
    fn noise_is_read_without_a_panic(text in "\\PC{0,300}") {
        read_all(&text);
    }

    #[test]
    fn broken_manifests_are_read_without_a_panic(
        parts in proptest::collection::vec(prop_oneof![
            Just("<PackageReference Include=\""), Just("<Project Sdk='x'>"), Just("</Project>"),
            Just("<dependency><artifactId>"), Just("</artifactId>"), Just("${"), Just("$("),
            Just("}"), Just("implementation(\""), Just("alias(libs.plugins."), Just("id 'x' version"),
            Just("require ("), Just("\n"), Just("gem '"), Just("[project]\ndependencies = ["),
            Just("\"ä"), Just("'"), Just("install_requires=["), Just("{\"dependencies\":{"),
            Just("\"a\":1"), Just("]"), Just("=="), Just("é["), Just("<!--"), Just("<![CDATA["),
        ], 0..24)
    ) {
        read_all(&parts.concat());
    }

    #[test]
    fn a_manifest_that_is_cut_anywhere_is_read(cut in 0_usize..400) {
        let whole = "{\"name\": \"é\", \"dependencies\": {\"react\": \"^18\"}}\n<a b='ü'>\n[x]\ny = [\"z\"]\n";
        let text: String = whole.repeat(4).chars().take(cut).collect();
        read_all(&text);
    }
}

#[test]
fn nesting_without_end_is_read() {
    read_all(&"<a>".repeat(20_000));
    read_all(&"[".repeat(20_000));
    read_all(&"{\"a\":".repeat(20_000));
    read_all(&format!("x = {}", "[".repeat(20_000)));
    read_all(&format!("x = {}", "{a=".repeat(20_000)));
    read_all(&format!("[{}]", "a.".repeat(20_000)));
}

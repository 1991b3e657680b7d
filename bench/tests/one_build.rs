//! What is built for the program serves for the bench.

use std::{
    collections::{BTreeMap, BTreeSet},
    process::Command,
};

/// Each package that a release build of `package` needs, with the features that it is built with. A
/// package can be there twice: for the machine that builds, too.
fn built_for(package: &str) -> BTreeMap<String, BTreeSet<String>> {
    let output = Command::new(env!("CARGO"))
        .args(["tree", "--locked", "--offline", "--edges=normal,build", "--prefix=none"])
        .args(["--no-dedupe", "--format={p} | {f}", "--package", package])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo runs this test");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut built = BTreeMap::<_, BTreeSet<_>>::new();
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        let (package, features) = line.split_once(" | ").expect("each line has the format above");
        built.entry(package.to_owned()).or_default().insert(features.to_owned());
    }
    built
}

/// Cargo builds a package again when another feature of it is asked for, and everything above it too:
/// minutes, where the bench alone takes seconds. Features of what both use belong into the workspace's
/// manifest.
#[test]
fn the_bench_is_built_with_the_features_of_the_program() {
    let program = built_for("consign-cli");
    for (package, features) in built_for("consign-bench") {
        if let Some(in_program) = program.get(&package) {
            assert_eq!(&features, in_program, "{package}: features for the bench, for the program");
        }
    }
}

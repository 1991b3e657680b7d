//! What the project in a folder tests with.

use std::path::Path;

use consign_authoring::trace::Framework;
use consign_files::{Links, Root};

use crate::error::Refused;

/// No manifest that a person writes is larger.
const MOST_BYTES: u64 = 1 << 20;

/// Recognises the test framework of a project by its manifests. A manifest that cannot be read counts as absent, one
/// outside of the folder too.
pub fn framework_of(folder: &Path) -> Result<Framework, Refused> {
    let root = Root::open(folder).map_err(|cause| {
        Refused::usage("REPOSITORY_UNREADABLE", format!("--repo: {cause}"))
            .hint("--repo takes the folder of a project")
    })?;
    let root = root.following(Links::Inside);
    let read = |path: &str| String::from_utf8(root.read(path, MOST_BYTES).ok()?).ok();
    Ok(Framework::recognise(&read))
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::symlink};

    use super::*;

    #[test]
    fn a_project_tests_with_what_its_manifests_say() {
        let check = |name: &str, content: &str, expected: Framework| {
            let folder = tempfile::tempdir().unwrap();
            fs::write(folder.path().join(name), content).unwrap();
            assert_eq!(framework_of(folder.path()).unwrap(), expected, "{name}");
        };
        check("package.json", r#"{"devDependencies": {"jest": "1"}}"#, Framework::Jest);
        check("pyproject.toml", "[tool.pytest.ini_options]\n", Framework::Pytest);
        check("Cargo.toml", "[package]\nname = \"x\"\n", Framework::CargoTest);
        check("go.mod", "module x\n", Framework::GoTest);
        check("README.md", "pytest", Framework::Default);
    }

    #[test]
    fn a_manifest_outside_of_the_folder_counts_as_absent() {
        let (folder, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        fs::write(other.path().join("go.mod"), "module x\n").unwrap();
        symlink(other.path().join("go.mod"), folder.path().join("go.mod")).unwrap();
        assert_eq!(framework_of(folder.path()).unwrap(), Framework::Default);
        assert!(framework_of(&folder.path().join("none")).is_err());
        assert!(framework_of(&other.path().join("go.mod")).is_err());
    }
}

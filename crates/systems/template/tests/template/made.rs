//! Small projects that are made for one test.

use std::fs;

use consign_template::analysis::{Analysis, Cancel, analyse};

/// What is found in a project of these files.
pub(crate) fn analysed(files: &[(&str, &str)]) -> Analysis {
    let root = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = root.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    analyse(root.path(), &Cancel::new()).unwrap()
}

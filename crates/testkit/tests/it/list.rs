//! The list of cases is complete.

use std::{fs, path::Path};

#[test]
fn every_case_is_on_the_list() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/conformance");
    let files = fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
    let texts: Vec<_> = files.map(|path| fs::read_to_string(path).unwrap()).collect();
    // A suite of a few cases has its list beside them.
    let list = texts.concat();
    let mut count = 0;
    for text in &texts {
        for line in text.lines() {
            let name = line.strip_prefix("pub async fn ").and_then(|rest| rest.split('(').next());
            if let Some(name) = name {
                assert!(list.contains(&format!(" {name},\n")), "{name} is never run");
                count += 1;
            }
        }
    }
    assert!(count > 100, "the cases are somewhere else now: found {count}");
}

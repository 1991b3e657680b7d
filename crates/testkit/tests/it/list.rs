//! The list of cases is complete.

use std::{fs, path::Path};

#[test]
fn every_case_is_on_the_list() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/conformance");
    let list = fs::read_to_string(folder.join("cases.rs")).unwrap();
    let mut count = 0;
    for file in fs::read_dir(folder).unwrap() {
        let text = fs::read_to_string(file.unwrap().path()).unwrap();
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

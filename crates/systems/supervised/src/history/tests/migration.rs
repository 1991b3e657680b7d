//! Files of the time before versions.

use super::*;
use crate::history::migrate;

fn golden(name: &str) -> String {
    let folder = "../../contracts/tests/golden/job/history";
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder).join(name);
    fs::read_to_string(path).unwrap()
}

#[test]
fn the_documents_own_examples_are_taken_over() {
    let names = [
        "one-interaction.json",
        "required-only.json",
        "both-forms-of-recovery-point.json",
        "second-form-of-recovery-point.json",
    ];
    for name in names {
        let dir = Dir::new();
        let text = golden(name);
        fs::write(dir.file(), &text).unwrap();
        assert!(matches!(HistoryFile::open(dir.path(), 4096), Err(Error::NeedsMigration { .. })));
        let file = migrate(dir.path(), 4096).unwrap();
        let kept = dir.path().join("jobHistory.json.before-1.0");
        assert_eq!(fs::read_to_string(kept).unwrap(), text);
        dir.is_valid();
        let old = json::parse(text.as_bytes()).unwrap();
        let new = fs::read(dir.file()).unwrap();
        let new = json::parse(&new).unwrap();
        for (member, value) in old.as_object().unwrap().iter() {
            assert_eq!(new.get(member), Some(value), "{name}: {member}");
        }
        let count = old.get("interactions").unwrap().as_array().unwrap().len();
        assert_eq!(dir.all().len(), count);
        assert_eq!(check(dir.path(), |_, _| {}).unwrap(), []);
        let next = file.next_sequence();
        drop(file);
        assert_eq!(migrate(dir.path(), 4096).unwrap().next_sequence(), next);
    }
}

/// A foreign file whose members have another order.
fn foreign(first: u64, count: u64) -> String {
    let interactions: Vec<_> = many(first..first + count, 300)
        .iter()
        .map(|data| data.as_str().replace(",\"", ",\n    \"").replace("\":\"", "\" : \""))
        .collect();
    format!(
        "{{\"recovery_points\":[{}],\n\"interactions\":\n[{}],\"note\": {{\"a\":1.50}},\
         \"created_at\":\"2026-01-02T03:04:05Z\",\"job_id\":\"job-1\"}}",
        point(first).as_str(),
        interactions.join("\t,\n ")
    )
}

#[test]
fn a_long_file_in_another_order_becomes_segments_and_goes_on() {
    for first in [0, 1] {
        let dir = Dir::new();
        fs::write(dir.file(), foreign(first, 50)).unwrap();
        let mut file = migrate(dir.path(), 4096).unwrap();
        let mut model = many(first..first + 50, 300);
        dir.holds(&model, &[point(first)]);
        assert!(dir.segments().len() > 2);
        assert_eq!(file.next_sequence(), first + 50);
        file.append(&many(first + 50..first + 70, 300), &[], true).unwrap();
        model.extend(many(first + 50..first + 70, 300));
        dir.holds(&model, &[point(first)]);
        let text = fs::read_to_string(dir.file()).unwrap();
        assert!(text.lines().next().unwrap().contains(r#""note": {"a":1.50}"#));
        assert!(!dir.path().join(".history-migrating").exists());
    }
}

#[test]
fn a_migration_that_a_crash_ended_begins_again() {
    let dir = Dir::new();
    fs::write(dir.file(), foreign(1, 50)).unwrap();
    // What the steps before the last one leave.
    fs::create_dir_all(dir.path().join(".history-migrating/history")).unwrap();
    fs::write(dir.path().join(".history-migrating/jobHistory.json"), "torn").unwrap();
    fs::create_dir(dir.path().join("history")).unwrap();
    fs::write(dir.in_folder("000001.json.zst"), "old").unwrap();
    fs::write(dir.in_folder("index.json"), "old").unwrap();
    fs::hard_link(dir.file(), dir.path().join("jobHistory.json.before-1.0")).unwrap();
    assert!(matches!(HistoryFile::open(dir.path(), 4096), Err(Error::NeedsMigration { .. })));
    drop(migrate(dir.path(), 4096).unwrap());
    dir.holds(&many(1..51, 300), &[point(1)]);
    assert!(!dir.path().join("jobHistory.json.before-1.0-1").exists());
}

#[test]
fn what_cannot_be_taken_over_stays_as_it_is() {
    let dir = Dir::new();
    let check = |text: &str, sequence: Option<u64>| {
        fs::write(dir.file(), text).unwrap();
        assert_eq!(damaged(migrate(dir.path(), 4096)).0, sequence, "{text}");
        assert_eq!(fs::read_to_string(dir.file()).unwrap(), text);
        assert!(!dir.path().join("jobHistory.json.before-1.0").exists());
    };
    check("", None);
    check("{", None);
    check("{}", None);
    check("[]", None);
    check(r#"{"job_id": "a", "interactions": {}}"#, None);
    check(r#"{"job_id": "a", "interactions": [{"sequence": 5}]}"#, None);
    check(r#"{"job_id": "a", "interactions": [{"sequence": 0}, {"sequence": 2}]}"#, Some(1));
    check(r#"{"job_id": "a", "interactions": [{"sequence": 0}, 7]}"#, Some(1));
    check(r#"{"job_id": "a", "interactions": [], "interactions": []}"#, None);
    check(r#"{"job_id": "a", "interactions": [{"sequence": 0, "sequence": 0}]}"#, None);
    check(r#"{"job_id": "a", "interactions": []} {}"#, None);
    check(r#"{"version": "1.0", "first_sequence": 0, "job_id": "a", "interactions": []}"#, None);
    check(r#"{"version": "one", "job_id": "a", "interactions": []}"#, None);
    // Its sequence has 23 digits.
    check(&golden("failed-calls-and-more-fields.json"), None);
}

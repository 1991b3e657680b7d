//! Torn and altered files: what is told, and what repairs them.

use super::*;
use crate::history::rebuild;

fn rotated(dir: &Dir) -> Vec<Data> {
    let model = many(0..40, 300);
    dir.create(4096).append(&model, &[point(3), point(30)], true).unwrap();
    assert!(dir.segments().len() > 2);
    model
}

fn rebuilt(dir: &Dir, model: &[Data]) -> HistoryFile {
    let items = model.iter().cloned().map(Ok::<_, Error>);
    rebuild(dir.path(), &head(), 4096, items, &[point(3), point(30)]).unwrap()
}

#[test]
fn a_torn_end_is_repaired_by_appending_what_is_missing() {
    let model = many(0..6, 40);
    let (start, size) = {
        let dir = Dir::new();
        let start = dir.create(1 << 20).start;
        HistoryFile::open(dir.path(), 1 << 20)
            .unwrap()
            .append(&model, &[point(1), point(2)], true)
            .unwrap();
        (start, dir.size())
    };
    for cut in (1..=size - start).step_by(11) {
        let dir = Dir::new();
        dir.create(1 << 20).append(&model, &[point(1), point(2)], true).unwrap();
        dir.cut(&dir.file(), cut);
        damaged(HistoryFile::open(dir.path(), 1 << 20));
        let mut file = HistoryFile::repair(dir.path(), 1 << 20).unwrap();
        dir.is_valid();
        let missing = &model[file.next_sequence() as usize..];
        file.append(missing, &[point(1), point(2)][file.point_count()..], true).unwrap();
        dir.holds(&model, &[point(1), point(2)]);
    }
}

#[test]
fn a_write_of_which_a_part_is_zeros_is_found() {
    let dir = Dir::new();
    let model = many(0..9, 40);
    let mut file = dir.create(1 << 20);
    file.append(&model[..5], &[point(1)], true).unwrap();
    let from = file.end as usize;
    file.append(&model[5..], &[], false).unwrap();
    drop(file);
    let mut bytes = fs::read(dir.file()).unwrap();
    bytes[from + 100..from + 400].fill(0);
    fs::write(dir.file(), bytes).unwrap();
    let (sequence, _) = damaged(HistoryFile::open(dir.path(), 1 << 20));
    assert_eq!(sequence, Some(5));
    let mut file = HistoryFile::repair(dir.path(), 1 << 20).unwrap();
    assert_eq!((file.next_sequence(), file.point_count()), (5, 0));
    file.append(&model[5..], &[point(1)], true).unwrap();
    dir.holds(&model, &[point(1)]);
}

#[test]
fn a_damaged_segment_is_named() {
    let dir = Dir::new();
    let model = rotated(&dir);
    let path = dir.in_folder("000002.json.zst");
    let mut bytes = fs::read(&path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0x55;
    fs::write(&path, bytes).unwrap();
    let mut seen = Vec::new();
    let damages = check(dir.path(), |sequence, _| seen.push(sequence)).unwrap();
    let first = damages[0].sequence;
    assert!(damages.iter().all(|damage| damage.file == "history/000002.json.zst"), "{damages:?}");
    assert!(damages[0].why.contains("SHA-256"));
    assert!(!seen.contains(&first) && seen.contains(&(first - 1)) && seen.contains(&39));
    let read: Vec<_> = interactions(dir.path(), 0, 99).collect();
    assert_eq!(read.len() as u64, first + 1);
    let (at, why) = damaged(read.into_iter().next_back().unwrap());
    assert!(at == Some(first) && why.starts_with("000002.json.zst"), "{why}");
    drop(rebuilt(&dir, &model));
    dir.holds(&model, &[point(3), point(30)]);
    assert!(dir.path().join("jobHistory.json.altered-1").exists());
    let aside = dir.segments().into_iter().filter(|name| name.contains("altered"));
    assert_eq!(aside.collect::<Vec<_>>(), ["000002.json.zst.altered-1"]);
}

#[test]
fn a_segment_that_is_missing_or_too_short_is_not_opened() {
    let dir = Dir::new();
    let model = rotated(&dir);
    let path = dir.in_folder("000001.json.zst");
    dir.cut(&path, 1);
    assert_eq!(damaged(HistoryFile::open(dir.path(), 4096)).0, Some(0));
    fs::remove_file(&path).unwrap();
    let (sequence, why) = damaged(HistoryFile::repair(dir.path(), 4096));
    assert_eq!((sequence, why.as_str()), (Some(0), "000001.json.zst: the segment is missing"));
    assert_eq!(check(dir.path(), |_, _| {}).unwrap().len(), 1);
    drop(rebuilt(&dir, &model));
    dir.holds(&model, &[point(3), point(30)]);
}

#[test]
fn an_index_that_does_not_fit_is_told() {
    let dir = Dir::new();
    let model = rotated(&dir);
    let path = dir.in_folder("index.json");
    let right = fs::read_to_string(&path).unwrap();
    let mut tree: serde_json::Value = serde_json::from_str(&right).unwrap();
    tree["segments"].as_array_mut().unwrap().remove(1);
    let last = right.replace("\"last\":", "\"last\":1");
    let offset = right.replacen("\"offset\":0", "\"offset\":1", 1);
    for wrong in
        [&tree.to_string(), &last, &offset, "{", "{\"version\": \"1.0\", \"segments\": []}"]
    {
        fs::write(&path, wrong).unwrap();
        damaged(HistoryFile::open(dir.path(), 4096));
        damaged(interactions(dir.path(), 0, 9).next().unwrap());
        let damages = check(dir.path(), |_, _| {}).unwrap();
        assert!(damages.iter().any(|damage| damage.file == "history/index.json"), "{damages:?}");
    }
    fs::remove_file(&path).unwrap();
    damaged(HistoryFile::open(dir.path(), 4096));
    fs::write(&path, "{\"version\": \"2.0\", \"segments\": []}").unwrap();
    assert!(matches!(HistoryFile::open(dir.path(), 4096), Err(Error::TooNew { .. })));
    drop(rebuilt(&dir, &model));
    dir.holds(&model, &[point(3), point(30)]);
    assert!(dir.segments().iter().all(|name| !name.contains("altered")));
}

#[test]
fn gaps_and_doubles_are_told_by_sequence() {
    let dir = Dir::new();
    let model = many(0..6, 10);
    dir.create(1 << 20).append(&model, &[], true).unwrap();
    let right = fs::read_to_string(dir.file()).unwrap();
    let check = |text: String, sequence: u64, told: &str| {
        fs::write(dir.file(), text).unwrap();
        let damages = check(dir.path(), |_, _| {}).unwrap();
        let [damage] = &damages[..] else { panic!("{damages:?}") };
        assert_eq!((damage.sequence, damage.file.as_str()), (sequence, "jobHistory.json"));
        assert!(damage.why.contains(told), "{damage:?}");
    };
    let line = |at: usize| format!("{},\n", model[at].as_str());
    check(right.replace(&line(2), ""), 2, "missing before 3");
    check(right.replace(&line(2), &line(2).repeat(2)), 2, "twice");
    check(right.replace(&line(2), "{},\n"), 2, "no interaction");
    check(right.replace("]}\n", "]}"), 6, "torn");
}

#[test]
fn an_altered_line_is_seen_by_its_bytes_and_put_aside() {
    let dir = Dir::new();
    let model = rotated(&dir);
    let text = fs::read_to_string(dir.file()).unwrap();
    fs::write(dir.file(), text.replacen("SUCCESS", "TIMEOUT", 1)).unwrap();
    let mut altered = Vec::new();
    let damages = check(dir.path(), |sequence, line| {
        if model[sequence as usize].as_str().as_bytes() != line {
            altered.push(sequence);
        }
    });
    assert_eq!((damages.unwrap(), altered.len()), (vec![], 1));
    for round in 1..3 {
        drop(rebuilt(&dir, &model));
        dir.holds(&model, &[point(3), point(30)]);
        assert!(dir.path().join(format!("jobHistory.json.altered-{round}")).exists());
        assert!(dir.segments().iter().all(|name| !name.contains("altered")));
    }
}

#[test]
fn a_rebuild_that_breaks_off_is_completed_by_appending() {
    let dir = Dir::new();
    let model = rotated(&dir);
    let items = model[..25].iter().cloned().map(Ok);
    let items = items.chain([Err(Error::Refused { why: "the journal is away".to_owned() })]);
    let failed = rebuild(dir.path(), &head(), 4096, items, &[]);
    assert!(matches!(failed, Err(Error::Refused { .. })));
    let mut file = HistoryFile::open(dir.path(), 4096).unwrap();
    let next = file.next_sequence() as usize;
    file.append(&model[next..], &[point(3)], true).unwrap();
    dir.holds(&model, &[point(3)]);
}

#[test]
fn a_newer_or_missing_history_is_refused() {
    let dir = Dir::new();
    let open = || HistoryFile::open(dir.path(), 4096);
    assert!(matches!(open(), Err(Error::Missing { .. })));
    let none = HistoryFile::open(&dir.path().join("none"), 4096);
    assert!(matches!(none, Err(Error::Missing { .. })));
    dir.create(4096).append(&many(0..3, 9), &[], true).unwrap();
    let text = fs::read_to_string(dir.file()).unwrap();
    let newer = |text: &str| {
        fs::write(dir.file(), text).unwrap();
        let Err(Error::TooNew { version }) = open() else { panic!("{text}") };
        assert_eq!(version, "2.1");
        assert!(matches!(check(dir.path(), |_, _| {}), Err(Error::TooNew { .. })));
        assert!(matches!(points(dir.path()), Err(Error::TooNew { .. })));
        let migrated = crate::history::migrate(dir.path(), 4096);
        assert!(matches!(migrated, Err(Error::TooNew { .. })));
    };
    newer(&text.replacen("1.0", "2.1", 1));
    newer("{\n  \"version\": \"2.1\",\n  \"anything\": {}\n}");
    newer("{\n  \"version\": \"2.1\",\n  \"anything\": {");
    fs::write(dir.file(), text.replacen("1.0", "1.7", 1)).unwrap();
    assert_eq!(open().unwrap().next_sequence(), 3);
    fs::write(dir.file(), text.replacen(", \"", ",  \n\"", 1)).unwrap();
    damaged(open());
}

#[test]
fn after_a_write_that_failed_nothing_more_is_written_until_it_is_opened_anew() {
    let dir = Dir::new();
    let model = many(0..3, 9);
    let mut file = dir.create(4096);
    file.append(&model[..1], &[], true).unwrap();
    file.file = fs::File::open(dir.file()).unwrap();
    assert!(matches!(file.append(&model[1..], &[], true), Err(Error::Io(_))));
    assert_eq!(damaged(file.append(&model[1..], &[], true)).0, Some(1));
    assert_eq!(damaged(file.truncate_to(0)).0, Some(1));
    let mut file = HistoryFile::open(dir.path(), 4096).unwrap();
    file.append(&model[1..], &[], true).unwrap();
    dir.holds(&model, &[]);
}

#[test]
fn what_an_older_history_left_does_not_count_for_a_new_one() {
    let dir = Dir::new();
    rotated(&dir);
    fs::remove_file(dir.file()).unwrap();
    fs::write(dir.in_folder("index.json"), "{").unwrap();
    let model = many(0..40, 200);
    dir.create(4096).append(&model, &[], true).unwrap();
    dir.holds(&model, &[]);
}

#[test]
fn only_a_segment_that_says_the_same_is_not_kept() {
    let check = |alter: &dyn Fn(String) -> String, is_kept: bool| {
        let dir = Dir::new();
        let model = rotated(&dir);
        let path = dir.in_folder("000001.json.zst");
        let lines = zstd::decode_all(&fs::read(&path).unwrap()[..]).unwrap();
        let lines = alter(String::from_utf8(lines).unwrap());
        fs::write(&path, zstd::encode_all(lines.as_bytes(), 1).unwrap()).unwrap();
        drop(rebuilt(&dir, &model));
        dir.holds(&model, &[point(3), point(30)]);
        let aside = dir.segments().into_iter().filter(|name| name.contains("altered")).count();
        assert_eq!(aside, usize::from(is_kept), "{lines}");
    };
    check(&|lines| lines, false);
    check(&|_| String::new(), true);
    check(&|lines| lines.replacen('x', "y", 1), true);
    check(&|lines| lines.replacen('\n', "\n\n", 1), true);
    check(&|lines| format!("\n{lines}"), true);
    check(&|lines| format!("{lines}\n"), true);
    check(&|lines| format!("{lines}{{}}"), true);
    check(&|lines| format!("{}\n{lines}", interaction(0, 300).as_str()), true);
}

//! Rotation, and a crash after each of its steps.

use super::*;

fn three_rounds(dir: &Dir) -> (HistoryFile, Vec<Data>) {
    let model = many(0..30, 200);
    let mut file = dir.create(4096);
    file.append(&model, &[point(3)], true).unwrap();
    (file, model)
}

#[test]
fn the_file_stays_below_its_limit_and_segments_are_json_lines() {
    let dir = Dir::new();
    let mut file = dir.create(4096);
    let (mut model, mut saved) = (Vec::new(), Vec::new());
    for at in 0..50 {
        file.append(&[interaction(at, 300)], &[], at % 3 == 0).unwrap();
        model.push(interaction(at, 300));
        if at % 10 == 0 {
            file.append(&[], &[point(at)], false).unwrap();
            saved.push(point(at));
        }
        assert!(dir.size() <= 4096);
        dir.holds(&model, &saved);
    }
    let names = dir.segments();
    assert!(names.len() > 3 && names[0] == "000001.json.zst");
    let lines: Vec<u8> = names
        .iter()
        .flat_map(|name| zstd::decode_all(&fs::read(dir.in_folder(name)).unwrap()[..]).unwrap())
        .collect();
    let lines = String::from_utf8(lines).unwrap();
    assert!(lines.ends_with('\n'));
    let expected = model.iter().map(Data::as_str);
    assert!(lines.lines().zip(expected).all(|(line, data)| line == data));
}

#[test]
fn long_segments_have_frames_and_any_interaction_may_be_longer_than_one() {
    let dir = Dir::new();
    let model: Vec<Data> =
        (0..400).map(|at| interaction(at, if at == 70 { 600_000 } else { 3000 })).collect();
    dir.create(1_500_000).append(&model, &[], true).unwrap();
    dir.holds(&model, &[]);
    let index = super::super::index::Index::load(&consign_files::Root::open(dir.path()).unwrap());
    let index = index.unwrap();
    assert!(index.segments[0].frames.len() > 4);
    assert!(index.segments[0].frames.iter().any(|frame| frame.first == 70));
    for at in [0, 69, 70, 71, 399] {
        let one: Vec<_> = interactions(dir.path(), at, at).map(Result::unwrap).collect();
        assert_eq!(one, [model[at as usize].clone()]);
    }
}

#[test]
fn many_points_do_not_rotate_every_interaction() {
    let dir = Dir::new();
    let mut file = dir.create(2000);
    let saved: Vec<Data> = (0..100).map(point).collect();
    file.append(&[], &saved, false).unwrap();
    let model = many(0..60, 100);
    for interaction in &model {
        file.append(std::slice::from_ref(interaction), &[], false).unwrap();
    }
    dir.holds(&model, &saved);
    assert!((1..6).contains(&dir.segments().len()), "{:?}", dir.segments());
}

#[test]
fn a_crash_after_the_segment_undoes_the_rotation() {
    let dir = Dir::new();
    let (mut file, model) = three_rounds(&dir);
    let before = dir.segments();
    file.write_segment().unwrap();
    drop(file);
    assert_eq!(dir.segments().len(), before.len() + 1);
    dir.holds(&model, &[point(3)]);
    let mut file = HistoryFile::open(dir.path(), 4096).unwrap();
    assert_eq!(dir.segments(), before);
    goes_on(&dir, &mut file, model);
}

#[test]
fn a_crash_after_the_index_undoes_the_rotation() {
    let dir = Dir::new();
    let (mut file, model) = three_rounds(&dir);
    let before = dir.segments();
    let segment = file.write_segment().unwrap();
    file.list_segment(segment).unwrap();
    drop(file);
    dir.holds(&model, &[point(3)]);
    let mut file = HistoryFile::open(dir.path(), 4096).unwrap();
    assert_eq!(dir.segments(), before);
    goes_on(&dir, &mut file, model);
}

#[test]
fn a_crash_after_the_new_file_leaves_old_offsets_that_do_not_count() {
    let dir = Dir::new();
    let (mut file, model) = three_rounds(&dir);
    let old = fs::read(dir.in_folder("offsets")).unwrap();
    file.rotate().unwrap();
    drop(file);
    fs::write(dir.in_folder("offsets"), old).unwrap();
    dir.holds(&model, &[point(3)]);
    let mut file = HistoryFile::open(dir.path(), 4096).unwrap();
    goes_on(&dir, &mut file, model);
}

#[test]
fn unfinished_files_are_in_nobodys_way() {
    let dir = Dir::new();
    let (file, model) = three_rounds(&dir);
    drop(file);
    let next = dir.segments().len() + 1;
    fs::write(dir.in_folder(&format!(".{next:06}.json.zst.new")), "torn").unwrap();
    fs::write(dir.in_folder(".index.json.new"), "torn").unwrap();
    fs::write(dir.path().join(".jobHistory.json.new"), "torn").unwrap();
    fs::write(dir.in_folder(&format!("{next:06}.json.zst")), "of another time").unwrap();
    let mut file = HistoryFile::open(dir.path(), 4096).unwrap();
    goes_on(&dir, &mut file, model);
}

fn goes_on(dir: &Dir, file: &mut HistoryFile, mut model: Vec<Data>) {
    assert_eq!(file.next_sequence(), 30);
    dir.holds(&model, &[point(3)]);
    file.append(&many(30..60, 200), &[], true).unwrap();
    model.extend(many(30..60, 200));
    dir.holds(&model, &[point(3)]);
}

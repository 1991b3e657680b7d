//! What is appended is there, in one form, whatever is opened in between.

use super::*;

#[test]
fn the_file_has_the_form_that_was_promised() {
    let dir = Dir::new();
    let mut file = dir.create(1 << 20);
    let text = || fs::read_to_string(dir.file()).unwrap();
    let head = concat!(
        r#"{"version": "1.0", "job_id": "job-1", "created_at": "2026-01-02T03:04:05Z", "#,
        r#""first_sequence": 0, "interactions": ["#
    );
    assert_eq!(text(), format!("{head}\n\n], \"recovery_points\": [\n\n]}}\n"));
    let (model, saved) = (many(0..3, 5), [point(0), point(2)]);
    file.append(&model[..1], &saved[..1], true).unwrap();
    file.append(&model[1..], &saved[1..], false).unwrap();
    let expected = format!(
        "{head}\n{},\n{},\n{}\n], \"recovery_points\": [\n{},\n{}\n]}}\n",
        model[0].as_str(),
        model[1].as_str(),
        model[2].as_str(),
        saved[0].as_str(),
        saved[1].as_str()
    );
    assert_eq!(text(), expected);
}

#[test]
fn it_is_valid_after_every_append_and_goes_on_after_opening() {
    let dir = Dir::new();
    drop(dir.create(1 << 20));
    let (mut model, mut saved) = (Vec::new(), Vec::new());
    for round in 0..12 {
        let mut file = HistoryFile::open(dir.path(), 1 << 20).unwrap();
        assert_eq!((file.next_sequence(), file.head()), (model.len() as u64, head()));
        let next = file.next_sequence();
        let new = many(next..next + round % 4, 100);
        let new_points: Vec<Data> = (0..round % 3).map(|_| point(next)).collect();
        file.append(&new, &new_points, round % 2 == 0).unwrap();
        model.extend(new);
        saved.extend(new_points);
        assert_eq!(file.point_count(), saved.len());
        dir.holds(&model, &saved);
    }
}

#[test]
fn what_does_not_belong_there_is_refused_and_changes_nothing() {
    let dir = Dir::new();
    let mut file = dir.create(1 << 20);
    let before = fs::read(dir.file()).unwrap();
    let mut check = |interactions: &[Data], points: &[Data], told: &str| {
        let error = file.append(interactions, points, false).unwrap_err();
        assert!(error.to_string().contains(told), "{error}");
        assert_eq!(fs::read(dir.file()).unwrap(), before);
    };
    check(&[interaction(1, 0)], &[], "interaction 0 is due, and not 1");
    check(&[interaction(0, 0), interaction(0, 0)], &[], "interaction 1 is due, and not 0");
    check(&[Data::of(&[0])], &[], "not a JSON object");
    check(&[Data::of(&serde_json::json!({"a": 0}))], &[], "does not say its sequence");
    check(&[interaction(0, 0)], &[Data::null()], "recovery point");
    let broken = Data::restore("{\"sequence\":\n0}".to_owned()).unwrap();
    check(&[broken], &[], "on one line");
    let again = HistoryFile::create(dir.path(), &head(), 1);
    assert!(matches!(again, Err(Error::Refused { .. })));
}

#[test]
fn opening_reads_only_the_end_and_makes_the_offsets_anew_if_they_are_wrong() {
    let dir = Dir::new();
    let model = many(0..300, 50);
    dir.create(1 << 20).append(&model, &[point(9)], true).unwrap();
    let offsets = dir.in_folder("offsets");
    let right = fs::read(&offsets).unwrap();
    assert_eq!(right.len(), 16 + 8 * 300);
    let mut shifted = right.clone();
    shifted.drain(16..24);
    let zeros = vec![0; right.len()];
    let far = [&right[..16], &[0xff; 2400][..]].concat();
    let longer = [&right[..], &[7; 13][..]].concat();
    for wrong in [&right[..5], b"", &zeros, &shifted, &far, &longer, &right[..99]] {
        fs::write(&offsets, wrong).unwrap();
        dir.holds(&model, &[point(9)]);
        let one: Vec<_> = interactions(dir.path(), 250, 250).map(Result::unwrap).collect();
        assert_eq!(one, [model[250].clone()]);
        assert_eq!(HistoryFile::open(dir.path(), 1 << 20).unwrap().next_sequence(), 300);
        assert_eq!(fs::read(&offsets).unwrap(), right);
    }
    fs::remove_file(&offsets).unwrap();
    dir.holds(&model, &[point(9)]);
    drop(HistoryFile::open(dir.path(), 1 << 20).unwrap());
    assert_eq!(fs::read(&offsets).unwrap(), right);
}

#[test]
fn what_is_not_synced_is_not_among_the_offsets() {
    let dir = Dir::new();
    let mut file = dir.create(1 << 20);
    let length = || fs::metadata(dir.in_folder("offsets")).unwrap().len();
    file.append(&many(0..5, 9), &[], false).unwrap();
    assert_eq!(length(), 16);
    file.append(&many(5..6, 9), &[], true).unwrap();
    assert_eq!(length(), 16 + 8 * 6);
    file.append(&many(6..800, 9), &[], false).unwrap();
    assert_eq!(length(), 16 + 8 * 800);
}

#[test]
fn newer_interactions_can_be_dropped_also_from_segments() {
    for keep in (0..=40).step_by(3).chain([1, 40]) {
        let dir = Dir::new();
        let mut file = dir.create(4096);
        let (mut model, mut saved) = (many(0..40, 300), vec![point(0), point(20), point(39)]);
        file.append(&model, &saved, false).unwrap();
        assert!(dir.segments().len() > 2);
        file.truncate_to(keep).unwrap();
        model.truncate(keep as usize);
        saved.retain(|point| sequence(point) < keep);
        dir.holds(&model, &saved);
        file.append(&many(keep..keep + 9, 200), &[point(keep)], true).unwrap();
        model.extend(many(keep..keep + 9, 200));
        saved.push(point(keep));
        dir.holds(&model, &saved);
        assert!(matches!(file.truncate_to(keep + 10), Err(Error::Refused { .. })));
    }
}

#[test]
fn ranges_are_inclusive_and_cross_segments() {
    let dir = Dir::new();
    let model = many(0..60, 200);
    dir.create(4096).append(&model, &[], false).unwrap();
    assert!(dir.segments().len() > 2);
    for (from, to) in [(0, 0), (0, 59), (3, 50), (59, 59), (58, 99), (60, 99), (17, 16), (7, 8)] {
        let read: Vec<_> = interactions(dir.path(), from, to).map(Result::unwrap).collect();
        let expected: Vec<_> =
            model.iter().filter(|data| (from..=to).contains(&sequence(data))).cloned().collect();
        assert_eq!(read, expected, "{from}..={to}");
    }
}

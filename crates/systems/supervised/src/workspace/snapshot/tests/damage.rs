//! A store that was damaged says so, and what is damaged never reaches the workspace.

use std::{fs, path::PathBuf};

use super::{super::super::Error, Place, listing};

/// The object of the one file.
fn object(place: &Place) -> PathBuf {
    let files = all(place);
    assert_eq!(files.len(), 1);
    files[0].clone()
}

fn all(place: &Place) -> Vec<PathBuf> {
    let objects = place.job().join(".snapshots/objects");
    let files = listing(&objects).into_iter().filter(|(_, (kind, _))| kind.starts_with("file"));
    files.map(|(path, _)| objects.join(path)).collect()
}

#[test]
fn a_damaged_content_is_refused_by_name_and_a_repaired_one_is_laid() {
    let place = Place::new();
    place.file("folder/file", "the right content\n".repeat(100));
    let (taken, before) = (place.take(), place.listing());
    let object = object(&place);
    let right = fs::read(&object).unwrap();
    let mut flipped = right.clone();
    *flipped.last_mut().unwrap() ^= 1;
    let packed = |bytes: &[u8]| zstd::encode_all(bytes, 3).unwrap();
    let damaged = [
        ("cut", right[..right.len() / 2].to_vec()),
        ("empty", Vec::new()),
        ("flipped", flipped),
        ("not compressed", b"the right content\n".repeat(100)),
        ("another content", packed(&b"the wrong content\n".repeat(100))),
        ("a longer content", packed(&b"the right content\n".repeat(101))),
        ("one that grows", packed(&vec![0; 1 << 24])),
    ];
    for (what, bytes) in damaged {
        fs::write(&object, bytes).unwrap();
        place.file("folder/file", "old");
        let error = place.snapshots().lay(&taken.id, &place.workspace()).unwrap_err();
        let told = error.to_string();
        assert!(
            matches!(error, Error::Damaged { .. }) && told.contains("folder/file"),
            "{what}: {told}"
        );
        assert!(told.contains("is damaged"), "{what}: {told}");
        assert_eq!(fs::read_to_string(place.at("folder/file")).unwrap(), "old", "{what}");
        assert_eq!(place.listing().len(), 2, "{what}: nothing is left beside it");
    }
    fs::remove_file(&object).unwrap();
    let gone = place.snapshots().lay(&taken.id, &place.workspace()).unwrap_err();
    assert!(gone.to_string().contains("folder/file is gone"), "{gone}");
    fs::write(&object, right).unwrap();
    place.lay(&taken);
    assert_eq!(place.listing(), before);
}

#[test]
fn a_damaged_list_is_refused_and_written_again_by_the_next_snapshot() {
    let place = Place::new();
    place.file("a", "text");
    let taken = place.take();
    let list = place.job().join(format!(".snapshots/trees/{}.json", taken.id));
    let text = fs::read_to_string(&list).unwrap();
    for damaged in
        [text.replace("\"a\"", "\"b\""), text.replace("\"a\"", "\"../a\""), String::new()]
    {
        fs::write(&list, damaged).unwrap();
        let error = place.snapshots().lay(&taken.id, &place.workspace()).unwrap_err();
        assert!(matches!(error, Error::DamagedTree { .. }), "{error}");
        assert!(place.snapshots().changes(&taken.id, &taken.id).is_err());
    }
    assert_eq!(place.take().id, taken.id);
    place.lay(&taken);
}

#[test]
fn a_damaged_content_is_not_compared() {
    let place = Place::new();
    let empty = place.take();
    place.file("file", "text");
    let taken = place.take();
    fs::write(object(&place), "no").unwrap();
    assert!(matches!(
        place.snapshots().diff(&empty.id, &taken.id, 100),
        Err(Error::Damaged { .. })
    ));
}

#[test]
fn wherever_laying_stops_laying_again_completes_it() {
    let place = Place::new();
    place.furnish();
    place.mode("src/deep", 0o500);
    let (taken, before) = (place.take(), place.listing());
    for lost in all(&place) {
        let right = fs::read(&lost).unwrap();
        place.mode("src/deep", 0o700);
        for entry in fs::read_dir(place.workspace()).unwrap() {
            let at = entry.unwrap().path();
            let _ = fs::remove_dir_all(&at);
            let _ = fs::remove_file(&at);
        }
        place.file("run/was/a/file", "");
        place.link("src", "../../outside");
        fs::remove_file(&lost).unwrap();
        assert!(place.snapshots().lay(&taken.id, &place.workspace()).is_err());
        assert_ne!(place.listing(), before);
        fs::write(&lost, right).unwrap();
        place.lay(&taken);
        assert_eq!(place.listing(), before);
    }
    place.assert_outside_is_untouched();
}

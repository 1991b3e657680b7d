//! A component is swapped for a link while it is opened. Each test goes on until it has seen both sides of
//! the swap often enough, so it is not a matter of luck or speed.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::atomic::{AtomicBool, AtomicUsize, Ordering},
    thread,
};

use rustix::fs::{CWD, RenameFlags, renameat_with};

use super::{Place, SECRET, names};
use crate::{Access, Links, Root};

/// How often each side is seen before a race is over.
const OFTEN: usize = 150;
/// How often, where each time something is synced.
const SELDOM: usize = 25;

/// Exchanges two names again and again while `race` goes on.
fn swapping(one: PathBuf, other: PathBuf, race: impl FnOnce(&AtomicUsize)) {
    let over = AtomicBool::new(false);
    let swaps = AtomicUsize::new(0);
    thread::scope(|scope| {
        scope.spawn(|| {
            while !over.load(Ordering::Relaxed) {
                renameat_with(CWD, &one, CWD, &other, RenameFlags::EXCHANGE).unwrap();
                swaps.fetch_add(1, Ordering::Relaxed);
                // So that others come to work between two swaps.
                thread::yield_now();
            }
        });
        // Also when the race ends with a panic.
        struct Ends<'a>(&'a AtomicBool);
        impl Drop for Ends<'_> {
            fn drop(&mut self) {
                self.0.store(true, Ordering::Relaxed);
            }
        }
        let _ends = Ends(&over);
        race(&swaps);
    });
}

/// Tries until both of what can come of it were seen often. After that many swaps one of them never comes.
fn until_both(swaps: &AtomicUsize, often: usize, mut attempt: impl FnMut() -> bool) {
    let begun = swaps.load(Ordering::Relaxed);
    let (mut done, mut refused) = (0, 0);
    while done < often || refused < often {
        let swapped = swaps.load(Ordering::Relaxed) - begun;
        assert!(swapped < 500_000, "{done} were done, {refused} refused");
        if attempt() {
            done += 1;
        } else {
            refused += 1;
        }
    }
}

fn reads_only_inside(swaps: &AtomicUsize, root: &Root, path: &str) {
    until_both(swaps, OFTEN, || match root.read(path, 100) {
        Ok(bytes) => {
            assert_eq!(bytes, b"inside");
            true
        }
        Err(_) => false,
    });
}

#[test]
fn a_folder_on_the_way_that_becomes_a_link_is_never_followed_out() {
    let place = Place::new();
    place.file("way/f", "inside");
    place.link("link", "../outside");
    let at = |name: &str| place.inside().join(name);
    swapping(at("way"), at("link"), |swaps| {
        for root in place.roots() {
            reads_only_inside(swaps, &root, "way/f");
        }
    });
}

#[test]
fn a_file_that_becomes_a_link_is_never_followed_out() {
    let place = Place::new();
    place.file("f", "inside");
    place.link("link", place.outside().join("f"));
    let at = |name: &str| place.inside().join(name);
    swapping(at("f"), at("link"), |swaps| {
        for root in place.roots() {
            reads_only_inside(swaps, &root, "f");
        }
    });
}

#[test]
fn a_folder_that_is_moved_out_takes_no_one_along_by_its_links_up() {
    let place = Place::new();
    place.file("a/b/file", "inside");
    // Outside, where the folder is moved to, the same words lead to the secret.
    place.link("a/up", "../f");
    place.file("f", "inside");
    fs::create_dir(place.outside().join("moved")).unwrap();
    swapping(place.inside().join("a"), place.outside().join("moved"), |swaps| {
        for root in place.both_ways(Links::Inside) {
            reads_only_inside(swaps, &root, "a/up");
        }
    });
}

#[test]
fn nothing_is_written_through_a_folder_that_becomes_a_link() {
    let place = Place::new();
    fs::create_dir(place.inside().join("way")).unwrap();
    place.link("link", "../outside");
    let at = |name: &str| place.inside().join(name);
    swapping(at("way"), at("link"), |swaps| {
        for root in place.roots() {
            until_both(swaps, SELDOM, || {
                root.write_atomic("way/f", b"inside", Access::Private).is_ok()
            });
            until_both(swaps, OFTEN, || root.remove_file("way/f").is_ok());
            until_both(swaps, SELDOM, || {
                match root.create_once("way/once", b"inside", Access::Private) {
                    Ok(_) => {
                        while root.remove_file("way/once").is_err() {}
                        true
                    }
                    Err(_) => false,
                }
            });
            until_both(swaps, OFTEN, || {
                let made = root.create_dir("way/folder", 0o755).is_ok();
                made && loop {
                    match root.remove_dir("way/folder") {
                        Ok(_) => break true,
                        Err(_) => continue,
                    }
                }
            });
        }
    });
    place.assert_outside_is_untouched();
}

#[test]
fn what_is_written_is_never_written_into_a_link_that_has_its_name() {
    let place = Place::new();
    place.link("f", "../outside/f");
    place.link("other", "../outside/b");
    let at = |name: &str| place.inside().join(name);
    let root = place.root();
    // Each write puts a file in the place of a link, or of what was written before.
    swapping(at("f"), at("other"), |_| {
        for _ in 0..OFTEN {
            root.write_atomic("f", b"inside", Access::Private).unwrap();
        }
    });
    place.assert_outside_is_untouched();
}

#[test]
fn who_reads_while_others_replace_finds_one_whole_file() {
    let place = Place::new();
    let content = |writer: u8| vec![b'a' + writer; 100_000 + usize::from(writer)];
    let root = place.root();
    root.write_atomic("file", &content(0), Access::Private).unwrap();
    let over = AtomicBool::new(false);
    thread::scope(|scope| {
        for writer in 0..3 {
            let (root, over) = (&root, &over);
            scope.spawn(move || {
                for _ in 0..40 {
                    root.write_atomic("file", &content(writer), Access::Private).unwrap();
                }
                over.store(true, Ordering::Relaxed);
            });
        }
        while !over.load(Ordering::Relaxed) {
            let found = root.read("file", 1 << 20).unwrap();
            assert!((0..3).any(|writer| found == content(writer)), "{} bytes", found.len());
        }
    });
    assert_eq!(names(&place.inside()), ["file"], "nothing is left beside it");
}

#[test]
fn of_many_at_the_same_time_one_creates_a_file() {
    for round in 0..20 {
        let place = Place::new();
        let root = place.root();
        let name = Path::new("once");
        let made: Vec<bool> = thread::scope(|scope| {
            let each = |number: u8| {
                let root = &root;
                scope
                    .spawn(move || root.create_once(name, &[number; 5000], Access::Private).is_ok())
            };
            let threads: Vec<_> = (0..8).map(each).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        let winners: Vec<u8> = (0..8).filter(|number| made[usize::from(*number)]).collect();
        let [winner] = winners[..] else { panic!("{winners:?} in round {round}") };
        assert_eq!(root.read(name, 10_000).unwrap(), vec![winner; 5000]);
        assert_eq!(names(&place.inside()), ["once"]);
    }
}

#[test]
fn the_secret_is_where_the_tests_look_for_it() {
    let place = Place::new();
    assert_eq!(fs::read_to_string(place.outside().join("f")).unwrap(), SECRET);
    assert_eq!(fs::read_to_string(place.inside().join("../outside/a/b/c")).unwrap(), SECRET);
}

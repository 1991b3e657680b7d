//! Anything that may happen to a history, in any order: it always comes back to what the journal says.

use proptest::prelude::*;

use super::*;

#[derive(Clone, Debug)]
enum Happening {
    Append {
        sizes: Vec<usize>,
        points: usize,
        durable: bool,
    },
    Reopen,
    /// The end of the file is lost.
    Torn {
        bytes: u64,
    },
    /// The end of the file is zeros.
    Zeroed {
        bytes: usize,
    },
    OffsetsCut {
        bytes: u64,
    },
    OffsetsWrong {
        at: usize,
        byte: u8,
    },
    /// A rotation ends after this many of its steps.
    Rotation {
        steps: u8,
    },
    /// The journal is of a backup.
    Behind {
        by: u64,
    },
}

fn happening() -> impl Strategy<Value = Happening> {
    use Happening::*;
    let sizes = prop::collection::vec(prop_oneof![9 => 0..200usize, 1 => 1000..5000usize], 0..8);
    prop_oneof![
        8 => (sizes, 0..3usize, any::<bool>())
            .prop_map(|(sizes, points, durable)| Append { sizes, points, durable }),
        2 => Just(Reopen),
        2 => (1..3000u64).prop_map(|bytes| Torn { bytes }),
        1 => (1..3000usize).prop_map(|bytes| Zeroed { bytes }),
        1 => (0..100u64).prop_map(|bytes| OffsetsCut { bytes }),
        1 => (any::<usize>(), any::<u8>()).prop_map(|(at, byte)| OffsetsWrong { at, byte }),
        2 => (1..4u8).prop_map(|steps| Rotation { steps }),
        1 => (0..20u64).prop_map(|by| Behind { by }),
    ]
}

/// The journal, and the history that follows it.
struct World {
    dir: Dir,
    rotate_bytes: u64,
    file: Option<HistoryFile>,
    model: Vec<Data>,
    points: Vec<Data>,
}

impl World {
    fn happen(&mut self, happening: Happening) {
        let mut file = self.file.take().unwrap();
        match happening {
            Happening::Append { sizes, points, durable } => {
                let next = file.next_sequence();
                let new: Vec<Data> =
                    (next..).zip(sizes).map(|(at, size)| interaction(at, size)).collect();
                let last = (next + new.len() as u64).saturating_sub(1);
                let new_points = vec![point(last); points];
                file.append(&new, &new_points, durable).unwrap();
                self.model.extend(new);
                self.points.extend(new_points);
                self.file = Some(file);
                return;
            }
            Happening::Reopen => drop(file),
            Happening::Torn { bytes } => {
                let most = self.dir.size() - file.start;
                drop(file);
                self.dir.cut(&self.dir.file(), bytes.min(most));
            }
            Happening::Zeroed { bytes } => {
                let (start, mut all) = (file.start as usize, fs::read(self.dir.file()).unwrap());
                drop(file);
                let from = all.len().saturating_sub(bytes).max(start);
                all[from..].fill(0);
                fs::write(self.dir.file(), all).unwrap();
            }
            Happening::OffsetsCut { bytes } => {
                drop(file);
                self.dir.cut(&self.dir.in_folder("offsets"), bytes);
            }
            Happening::OffsetsWrong { at, byte } => {
                drop(file);
                let path = self.dir.in_folder("offsets");
                let mut all = fs::read(&path).unwrap();
                let at = at % all.len().max(1);
                all[at..].iter_mut().take(1).for_each(|found| *found = byte);
                fs::write(path, all).unwrap();
            }
            Happening::Rotation { steps } => {
                if file.end > file.start {
                    match steps {
                        1 => drop(file.write_segment().unwrap()),
                        2 => {
                            let segment = file.write_segment().unwrap();
                            file.list_segment(segment).unwrap();
                        }
                        _ => file.rotate().unwrap(),
                    }
                }
                drop(file);
            }
            Happening::Behind { by } => {
                let next = file.next_sequence().saturating_sub(by);
                file.truncate_to(next).unwrap();
                self.model.truncate(next as usize);
                self.points.retain(|point| sequence(point) < next);
                drop(file);
            }
        }
        self.recover();
    }

    /// What a caller does after a crash.
    fn recover(&mut self) {
        let path = self.dir.path();
        let mut file = match HistoryFile::open(path, self.rotate_bytes) {
            Err(Error::Damaged { .. }) => HistoryFile::repair(path, self.rotate_bytes).unwrap(),
            opened => opened.unwrap(),
        };
        self.dir.is_valid();
        let (next, count) = (file.next_sequence() as usize, file.point_count());
        file.append(&self.model[next..], &self.points[count..], true).unwrap();
        self.file = Some(file);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, ..ProptestConfig::default() })]

    #[test]
    fn a_history_always_comes_back_to_the_journal(
        rotate_bytes in prop_oneof![Just(1500u64), Just(6000), Just(1 << 20)],
        happenings in prop::collection::vec(happening(), 1..25),
    ) {
        let dir = Dir::new();
        let file = Some(dir.create(rotate_bytes));
        let mut world = World { dir, rotate_bytes, file, model: Vec::new(), points: Vec::new() };
        for happening in happenings {
            world.happen(happening);
            world.dir.holds(&world.model, &world.points);
            assert_eq!(world.file.as_ref().unwrap().next_sequence(), world.model.len() as u64);
        }
    }
}

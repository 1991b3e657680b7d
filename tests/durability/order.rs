//! In which order a traced process wrote, synced and spoke.

use std::{collections::BTreeSet, path::Path};

use crate::support::{Call, Home, Trace};

pub(crate) struct Order<'a> {
    calls: &'a [Call],
    speaks: &'a dyn Fn(&Call) -> bool,
    home: String,
    wal: String,
    database: String,
}

impl<'a> Order<'a> {
    pub(crate) fn new(trace: &'a Trace, home: &Home, speaks: &'a dyn Fn(&Call) -> bool) -> Self {
        let text = |path: &Path| path.to_str().expect("a plain path").to_owned();
        let database = text(&home.database());
        Self {
            calls: &trace.calls,
            speaks,
            home: text(&home.path()),
            wal: format!("{database}-wal"),
            database,
        }
    }

    /// Words to the outside.
    pub(crate) fn told(&self) -> Vec<&'a Call> {
        self.calls.iter().filter(|call| (self.speaks)(call)).collect()
    }

    /// How often the log was synced.
    pub(crate) fn syncs(&self) -> usize {
        self.calls.iter().filter(|call| self.syncs_of(call, &self.wal)).count()
    }

    /// What a power cut could take back.
    pub(crate) fn wrong(&self) -> Vec<String> {
        let mut wrong = Vec::new();
        for word in self.told() {
            if let Some(write) = self.unsynced(&self.wal, word.begun) {
                let (word, write) = (short(word), short(write));
                wrong.push(format!("{word} is said, and this is not yet synced: {write}"));
            }
        }
        // A checkpoint copies only what is synced, and the log goes only when the copy is.
        for call in self.calls {
            let copies = call.writes() && call.file() == Some(&self.database);
            if copies && let Some(write) = self.unsynced(&self.wal, call.begun) {
                wrong.push(format!("{} is copied before it is synced", short(write)));
            }
            let forgets = call.name.starts_with("unlink") && call.paths().contains(&&*self.wal)
                || call.name == "ftruncate" && call.file() == Some(&self.wal)
                || call.writes() && call.file() == Some(&self.wal) && call.args.ends_with(", 0");
            if forgets && let Some(write) = self.unsynced(&self.database, call.begun) {
                wrong.push(format!("the log goes before the database is synced: {}", short(write)));
            }
        }
        wrong
    }

    /// A write to a file before a moment for which no sync came in time.
    fn unsynced(&self, file: &str, moment: usize) -> Option<&'a Call> {
        let writes = |call: &&Call| call.writes() && call.file() == Some(file);
        let last = self.calls.iter().rfind(|call| call.begun < moment && writes(call))?;
        let in_time = |call: &&Call| call.begun > last.ended && call.ended < moment;
        let synced = self.calls.iter().filter(in_time).any(|call| self.syncs_of(call, file));
        (!synced).then_some(last)
    }

    fn syncs_of(&self, call: &Call, file: &str) -> bool {
        call.syncs() && call.succeeded() && call.file() == Some(file)
    }

    /// Folders and files that were made, and whose names were not synced before the first word.
    pub(crate) fn unsynced_names(&self) -> Vec<String> {
        let Some(first) = self.told().first().map(|call| call.begun) else { return Vec::new() };
        let kept = [self.database.as_str(), &self.wal];
        let mut known = BTreeSet::new();
        let made = self.calls.iter().filter(|call| {
            let path = call.paths().first().copied().unwrap_or_default();
            let opens = call.name == "openat" && call.args.contains("O_CREAT");
            let makes = call.name.starts_with("mkdir") || opens && kept.contains(&path);
            // Those who open it later find it there.
            makes && call.succeeded() && call.begun < first && known.insert(path)
        });
        let unsynced = made.filter(|made| {
            let Some(path) = made.paths().first().copied() else { return true };
            let above = Path::new(path).parent().and_then(Path::to_str).unwrap_or_default();
            let in_time = |call: &&Call| call.begun > made.ended && call.ended < first;
            path.starts_with(&self.home)
                && !self.calls.iter().filter(in_time).any(|call| self.syncs_of(call, above))
        });
        unsynced.map(short).collect()
    }

    /// Files that were renamed to what a large value is called.
    pub(crate) fn large_values(&self) -> Vec<&'a Call> {
        let blobs = format!("{}/blobs/", self.home);
        let lands =
            |call: &&Call| call.whole_paths().last().is_some_and(|path| path.starts_with(&blobs));
        self.calls.iter().filter(|call| call.renames() && call.succeeded()).filter(lands).collect()
    }

    /// Large values that a power cut could take from under their rows.
    pub(crate) fn wrong_values(&self) -> Vec<String> {
        self.large_values().into_iter().filter_map(|rename| self.wrong_value(rename)).collect()
    }

    fn wrong_value(&self, rename: &Call) -> Option<String> {
        let [draft, path] = &rename.whole_paths()[..] else { return Some(short(rename)) };
        let (folder, name) = path.rsplit_once('/').expect("an absolute path");
        if let Some(write) = self.unsynced(draft, rename.begun) {
            return Some(format!("{name} got its name before it was synced: {}", short(write)));
        }
        // As `strace -x` writes those bytes.
        let bytes: String =
            name.as_bytes().chunks(2).map(|pair| format!("\\x{}", text(pair))).collect();
        let names = |call: &&Call| {
            call.writes() && call.file() == Some(&self.wal) && call.args.contains(&bytes)
        };
        let Some(row) = self.calls.iter().find(names) else {
            return Some(format!("no row names {name}"));
        };
        let in_time = |call: &&Call| call.begun > rename.ended && call.ended < row.begun;
        let synced = self.calls.iter().filter(in_time).any(|call| self.syncs_of(call, folder));
        (!synced).then(|| format!("a row names {name} before its folder is synced"))
    }
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("hexadecimal digits")
}

fn short(call: &Call) -> String {
    let args: String = call.args.chars().take(120).collect();
    format!("line {}: {}({args}…)", call.begun + 1, call.name)
}

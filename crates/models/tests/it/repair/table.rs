//! What became of the corpus, as the table in `docs/repair.md`.

use std::{collections::BTreeMap, fmt::Write};

use consign_models::repair::{Mended, Repair, Unmendable};

#[derive(Default)]
pub(super) struct Table {
    /// In the order of the corpus.
    rows: Vec<(&'static str, Row)>,
}

#[derive(Clone, Default)]
struct Row {
    cases: usize,
    clean: usize,
    mended: usize,
    repairs: BTreeMap<Repair, usize>,
    left: BTreeMap<&'static str, usize>,
}

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/repair.md");
const BEGIN: &str = "<!-- table: begin -->\n";
const END: &str = "<!-- table: end -->\n";

impl Table {
    pub(super) fn count(&mut self, damage: &'static str, read: &Result<Mended, Unmendable>) {
        let place = self.rows.iter().position(|(name, _)| *name == damage).unwrap_or_else(|| {
            self.rows.push((damage, Row::default()));
            self.rows.len() - 1
        });
        self.rows[place].1.count(read);
    }

    pub(super) fn cases(&self) -> usize {
        self.rows.iter().map(|(_, row)| row.cases).sum()
    }

    /// With `UPDATE_DOCS=1` the page is made to agree.
    pub(super) fn compare_with_the_page(&self) {
        let page = std::fs::read_to_string(PAGE).unwrap();
        let (before, rest) = page.split_once(BEGIN).expect("the page says where the table begins");
        let (table, after) = rest.split_once(END).expect("the page says where the table ends");
        let ours = self.as_markdown();
        if table == ours {
            return;
        }
        if std::env::var_os("UPDATE_DOCS").is_some() {
            std::fs::write(PAGE, format!("{before}{BEGIN}{ours}{END}{after}")).unwrap();
            return;
        }
        panic!(
            "docs/repair.md is out of date (UPDATE_DOCS=1 rewrites it); it should have:\n{ours}"
        );
    }

    fn as_markdown(&self) -> String {
        let mut text = "| damage | cases | clean | mended | by | asked again | because |\n\
             |---|--:|--:|--:|---|--:|---|\n"
            .to_owned();
        let mut all = Row::default();
        for (damage, row) in &self.rows {
            row.write(damage, &mut text);
            all.add(row);
        }
        all.write("**all**", &mut text);
        text
    }
}

impl Row {
    fn count(&mut self, read: &Result<Mended, Unmendable>) {
        self.cases += 1;
        match read {
            Ok(mended) if mended.repairs.is_empty() => self.clean += 1,
            Ok(mended) => {
                self.mended += 1;
                mended.repairs.iter().for_each(|one| *self.repairs.entry(*one).or_default() += 1);
            }
            Err(unmendable) => *self.left.entry(unmendable.code()).or_default() += 1,
        }
    }

    fn add(&mut self, other: &Row) {
        self.cases += other.cases;
        self.clean += other.clean;
        self.mended += other.mended;
        other
            .repairs
            .iter()
            .for_each(|(one, count)| *self.repairs.entry(*one).or_default() += count);
        other.left.iter().for_each(|(one, count)| *self.left.entry(one).or_default() += count);
    }

    fn write(&self, damage: &str, text: &mut String) {
        let list = |entries: Vec<(&str, usize)>| {
            let entries = entries.into_iter().map(|(name, count)| format!("`{name}` {count}"));
            entries.collect::<Vec<_>>().join(", ")
        };
        let by = list(self.repairs.iter().map(|(one, count)| (one.as_str(), *count)).collect());
        let because = list(self.left.iter().map(|(one, count)| (*one, *count)).collect());
        let Row { cases, clean, mended, .. } = self;
        let left = cases - clean - mended;
        writeln!(text, "| {damage} | {cases} | {clean} | {mended} | {by} | {left} | {because} |")
            .unwrap();
    }
}

//! Collects the uses that were found: those that are certain, and those that are not.

use super::{Reference, Usage, verdict::Verdict};
use crate::Class;

/// Uses of one file that are kept of either sort; the others count.
const PER_FILE: usize = 200;

#[derive(Default)]
pub(super) struct Gathered {
    pub(super) sure: Pile,
    pub(super) unsure: Pile,
    /// There are uses that belong to something else.
    others: bool,
    /// Whether there are uses that were not looked at.
    pub(super) cut: bool,
}

/// Some uses, and how many there are.
#[derive(Default)]
pub(super) struct Pile {
    pub(super) items: Vec<(Class, Reference)>,
    pub(super) total: usize,
    pub(super) calls: usize,
}

impl Gathered {
    /// The sheet of one file.
    pub(super) fn sheet(&mut self, class: Class) -> Sheet<'_> {
        Sheet { class, kept: [0; 2], into: self }
    }

    pub(super) fn join(&mut self, part: Self, most: usize) {
        self.sure.join(part.sure, usize::MAX);
        self.unsure.join(part.unsure, most);
        self.others |= part.others;
        self.cut |= part.cut;
    }

    /// The remark about the uses for their reader.
    pub(super) fn note(&self, name: &str, owner: &str) -> Option<String> {
        let unsure = self.unsure.total;
        match (self.sure.total, unsure) {
            (0, 0) if self.others => Some(format!(
                "the uses of {name:?} that were found do not belong to {owner:?}, as far as the text shows"
            )),
            (0, 0) => None,
            (0, _) => Some(format!(
                "no use of {name:?} certainly belongs to {owner:?}; these may belong to it or to something else"
            )),
            (_, 0) => None,
            (_, 1) => Some(format!(
                "one more use of {name:?} may belong to {owner:?} or to something else"
            )),
            (_, more) => Some(format!(
                "{more} more uses of {name:?} may belong to {owner:?} or to something else"
            )),
        }
    }
}

impl Pile {
    fn join(&mut self, part: Self, most: usize) {
        self.total += part.total;
        self.calls += part.calls;
        let room = most.saturating_sub(self.items.len());
        self.items.extend(part.items.into_iter().take(room));
    }

    /// Calls first, source before tests.
    pub(super) fn sorted(&mut self) -> Vec<Reference> {
        let mut items = std::mem::take(&mut self.items);
        items.sort_by(|(left, a), (right, b)| {
            let rank = |class, at: &Reference| (class, !at.parsed, at.usage);
            rank(*left, a)
                .cmp(&rank(*right, b))
                .then_with(|| a.path.cmp(&b.path))
                .then_with(|| a.line.cmp(&b.line))
        });
        items.into_iter().map(|(_, reference)| reference).collect()
    }
}

/// The uses of one file, as they are added.
pub(super) struct Sheet<'a> {
    class: Class,
    kept: [usize; 2],
    into: &'a mut Gathered,
}

impl Sheet<'_> {
    /// Counts a use and keeps it, unless there are many; only then is it made.
    pub(super) fn add(
        &mut self,
        verdict: Verdict,
        usage: Usage,
        make: impl FnOnce(bool) -> Reference,
    ) {
        let sure = verdict == Verdict::Sure;
        let pile = match verdict {
            Verdict::Sure => &mut self.into.sure,
            Verdict::Unsure => &mut self.into.unsure,
            Verdict::Other => {
                self.into.others = true;
                return;
            }
        };
        pile.total += 1;
        pile.calls += usize::from(usage == Usage::Call);
        let kept = &mut self.kept[usize::from(sure)];
        if *kept < PER_FILE {
            *kept += 1;
            let reference = make(sure);
            let class =
                if is_in_tests(&reference) { self.class.max(Class::Test) } else { self.class };
            pile.items.push((class, reference));
        }
    }

    pub(super) fn cut(&mut self) {
        self.into.cut = true;
    }
}

/// Tests often stand in a module beside what they test.
fn is_in_tests(reference: &Reference) -> bool {
    let within = reference.within.as_deref().unwrap_or("");
    let mut around = within.rsplit([':', '.']).skip(1);
    around.any(|part| part == "tests" || part == "test")
}

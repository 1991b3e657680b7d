//! Two things side by side.

use std::fmt::Write;

use super::{
    super::super::{
        super::tools::{Evidence, Role},
        intent::{Side, sides},
        topic::Topic,
        words,
    },
    Told, capital,
};

impl<'e> Told<'e> {
    pub(super) fn compare(&mut self, topic: &Topic, evidence: &'e [Evidence]) {
        let sides = sides(topic);
        let fits = |one: &&Evidence, side: &Side| {
            let name = one.symbol.as_deref().unwrap_or_default();
            if side.names.is_empty() {
                let lower = format!("{} {}", one.path, name).to_lowercase();
                side.terms.iter().all(|term| lower.contains(&words::stem(term)))
            } else {
                side.names.iter().any(|known| belongs(known, one))
            }
        };
        let titles: Vec<String> = sides.iter().map(|side| side.title.clone()).collect();
        let _ = writeln!(self.text, "{}, side by side.", capital(&titles.join(" and ")));
        let mut missing = Vec::new();
        for side in &sides {
            let found: Vec<&Evidence> = evidence
                .iter()
                .filter(|one| one.role == Role::Definition)
                .filter(|one| fits(one, side))
                .take(4)
                .collect();
            let Some((first, others)) = found.split_first() else {
                missing.push(side.title.clone());
                continue;
            };
            let _ = writeln!(self.text, "\n{}:", capital(&side.title));
            self.part(None, first);
            self.quote(first, 4);
            others.iter().for_each(|one| self.part(None, one));
        }
        if !missing.is_empty() {
            let _ = writeln!(
                self.text,
                "\nNo definition was found for {}. Nearest:",
                missing.join(" and ")
            );
            evidence.iter().take(5).for_each(|one| self.line(one));
        }
    }
}

/// Whether a definition is of a name with all that stands before it: `blocking::Client` is a `Client` in
/// `src/blocking/client.rs`, and no other.
fn belongs(known: &str, one: &Evidence) -> bool {
    let own = one.symbol.as_deref().unwrap_or_default();
    let bare = known.split('(').next().unwrap_or(known);
    let mut parts: Vec<String> = bare
        .split(['.', ':', '#'])
        .filter(|part| !part.is_empty())
        .map(str::to_lowercase)
        .collect();
    let last = parts.pop().unwrap_or_default();
    let around = format!("{}/{}", one.path, own).to_lowercase();
    let around = words::parts(&around);
    words::last_name(own).to_lowercase() == last
        && parts.iter().all(|part| words::parts(part).iter().all(|word| around.contains(word)))
}

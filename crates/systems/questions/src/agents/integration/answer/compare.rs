//! The answer to a comparison: two things side by side.

use std::fmt::Write;

use super::{
    super::super::{
        super::tools::{Evidence, Role},
        intent::{Side, sides},
        topic::Topic,
        words,
    },
    AnswerText, capital,
};

impl<'e> AnswerText<'e> {
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
        let definitions = || evidence.iter().filter(|one| one.role == Role::Definition);
        let of_each: Vec<Vec<&Evidence>> = sides
            .iter()
            .map(|side| definitions().filter(|one| fits(one, side)).collect())
            .collect();
        for (at, side) in sides.iter().enumerate() {
            let mut found = of_each[at].clone();
            let others = of_each.iter().enumerate().filter(|(other, _)| *other != at);
            let others: Vec<&Evidence> = others.flat_map(|(_, found)| found).copied().collect();
            found.sort_by_key(|one| !others.iter().any(|other| live_together(one, other)));
            found.truncate(4);
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

/// Of many that are called `merge` the one beside `nest` is meant.
fn live_together(one: &Evidence, other: &Evidence) -> bool {
    let home = |one: &Evidence| {
        let symbol = one.symbol.as_deref()?;
        let home = symbol.strip_suffix(words::last_name(symbol))?.to_owned();
        (!home.is_empty()).then_some(home)
    };
    one.path == other.path && home(one).is_some() && home(one) == home(other)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_the_same_home_is_compared() {
        let at = |path: &str, symbol: &str| {
            let mut one = Evidence::at(path, 1, Role::Definition, "");
            one.symbol = Some(symbol.to_owned());
            one
        };
        let nest = at("src/router.rs", "Router::nest");
        assert!(live_together(&at("src/router.rs", "Router::merge"), &nest));
        assert!(!live_together(&at("src/allow.rs", "AllowHeader::merge"), &nest));
        assert!(!live_together(&at("a.rs", "merge"), &at("a.rs", "nest")), "no home is none");
    }
}

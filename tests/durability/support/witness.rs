//! Somebody who watches from outside and forgets nothing.
//!
//! What it has seen once must be there for ever; what it sees must obey the rules of the house at
//! every moment. It says what is wrong instead of panicking, so that its own eyes can be tested.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::{Event, Look, effects::Lines};

#[derive(Clone, Debug, Default)]
pub(crate) struct Witness {
    /// Every event ever seen or acknowledged: its hash by run and place.
    seen: BTreeMap<String, BTreeMap<i64, String>>,
    /// Lines of calls that were recorded as completed.
    settled: BTreeMap<(String, String), usize>,
    /// Answers that were taken, by how many were told so.
    answered: BTreeMap<(String, String), usize>,
}

impl Witness {
    /// How many events it remembers.
    pub(crate) fn memory(&self) -> usize {
        self.seen.values().map(BTreeMap::len).sum()
    }

    /// A command said that this is so: a run with its newest event.
    pub(crate) fn hears(&mut self, run: &Value) {
        if let (Some(id), Some(seq), Some(head)) =
            (run["id"].as_str(), run["seq"].as_i64(), run["head"].as_str())
        {
            self.seen.entry(id.to_owned()).or_default().insert(seq, head.to_owned());
        }
    }

    /// A command said that it answered this.
    pub(crate) fn hears_answer(&mut self, run: &str, interaction: &str) {
        *self.answered.entry((run.to_owned(), interaction.to_owned())).or_default() += 1;
    }

    /// Looks, with the lines as they were before the look and as they are after it.
    pub(crate) fn sees(&mut self, before: &Lines, look: &Look, after: &Lines) -> Vec<String> {
        let mut wrong = self.remembers(look);
        wrong.extend(within_caps(look));
        wrong.extend(in_order(look));
        wrong.extend(intended(before, look));
        wrong.extend(self.settles(look, after));
        wrong.extend(once(after));
        for (id, events) in &look.events {
            let seen = self.seen.entry(id.clone()).or_default();
            for event in events {
                seen.entry(event.seq).or_insert_with(|| event.hash.clone());
            }
        }
        wrong
    }

    /// Nothing that was seen or acknowledged is gone or changed.
    fn remembers(&self, look: &Look) -> Vec<String> {
        let mut wrong = Vec::new();
        for (id, seen) in &self.seen {
            let now = look.events.get(id).map(Vec::as_slice).unwrap_or_default();
            for (seq, hash) in seen {
                // Events are in order; where one is missing, all after it count as lost.
                let at = usize::try_from(*seq).ok().and_then(|place| now.get(place));
                match at.filter(|event| event.seq == *seq) {
                    Some(found) if found.hash == *hash => {}
                    Some(_) => wrong.push(format!("event {seq} of {id} is another than it was")),
                    None => wrong.push(format!("event {seq} of {id} is lost")),
                }
            }
        }
        for ((id, key), told) in &self.answered {
            // An answer to a reached limit is a raise. What was killed may have been taken untold.
            let events = look.events.get(id).into_iter().flatten();
            let kept = match key.as_str() {
                limit if limit.starts_with("@limit@") => {
                    events.filter(|event| event.kind == "raised").count()
                }
                _ => look.keys(id, "answered").iter().filter(|found| *found == key).count(),
            };
            if *told > kept {
                wrong.push(format!("{key} of {id}: {told} were told so, {kept} are kept"));
            }
        }
        wrong
    }

    /// A call that is recorded as completed has no effect any more.
    fn settles(&mut self, look: &Look, lines: &Lines) -> Vec<String> {
        let mut wrong = Vec::new();
        for (id, run) in look.runs.iter().filter(|(_, run)| run.workflow == "sample/effects") {
            for key in look.keys(id, "call_completed") {
                let line = format!("{id}:{key}");
                let now = lines.values().filter_map(|lines| lines.get(&line)).sum();
                let then = *self.settled.entry((id.clone(), key.to_owned())).or_insert(now);
                if now == 0 {
                    wrong.push(format!("{line} of {} completed and did nothing", run.workflow));
                } else if now != then {
                    wrong.push(format!("{line} was run again after it was recorded"));
                }
            }
        }
        wrong
    }
}

/// What a run or an owner has spent and holds back is within the cap.
fn within_caps(look: &Look) -> Vec<String> {
    let over = |what: &str, name: &String, spent: i64, reserved: i64, cap: Option<i64>| {
        cap.filter(|cap| spent + reserved > *cap)
            .map(|cap| format!("{what} {name}: {spent} + {reserved} is over {cap}"))
    };
    let runs = look.runs.iter();
    let runs = runs.filter_map(|(id, run)| over("run", id, run.spent, run.reserved, run.cap));
    let owners = look.owners.iter();
    let owners = owners.filter_map(|(id, of)| over("owner", id, of.spent, of.reserved, of.cap));
    let mut wrong: Vec<_> = runs.chain(owners).collect();
    for (name, owner) in &look.owners {
        let of = || look.runs.values().filter(|run| run.owner == *name);
        let spent: i64 = of().map(|run| run.spent).sum();
        let reserved: i64 = of().map(|run| run.reserved).sum();
        if (spent, reserved) != (owner.spent, owner.reserved) {
            wrong.push(format!("the account of {name} is not the sum of its runs"));
        }
    }
    for (id, run) in &look.runs {
        let events = look.events.get(id).into_iter().flatten();
        let paid: i64 = events.map(|event| event.paid).sum();
        if paid != run.spent {
            wrong.push(format!("run {id} has paid {paid} and says {}", run.spent));
        }
        if run.is_closed() && run.reserved > 0 {
            wrong.push(format!("run {id} is over and holds back {}", run.reserved));
        }
    }
    wrong
}

/// Journals have no holes, end where their run does, and nothing in them happens twice.
fn in_order(look: &Look) -> Vec<String> {
    let mut wrong = Vec::new();
    for (id, run) in &look.runs {
        let none = Vec::new();
        let events = look.events.get(id).unwrap_or(&none);
        let whole =
            events.iter().enumerate().all(|(place, event)| i64::try_from(place) == Ok(event.seq));
        let last = events.last().map(|event| (event.seq, event.hash.as_str()));
        if !whole || last != Some((run.seq, run.head.as_str())) {
            wrong.push(format!("the journal of {id} has a hole, or another end than its run"));
        }
        wrong.extend(repeated(events).map(|key| format!("{key} of {id} is recorded twice")));
    }
    wrong
}

/// Activities that ended and went on, or ended twice.
fn repeated(events: &[Event]) -> impl Iterator<Item = &str> {
    let mut ended = BTreeSet::new();
    events.iter().filter_map(move |event| {
        // The engine's own questions may be asked again.
        let key = event.key.as_deref().filter(|key| !key.starts_with('@'))?;
        let again = ended.contains(key);
        let ends = ["call_completed", "call_failed", "call_cancelled", "answered", "ask_expired"];
        if ends.contains(&event.kind.as_str()) {
            ended.insert(key);
        }
        again.then_some(key)
    })
}

/// Nothing was done whose intent was not recorded first, and no more often than it was tried.
fn intended(lines: &Lines, look: &Look) -> Vec<String> {
    let mut wrong = Vec::new();
    for (line, times) in lines.values().flatten() {
        let Some((id, key)) = line.split_once(':') else { continue };
        let begun = ["call_started", "attempt_started"];
        let tries: usize = begun
            .iter()
            .map(|kind| look.keys(id, kind).iter().filter(|found| **found == key).count())
            .sum();
        if *times > tries {
            wrong.push(format!("{line} was done {times} times and tried {tries} times"));
        }
    }
    wrong
}

/// What is unsafe, or has a key, happened at most once.
fn once(lines: &Lines) -> Vec<String> {
    let strict = lines.iter().filter(|(class, _)| ["keyed", "unsafe"].contains(&class.as_str()));
    let twice = strict.flat_map(|(class, lines)| {
        let twice = lines.iter().filter(|(_, times)| **times > 1);
        twice.map(move |(line, times)| format!("{class} {line} happened {times} times"))
    });
    twice.collect()
}

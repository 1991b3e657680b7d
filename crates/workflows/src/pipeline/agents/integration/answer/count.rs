//! How many.

use std::fmt::Write;

use consign_contracts::json::Json;

use super::{
    super::super::{super::tools::Evidence, Brief, json, topic::Topic},
    Told,
};

const SHOWN: usize = 15;

impl<'e> Told<'e> {
    pub(super) fn count(&mut self, brief: &Brief, topic: &Topic, evidence: &'e [Evidence]) {
        let counted =
            brief.output("execution").and_then(|it| it.get("counted")).and_then(Json::as_object);
        let Some(counted) = counted else {
            let _ =
                writeln!(self.text, "{} cannot be counted here.\n", super::capital(&topic.title()));
            return evidence.iter().take(5).for_each(|one| self.bare_line(one));
        };
        let total = json::whole(counted, "total").unwrap_or(0);
        let of = json::text(counted, "of").unwrap_or("matches");
        let at_least = if json::is_true(counted, "more") { "At least " } else { "" };
        let _ = writeln!(self.text, "{at_least}{total}, counting {of}.\n");
        // Only what was counted; the rest of what was found is something else.
        let places = json::texts(counted, "locations");
        let shown: Vec<&Evidence> =
            evidence.iter().filter(|one| places.contains(&one.location())).take(SHOWN).collect();
        shown.iter().for_each(|one| self.bare_line(one));
        if !shown.is_empty() && total > shown.len() as u64 {
            let _ = writeln!(self.text, "- and {} more", total - shown.len() as u64);
        }
    }
}

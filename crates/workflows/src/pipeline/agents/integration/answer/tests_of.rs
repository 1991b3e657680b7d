//! What tests something.

use std::fmt::Write;

use super::{
    super::super::{super::tools::Evidence, Brief, goals::Need, json, topic::Topic},
    LISTED, Told, count_of, not_looked_for, results,
    usage::listed,
};

impl<'e> Told<'e> {
    pub(super) fn tests(&mut self, brief: &Brief, topic: &Topic, evidence: &'e [Evidence]) {
        let steps = brief.output("execution").into_iter();
        let indexes = steps.flat_map(|it| json::objects(it, "results")).filter_map(|one| {
            let looked = one.get("result").is_some_and(|result| result.get("tests").is_some());
            json::whole(one, "step_index").filter(|_| looked)
        });
        let indexes: Vec<u64> = indexes.collect();
        let plan = brief.output("plan");
        let steps: Vec<_> =
            plan.into_iter().flat_map(|plan| json::objects(plan, "steps")).collect();
        let looked = results(brief, "outline").filter(|result| result.get("tests").is_some());
        let (mut none, mut told) = (Vec::new(), false);
        for (result, index) in looked.zip(indexes) {
            let step = usize::try_from(index).ok().and_then(|index| steps.get(index));
            let of = step.and_then(|step| json::text(step, "expected_output")).unwrap_or("tests");
            let total = json::whole(result, "total").unwrap_or(0);
            if total == 0 {
                none.push(of.to_owned());
                continue;
            }
            // What has all of the words need not be told again among those that have one.
            if told && of.contains("speak of") {
                continue;
            }
            told = true;
            let least = if json::is_true(result, "more") { "At least " } else { "" };
            let rest = of.strip_prefix("tests").unwrap_or(of);
            let _ = writeln!(self.text, "{least}{}{rest}:\n", count_of(total, "test"));
            let found = listed(result, "tests", evidence);
            found.iter().take(LISTED).for_each(|one| self.part(None, one));
            self.more(total, found.len().min(LISTED));
            let marks = json::texts(result, "marks");
            let _ = writeln!(self.text, "\nTests are {}.\n", marks.join("; "));
        }
        if told {
            return;
        }
        if none.is_empty() {
            return match not_looked_for(brief, Need::Tests) {
                true => {
                    let _ = writeln!(self.text, "Nobody looked for tests of {}.", topic.title());
                }
                false => self.nothing(brief, topic),
            };
        }
        let _ = writeln!(
            self.text,
            "No {} were found. What tests it without having its name cannot be told.",
            none.join(", and no ")
        );
        let defined: Vec<&Evidence> =
            evidence.iter().filter(|one| super::is_asked_for(topic, one)).take(3).collect();
        if !defined.is_empty() {
            self.say("\nIt is defined here:\n");
            defined.into_iter().for_each(|one| self.part(None, one));
        }
    }
}

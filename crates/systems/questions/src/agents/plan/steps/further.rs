//! The steps that are left when everything else was tried.

use super::{
    super::super::{json::object, words},
    Planner, Step,
};

impl Planner<'_> {
    /// What else could be looked for, from near to far, when everything else was tried.
    pub(in super::super) fn further(&self) -> Vec<Step> {
        let mut steps = Vec::new();
        let search = |text: &str| {
            Step::new(
                "code_search",
                object! { "query": text, "limit": 60_u32 },
                format!("lines that mention {text}"),
            )
        };
        for name in &self.topic.symbols {
            steps.push(search(words::last_name(name)));
            steps.extend(
                words::parts(name).iter().filter(|part| part.len() > 3).map(|part| search(part)),
            );
        }
        for group in &self.topic.groups {
            steps.push(search(&group.stem));
            steps.extend(group.kin.iter().map(|kin| search(kin)));
            if group.stem.len() > 5 {
                steps.push(search(words::clip(&group.stem, 4)));
            }
        }
        for file in self.candidates.iter().take(10) {
            steps.push(Step::new(
                "outline",
                object! { "path": &file.path },
                format!("what {} defines", file.path),
            ));
        }
        for depth in 1..=6_u32 {
            steps.push(Step::new("list_tree", object! { "depth": depth }, "what there is"));
        }
        steps.push(Step::new("git_log", object! {}, "what was worked on"));
        steps
    }
}

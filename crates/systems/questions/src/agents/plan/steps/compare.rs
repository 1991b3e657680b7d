//! The steps for a comparison: each of the two things is searched for by itself.

use super::{
    super::{
        super::{goals::Goal, intent::sides, topic::Topic},
        rank::{self, Ranked},
    },
    Planner,
};

impl Planner<'_> {
    pub(super) fn compare(&self, goal: &Goal) {
        let Some(side) =
            sides(self.topic).into_iter().find(|side| goal.text == format!("Find {}", side.title))
        else {
            return self.definition();
        };
        for name in &side.names {
            self.find(name);
            self.references(name);
        }
        if side.names.is_empty() {
            // Its own words, without those of the other side.
            let mut own = Topic {
                text: side.title.clone(),
                groups: Vec::new(),
                symbols: Vec::new(),
                paths: Vec::new(),
                phrases: Vec::new(),
                level: self.topic.level,
                taken_for: None,
                respelled: Vec::new(),
                acts: false,
                value: false,
            };
            side.terms.iter().for_each(|term| own.add(term, 1.0));
            let mut best: Vec<(f64, &Ranked)> = self
                .ranked
                .iter()
                .map(|one| {
                    let place = own.fits(&one.symbol.path);
                    (rank::judge(&own, &one.symbol) + place, one)
                })
                .collect();
            best.sort_by(|a, b| b.0.total_cmp(&a.0));
            best.iter().take(3).for_each(|(_, one)| self.at(one));
            if let Some(file) = self
                .candidates
                .iter()
                .max_by(|a, b| own.fits(&a.path).total_cmp(&own.fits(&b.path)))
            {
                self.outline(&file.path);
            }
        }
    }
}

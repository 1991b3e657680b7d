//! The steps that find what extends or implements a type.

use super::{
    super::super::{counting::base_of, json::object},
    Planner, Step,
};

impl Planner<'_> {
    pub(super) fn implementers(&self) {
        for name in self.topic.symbols.iter().take(2) {
            self.add(builds_on(name));
            self.find(name);
        }
        // `Exception` is defined by the language.
        if let Some(name) = base_of(&self.topic.text).filter(|_| self.topic.symbols.is_empty()) {
            self.add(builds_on(&name));
        }
    }
}

pub(super) fn builds_on(name: &str) -> Step {
    let bare = name.split(['(', '<', '[']).next().unwrap_or(name).trim_end_matches('!');
    Step::new(
        "find_references",
        object! { "name": bare, "implementers": true, "limit": 200_u32 },
        format!("definitions that extend or implement `{name}`"),
    )
}

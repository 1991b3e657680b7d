//! The step that finds where programs start.

use super::{super::super::json::object, Planner, Step};

impl Planner<'_> {
    pub(super) fn entry_points(&self) {
        let path = self.paths.first().map_or(".", String::as_str);
        let params = object! { "path": path, "entry_points": true };
        self.add(Step::new("outline", params, "where programs start"));
    }
}

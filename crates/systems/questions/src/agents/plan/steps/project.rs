//! The steps for a question about the project: its manifests, and its licence.

use consign_code::Node;
use consign_engine::Fault;

use super::{
    super::super::{intent::ground::ok, json::object, manifest},
    Planner, Step,
};

/// Lines that one step reads, and steps for one manifest.
const LINES: usize = 200;
const PAGES: usize = 8;

impl Planner<'_> {
    pub(super) fn project(&self) -> Result<(), Fault> {
        let Some(view) = self.view.filter(|view| view.is_free("list_tree")) else { return Ok(()) };
        let Some(tree) = ok(view.list_tree("", 1, 500))? else { return Ok(()) };
        let files: Vec<String> = tree
            .nodes
            .into_iter()
            .filter_map(|node| match node {
                Node::File { path, .. } => Some(path),
                Node::Directory { .. } => None,
            })
            .collect();
        for path in files.iter().filter(|path| manifest::FILES.contains(&path.as_str())) {
            let total = ok(view.read_file(path, 1, 1))?.map_or(0, |text| text.total_lines);
            for page in 0..total.div_ceil(LINES).min(PAGES) {
                let (from, to) = (page * LINES + 1, (page + 1) * LINES);
                let params = object! { "path": path, "from": from, "to": to };
                self.add(Step::new("read_file", params, format!("what {path} says")));
            }
        }
        let is_licence = |path: &&String| {
            let name = path.to_lowercase();
            ["license", "licence", "copying"].iter().any(|begin| name.starts_with(begin))
        };
        for path in files.iter().filter(is_licence).take(2) {
            let params = object! { "path": path, "from": 1_u32, "to": 5_u32 };
            self.add(Step::new("read_file", params, format!("how {path} begins")));
        }
        Ok(())
    }
}

//! The answer to "where does it start".

use std::fmt::Write;

use super::{
    super::super::{super::tools::Evidence, Brief, goals::Need, json},
    AnswerText, LISTED, not_looked_for, results,
};

/// How many of tests and examples are shown.
const ASIDE: usize = 10;

impl<'e> AnswerText<'e> {
    pub(super) fn entry_points(&mut self, brief: &Brief, evidence: &'e [Evidence]) {
        let found = results(brief, "outline").find(|one| one.get("entry_points").is_some());
        let Some(found) = found else {
            return match not_looked_for(brief, Need::EntryPoints) {
                true => self.say("Entry points were not looked for.\n"),
                false => self.say("Entry points could not be looked for.\n"),
            };
        };
        let inside = match json::text(found, "path") {
            None | Some("." | "") => String::new(),
            Some(path) => format!(" in {path}"),
        };
        let total = json::whole(found, "total").unwrap_or(0);
        if total == 0 {
            let _ = writeln!(
                self.text,
                "No entry point was found{inside}: no function `main`, no module that is run, and no \
                 manifest that names a program. It may be a library."
            );
        }
        let (mut shown, mut beside, mut most) = (0, None, LISTED);
        for one in json::objects(found, "entry_points") {
            let (path, line) = (json::text(one, "path"), json::whole(one, "line"));
            let place = evidence
                .iter()
                .find(|known| Some(known.path.as_str()) == path && Some(known.line as u64) == line);
            let (Some(place), true) = (place, shown < most) else { continue };
            let aside = json::is_true(one, "aside");
            if beside != Some(aside) {
                let lead = match (aside, shown) {
                    (false, _) => format!("Entry points{inside}, the most important first:"),
                    (true, 0) => format!("Entry points{inside} are only in tests and examples:"),
                    (true, _) => "\nIn tests and examples:".to_owned(),
                };
                let _ = writeln!(self.text, "{lead}\n");
                beside = Some(aside);
                if aside {
                    most = LISTED.min(shown + ASIDE);
                }
            }
            self.line(place);
            shown += 1;
        }
        self.more(total, shown);
        if json::is_true(found, "more") {
            self.say("\nThere may be more: not all files were looked at.\n");
        }
        if !json::is_true(found, "manifests") {
            self.say("\nManifests were not read, because `read_file` is not allowed.\n");
        }
    }
}

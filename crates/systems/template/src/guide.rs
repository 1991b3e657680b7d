//! Converts the guide and the agents of a project to those of a template, and back.
//!
//! In a template they have the same placeholders as its files. The last section of the guide says how
//! the template is used, with the names of its placeholders: it is kept as it is, and left out of
//! projects.

use super::placeholders::Scheme;

/// How the last section begins.
const USE: &str = "\n## Use\n";
const AGENTS: &str = "\n## Agents\n";

/// `CLAUDE.md` of a template.
pub(super) fn with_gaps(scheme: &Scheme, guide: &str) -> String {
    let (about, usage) = guide.split_at(guide.rfind(USE).unwrap_or(guide.len()));
    scheme.generalise("CLAUDE.md", about) + usage
}

/// `CLAUDE.md` of a project that is made from the template, still with placeholders.
pub(super) fn of_project(guide: &str, agents: bool) -> String {
    let about = &guide[..guide.rfind(USE).unwrap_or(guide.len())];
    let text = match about.find(AGENTS) {
        Some(begin) if !agents => {
            let rest = &about[begin + AGENTS.len()..];
            let next = rest.find("\n## ").map_or("", |next| &rest[next..]);
            format!("{}{next}", &about[..begin])
        }
        Some(_) | None => about.replace("](agents/", "](.claude/agents/"),
    };
    let text = text.trim_end();
    if text.is_empty() { String::new() } else { format!("{text}\n") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::placeholders::{Stack, Subject};

    #[test]
    fn a_guide_has_gaps_but_for_the_section_about_them() {
        let scheme = Scheme::new(Stack::Snake).named(Subject::Project, "acme-shop");
        let guide = "# t\n\n- Run: `acme-shop`\n\n## Agents\n\n- [a](agents/a.md)\n\n## Use\n\n`{{ProjectName}}` acme-shop\n";
        let kept = with_gaps(&scheme, guide);
        assert!(kept.contains("`{{project-name}}`"), "{kept}");
        assert!(kept.ends_with("`{{ProjectName}}` acme-shop\n"), "{kept}");
        let with = of_project(&kept, true);
        assert!(with.ends_with("- [a](.claude/agents/a.md)\n"), "{with}");
        assert_eq!(of_project(&kept, false), "# t\n\n- Run: `{{project-name}}`\n");
    }
}

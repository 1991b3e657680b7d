//! The findings about a project, as a list that people and agents can read.
//!
//! Names come from the project's files, so each is made one plain line before it is written.

use std::fmt::Write;

use crate::{
    analysis::{Analysis, Count, Evidence},
    plain,
};

const MOST_ITEMS: usize = 30;
const MOST_EVIDENCE: usize = 3;
const LONGEST: usize = 200;

/// Everything that an agent should know of a project.
pub(super) fn of(analysis: &Analysis) -> String {
    let mut list = List::default();
    list.line("Project", &analysis.names.project);
    list.line("Main language", &analysis.primary_language);
    list.items("Languages", &analysis.languages, |language| {
        format!(
            "{}: {}, {}",
            language.name,
            plain::count(language.files, "file"),
            plain::count(language.lines, "line")
        )
    });
    list.items("Frameworks", &analysis.frameworks, |found| {
        let version = found.version.as_deref().unwrap_or("version unknown");
        format!("{} ({version}){}", found.name, seen(&found.evidence))
    });
    list.items("Patterns", &analysis.architecture, |found| {
        format!("{} (confidence {:.2}){}", found.name, found.confidence, seen(&found.evidence))
    });
    list.items("Layers", &analysis.layers, |layer| {
        let folders = layer.folders.iter().take(5).cloned().collect::<Vec<_>>().join(", ");
        format!(
            "{}: {}, {}, in {folders}",
            layer.name,
            plain::count(layer.files, "file"),
            plain::count(layer.tests, "test")
        )
    });
    list.items("Tests", &analysis.testing, |testing| {
        format!(
            "{}: {}{}",
            testing.framework,
            plain::count(testing.files, "file"),
            seen(&testing.evidence)
        )
    });
    let count = |count: &Count| {
        format!("{}: {} ({})", count.of, count.value, plain::count(count.count, "place"))
    };
    list.items("Naming", &analysis.conventions.naming, count);
    list.items("Error handling", &analysis.conventions.error_handling, count);
    list.line("Indentation", analysis.conventions.indentation.as_deref().unwrap_or_default());
    list.items("Key files", &analysis.key_files, |file| format!("{} ({})", file.path, file.role));
    list.items("Dependencies", &analysis.dependencies, |dependency| {
        let version = dependency.version.as_deref().unwrap_or("any");
        format!("{} {version} ({}, {})", dependency.name, dependency.kind, dependency.manifest)
    });
    let commands = &analysis.commands;
    for (name, command) in [
        ("Install", &commands.install),
        ("Build", &commands.build),
        ("Test", &commands.test),
        ("Run", &commands.run),
    ] {
        list.line(name, command.as_deref().unwrap_or_default());
    }
    list.items("Entities", &analysis.names.entities, Clone::clone);
    list.items("Observations", &analysis.observations, Clone::clone);
    let cut = if analysis.truncated { ", and there is more that was not read" } else { "" };
    list.line(
        "Size",
        &format!(
            "{}, {}{cut}",
            plain::count(analysis.files, "file"),
            plain::count(analysis.lines, "line")
        ),
    );
    list.0
}

fn seen(evidence: &[Evidence]) -> String {
    let places = evidence.iter().take(MOST_EVIDENCE).map(|evidence| {
        let line = evidence.line.map(|line| format!(":{line}")).unwrap_or_default();
        format!("{}{line} ({})", evidence.path, evidence.what)
    });
    let places: Vec<_> = places.collect();
    if places.is_empty() { String::new() } else { format!(", seen in {}", places.join(", ")) }
}

#[derive(Default)]
struct List(String);

impl List {
    fn line(&mut self, name: &str, value: &str) {
        let value = plain::line(value, LONGEST);
        if !value.is_empty() {
            self.write(format_args!("- {name}: {value}"));
        }
    }

    fn items<T>(&mut self, name: &str, items: &[T], tell: impl Fn(&T) -> String) {
        if items.is_empty() {
            return;
        }
        self.write(format_args!("- {name}:"));
        for item in items.iter().take(MOST_ITEMS) {
            self.write(format_args!("  - {}", plain::line(&tell(item), LONGEST)));
        }
        if items.len() > MOST_ITEMS {
            self.write(format_args!("  - and {} more", items.len() - MOST_ITEMS));
        }
    }

    fn write(&mut self, line: std::fmt::Arguments<'_>) {
        writeln!(self.0, "{line}").expect("writing to a string cannot fail");
    }
}

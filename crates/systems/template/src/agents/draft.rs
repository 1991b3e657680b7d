//! Drafts an agent's file from the findings of the analysis.
//!
//! A section for which nothing was found is left out: there is no text that would be as true of any
//! other project.

use std::fmt::Write;

use super::{about::About, file::write_front_matter, recommend::shipping};
use crate::{
    Source,
    analysis::{Analysis, Count},
    package::{AgentFile, AgentSpec},
    plain,
};

const MOST_ITEMS: usize = 8;

/// Writes an agent down.
#[must_use]
pub fn draft(spec: &AgentSpec, analysis: &Analysis) -> AgentFile {
    let about = About::of(spec);
    let tools: &[&str] =
        if spec.source == Source::Heuristic && (about.is_about_tests() || about.covers("ci")) {
            &["Read", "Write", "Edit", "Grep", "Glob", "Bash"]
        } else if about.covers("conventions") {
            &["Read", "Grep", "Glob"]
        } else {
            &["Read", "Write", "Edit", "Grep", "Glob"]
        };
    let name = plain::slug(&spec.name);
    let mut content = write_front_matter(spec, tools);
    let description = plain::line(&spec.description, 1000);
    write!(content, "\n# {}\n\n{description}\n", heading(&name, &spec.technologies))
        .expect("writing to a string cannot fail");
    let reason = plain::line(&spec.reason, 1000);
    section(&mut content, "Why it is here", &[reason]);
    bullets(&mut content, "Responsibilities", responsibilities(&about, analysis));
    bullets(&mut content, "Conventions of the project", conventions(analysis));
    bullets(&mut content, "Where to look", places(&about, analysis));
    bullets(&mut content, "Commands", commands(analysis));
    bullets(&mut content, "What to avoid", avoid(&about, analysis));
    AgentFile { name, content, source: Source::Heuristic }
}

/// `mvc-pattern-specialist` as people write it: `MVC pattern specialist`.
fn heading(name: &str, technologies: &[String]) -> String {
    let first = technologies.iter().find_map(|technology| {
        let rest = name.strip_prefix(&plain::slug(technology))?;
        let own = technology.contains(char::is_uppercase) && rest.starts_with('-');
        own.then(|| format!("{}{}", plain::line(technology, 100), rest.replace('-', " ")))
    });
    first.unwrap_or_else(|| {
        let words = name.replace('-', " ");
        let mut letters = words.chars();
        let first = letters.next();
        first.map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
    })
}

fn responsibilities(about: &About, analysis: &Analysis) -> Vec<String> {
    let layers = about.layers(analysis).into_iter().map(|layer| {
        let folders: Vec<_> = layer.folders.iter().take(3).map(|path| code(path)).collect();
        let files = plain::count(layer.files, "file");
        format!("The {} layer: {files} in {}.", layer.name, folders.join(", "))
    });
    let frameworks = analysis.frameworks.iter().filter(|found| about.covers(&found.name));
    let frameworks = frameworks.map(|found| {
        let version = found.version.as_deref().map(|version| format!(", version {version}"));
        format!("Code for {}{}.", found.name, version.unwrap_or_default())
    });
    let patterns = analysis.architecture.iter().filter(|found| about.covers(&found.name));
    let patterns = patterns.map(|found| {
        let shown = match found.evidence.len() {
            0 => String::new(),
            places => format!(", which shows in {}", plain::count(places, "place")),
        };
        format!("The {} pattern{shown}.", found.name)
    });
    let tests = analysis.testing.iter().filter(|found| about.covers(&found.framework));
    let tests = tests.map(|found| {
        format!("Tests with {}: {}.", found.framework, plain::count(found.files, "file"))
    });
    let entities = analysis.names.entities.iter().take(5).map(|entity| code(entity));
    let entities: Vec<String> = entities.collect();
    let records = (about.covers("database") && !entities.is_empty())
        .then(|| format!("Records such as {}.", entities.join(", ")));
    frameworks.chain(patterns).chain(layers).chain(tests).chain(records).collect()
}

fn conventions(analysis: &Analysis) -> Vec<String> {
    let often = |count: &Count| match count.count {
        0 => String::new(),
        count => format!(" ({})", plain::count(count, "place")),
    };
    let naming = (analysis.conventions.names().into_iter())
        .map(|count| format!("Names of {}: {}{}.", count.of, code(&count.value), often(count)));
    let errors = (analysis.conventions.failures().into_iter())
        .map(|count| format!("Failures: {}{}.", count.value, often(count)));
    let indentation = analysis.conventions.indentation.as_deref().map(|indentation| {
        match indentation.split_once('-') {
            Some((unit, width)) => format!("Indentation: {width} {unit}."),
            None => format!("Indentation: {indentation}."),
        }
    });
    naming.chain(errors).chain(indentation).collect()
}

fn places(about: &About, analysis: &Analysis) -> Vec<String> {
    let evidence = about.evidence(analysis).into_iter().map(|evidence| {
        let line = evidence.line.map(|line| format!(", line {line}")).unwrap_or_default();
        let what = if evidence.what.is_empty() { "shows it" } else { &evidence.what };
        (evidence.path.as_str(), format!("{}{line}: {what}", code(&evidence.path)))
    });
    let evidence: Vec<_> = evidence.take(MOST_ITEMS).collect();
    let known = |path: &str| evidence.iter().any(|(seen, _)| *seen == path);
    let ships = |path: &str| shipping(path).is_some_and(|(name, _)| about.covers(name));
    let main = (analysis.key_files.iter())
        .filter(|file| {
            ["entry point", "routes", "manifest"].contains(&file.role.as_str()) || ships(&file.path)
        })
        .filter(|file| !known(&file.path));
    let mut main: Vec<_> = main.collect();
    main.sort_by_key(|file| !ships(&file.path));
    let main = main.iter().take(3).map(|file| format!("{}: {}", code(&file.path), file.role));
    let main: Vec<_> = main.collect();
    evidence.iter().map(|(_, told)| told.clone()).chain(main).collect()
}

fn commands(analysis: &Analysis) -> Vec<String> {
    let commands = &analysis.commands;
    let all = [
        ("Install", &commands.install),
        ("Build", &commands.build),
        ("Test", &commands.test),
        ("Run", &commands.run),
    ];
    let given = all.iter().filter_map(|(name, command)| Some((name, command.as_ref()?)));
    given.map(|(name, command)| format!("{name}: {}", code(command))).collect()
}

fn avoid(about: &About, analysis: &Analysis) -> Vec<String> {
    let names = (analysis.conventions.names().into_iter().filter(|count| count.is_rule()))
        .map(|count| format!("Names of {} that are not {}.", count.of, code(&count.value)));
    let untested =
        about.layers(analysis).into_iter().filter(|layer| layer.tests == 0).map(|layer| {
            format!("More of the {} layer without a test: it has none yet.", layer.name)
        });
    // Where there are two already, none of them is a mistake.
    let second = (analysis.frameworks.first())
        .filter(|found| analysis.frameworks.len() == 1 && about.covers(&found.name));
    let second = second.map(|found| format!("A second framework beside {}.", found.name));
    let tests = (analysis.testing.first())
        .filter(|found| analysis.testing.len() == 1 && about.covers(&found.framework));
    let tests = tests.map(|found| format!("Another test framework than {}.", found.framework));
    untested.chain(second).chain(tests).chain(names).take(MOST_ITEMS).collect()
}

/// A name or command of the project, as code.
pub(super) fn code(text: &str) -> String {
    format!("`{}`", plain::line(text, 300).replace('`', "'"))
}

pub(super) fn bullets(content: &mut String, heading: &str, items: Vec<String>) {
    let lines: Vec<String> =
        items.iter().map(|item| format!("- {}", plain::line(item, 500))).collect();
    section(content, heading, &lines);
}

pub(super) fn section(content: &mut String, heading: &str, lines: &[String]) {
    let lines: Vec<&str> =
        lines.iter().map(String::as_str).filter(|line| !line.is_empty()).collect();
    if !lines.is_empty() {
        write!(content, "\n## {heading}\n\n{}\n", lines.join("\n"))
            .expect("writing to a string cannot fail");
    }
}

#[cfg(test)]
mod tests;

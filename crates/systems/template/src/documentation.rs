//! `CLAUDE.md`: a guide to the stack for people and coding agents, written from what was found.
//!
//! A section is there only if there is something to say in it, and every statement about the
//! architecture has the places that it was read from.

use std::fmt::Write;

use consign_code::{Class, Language};

use super::{
    Source,
    analysis::{Analysis, Evidence},
    package::{AgentFile, Templates},
    placeholders::Subject,
    plain,
};

/// Places that are named for one statement.
const PLACES: usize = 3;
/// Files that are named as left out.
const LEFT_OUT: usize = 30;

/// Phase 8: the guide.
#[must_use]
pub fn documentation(
    name: &str,
    analysis: &Analysis,
    templates: &Templates,
    agents: &[AgentFile],
) -> String {
    let mut text = String::new();
    let sections = [
        head(name, analysis),
        stack(analysis),
        architecture(analysis),
        layers(analysis, templates),
        conventions(analysis),
        commands(analysis),
        missing(templates),
        left_out(templates),
        team(agents),
        usage(name, templates),
    ];
    for section in sections.into_iter().filter(|it| !it.is_empty()) {
        text.push_str(&section);
        text.push('\n');
    }
    text.truncate(text.trim_end().len());
    text.push('\n');
    text
}

fn head(name: &str, analysis: &Analysis) -> String {
    let framework = analysis.framework.as_ref().map(|it| format!(" with {it}")).unwrap_or_default();
    let who = match analysis.source {
        Source::Heuristic => "by rules",
        Source::Agent => "by an agent",
    };
    format!(
        "# {name}\n\n{}{framework}. Read {who} from {}, {} of source; confidence {:.2}.\n",
        or(&analysis.primary_language, "A project"),
        plain::count(analysis.files, "file"),
        plain::count(analysis.lines, "line"),
        analysis.confidence
    )
}

fn stack(analysis: &Analysis) -> String {
    let mut text = String::from("## Stack\n\n");
    for language in analysis.languages.iter().take(5) {
        line(
            &mut text,
            format_args!("- {}: {:.0} % of the source", language.name, language.share * 100.0),
        );
    }
    for framework in &analysis.frameworks {
        let version = framework.version.as_ref().map(|it| format!(" {it}")).unwrap_or_default();
        line(
            &mut text,
            format_args!("- {}{version}{}", framework.name, places(&framework.evidence)),
        );
    }
    for testing in &analysis.testing {
        let version = testing.version.as_ref().map(|it| format!(" {it}")).unwrap_or_default();
        line(
            &mut text,
            format_args!(
                "- Tests: {}{version}, {}",
                testing.framework,
                plain::count(testing.files, "file")
            ),
        );
    }
    let runtime: Vec<&str> = analysis
        .dependencies
        .iter()
        .filter(|it| it.kind == "runtime")
        .map(|it| it.name.as_str())
        .take(20)
        .collect();
    if !runtime.is_empty() {
        line(&mut text, format_args!("- Depends on: {}", runtime.join(", ")));
    }
    unless_bare(text)
}

fn architecture(analysis: &Analysis) -> String {
    let mut text = String::from("## Architecture\n\n");
    for pattern in &analysis.architecture {
        let seen = places(&pattern.evidence);
        line(&mut text, format_args!("- **{}** ({:.2}){seen}", pattern.name, pattern.confidence));
    }
    unless_bare(text)
}

fn layers(analysis: &Analysis, templates: &Templates) -> String {
    let mut text = String::from("## Layers\n\n");
    for layer in &analysis.layers {
        let example = example(&layer.name, templates);
        let example = example.map(|it| format!("; for example `{it}`")).unwrap_or_default();
        let folders: Vec<_> = layer.folders.iter().map(|it| format!("`{it}`")).collect();
        let at =
            if folders.is_empty() { String::new() } else { format!(" in {}", folders.join(", ")) };
        line(
            &mut text,
            format_args!(
                "- **{}**{at}: {}, {}{example}",
                layer.name,
                plain::count(layer.files, "file"),
                plain::count(layer.tests, "test")
            ),
        );
    }
    unless_bare(text)
}

/// The file that shows best what a layer is: one that is called after it, or that says its name. Files
/// with a dot, pictures and what was generated show nothing.
fn example<'a>(layer: &str, templates: &'a Templates) -> Option<&'a str> {
    let name = layer.to_lowercase();
    let one = name.strip_suffix("ies").map(|it| format!("{it}y"));
    let one = one.unwrap_or_else(|| name.trim_end_matches('s').to_owned());
    let fits = templates.files.iter().filter(|file| {
        let base = file.origin.rsplit('/').next().unwrap_or(&file.origin);
        file.layer == layer
            && file.text().is_some()
            && !base.starts_with('.')
            && !matches!(Class::of(&file.origin), Class::Generated | Class::Lock)
    });
    let best = fits.max_by_key(|file| {
        let base = file.origin.rsplit('/').next().unwrap_or(&file.origin).to_lowercase();
        let named = !one.is_empty() && base.contains(&one);
        let says = !one.is_empty() && file.content.to_lowercase().contains(&one);
        let code = Language::of(&file.origin).is_some_and(Language::has_grammar);
        let bare = file.content.trim().is_empty();
        // Of those that are alike, the first.
        (named, code && !bare, says, std::cmp::Reverse(&file.origin))
    });
    best.map(|file| file.origin.as_str())
}

fn conventions(analysis: &Analysis) -> String {
    let mut text = String::from("## Conventions\n\n");
    // Only what most do; where nothing leads there is no convention.
    for naming in analysis.conventions.names() {
        let often = match naming.count {
            0 => String::new(),
            count => format!(" ({count} of them)"),
        };
        let of = capital(&naming.of);
        line(&mut text, format_args!("- {of} are in {}{often}", naming.value));
    }
    for errors in analysis.conventions.failures() {
        let often = match errors.count {
            0 => String::new(),
            count => format!(" ({})", plain::count(count, "place")),
        };
        line(&mut text, format_args!("- Errors: {}{often}", errors.value));
    }
    match analysis.conventions.indentation.as_deref() {
        Some("tabs") => line(&mut text, format_args!("- Indented with tabs")),
        Some(other) => line(
            &mut text,
            format_args!("- Indented with {} spaces", other.trim_start_matches("spaces-")),
        ),
        None => {}
    }
    unless_bare(text)
}

fn commands(analysis: &Analysis) -> String {
    let mut text = String::from("## Commands\n\n");
    let commands = &analysis.commands;
    for (what, command) in [
        ("Install", &commands.install),
        ("Build", &commands.build),
        ("Test", &commands.test),
        ("Run", &commands.run),
    ] {
        if let Some(command) = command {
            line(&mut text, format_args!("- {what}: `{command}`"));
        }
    }
    unless_bare(text)
}

fn missing(templates: &Templates) -> String {
    let mut text = String::from("## What is missing\n\n");
    for missing in templates.completeness.missing.iter().take(30) {
        line(&mut text, format_args!("- {}", missing.what));
    }
    unless_bare(text)
}

fn left_out(templates: &Templates) -> String {
    let mut text = String::from("## Left out\n\n");
    for file in templates.left_out.iter().take(LEFT_OUT) {
        line(&mut text, format_args!("- `{}`: {}", file.path, file.why));
    }
    let more = templates.left_out.len().saturating_sub(LEFT_OUT) + templates.left_out_unnamed;
    if more > 0 {
        line(&mut text, format_args!("- and {more} more"));
    }
    unless_bare(text)
}

fn team(agents: &[AgentFile]) -> String {
    let mut text = String::from("## Agents\n\n");
    for agent in agents {
        let about = agent.content.lines().find_map(|it| it.strip_prefix("description:"));
        let about =
            about.map(|it| format!(": {}", it.trim().trim_matches('"'))).unwrap_or_default();
        line(&mut text, format_args!("- [{0}](agents/{0}.md){about}", agent.name));
    }
    unless_bare(text)
}

fn usage(name: &str, templates: &Templates) -> String {
    let mut text = String::from("## Use\n\n```\n");
    let has = |subject: Subject| templates.placeholders.iter().find(|it| it.subject == subject);
    let mut command =
        format!("consign template new --from {name} --to my-project --set name=my-project");
    for (subject, example) in [
        (Subject::Namespace, "namespace=…"),
        (Subject::Entity, "entity=…"),
        (Subject::Author, "author=…"),
    ] {
        if has(subject).is_some() {
            command = format!("{command} --set {example}");
        }
    }
    line(&mut text, format_args!("{command}\n```"));
    let rows: Vec<_> = templates.placeholders.iter().collect();
    if !rows.is_empty() {
        text.push_str("\n| placeholder | here | set by |\n|---|---|---|\n");
        for row in rows {
            line(
                &mut text,
                format_args!(
                    "| `{{{{{}}}}}` | `{}` | `--set {}=…` |",
                    row.name,
                    row.default,
                    row.subject.setting()
                ),
            );
        }
    }
    text
}

fn places(evidence: &[Evidence]) -> String {
    let places: Vec<String> = evidence
        .iter()
        .take(PLACES)
        .map(|it| match it.line {
            Some(line) => format!("{} (`{}:{line}`)", it.what, it.path),
            None => format!("{} (`{}`)", it.what, it.path),
        })
        .collect();
    if places.is_empty() { String::new() } else { format!(": {}", places.join("; ")) }
}

/// What is found in a project may have line breaks, and must not begin a section of its own.
fn line(text: &mut String, what: std::fmt::Arguments<'_>) {
    let begin = text.len();
    // Writing into a string cannot fail.
    let _ = writeln!(text, "{what}");
    if what.to_string().matches('\n').count() > 0 && !what.to_string().ends_with("```") {
        let plain = text[begin..].trim_end().replace(char::is_control, " ");
        text.truncate(begin);
        text.push_str(&plain);
        text.push('\n');
    }
}

fn unless_bare(text: String) -> String {
    if text.lines().count() > 2 { text } else { String::new() }
}

fn or<'a>(text: &'a str, other: &'a str) -> &'a str {
    if text.is_empty() { other } else { text }
}

fn capital(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        analysis::{Commands, Layer, Pattern},
        package::TemplateFile,
    };

    #[test]
    fn a_guide_says_only_what_was_found() {
        let bare = documentation("shop", &Analysis::default(), &Templates::default(), &[]);
        assert!(bare.contains("# shop") && bare.contains("## Use"));
        for section in ["## Stack", "## Architecture", "## Layers", "## Commands", "## Agents"] {
            assert!(!bare.contains(section), "{section} is empty");
        }
        let evidence = Evidence {
            path: "app/db.py".into(),
            line: Some(3),
            what: "class OrderRepository".into(),
        };
        let analysis = Analysis {
            primary_language: "Python".into(),
            architecture: vec![Pattern {
                name: "Repository".into(),
                confidence: 0.9,
                evidence: vec![evidence],
            }],
            layers: vec![Layer {
                name: "db\n## Evil".into(),
                folders: vec!["app".into()],
                files: 2,
                tests: 0,
            }],
            commands: Commands { test: Some("pytest".into()), ..Commands::default() },
            ..Analysis::default()
        };
        let text = documentation("shop", &analysis, &Templates::default(), &[]);
        assert!(
            text.contains("- **Repository** (0.90): class OrderRepository (`app/db.py:3`)"),
            "{text}"
        );
        assert!(text.contains("- Test: `pytest`"), "{text}");
        assert!(!text.contains("\n## Evil"), "{text}");
    }

    #[test]
    fn a_layer_is_shown_by_the_file_that_is_called_after_it() {
        let file = |origin: &str, content: &str| TemplateFile {
            origin: origin.to_owned(),
            layer: "middleware".to_owned(),
            content: content.to_owned(),
            ..TemplateFile::default()
        };
        let all = [
            file("lib/.eslintrc.js", "middleware"),
            file("lib/application.js", "app.use"),
            file("lib/middleware.js", "module.exports = next"),
            file("lib/query.js", "middleware"),
        ];
        for (files, expected) in [
            (&all[..], Some("lib/middleware.js")),
            (&all[..2], Some("lib/application.js")),
            (&all[..1], None),
        ] {
            let templates = Templates { files: files.to_vec(), ..Templates::default() };
            assert_eq!(example("middleware", &templates), expected);
        }
    }
}

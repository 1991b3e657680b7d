//! An analysis for people, and for pipes. Whatever comes from the project is made printable.

use std::io;

use consign_template::analysis::{Analysis, Evidence};

use crate::{
    output::{FAINT, GOOD, Output, STRONG, WARN, printable, styled},
    text::count,
};

/// Cells of a whole bar.
const BAR: usize = 24;
/// Lines of evidence for each finding.
const EVIDENCE: usize = 3;

/// A page with a paragraph for each question.
pub(super) fn show(found: &Analysis, output: &mut Output) -> io::Result<()> {
    let framework =
        found.frameworks.first().map(|first| named(&first.name, first.version.as_deref()));
    let framework = framework.map_or(String::new(), |name| format!(" · {name}"));
    let title = printable(&found.names.project).into_owned();
    let language = printable(&found.primary_language).into_owned();
    output.line(format!("{}  {language}{framework}", styled(STRONG, title)))?;
    let counted = format!(
        "{}, {} of source{}",
        count(found.files as u64, "file"),
        count(found.lines as u64, "line"),
        if found.truncated { ", and more that was not read" } else { "" }
    );
    output.line(styled(FAINT, counted))?;
    head(output, "Languages", !found.languages.is_empty())?;
    for language in found.languages.iter().take(8) {
        let cells = ((language.share * BAR as f64).round() as usize).min(BAR);
        let bar = format!("{}{}", "█".repeat(cells), "░".repeat(BAR - cells));
        let name = printable(&language.name);
        let files = count(language.files as u64, "file");
        let share = language.share * 100.0;
        output.line(format!("  {name:<12} {} {share:>5.1} %  {files}", styled(GOOD, bar)))?;
    }
    head(output, "Frameworks", !found.frameworks.is_empty())?;
    for one in found.frameworks.iter().take(8) {
        finding(
            output,
            &named(&one.name, one.version.as_deref()),
            Some(one.confidence),
            &one.evidence,
        )?;
    }
    head(output, "Architecture", !found.architecture.is_empty())?;
    for one in &found.architecture {
        finding(output, &one.name, Some(one.confidence), &one.evidence)?;
    }
    head(output, "Layers", !found.layers.is_empty())?;
    for layer in &found.layers {
        let folders: Vec<&str> = layer.folders.iter().take(3).map(String::as_str).collect();
        let more = if layer.folders.len() > 3 { ", …" } else { "" };
        let tests = count(layer.tests as u64, "test file");
        let files = count(layer.files as u64, "file");
        let folders = printable(&folders.join(", ")).into_owned();
        output.line(format!(
            "  {:<15} {files}, {tests}  {}",
            printable(&layer.name),
            styled(FAINT, format!("{folders}{more}"))
        ))?;
    }
    head(output, "Tests", !found.testing.is_empty())?;
    for one in &found.testing {
        let name = format!(
            "{} — {}",
            named(&one.framework, one.version.as_deref()),
            count(one.files as u64, "file")
        );
        finding(output, &name, None, &one.evidence)?;
    }
    conventions(found, output)?;
    head(output, "Key files", !found.key_files.is_empty())?;
    for file in found.key_files.iter().take(16) {
        output.line(format!("  {:<14} {}", printable(&file.role), printable(&file.path)))?;
    }
    let commands = commands(found);
    head(output, "Commands", !commands.is_empty())?;
    for (name, command) in commands {
        output.line(format!("  {name:<14} {}", printable(command)))?;
    }
    output.line("")?;
    let style = if found.confidence >= 0.7 { GOOD } else { WARN };
    let sure = styled(style, format!("{:.0} %", found.confidence * 100.0));
    output
        .line(format!("Confidence {sure}  {}", styled(FAINT, "found by rules, without any agent")))
}

/// The same as lines of fields, for `cut` and `awk`.
pub(super) fn list(found: &Analysis, output: &mut Output) -> io::Result<()> {
    let mut rows: Vec<Vec<String>> = Vec::new();
    let mut row =
        |fields: &[&str]| rows.push(fields.iter().map(|field| (*field).to_owned()).collect());
    row(&["project", &found.names.project]);
    row(&["primary_language", &found.primary_language]);
    row(&["confidence", &found.confidence.to_string()]);
    for language in &found.languages {
        row(&[
            "language",
            &language.name,
            &language.share.to_string(),
            &language.lines.to_string(),
        ]);
    }
    for one in &found.frameworks {
        row(&[
            "framework",
            &one.name,
            one.version.as_deref().unwrap_or(""),
            &one.confidence.to_string(),
        ]);
    }
    for one in &found.architecture {
        row(&["pattern", &one.name, &one.confidence.to_string()]);
        for seen in one.evidence.iter().take(EVIDENCE) {
            row(&["evidence", &one.name, &place(seen), &seen.what]);
        }
    }
    for layer in &found.layers {
        row(&["layer", &layer.name, &layer.files.to_string(), &layer.tests.to_string()]);
    }
    for one in &found.testing {
        row(&[
            "tests",
            &one.framework,
            one.version.as_deref().unwrap_or(""),
            &one.files.to_string(),
        ]);
    }
    for one in found.conventions.naming.iter().chain(&found.conventions.error_handling) {
        row(&["convention", &one.of, &one.value, &one.count.to_string()]);
    }
    if let Some(indentation) = &found.conventions.indentation {
        row(&["convention", "indentation", indentation]);
    }
    for file in &found.key_files {
        row(&["key_file", &file.role, &file.path]);
    }
    for (name, command) in commands(found) {
        row(&["command", name, command]);
    }
    output.rows(&[], rows)
}

fn head(output: &mut Output, title: &str, any: bool) -> io::Result<()> {
    if !any {
        return Ok(());
    }
    output.line("")?;
    output.line(styled(STRONG, title))
}

fn finding(
    output: &mut Output,
    name: &str,
    confidence: Option<f64>,
    evidence: &[Evidence],
) -> io::Result<()> {
    let name = printable(name);
    match confidence {
        Some(sure) => {
            let sure = styled(FAINT, format!("{:.0} %", sure * 100.0));
            output.line(format!("  {name:<28} {sure}"))?;
        }
        None => output.line(format!("  {name}"))?,
    }
    for seen in evidence.iter().take(EVIDENCE) {
        let (place, what) = (place(seen), printable(&seen.what).into_owned());
        output.line(styled(FAINT, format!("    {}  {what}", printable(&place))))?;
    }
    Ok(())
}

fn conventions(found: &Analysis, output: &mut Output) -> io::Result<()> {
    let all = &found.conventions;
    let any = !all.naming.is_empty() || all.indentation.is_some();
    head(output, "Conventions", any || !all.error_handling.is_empty())?;
    for one in all.naming.iter().chain(&all.error_handling) {
        let places = styled(FAINT, count(one.count as u64, "place"));
        output.line(format!("  {:<14} {}  {places}", printable(&one.of), printable(&one.value)))?;
    }
    if let Some(indentation) = &all.indentation {
        output.line(format!("  {:<14} {}", "indentation", printable(indentation)))?;
    }
    Ok(())
}

fn commands(found: &Analysis) -> Vec<(&'static str, &str)> {
    let all = &found.commands;
    let named =
        [("install", &all.install), ("build", &all.build), ("test", &all.test), ("run", &all.run)];
    named.into_iter().filter_map(|(name, said)| Some((name, said.as_deref()?))).collect()
}

fn named(name: &str, version: Option<&str>) -> String {
    version.map_or_else(|| name.to_owned(), |version| format!("{name} {version}"))
}

fn place(seen: &Evidence) -> String {
    seen.line.map_or_else(|| seen.path.clone(), |line| format!("{}:{line}", seen.path))
}

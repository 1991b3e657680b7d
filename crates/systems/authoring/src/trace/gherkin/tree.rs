//! From the parser's tree to scenarios and cases.

use ::gherkin::{Background, Examples, Feature, Rule, Scenario as Node, Span, Step};

use super::{
    prepare::{Argument, Prepared},
    row,
};
use crate::trace::{
    Refused,
    scenario::{Case, Scenario, Spec},
};

/// The name of a scenario that has none.
const UNNAMED: &str = "Unnamed scenario";

pub(super) fn spec(feature: &Feature, prepared: &Prepared) -> Result<Spec, Refused> {
    let reader = Reader { prepared };
    let background = reader.background(feature.background.as_ref())?;
    let mut scenarios = Vec::new();
    for node in &feature.scenarios {
        scenarios.extend(reader.scenario(node, &feature.tags, None, &background)?);
    }
    for rule in &feature.rules {
        let own = reader.background(rule.background.as_ref())?;
        let background = [&background[..], &own].concat();
        let tags = [&feature.tags[..], &rule.tags].concat();
        for node in &rule.scenarios {
            scenarios.extend(reader.scenario(node, &tags, Some(rule), &background)?);
        }
    }
    Ok(Spec {
        title: Some(feature.name.trim().to_owned()).filter(|title| !title.is_empty()),
        description: reader.description(feature.span, feature.description.as_deref()),
        scenarios,
    })
}

struct Reader<'a> {
    prepared: &'a Prepared,
}

/// A step before the values of an example are put in.
#[derive(Clone)]
struct Template {
    text: String,
    argument: Lines,
}

/// What follows a step after a line break.
#[derive(Clone)]
enum Lines {
    None,
    Table(Vec<Vec<String>>),
    Text(String),
}

impl Reader<'_> {
    fn background(&self, background: Option<&Background>) -> Result<Vec<String>, Refused> {
        let Some(background) = background else { return Ok(Vec::new()) };
        let steps = self.steps(&background.steps)?;
        Ok(steps.iter().map(|step| step.filled(&[])).collect())
    }

    fn scenario(
        &self,
        node: &Node,
        tags: &[String],
        rule: Option<&Rule>,
        background: &[String],
    ) -> Result<Option<Scenario>, Refused> {
        if self.prepared.is_filler(self.prepared.line_at(node.span.start)) {
            return Ok(None);
        }
        let mut description = self.description(node.span, node.description.as_deref());
        let mut steps = self.steps(&node.steps)?;
        if steps.is_empty() {
            // Steps without keywords are a description to Gherkin, and steps to their author.
            let lines = std::mem::take(&mut description);
            let template =
                |line: &str| Template { text: line.trim().to_owned(), argument: Lines::None };
            steps = lines.lines().filter(|line| !line.trim().is_empty()).map(template).collect();
        }
        let name = if node.name.trim().is_empty() { UNNAMED } else { node.name.trim() };
        // A background prepares for steps; without any, there is nothing to prepare for.
        let background = if steps.is_empty() { &[] } else { background };
        let case = |values: &[(&str, &str)]| {
            let own = steps.iter().map(|step| step.filled(values));
            Case {
                name: filled(name, values),
                steps: background.iter().cloned().chain(own).collect(),
                background: background.len(),
            }
        };
        let mut cases = Vec::new();
        for examples in &node.examples {
            let table = self.table(examples)?;
            let Some((header, rows)) = table.split_first() else { continue };
            for row in rows {
                let pairs = header.iter().map(String::as_str).zip(row.iter().map(String::as_str));
                cases.push(case(&pairs.collect::<Vec<_>>()));
            }
        }
        if cases.is_empty() {
            cases.push(case(&[]));
        }
        let own = node.tags.iter().chain(node.examples.iter().flat_map(|examples| &examples.tags));
        let mut all: Vec<String> = Vec::new();
        for tag in tags.iter().chain(own).map(|tag| format!("@{tag}")) {
            if !all.contains(&tag) {
                all.push(tag);
            }
        }
        let rule = rule.map(|rule| rule.name.trim().to_owned()).filter(|rule| !rule.is_empty());
        Ok(Some(Scenario { name: name.to_owned(), tags: all, rule, description, cases }))
    }

    fn steps(&self, steps: &[Step]) -> Result<Vec<Template>, Refused> {
        let mut found = Vec::with_capacity(steps.len());
        for step in steps {
            let line = self.prepared.line_at(step.span.start);
            if self.prepared.is_filler(line) {
                continue;
            }
            let argument = match self.prepared.argument(line..line + 1) {
                None => Lines::None,
                Some(Argument::DocString(text)) => Lines::Text(text.clone()),
                Some(Argument::Table { rows, ragged }) => {
                    even(*ragged)?;
                    Lines::Table(rows.clone())
                }
            };
            found.push(Template { text: format!("{}{}", step.keyword, step.value), argument });
        }
        Ok(found)
    }

    fn table(&self, examples: &Examples) -> Result<Vec<Vec<String>>, Refused> {
        let first = self.prepared.line_at(examples.span.start);
        let end = self.prepared.line_at(examples.span.end).max(first + 1);
        match self.prepared.argument(first..end) {
            Some(Argument::Table { rows, ragged }) => {
                even(*ragged)?;
                Ok(rows.clone())
            }
            Some(Argument::DocString(_)) | None => Ok(Vec::new()),
        }
    }

    fn description(&self, span: Span, parsed: Option<&str>) -> String {
        let line = self.prepared.line_at(span.start);
        self.prepared.description(line).or(parsed).unwrap_or_default().to_owned()
    }
}

fn even(ragged: Option<u32>) -> Result<(), Refused> {
    let message = "this row has another number of cells than the first row of its table";
    ragged.map_or(Ok(()), |line| Err(Refused::at(line, message)))
}

impl Template {
    fn filled(&self, values: &[(&str, &str)]) -> String {
        let text = filled(&self.text, values);
        match &self.argument {
            Lines::None => text,
            Lines::Text(lines) => format!("{text}\n{}", filled(lines, values)),
            Lines::Table(rows) => {
                let cells = |row: &Vec<String>| {
                    row.iter().map(|cell| filled(cell, values)).collect::<Vec<_>>()
                };
                let rows: Vec<String> = rows.iter().map(|row| row::write(&cells(row))).collect();
                format!("{text}\n{}", rows.join("\n"))
            }
        }
    }
}

/// The text with every `<name>` of an example in place. Values are not looked into again.
fn filled(text: &str, values: &[(&str, &str)]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        let after = &rest[at + 1..];
        let value = values.iter().find_map(|(name, value)| {
            let tail = after.strip_prefix(name)?.strip_prefix('>')?;
            Some((value, tail))
        });
        out.push_str(&rest[..at]);
        match value {
            Some((value, tail)) => {
                out.push_str(value);
                rest = tail;
            }
            None => {
                out.push('<');
                rest = after;
            }
        }
    }
    out + rest
}

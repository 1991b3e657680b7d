//! From the parser's tree to scenarios and cases.

use std::collections::HashSet;

use ::gherkin::{Background, Examples, Feature, Rule, Scenario as Node, Span, Step};

use super::{
    prepared::{Argument, Prepared},
    row,
};
use crate::trace::{
    Refused,
    scenario::{Case, Scenario, Spec},
};

/// Backgrounds and examples multiply what they are written with. All scenarios together may become
/// this many bytes.
const MOST_BYTES: usize = 4 << 20;

/// What a step costs of it beside its text.
const STEP: usize = 64;

/// The name of a scenario that has none.
const UNNAMED: &str = "Unnamed scenario";

pub(super) fn spec(feature: &Feature, prepared: &Prepared) -> Result<Spec, Refused> {
    let mut reader = Reader { prepared, left: MOST_BYTES };
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
    /// Bytes that scenarios may still take.
    left: usize,
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
    fn background(&mut self, background: Option<&Background>) -> Result<Vec<String>, Refused> {
        let Some(background) = background else { return Ok(Vec::new()) };
        let steps = self.steps(&background.steps)?;
        steps.iter().map(|step| self.step(step, &[])).collect()
    }

    fn scenario(
        &mut self,
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
            let lines = lines.lines().map(str::trim).filter(|line| !line.is_empty());
            let template = |line: &str| Template { text: line.to_owned(), argument: Lines::None };
            steps = lines.map(template).collect();
        }
        let name = if node.name.trim().is_empty() { UNNAMED } else { node.name.trim() };
        // A background prepares for steps; without any, there is nothing to prepare for.
        let background = if steps.is_empty() { &[] } else { background };
        let mut cases = Vec::new();
        for examples in &node.examples {
            let table = self.table(examples)?;
            let Some((header, rows)) = table.split_first() else { continue };
            for row in rows {
                let pairs = header.iter().map(String::as_str).zip(row.iter().map(String::as_str));
                cases.push(self.case(name, &steps, background, &pairs.collect::<Vec<_>>())?);
            }
        }
        if cases.is_empty() {
            cases.push(self.case(name, &steps, background, &[])?);
        }
        let rule = rule.map(|rule| rule.name.trim()).filter(|rule| !rule.is_empty());
        self.take(rule.map_or(0, str::len))?;
        Ok(Some(Scenario {
            name: name.to_owned(),
            tags: self.tags(tags, node)?,
            rule: rule.map(str::to_owned),
            description,
            cases,
        }))
    }

    fn case(
        &mut self,
        name: &str,
        steps: &[Template],
        background: &[String],
        values: &[(&str, &str)],
    ) -> Result<Case, Refused> {
        let mut all = Vec::with_capacity(background.len() + steps.len());
        for step in background {
            self.take(step.len() + STEP)?;
            all.push(step.clone());
        }
        for step in steps {
            all.push(self.step(step, values)?);
        }
        Ok(Case { name: self.filled(name, values)?, steps: all, background: background.len() })
    }

    /// Tags of the feature, the rule, the scenario and its examples, each once.
    fn tags(&mut self, outer: &[String], node: &Node) -> Result<Vec<String>, Refused> {
        let own = node.tags.iter().chain(node.examples.iter().flat_map(|examples| &examples.tags));
        let mut seen = HashSet::new();
        let mut all = Vec::new();
        for tag in outer.iter().chain(own).filter(|tag| seen.insert(tag.as_str())) {
            self.take(tag.len() + STEP)?;
            all.push(format!("@{tag}"));
        }
        Ok(all)
    }

    fn steps(&mut self, steps: &[Step]) -> Result<Vec<Template>, Refused> {
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

    fn step(&mut self, step: &Template, values: &[(&str, &str)]) -> Result<String, Refused> {
        self.take(STEP)?;
        let mut text = self.filled(&step.text, values)?;
        match &step.argument {
            Lines::None => {}
            Lines::Text(lines) => {
                text.push('\n');
                text.push_str(&self.filled(lines, values)?);
            }
            Lines::Table(rows) => {
                for row in rows {
                    let cells = row.iter().map(|cell| self.filled(cell, values));
                    let cells: Vec<String> = cells.collect::<Result<_, _>>()?;
                    text.push('\n');
                    text.push_str(&row::write(&cells));
                }
            }
        }
        Ok(text)
    }

    /// The text with every `<name>` of an example in place. Values are not looked into again.
    fn filled(&mut self, text: &str, values: &[(&str, &str)]) -> Result<String, Refused> {
        self.take(text.len())?;
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(at) = rest.find('<') {
            let after = &rest[at + 1..];
            let value = values.iter().find_map(|(name, value)| {
                let tail = after.strip_prefix(name)?.strip_prefix('>')?;
                Some((value, tail))
            });
            out.push_str(&rest[..at]);
            if let Some((value, tail)) = value {
                self.take(value.len())?;
                out.push_str(value);
                rest = tail;
            } else {
                out.push('<');
                rest = after;
            }
        }
        Ok(out + rest)
    }

    fn take(&mut self, bytes: usize) -> Result<(), Refused> {
        self.left = self.left.checked_sub(bytes).ok_or_else(|| Refused {
            message: "backgrounds and examples make over 4 MiB of steps; split the specification"
                .to_owned(),
            line: None,
        })?;
        Ok(())
    }
}

fn even(ragged: Option<u32>) -> Result<(), Refused> {
    let message = "this row has another number of cells than the first row of its table";
    ragged.map_or(Ok(()), |line| Err(Refused::at(line, message)))
}

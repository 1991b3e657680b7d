//! `test-plan.md`: every scenario with its tests and steps, and the counts at the end.

use super::{
    Strategy,
    markdown::{block, inline, paragraph},
    output::{Planned, PlannedCase},
    scenario::Spec,
    words::Class,
};

pub(super) fn write(
    spec: &Spec,
    strategy: Strategy,
    planned: &[Planned<'_>],
    suggested: usize,
) -> String {
    let mut out = "# Test Plan\n\n".to_owned();
    if let Some(title) = &spec.title {
        out.push_str(&format!("Feature: {}\n\n", inline(title)));
    }
    describe(&mut out, &spec.description);
    for scenario in planned {
        write_scenario(&mut out, scenario);
    }
    let cases = planned.iter().flat_map(|scenario| &scenario.cases);
    let count = |class| cases.clone().filter(|case| case.class == class).count();
    out.push_str("## Summary\n\n| | |\n|---|---|\n");
    out.push_str(&format!("| Format of the specification | {} |\n", strategy.as_str()));
    out.push_str(&format!("| Scenarios | {} |\n", spec.scenarios.len()));
    out.push_str(&format!("| Test cases | {} |\n", cases.clone().count()));
    for class in Class::ALL {
        out.push_str(&format!("| Test cases, {} | {} |\n", spoken(class), count(class)));
    }
    if suggested > 0 {
        out.push_str(&format!("| Test cases, suggested by a model | {suggested} |\n"));
    }
    out
}

fn write_scenario(out: &mut String, planned: &Planned<'_>) {
    let scenario = planned.scenario;
    out.push_str(&format!("## Scenario: {}\n\n", inline(&scenario.name)));
    if let Some(rule) = &scenario.rule {
        out.push_str(&format!("Rule: {}\n\n", inline(rule)));
    }
    if !scenario.tags.is_empty() {
        let tags: Vec<String> = scenario.tags.iter().map(|tag| inline(tag)).collect();
        out.push_str(&format!("Tags: {}\n\n", tags.join(" ")));
    }
    describe(out, &scenario.description);
    match planned.cases.as_slice() {
        [case] => {
            out.push_str(&format!("Test: `{}` ({})\n\n", case.id, spoken(case.class)));
            write_steps(out, case);
        }
        cases => {
            for (number, case) in (1..).zip(cases) {
                out.push_str(&format!("### Example {number}: {}\n\n", inline(case.name)));
                out.push_str(&format!("Test: `{}` ({})\n\n", case.id, spoken(case.class)));
                write_steps(out, case);
            }
        }
    }
}

fn write_steps(out: &mut String, case: &PlannedCase<'_>) {
    if case.steps.is_empty() {
        out.push_str("The specification gives no steps.\n");
    }
    for (number, step) in (1..).zip(case.steps) {
        let (first, rest) = step.split_once('\n').unwrap_or((step, ""));
        out.push_str(&format!("{number}. {}\n", paragraph(first)));
        if !rest.is_empty() {
            out.push_str(&block(rest, "   "));
        }
    }
    out.push('\n');
}

fn describe(out: &mut String, description: &str) {
    let lines = description.lines().map(str::trim).filter(|line| !line.is_empty());
    let lines: Vec<String> = lines.map(paragraph).collect();
    if !lines.is_empty() {
        out.push_str(&format!("{}\n\n", lines.join("\n")));
    }
}

fn spoken(class: Class) -> &'static str {
    match class {
        Class::HappyPath => "happy path",
        Class::ErrorHandling => "error handling",
        Class::EdgeCase => "edge case",
        Class::Permission => "permission",
    }
}

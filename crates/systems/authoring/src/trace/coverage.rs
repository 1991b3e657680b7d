//! Which tests cover which scenario: as data and as `coverage-matrix.md`.

use super::{
    markdown::inline,
    output::{Planned, PlannedCase},
    words::Class,
};

/// Scenarios in order, each with the ids of its cases. Scenarios of one name share an entry.
pub(super) fn matrix(planned: &[Planned<'_>]) -> Vec<(String, Vec<String>)> {
    let ids = |cases: &[&PlannedCase<'_>]| cases.iter().map(|case| case.id.clone()).collect();
    grouped(planned).into_iter().map(|(name, cases)| (name.to_owned(), ids(&cases))).collect()
}

pub(super) fn write(planned: &[Planned<'_>], test_file: &str) -> String {
    let mut out = "# Coverage Matrix\n\n".to_owned();
    out.push_str("| Scenario | Happy path | Error handling | Edge case | Permission |\n");
    out.push_str("|---|---|---|---|---|\n");
    for (name, cases) in grouped(planned) {
        out.push_str(&format!("| {} |", inline(name)));
        for class in Class::ALL {
            let ids = cases.iter().filter(|case| case.class == class);
            let ids: Vec<String> = ids.map(|case| format!("`{}`", case.id)).collect();
            out.push_str(&format!(" {} |", ids.join(", ")));
        }
        out.push('\n');
    }
    let cases: usize = planned.iter().map(|scenario| scenario.cases.len()).sum();
    let s = if cases == 1 { "" } else { "s" };
    out + &format!("\n{cases} test{s} in `{test_file}`.\n")
}

fn grouped<'p, 'a>(planned: &'p [Planned<'a>]) -> Vec<(&'a str, Vec<&'p PlannedCase<'a>>)> {
    let mut groups: Vec<(&str, Vec<&PlannedCase<'_>>)> = Vec::new();
    let mut place = std::collections::HashMap::new();
    for scenario in planned {
        let name = scenario.scenario.name.as_str();
        let at = *place.entry(name).or_insert_with(|| {
            groups.push((name, Vec::new()));
            groups.len() - 1
        });
        groups[at].1.extend(&scenario.cases);
    }
    groups
}

//! From scenarios to what a job gives: cases with ids, the plan, the matrix, the files.

use consign_contracts::{
    authoring::{Artifact, TestCase, TestFile},
    json::Object,
    wire::Map,
};

use super::{
    Framework, Strategy, coverage,
    ids::{Ids, classify},
    plan,
    scenario::{Case, Scenario, Spec},
    testfile,
    words::Class,
};

/// In front of the name of a case that a model thought of.
const SUGGESTED: &str = "Suggested: ";

/// The parts of `authoring/trace.result` that follow from the specification.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceOutput {
    /// The test file with its cases, in order.
    pub files: Vec<TestFile>,
    /// The plan as Markdown.
    pub test_plan: String,
    /// The test ids of every scenario, in order. Scenarios of one name share a key.
    pub coverage_matrix: Map<Vec<String>>,
    /// `test-plan.md`, the test file and `coverage-matrix.md`, each with its content.
    pub artifacts: Vec<Artifact>,
    /// Scenarios of the specification; an outline is one.
    pub scenario_count: usize,
    /// Cases, with one for each row of an outline and with the suggested ones.
    pub total_test_cases: usize,
    /// Unicode characters of the specification.
    pub spec_length: usize,
    /// How the specification was read.
    pub strategy: Strategy,
    /// How many of the cases a model suggested.
    pub suggested: usize,
}

/// A scenario whose cases have their ids.
pub(super) struct Planned<'a> {
    pub(super) scenario: &'a Scenario,
    pub(super) cases: Vec<PlannedCase<'a>>,
}

pub(super) struct PlannedCase<'a> {
    pub(super) id: String,
    pub(super) class: Class,
    pub(super) name: &'a str,
    pub(super) steps: &'a [String],
}

pub(super) fn assemble(
    spec_text: &str,
    strategy: Strategy,
    spec: &Spec,
    framework: Framework,
    suggested: &[TestCase],
) -> TraceOutput {
    let suggested: Vec<Scenario> = suggested.iter().filter_map(suggestion).collect();
    let mut ids = Ids::of(spec);
    let all = spec.scenarios.iter().chain(&suggested);
    let planned: Vec<Planned<'_>> = all.map(|scenario| with_ids(scenario, &mut ids)).collect();
    let cases: Vec<&PlannedCase<'_>> =
        planned.iter().flat_map(|scenario| &scenario.cases).collect();

    let matrix = coverage::matrix(&planned);
    let test_plan = plan::write(spec, strategy, &planned, suggested.len());
    let title = spec.title.as_deref().unwrap_or("Specification");
    let test_file = testfile::write(framework, title, &cases);
    let path = framework.path();
    let wire = |case: &&PlannedCase<'_>| TestCase {
        name: case.name.to_owned(),
        steps: case.steps.to_vec(),
        extra: Object::new(),
    };
    let file = TestFile {
        path: path.to_owned(),
        cases: cases.iter().map(wire).collect(),
        extra: Object::new(),
    };
    TraceOutput {
        artifacts: vec![
            artifact("test-plan.md", test_plan.clone()),
            artifact(path, test_file),
            artifact("coverage-matrix.md", coverage::write(&planned, path)),
        ],
        total_test_cases: cases.len(),
        files: vec![file],
        test_plan,
        coverage_matrix: Map(matrix),
        scenario_count: spec.scenarios.len(),
        spec_length: spec_text.chars().count(),
        strategy,
        suggested: suggested.len(),
    }
}

fn with_ids<'a>(scenario: &'a Scenario, ids: &mut Ids) -> Planned<'a> {
    let planned = |case: &'a Case| {
        let class = classify(case);
        PlannedCase { id: ids.next(class), class, name: &case.name, steps: &case.steps }
    };
    Planned { scenario, cases: scenario.cases.iter().map(planned).collect() }
}

/// A model's case as a scenario. One without a name is nothing.
fn suggestion(case: &TestCase) -> Option<Scenario> {
    let name = case.name.trim();
    let name = name.strip_prefix(SUGGESTED.trim_end()).unwrap_or(name).trim();
    if name.is_empty() {
        return None;
    }
    let steps = case.steps.iter().map(|step| step.trim()).filter(|step| !step.is_empty());
    Some(Scenario::plain(&format!("{SUGGESTED}{name}"), steps.map(str::to_owned).collect()))
}

fn artifact(path: &str, content: String) -> Artifact {
    Artifact { file_path: path.to_owned(), content: Some(content), extra: Object::new() }
}

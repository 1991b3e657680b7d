//! Trace: a test plan from a specification.

use super::{Artifact, BranchStrategy};
use crate::wire::{Integer, Map, wire, words};

wire! {
    /// The specification that Trace plans tests for.
    pub open struct TracePayload = "authoring/trace.payload" {
        /// The specification's text.
        spec: String [minLength: 1],
        /// The repository's owner.
        owner: Option<String>,
        /// The repository.
        repo: Option<String>,
        /// The branch that work starts from.
        base_branch as "baseBranch": Option<String> [default: "main"],
        /// Where the tests are committed.
        branch_strategy as "branchStrategy": Option<BranchStrategy>,
        /// Whether to write nothing.
        dry_run as "dryRun": Option<bool> [default: false],
    }
}

wire! {
    /// The test plan.
    pub open struct TraceResult = "authoring/trace.result" {
        /// Whether it went well.
        ok: bool,
        /// The agent's id.
        agent: TraceAgent,
        /// The test files and their cases.
        files: Vec<TestFile>,
        /// The plan as Markdown.
        test_plan as "testPlan": String,
        /// Which tests cover which feature.
        coverage_matrix as "coverageMatrix": Map<Vec<String>>,
        /// The files that were made.
        artifacts: Option<Vec<Artifact>>,
        /// The branch.
        branch: Option<String>,
        /// The pull request's address.
        pr_url as "prUrl": Option<String>,
        /// Counts, and what went wrong with the repository.
        metadata: TraceMetadata,
    }
}

words! {
    /// The agent's id.
    pub enum TraceAgent { Trace = "trace" }
}

wire! {
    /// A test file.
    pub open struct TestFile {
        /// Where it belongs.
        path: String,
        /// Its cases.
        cases: Vec<TestCase>,
    }
}

wire! {
    /// A test case.
    pub open struct TestCase {
        /// Its name.
        name: String,
        /// Its steps, in order.
        steps: Vec<String>,
    }
}

wire! {
    /// Counts, and what went wrong with the repository.
    pub open struct TraceMetadata {
        /// Scenarios in the specification.
        scenario_count as "scenarioCount": Integer [minimum: 0],
        /// Cases in the plan.
        total_test_cases as "totalTestCases": Integer [minimum: 0],
        /// Characters in the specification.
        spec_length as "specLength": Integer [minimum: 0],
        /// Whether the files were committed.
        committed: Option<bool>,
        /// Why they were not.
        github_error as "githubError": Option<String>,
    }
}

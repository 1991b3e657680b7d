//! What every way of reading a specification ends in.

/// A specification that was read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Spec {
    /// The title of the feature, where the specification names one.
    pub(super) title: Option<String>,
    /// What it says of the feature as a whole.
    pub(super) description: String,
    pub(super) scenarios: Vec<Scenario>,
}

/// A scenario. An outline is one scenario with a case for each row of its examples.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Scenario {
    pub(super) name: String,
    pub(super) tags: Vec<String>,
    pub(super) rule: Option<String>,
    pub(super) description: String,
    pub(super) cases: Vec<Case>,
}

/// What becomes one test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Case {
    pub(super) name: String,
    pub(super) steps: Vec<String>,
    /// How many of the steps come from a background. They say nothing about what is tested.
    pub(super) background: usize,
}

impl Scenario {
    /// A scenario of a format that knows names and steps only. Without steps, its name is the step.
    pub(super) fn plain(name: &str, mut steps: Vec<String>) -> Self {
        if steps.is_empty() {
            steps.push(name.to_owned());
        }
        let name = name.to_owned();
        let case = Case { name: name.clone(), steps, background: 0 };
        Self { name, tags: Vec::new(), rule: None, description: String::new(), cases: vec![case] }
    }
}

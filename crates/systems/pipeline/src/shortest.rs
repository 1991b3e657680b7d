//! The shortest way to the end. A bound below it can only ever stop a journey.

use std::collections::BTreeSet;

use super::{Does, Pipeline, Target, Who};

/// What it takes at least to get from the first stage to the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shortest {
    pub hops: u64,
    /// Questions to models, each answered at once.
    pub llm_calls: u64,
}

impl Shortest {
    /// `thinkers` are the stages whose agents ask a model of their own. `None` if nothing leads to the end.
    #[must_use]
    pub fn of(pipeline: &Pipeline, thinkers: &BTreeSet<String>) -> Option<Self> {
        let asks = |at: &&usize| {
            let stage = &pipeline.stages[**at];
            let defined = match &stage.does {
                Does::Agent(Who::Defined(definition)) => definition.get("model").is_some(),
                Does::Agent(Who::Named(_) | Who::File(_)) | Does::Person(_) | Does::Parallel(_) => {
                    false
                }
            };
            defined || stage.model.is_some() || thinkers.contains(&stage.name)
        };
        let hops = least(pipeline, |members| members.len())?;
        let llm_calls = least(pipeline, |members| members.iter().filter(asks).count())?;
        Some(Self { hops, llm_calls })
    }
}

/// The least that the stages of a way can come to, together.
fn least(pipeline: &Pipeline, turn: impl Fn(&[usize]) -> usize) -> Option<u64> {
    let stages = 0..pipeline.stages.len();
    let turns: Vec<_> = stages.clone().map(|at| turn(&pipeline.members(at)) as u64).collect();
    let targets: Vec<_> = stages.clone().map(|at| pipeline.targets(at)).collect();
    let mut least: Vec<Option<u64>> = vec![None; turns.len()];
    loop {
        let before = least.clone();
        for at in stages.clone() {
            let onward = targets[at].iter().filter_map(|target| match target {
                Target::End => Some(0),
                Target::Stage(next) => least[*next],
            });
            least[at] = onward.min().map(|onward| onward + turns[at]);
        }
        if least == before {
            return least.first().copied().flatten();
        }
    }
}

//! The worst case of a journey: the most hops, calls, iterations and rounds that it can come to.

use consign_engine::{Agents, Bound, Data, Nanos, Settings};

use super::{
    Journey,
    envelope::number,
    journey::{MOST_HOPS, Stand},
    pipeline::{CRITIC, Does, Target},
};

/// What a journey can come to at most, counted from where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Worst {
    /// Stages begun.
    pub hops: u64,
    /// Times that the critic sends it back.
    pub iterations: u64,
    /// Rounds of goals.
    pub rounds: u64,
    /// Calls of agents with every try, and what they cost where that is known.
    pub bound: Bound,
    /// Whether it ends by itself, or may be stopped by its bound on hops.
    pub straight: bool,
}

impl Worst {
    #[must_use]
    pub fn of(journey: &Journey, agents: &Agents, settings: &Settings) -> Self {
        let (pipeline, envelope) = (&journey.pipeline, &journey.envelope);
        let over = match journey.stand {
            Stand::Over => true,
            // A journey that has not begun is `Stopped`, too, but has no `until`.
            Stand::Stopped => journey.until.is_some(),
            Stand::Working { .. } | Stand::Clarifying | Stand::Confirming => false,
        };
        let most_hops = number(envelope.max_agent_hops.as_ref(), 21).min(MOST_HOPS);
        // The hops of the stage that has its turn are counted already.
        let begun = journey.working().len() as i64;
        let hops_left = most_hops - number(envelope.agent_hop_count.as_ref(), 0) + begun;
        let hops_left = if over { 0 } else { u64::try_from(hops_left).unwrap_or(0) };
        let from = journey.next_stage();
        let costs: Vec<_> = (0..pipeline.stages.len())
            .map(|stage| turn(journey, stage, agents, settings))
            .collect();
        let path = if over { None } else { longest(journey, from, &costs) };
        let (hops, bound, straight) = match path {
            Some((hops, bound)) if hops <= hops_left => (hops, bound, true),
            _ => {
                let most = costs.iter().fold(nothing(), |most, cost| Bound {
                    cost: most.cost.zip(cost.cost).map(|(a, b)| a.max(b)),
                    calls: most.calls.zip(cost.calls).map(|(a, b)| a.max(b)),
                });
                let bound = Bound {
                    cost: most.cost.map(|cost| cost.times(hops_left)),
                    calls: most.calls.map(|calls| calls.saturating_mul(hops_left)),
                };
                (hops_left, bound, over)
            }
        };
        let left = |most: i64, now: i64| {
            u64::try_from(most.saturating_sub(now).saturating_add(1)).unwrap_or(0)
        };
        let fires = left(pipeline.max_critic_fires, journey.fires());
        let iteration = number(envelope.iteration.as_ref(), 0);
        let iterations = left(number(envelope.max_iterations.as_ref(), 3), iteration).min(fires);
        let round = number(envelope.current_stage_number.as_ref(), 1);
        let rounds = left(number(envelope.max_stages.as_ref(), 5), round);
        // A straight journey meets a critic once at most, and its verdict counts wherever it leads.
        let verdicts = u64::from(!over && pipeline.writer(CRITIC).is_some());
        Self {
            hops,
            iterations: if straight { iterations.min(verdicts) } else { iterations },
            rounds: if straight { rounds.clamp(1, 1 + verdicts) } else { rounds.max(1) },
            bound,
            straight,
        }
    }
}

fn nothing() -> Bound {
    Bound { cost: Some(Nanos::ZERO), calls: Some(0) }
}

/// What one turn of a stage with an agent can come to. A person is free, and is no call.
fn turn(journey: &Journey, stage: usize, agents: &Agents, settings: &Settings) -> Bound {
    let stage = &journey.pipeline.stages[stage];
    let Does::Agent(who) = &stage.does else { return nothing() };
    let plain = stage.agent_name(who, &journey.place.pinned);
    let asked = stage.model.as_ref().map(|model| plain.with_model(model));
    let thinks = stage.model.is_some() || journey.place.thinkers.contains(&stage.name);
    let bound = |name: &str| {
        let agent = agents.get(name)?;
        Some(agent.invoker.bound(&Data::null(), settings, stage.retry.tries))
    };
    let first = bound(asked.as_deref().unwrap_or(&plain)).unwrap_or_default();
    // What a model costs follows from what it is told, which is not known before. One that costs nothing, whatever it
    // is told, is a script, a recording, a person outside, or free.
    let is_free = first.cost.is_some_and(Nanos::is_zero);
    let first = if thinks && !is_free { Bound { cost: None, ..first } } else { first };
    // Without its model a built-in agent goes on by itself.
    let again = if asked.is_some() && stage.built_in().is_some() {
        bound(&plain).unwrap_or_default()
    } else {
        nothing()
    };
    plus(&first, &again)
}

fn plus(a: &Bound, b: &Bound) -> Bound {
    Bound {
        cost: a.cost.zip(b.cost).map(|(a, b)| a + b),
        calls: a.calls.zip(b.calls).map(|(a, b)| a.saturating_add(b)),
    }
}

/// The longest way from a stage to the end. `None` if it can go in circles.
fn longest(journey: &Journey, from: usize, costs: &[Bound]) -> Option<(u64, Bound)> {
    let stages = journey.pipeline.stages.len();
    let mut seen = vec![Seen::No; stages];
    let mut known: Vec<Option<(u64, Bound)>> = vec![None; stages];
    let mut path = vec![(from, journey.pipeline.targets(from))];
    seen[from] = Seen::OnPath;
    while let Some((at, targets)) = path.last_mut() {
        let at = *at;
        if let Some(target) = targets.pop() {
            let Target::Stage(next) = target else { continue };
            match seen[next] {
                Seen::OnPath => return None,
                Seen::Done => {}
                Seen::No => {
                    seen[next] = Seen::OnPath;
                    path.push((next, journey.pipeline.targets(next)));
                }
            }
            continue;
        }
        let members = journey.pipeline.members(at);
        let own = members.iter().fold(nothing(), |sum, member| plus(&sum, &costs[*member]));
        let onward = journey.pipeline.targets(at).into_iter().filter_map(|target| match target {
            Target::Stage(next) => known[next].clone(),
            Target::End => None,
        });
        let most = onward.fold((0, nothing()), |most, next| {
            (
                most.0.max(next.0),
                Bound {
                    cost: most.1.cost.zip(next.1.cost).map(|(a, b)| a.max(b)),
                    calls: most.1.calls.zip(next.1.calls).map(|(a, b)| a.max(b)),
                },
            )
        });
        known[at] = Some((most.0 + members.len() as u64, plus(&own, &most.1)));
        seen[at] = Seen::Done;
        path.pop();
    }
    known[from].clone()
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Seen {
    No,
    OnPath,
    Done,
}

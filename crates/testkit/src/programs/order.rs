//! A plan together with the options of its run.

use std::time::Duration;

use consign_engine::{
    Actor, Bound, Data, Limits, Nanos, Owner, Placement, RunId, Settings, Submission,
};

use super::{
    Plan,
    workflow::{Input, NAME},
};

/// A run that a test wants: of Ada's, without limits, for any worker, unless it says otherwise.
#[derive(Clone, Debug)]
pub struct Order {
    id: Option<RunId>,
    plan: Plan,
    bound: Bound,
    owner: Owner,
    limits: Limits,
    priority: i32,
    placement: Placement,
    settings: Settings,
    certified: bool,
}

impl From<Plan> for Order {
    fn from(plan: Plan) -> Self {
        Self {
            id: None,
            plan,
            bound: Bound::default(),
            owner: Owner::from("ada"),
            limits: Limits::default(),
            priority: 0,
            placement: Placement::Anywhere,
            settings: Settings::default(),
            certified: false,
        }
    }
}

impl Order {
    #[must_use]
    pub fn named(mut self, id: &str) -> Self {
        self.id = Some(id.into());
        self
    }

    #[must_use]
    pub fn may_cost(mut self, cap: Nanos) -> Self {
        self.limits.cost = Some(cap);
        self
    }

    #[must_use]
    pub fn may_call(mut self, times: u64) -> Self {
        self.limits.calls = Some(times);
        self
    }

    #[must_use]
    pub fn may_work(mut self, span: Duration) -> Self {
        self.limits.active = Some(span);
        self
    }

    #[must_use]
    pub fn owned_by(mut self, owner: &str) -> Self {
        self.owner = owner.into();
        self
    }

    #[must_use]
    pub fn priority(mut self, priority: i32) -> Self {
        self.priority = priority;
        self
    }

    #[must_use]
    pub fn placed(mut self, placement: Placement) -> Self {
        self.placement = placement;
        self
    }

    /// Refuse it unless it is sure to end within its limits.
    #[must_use]
    pub fn with_settings(mut self, settings: Settings) -> Self {
        self.settings = settings;
        self
    }

    #[must_use]
    pub fn certified(mut self) -> Self {
        self.certified = true;
        self
    }

    /// The most that its workflow says it comes to.
    #[must_use]
    pub fn bounded(mut self, cost: Nanos, calls: u64) -> Self {
        self.bound = Bound { cost: Some(cost), calls: Some(calls) };
        self
    }

    /// Whether a command begins it and holds it.
    #[must_use]
    pub fn is_for_commands(&self) -> bool {
        matches!(self.placement, Placement::Foreground | Placement::HereOnly)
    }

    #[must_use]
    pub fn submission(self) -> Submission {
        let actor = Actor::new(self.owner.as_str());
        Submission {
            id: self.id,
            workflow: NAME.to_owned(),
            input: Data::of(&Input { plan: self.plan, bound: self.bound }),
            owner: self.owner,
            limits: self.limits,
            placement: self.placement,
            priority: self.priority,
            settings: self.settings,
            certified: self.certified,
            actor,
        }
    }
}

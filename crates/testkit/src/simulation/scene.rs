//! What one seed decides: programs, runs, owners, and the troubles that happen.

use std::{sync::Arc, time::Duration};

use consign_engine::{Data, Key, Limits, Nanos, Owner, Placement, Retry, RunId};

use super::{
    agents::{AGENTS, Fate, Script, Try},
    program::{Input, Node, Programs},
    random::Random,
};

/// The only host that runs can be bound to.
pub(super) const HOST: &str = "attic";

pub(super) struct Scene {
    pub(super) programs: Programs,
    pub(super) runs: Vec<Planned>,
    pub(super) owners: Vec<(Owner, Option<Nanos>)>,
    pub(super) workers: u64,
    /// How long things go wrong.
    pub(super) trouble: Duration,
    /// How long an attempt may take.
    pub(super) timeout: Duration,
    /// How long a store that cannot write is waited for.
    pub(super) patience: Duration,
    pub(super) weather: Weather,
    /// How many forks and retries somebody may want, in trouble and after it.
    pub(super) forks: u64,
}

/// A run that somebody will want.
#[derive(Clone)]
pub(super) struct Planned {
    pub(super) id: Option<RunId>,
    /// How often it is submitted.
    pub(super) times: u64,
    pub(super) after: Duration,
    pub(super) input: Data,
    pub(super) owner: Owner,
    pub(super) limits: Limits,
    pub(super) placement: Placement,
    pub(super) priority: i32,
}

/// How often something goes wrong, out of a thousand.
pub(super) struct Weather {
    /// A write takes long, on its way there or back.
    pub(super) slow: u64,
    /// A step, a delivery or a new run cannot be written.
    pub(super) unavailable: u64,
    /// Anything else cannot be done.
    pub(super) hiccups: u64,
    /// A write happens, and nobody can say so.
    pub(super) lost: u64,
    /// Weights of what happens next.
    pub(super) kills: u64,
    pub(super) doubts: u64,
    pub(super) jumps: u64,
    pub(super) drains: u64,
    /// The longest time, in milliseconds, from one of these to the next.
    pub(super) pause: u64,
}

impl Scene {
    pub(super) fn new(random: &Random) -> Self {
        let owners = ["ada", "bob"].map(|name| {
            let cap = random.chance(500).then(|| Nanos::new(random.between(500, 6000)));
            (Owner::new(name), cap)
        });
        let count = random.between(1, 6);
        let programs: Vec<_> = (0..count).map(|_| Sower::program(random)).collect();
        let runs = (0..programs.len()).map(|program| planned(random, program, &owners));
        Self {
            runs: runs.collect(),
            programs: Programs(Arc::new(programs)),
            owners: owners.into(),
            workers: random.between(1, 3),
            trouble: random.millis(500, 8000),
            timeout: Duration::from_millis(*random.pick(&[300, 2000, 60_000])),
            patience: random.millis(0, 3000),
            weather: Weather::new(random),
            forks: *random.pick(&[0, 1, 2, 4]),
        }
    }
}

impl Weather {
    fn new(random: &Random) -> Self {
        // Each kind of trouble is missing from some worlds, so that what it hides can be seen.
        let sometimes = |most| if random.chance(600) { random.between(1, most) } else { 0 };
        Self {
            slow: sometimes(150),
            unavailable: sometimes(120),
            hiccups: sometimes(4),
            lost: sometimes(6),
            kills: sometimes(10),
            doubts: sometimes(10),
            jumps: sometimes(5),
            drains: sometimes(4),
            pause: *random.pick(&[50, 300, 1500]),
        }
    }
}

fn planned(random: &Random, program: usize, owners: &[(Owner, Option<Nanos>)]) -> Planned {
    let ballast = if random.chance(300) { 3000 } else { 0 };
    let tight = |least, most| random.chance(250).then(|| random.between(least, most));
    let limits = Limits {
        cost: tight(50, *random.pick(&[400, 4000])).map(Nanos::new),
        calls: tight(1, 6),
        active: tight(50, 3000).map(Duration::from_millis),
    };
    let placement = match random.below(20) {
        0..=4 => Placement::Foreground,
        5 => Placement::HereOnly,
        6 | 7 => Placement::Host(HOST.into()),
        _ => Placement::Anywhere,
    };
    // What is submitted more than once has a name, so that it is made once.
    let named = !is_for_commands(&placement) && random.chance(400);
    Planned {
        id: named.then(|| RunId::new(format!("named-{program}"))),
        times: if named { random.between(1, 3) } else { 1 },
        after: random.millis(0, 1500),
        input: Data::of(&Input { program, points: *random.pick(&[0, 1, 1, 1, 3]), ballast }),
        owner: random.pick(owners).0.clone(),
        limits,
        placement,
        priority: i32::from(random.chance(300)),
    }
}

/// Whether a run is begun by a command that holds it.
pub(super) fn is_for_commands(placement: &Placement) -> bool {
    matches!(placement, Placement::Foreground | Placement::HereOnly)
}

/// Makes one program.
struct Sower<'a> {
    random: &'a Random,
    keys: u64,
    races: usize,
    /// Leaves that may still grow.
    leaves: u64,
}

impl<'a> Sower<'a> {
    fn program(random: &'a Random) -> Node {
        let leaves = random.between(1, *random.pick(&[3, 8, 8, 20]));
        let mut sower = Self { random, keys: 0, races: 0, leaves };
        sower.node(3)
    }

    fn node(&mut self, depth: u64) -> Node {
        if depth == 0 || self.leaves <= 1 || self.random.chance(150) {
            return self.leaf();
        }
        match self.random.below(5) {
            0 | 1 => Node::Sequence(self.parts(depth)),
            2 | 3 => Node::All(self.parts(depth)),
            _ => {
                self.races += 1;
                Node::Race(self.races, self.parts(depth))
            }
        }
    }

    fn parts(&mut self, depth: u64) -> Vec<Node> {
        let count = self.random.between(2, 6);
        let mut parts = vec![self.node(depth - 1)];
        while (parts.len() as u64) < count && self.leaves > 0 {
            parts.push(self.node(depth - 1));
        }
        parts
    }

    fn leaf(&mut self) -> Node {
        self.leaves = self.leaves.saturating_sub(1);
        self.keys += 1;
        let (random, number) = (self.random, self.keys);
        match random.below(17) {
            0..=3 => Node::Ask {
                key: Key::new(format!("ask{number}")),
                deadline: random.chance(500).then(|| random.millis(20, 4000)),
                default: random.chance(500).then(|| random.below(9)),
                vital: random.chance(200),
            },
            4 => Node::Signal(number),
            5 | 6 => {
                let after = *random.pick(&[1, 40, 240, 900, 5000]);
                let after = Duration::from_millis(after);
                Node::Timer { key: Key::new(format!("timer{number}")), after }
            }
            _ => self.call(),
        }
    }

    fn call(&mut self) -> Node {
        let (random, number) = (self.random, self.keys);
        let (agent, _) = random.pick(&AGENTS);
        let worst = random.chance(900).then(|| random.between(0, 600));
        let tries = (0..random.between(1, 3)).map(|_| attempt(random, worst.unwrap_or(600)));
        let script = Script {
            worst,
            tries: tries.collect(),
            stops: *random.pick(&[Some(0), Some(30), Some(2000), None]),
            forgets: *random.pick(&[0, 300, 1000]),
            deadline: random.chance(400).then(|| random.between(50, 5000)),
        };
        let first = random.millis(0, 400);
        let longest = random.millis(400, 2000);
        Node::Call {
            key: Key::new(format!("call{number}")),
            agent: (*agent).into(),
            input: Data::of(&script),
            retry: Retry::new(u32::from(random.chance(600)) * 3 + 1, first, longest),
            vital: random.chance(150),
        }
    }
}

fn attempt(random: &Random, worst: u64) -> Try {
    let fates = [
        (Fate::Replies, 540),
        (Fate::Stumbles, 120),
        (Fate::HandsOver, 60),
        (Fate::Refers, 30),
        (Fate::LosesReply, 60),
        (Fate::LosesRequest, 60),
        (Fate::Fails, 40),
        (Fate::Hangs, 40),
        (Fate::Garbles, 30),
        (Fate::Panics, 20),
    ];
    let mut left = random.below(1000);
    let fate = fates.iter().find(|(_, weight)| {
        let found = left < *weight;
        left = left.saturating_sub(*weight);
        found
    });
    let pause = |longest: &[u64]| random.below(*random.pick(longest) + 1);
    Try {
        before: pause(&[0, 0, 20, 200, 1500, 30_000]),
        after: pause(&[0, 0, 20, 200, 1500]),
        cost: random.between(0, worst),
        fate: fate.map_or(Fate::Replies, |(fate, _)| *fate),
    }
}
